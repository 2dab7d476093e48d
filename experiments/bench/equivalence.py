"""Comparing problems and domains, and pairs of texts and problems, on one core.

Equivalence: from two texts to the answer, and canonical forms. The pairs are Blocksworld and Gripper tasks of
40 to 80 atoms and, under other names and in another order, the same with the goal as it was, with an atom of
the goal less, or with one of the initial state less. The symmetric ones are 40 blocks or balls that are all
alike, compared as such and as placeholders.

Alignment: large domains with many faults and none of their names, and how long the proof takes.

Planetarium: making pairs, and judging translations. A data set is drawn until it has as many pairs as are
wanted, and the more it has, the more candidates repeat one. So the time for the published number of pairs is
extrapolated from the time of a candidate.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console

from envs.anonymous import anonymise
from envs.pddl.alignment.errors_of import Alignment, align
from envs.pddl.equivalence.compare import Verdict, canonical_digest, compare_texts
from envs.pddl.language.domain import Domain, GroundAtom, read_domain, read_problem
from envs.pddl.mutation.faults import BreakKind, break_domain
from envs.pddl.planning.planner import Planner
from envs.planetarium.drawing import DRAWN, draw_candidates
from envs.planetarium.pairs import Pair
from envs.planetarium.source import pairs_behind
from envs.source import read_texts
from envs.tasks import Literal, TaskFacts, generator_of, problem_text, shuffled
from experiments.bench import measure
from experiments.evaluation.judging import judged
from experiments.runs.seeds import stream
from experiments.studies.goal_completion import renamed
from experiments.studies.planetarium.data import PUBLISHED, DataConfig, make

#: World → sizes whose tasks have 40 to 80 atoms.
SIZES = {
    "blocksworld": ({"blocks": 23}, {"blocks": 28}, {"blocks": 36}),
    "gripper": (
        {"rooms": 3, "balls": 12, "grippers": 2},
        {"rooms": 4, "balls": 15, "grippers": 3},
        {"rooms": 5, "balls": 20, "grippers": 4},
    ),
}
ALIKE = 40


@dataclass(frozen=True)
class TextPair:
    """Two texts of one domain."""

    domain: Domain
    one: str
    other: str
    atoms: int  #: of the first text


def equivalence_figures(settings: measure.BenchSettings) -> Iterator[measure.Figure]:
    """Pairs that occur, the worst symmetric pairs, and canonical forms."""

    def times(call: Callable[[TextPair], None], pairs: Iterable[TextPair]) -> list[float]:
        """Milliseconds of a call for each pair."""
        return [1e3 * measure.median_seconds(partial(call, pair), settings.repeats) for pair in pairs]

    pairs = drawn_pairs(5)
    comparing, reading = times(_compared, pairs), statistics.median(times(_read, pairs))
    sizes = [pair.atoms for pair in pairs]
    what = f"comparing two texts, {min(sizes)} to {max(sizes)} atoms"
    beside = f"slowest {max(comparing):.1f} ms; reading alone {reading:.2f} ms"
    yield measure.at_most(what, statistics.median(comparing), 3, "ms", beside)
    for placeholder in (False, True):
        worst = max(times(partial(_compared, placeholder=placeholder), alike_pairs()))
        what = f"{ALIKE} blocks or balls alike{', as placeholders' if placeholder else ''}"
        yield measure.at_most(f"comparing {what}", worst, 200, "ms")
    each = statistics.mean(times(_canonical, pairs))
    beside = f"132,037 in {each * 132.037 / 60:.1f} min on one core"
    yield measure.at_most("canonical form of one problem, reading included", each, 5, "ms", beside)


def drawn_pairs(each: int) -> list[TextPair]:
    """Pairs of both worlds, `each` of every size, of three kinds in turn."""
    pairs = []
    for world, sizes in SIZES.items():
        domain, generator = read_domain(read_texts(world, 1).domain), generator_of(world)
        rng = stream(0, "equivalence bench", world)
        for number in range(each * len(sizes)):
            facts = generator(**sizes[number % len(sizes)]).generate(rng)
            pairs.append(_pair(domain, facts, disguised(_changed(facts, number % 3, rng), rng)))
    return pairs


def alike_pairs() -> list[TextPair]:
    """All blocks on the table, to stay there; all balls in one room, to be brought to another."""
    blocks, gripper = (read_domain(read_texts(world, 1).domain) for world in SIZES)
    names = [f"x{i}" for i in range(ALIKE)]
    flat = [("ontable", n) for n in names] + [("clear", n) for n in names]
    rooms, hands = ("here", "there"), ("left", "right")
    static = [("ball", n) for n in names] + [("room", r) for r in rooms] + [("gripper", h) for h in hands]
    lying: list[GroundAtom] = [*static, ("at-robby", "here"), *(("free", h) for h in hands)]
    lying += [("at", n, "here") for n in names]
    tower = _facts(names, [*flat, ("handempty",)], [("ontable", n) for n in names])
    moved = _facts([*names, *rooms, *hands], lying, [("at", n, "there") for n in names])
    rng = stream(0, "equivalence bench", "alike")
    cases = ((blocks, tower), (gripper, moved))
    pairs = [_pair(domain, facts, disguised(facts, rng)) for domain, facts in cases]
    fewer = [replace(facts, goal=facts.goal[1:]) for _, facts in cases]
    return pairs + [_pair(d, f, disguised(g, rng)) for (d, f), g in zip(cases, fewer, strict=True)]


def disguised(facts: TaskFacts, rng: np.random.Generator) -> TaskFacts:
    """The same task under other names and in another order."""
    numbers = rng.permutation(len(facts.objects)).tolist()
    names = {name: f"y{number}" for name, number in zip(facts.objects, numbers, strict=True)}
    objects = {name: facts.objects[name] for name in shuffled(rng, list(facts.objects))}
    return renamed(objects, shuffled(rng, facts.init), shuffled(rng, facts.goal), names)


def _changed(facts: TaskFacts, kind: int, rng: np.random.Generator) -> TaskFacts:
    """The task as it is, with an atom of the goal less, or with one of the initial state less."""
    if kind == 1:
        return replace(facts, goal=tuple(shuffled(rng, facts.goal)[1:]))
    if kind == 2:
        return replace(facts, init=tuple(shuffled(rng, facts.init)[1:]))
    return facts


def _facts(objects: Sequence[str], init: Sequence[GroundAtom], goal: Sequence[GroundAtom]) -> TaskFacts:
    wanted: tuple[Literal, ...] = tuple((True, atom) for atom in goal)
    return TaskFacts(dict.fromkeys(objects, "object"), tuple(init), wanted)


def _pair(domain: Domain, one: TaskFacts, other: TaskFacts) -> TextPair:
    first, second = (problem_text("bench", domain.vocabulary, facts) for facts in (one, other))
    return TextPair(domain, first, second, len(one.init) + len(one.goal))


def _compared(pair: TextPair, placeholder: bool = False) -> None:
    found = compare_texts(pair.one, pair.other, pair.domain, placeholder=placeholder)
    if found.verdict not in (Verdict.EQUIVALENT, Verdict.DIFFERENT):
        raise RuntimeError(f"a pair of the bench is {found.verdict}: {found.witness}")


def _read(pair: TextPair) -> None:
    for text in (pair.one, pair.other):
        read_problem(text, pair.domain)


def _canonical(pair: TextPair) -> None:
    canonical_digest(read_problem(pair.one, pair.domain))


_DOMAINS, _FAULTS = 5, 40


def alignment_figures(_settings: measure.BenchSettings) -> Iterator[measure.Figure]:
    """A figure for each of the two worlds of the suite with the most actions."""
    return (alignment_figure(world, _FAULTS, _DOMAINS) for world in ("minecraft", "household"))


def alignment_figure(world: str, faults: int, domains: int) -> measure.Figure:
    """Some domains, each with other faults."""
    alignments = (_alignment(world, faults, seed) for seed in range(domains))
    found, taken = zip(*map(measure.timed, alignments), strict=True)
    proved = sum(alignment.exact for alignment in found)
    beside = f"{proved} of {domains} proved; {max(taken):.1f} s at most"
    what = f"align {world}, {faults} faults, other names"
    return measure.at_most(what, statistics.median(taken), 2, "s", beside, only_if=proved == domains)


def _alignment(world: str, faults: int, seed: int) -> Callable[[], Alignment]:
    """The alignment, when it is called, of a domain with faults and without its names with the true one."""
    texts = read_texts(world, 1)
    true = read_domain(texts.domain)
    broken = break_domain(true, BreakKind.MIXED, faults, np.random.default_rng(seed))
    hidden = anonymise(broken.domain, texts.problem)
    back = {kind: {new: old for old, new in names.items()} for kind, names in hidden.names.items()}
    made = read_domain(hidden.domain)
    return partial(align, true, made, actions=back["actions"], types=back["types"], constants=back["objects"])


_MADE = 5000
#: Candidates for each pair of a data set of the published size: with seed 0, the last ones to be taken have
#: the numbers 241,579 and 67,570.
_FOR_A_PAIR = {"blocksworld": 241_580 / 92_350, "gripper": 67_571 / 39_687}
_DRAWN = 400
_MINUTES = 20.0


def planetarium_figures(settings: measure.BenchSettings) -> Iterator[measure.Figure]:
    """A data set as a whole, its candidates one by one, and the judging of right answers."""
    yield from _data_set()
    yield _published_size()
    yield _judging(settings.repeats)


def _data_set() -> Iterator[measure.Figure]:
    with tempfile.TemporaryDirectory(prefix="groundwalk-") as folder:
        config = DataConfig(pairs=_MADE, executor="serial", out=Path(folder))
        took = measure.seconds(partial(make, config, Console(quiet=True)))
    limit = round(_MINUTES * 60 * 2 * _MADE / sum(PUBLISHED.values()))
    yield measure.at_most(f"a data set of {_MADE:,} pairs", took, limit, "s", "one core")
    yield from measure.peak_memory("memory for that", 2000)


def _published_size() -> measure.Figure:
    draws = {world: partial(draw_candidates, world, 1, 0, _DRAWN) for world in DRAWN}
    each = {world: measure.seconds(draw) / _DRAWN for world, draw in draws.items()}
    drawn = {world: PUBLISHED[world] * _FOR_A_PAIR[world] for world in DRAWN}
    minutes = sum(drawn[world] * each[world] for world in DRAWN) / 60 / 2
    beside = ", ".join(f"{world} {1e3 * each[world]:.2f} ms" for world in DRAWN)
    what = f"{sum(PUBLISHED.values()):,} pairs on two cores, from {sum(drawn.values()):,.0f} candidates"
    return measure.at_most(what, minutes, _MINUTES, "min", f"extrapolated: {beside}")


def _judging(repeats: int) -> measure.Figure:
    domains = {world: read_domain(read_texts(world, 1).domain) for world in DRAWN}
    pairs = [pair for world in DRAWN for pair in pairs_behind(world, 30)]
    calls = [partial(_judge, pair, domains[pair.world]) for pair in pairs]
    times = [1e3 * measure.median_seconds(call, repeats) for call in calls]
    beside = f"slowest {max(times):.1f} ms, with up to {max(pair.size for pair in pairs)} atoms"
    return measure.at_most("judging a right answer", statistics.median(times), 12, "ms", beside)


def _judge(pair: Pair, domain: Domain) -> None:
    record, _ = judged(pair.problem, pair, domain, Planner())
    if not record.correct:
        raise RuntimeError(f"the truth of {pair.id} is {record.meaning}: {record.difference}")
