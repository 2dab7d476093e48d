"""The exact EW values of small graphs, by enumerating every walk. The oracle of the estimator."""

from ew.score.score import harmonic_mean


def direction(source, target, t_max):
    """Mean over lengths 1 … t_max of the probability that a walk of `source` runs in `target`."""
    return sum(_runs(source, target, 0, 0, length) for length in range(1, t_max + 1)) / t_max


def score(world, model, t_max):
    """The harmonic mean of both directions."""
    return harmonic_mean(direction(world, model, t_max), direction(model, world, t_max))


def _runs(source, target, here, there, length):
    options = source.get(here, {})
    if length == 0 or not options:
        return 1.0
    total = 0.0
    for label, to in options.items():
        if label in target.get(there, {}):
            total += _runs(source, target, to, target[there][label], length - 1)
    return total / len(options)
