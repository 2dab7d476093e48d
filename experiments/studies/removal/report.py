"""The removal study's records as numbers, tables and figures: `pnf`, `ew` (six worlds) and `ew-all`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ew.score.shown import shown
from experiments.reporting.figures import new_figure, save
from experiments.reporting.statistics import rank_correlation, rate, standard_error
from experiments.reporting.tables import Table, write_csv
from experiments.studies.study import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: Mean PNF_1 and PNF_3. Source: Mahdavi et al. 2024, section 4.2.
PUBLISHED_PNF = ("0.14", "0.30")
#: Worlds of the small EW figure, as far as the study has them.
_SHOWN = ("grippers", "blocksworld", "miconic", "termes", "barman", "urnsong")
_COLUMNS = 4


@dataclass(frozen=True)
class Removal:
    """All that the study found. Worlds keep the order of the units."""

    found: Mapping[str, Mapping[int, Sequence[bool]]]  #: world, terms removed: whether a plan was found
    works: Mapping[str, Mapping[int, Sequence[bool]]]  #: the same: whether it works in the world
    scores: Mapping[str, Mapping[int, Sequence[float]]]  #: world, differing terms: EW scores
    unscored: Mapping[str, int]  #: world: pairs without a score
    terms: Mapping[str, Sequence[bool]]  #: world: for each single term removed, whether a plan was found

    @classmethod
    def of(cls, records: Sequence[Record]) -> Removal:
        """Sort the records of all units."""
        found: dict[str, dict[int, list[bool]]] = {}
        works: dict[str, dict[int, list[bool]]] = {}
        scores: dict[str, dict[int, list[float]]] = {}
        unscored: dict[str, int] = {}
        terms: dict[str, list[bool]] = {}
        for record in records:
            env = record["env"]
            if record["kind"] == "plan":
                found.setdefault(env, {}).setdefault(record["removed"], []).extend(record["found"])
                works.setdefault(env, {}).setdefault(record["removed"], []).extend(record["works"])
            elif record["kind"] == "terms":
                terms.setdefault(env, []).extend(record["found"])
            else:
                taken = [score for score in record["scores"] if score is not None]
                scores.setdefault(env, {})[record["differing"]] = taken
                unscored[env] = unscored.get(env, 0) + len(record["scores"]) - len(taken)
        return cls(found, works, scores, unscored, terms)

    def pnf(self, env: str, removed: int) -> float:
        """The share of plans not found."""
        return _share(self.found[env][removed])

    def exact_pnf(self, env: str) -> float | None:
        """PNF_1 by removing every term once; None if that was not done."""
        return _share(self.terms[env]) if env in self.terms else None

    def mean_pnf(self, removed: int) -> tuple[float, float]:
        """The mean of `pnf` over worlds, and its standard error."""
        return _mean([self.pnf(env, removed) for env in self.found])

    def mean_failing(self, removed: int) -> tuple[float, float]:
        """The same for plans that were not found or do not work in the world."""
        return _mean([_share(works[removed]) for works in self.works.values()])

    def ew(self, env: str) -> list[tuple[int, float, float]]:
        """Differing terms, mean score and its standard error; where there are scores."""
        return [(n, *_mean(scores)) for n, scores in sorted(self.scores[env].items()) if scores]

    def rho(self, env: str) -> tuple[float | None, float | None]:
        """Rank correlation of EW with differing terms: over all pairs, and over the means."""
        pairs = [(n, score) for n, scores in sorted(self.scores[env].items()) for score in scores]
        means = [(n, mean) for n, mean, _ in self.ew(env)]
        return _rho(pairs), _rho(means)


def pnf_csv(found: Removal) -> str:
    """One row for each world and number of removed terms."""
    rows = []
    for env, by_removed in found.found.items():
        for removed, plans in sorted(by_removed.items()):
            share = rate(len(plans) - sum(plans), len(plans))
            working = _share(found.works[env][removed])
            numbers = (share.mean, share.low, share.high, working)
            rows.append([env, str(removed), str(len(plans)), *map(_four, numbers)])
    return write_csv(("env", "removed", "n", "pnf", "low", "high", "no_working_plan"), rows)


def exact_csv(found: Removal) -> str:
    """One row a world of which every single term was removed once: plans asked for, and PNF_1."""
    rows = [[env, str(len(plans)), _four(_share(plans))] for env, plans in found.terms.items()]
    return write_csv(("env", "n", "pnf"), rows)


def ew_csv(found: Removal) -> str:
    """One row for each world and number of differing terms."""
    rows = [
        [env, str(n), str(len(found.scores[env][n])), shown(mean, 4), _four(error)]
        for env in found.scores
        for n, mean, error in found.ew(env)
    ]
    return write_csv(("env", "differing", "n", "ew", "stderr"), rows)


def correlation_csv(found: Removal) -> str:
    """One row a world."""
    rows = [[env, *map(_four, found.rho(env)), str(found.unscored.get(env, 0))] for env in found.scores]
    return write_csv(("env", "rho_pairs", "rho_means", "unscored"), rows)


def summary_table(found: Removal) -> Table:
    """One row a world: PNF at 1, 3 and 10, EW at 0, 1, 3 and 10 differing terms, and the correlations.

    PNF_1 stands there exactly, if that was measured, and sampled.
    """
    rows = []
    for env in found.scores:
        ew = {n: mean for n, mean, _ in found.ew(env)}
        pnf = [_two(found.pnf(env, k)) if k in found.found[env] else "–" for k in (1, 3, 10)]
        exact = _two(found.exact_pnf(env))
        scores = [shown(ew.get(n)) for n in (0, 1, 3, 10)]
        rows.append((env, exact, *pnf, *scores, *map(_two, found.rho(env))))
    exact_means = [share for env in found.terms if (share := found.exact_pnf(env)) is not None]
    exact_mean = _two(_mean(exact_means)[0] if exact_means else None)
    means = [_two(found.mean_pnf(k)[0]) for k in (1, 3, 10)]
    ews = [_mean_ew(found, n) for n in (0, 1, 3, 10)]
    rows.append(("mean", exact_mean, *means, *ews, "", ""))
    rows.append(("published, 15 environments", "", *PUBLISHED_PNF, "", *[""] * 6))
    columns = (
        "world",
        "PNF 1, all terms",
        "PNF 1",
        "PNF 3",
        "PNF 10",
        "EW 0",
        "EW 1",
        "EW 3",
        "EW 10",
        "rho, pairs",
        "rho, means",
    )
    return Table("Plans not found after removing k terms, and EW by differing terms", columns, tuple(rows))


def _mean_ew(found: Removal, differing: int) -> str:
    means = [mean for env in found.scores for n, mean, _ in found.ew(env) if n == differing]
    return shown(math.fsum(means) / len(means) if means else None)


def _share(good: Sequence[bool]) -> float:
    """The share that is not good."""
    return 1 - sum(good) / len(good)


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard error (0 for a single value)."""
    return math.fsum(values) / len(values), standard_error(values) or 0.0


def _rho(points: Sequence[tuple[int, float]]) -> float | None:
    return rank_correlation([x for x, _ in points], [y for _, y in points])


def _two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _four(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


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
