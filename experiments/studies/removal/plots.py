"""The removal study's figures: `pnf`, `ew` (six worlds) and `ew-all`, each as PNG and SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes

from experiments.reporting.figures import new_figure, save
from experiments.studies.removal.tables import Removal

#: Worlds of the small EW figure, as far as the study has them.
_SHOWN = ("grippers", "blocksworld", "miconic", "termes", "barman", "urnsong")
_COLUMNS = 4


def draw_removal(found: Removal, folder: Path) -> tuple[Path, ...]:
    """All figures of the study; returns the files."""
    shown = [env for env in _SHOWN if env in found.scores] or list(found.scores)[:6]
    return (
        *_pnf(found, folder / "pnf"),
        *_ew(found, shown, 3, folder / "ew"),
        *_ew(found, list(found.scores), _COLUMNS, folder / "ew-all"),
    )


def _pnf(found: Removal, path: Path) -> tuple[Path, ...]:
    """A grey line a world, their mean in red with its standard error."""
    figure = new_figure(6.4, 4.0)
    axes = figure.add_subplot()
    for env, by_removed in found.found.items():
        ks = sorted(by_removed)
        axes.plot(ks, [found.pnf(env, k) for k in ks], color="0.75", linewidth=0.8)
    ks = sorted(set.intersection(*(set(by) for by in found.found.values())))
    means, errors = zip(*(found.mean_pnf(k) for k in ks), strict=True)
    axes.errorbar(ks, means, yerr=errors, color="tab:red", capsize=2, label="no plan found, mean")
    failing = [found.mean_failing(k)[0] for k in ks]
    axes.plot(ks, failing, color="tab:blue", linestyle="--", label="no plan that works, mean")
    axes.set_xlabel("terms removed")
    axes.set_ylabel("share of domains")
    axes.set_ylim(-0.03, 1.03)
    axes.legend(loc="lower right")
    axes.set_title(f"Planning without some terms, {len(found.found)} worlds")
    return save(figure, path)


def _ew(found: Removal, envs: Sequence[str], columns: int, path: Path) -> tuple[Path, ...]:
    """One small plot a world."""
    columns = min(columns, len(envs))
    rows = -(-len(envs) // columns)
    figure = new_figure(2.4 * columns, 1.9 * rows)
    for place, env in enumerate(envs, 1):
        _world(figure.add_subplot(rows, columns, place), found, env)
    figure.supxlabel("differing terms")
    figure.supylabel("EW score (mean, standard error)")
    return save(figure, path)


def _world(axes: Axes, found: Removal, env: str) -> None:
    points = found.ew(env)
    rho = found.rho(env)[0]
    axes.errorbar(
        [n for n, _, _ in points], [m for _, m, _ in points], yerr=[e for _, _, e in points], capsize=2
    )
    axes.set_title(f"{env}" if rho is None else f"{env} ($\\rho$ = {rho:.2f})", fontsize=9)
    axes.set_ylim(-0.03, 1.05)
