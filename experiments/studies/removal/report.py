"""The removal study's records as numbers, tables and figures: `pnf`, `ew` (six worlds) and `ew-all`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from ew.score.shown import shown
from experiments.reporting.display import Axes, new_figure, save
from experiments.reporting.statistics import rank_correlation, rate, standard_error
from experiments.reporting.tables import Table, two, write_csv
from experiments.runs.frames import Column, DataFrame, frame_of
from experiments.studies.study import Record

#: Mean PNF_1 and PNF_3. Source: Mahdavi et al. 2024, section 4.2.
PUBLISHED_PNF = ("0.14", "0.30")
#: Worlds of the small EW figure, as far as the study has them.
_SHOWN = ("grippers", "blocksworld", "miconic", "termes", "barman", "urnsong")
_WIDTH = 4
_PLANS = {"env": "object", "removed": "int64", "found": "bool", "works": "bool"}
_TERMS = {"env": "object", "found": "bool"}
_PAIRS = {"env": "object", "differing": "int64", "score": "float64"}


@dataclass(frozen=True)
class Removal:
    """All that the study found, as frames with a row for each sample. Worlds keep the order of the units."""

    plans: DataFrame  #: terms removed, whether a plan was found, whether it works in the world
    terms: DataFrame  #: each single term removed: whether a plan was found
    pairs: DataFrame  #: differing terms and EW score of a pair, if it has one

    @classmethod
    def of(cls, records: Sequence[Record]) -> Removal:
        """Sort the records of all units."""

        def rows(kind: str, *names: str, **fields: str) -> list[dict[str, Any]]:
            """A row for each sample: `names` are those of the record, `fields` its lists."""
            return [
                {name: r[name] for name in names} | dict(zip(fields, sample, strict=True))
                for r in records
                if r["kind"] == kind
                for sample in zip(*(r[field] for field in fields.values()), strict=True)
            ]

        return cls(
            frame_of(rows("plan", "env", "removed", found="found", works="works"), _PLANS),
            frame_of(rows("terms", "env", found="found"), _TERMS),
            frame_of(rows("pair", "env", "differing", score="scores"), _PAIRS),
        )

    @property
    def envs(self) -> list[str]:
        """The worlds with pairs."""
        return list(self.pairs.env.unique())

    def pnf(self, env: str, removed: int) -> float | None:
        """The share of plans not found; None if that was not tried."""
        return _lacking(self._plans(env, removed).found)

    def exact_pnf(self, env: str) -> float | None:
        """PNF_1 by removing every term once; None if that was not done."""
        return _lacking(self.terms.found[self.terms.env == env])

    def mean_pnf(self, removed: int) -> tuple[float, float]:
        """The mean of `pnf` over worlds, and its standard error."""
        return _mean(_lacking(plans.found) for plans in self._by_world(removed))

    def mean_failing(self, removed: int) -> tuple[float, float]:
        """The same for plans that were not found or do not work in the world."""
        return _mean(_lacking(plans.works) for plans in self._by_world(removed))

    def ew(self, env: str) -> list[tuple[int, float, float]]:
        """Differing terms, mean score and its standard error; where there are scores."""
        return [(int(str(n)), *_mean(scores)) for n, scores in self._scores(env).groupby("differing").score]

    def rho(self, env: str) -> tuple[float | None, float | None]:
        """Rank correlation of EW with differing terms: over all pairs, and over the means."""
        pairs, means = self._scores(env), self.ew(env)
        return (
            rank_correlation(pairs.differing.tolist(), pairs.score.tolist()),
            rank_correlation([n for n, _, _ in means], [mean for _, mean, _ in means]),
        )

    def _plans(self, env: str, removed: int) -> DataFrame:
        return self.plans[(self.plans.env == env) & (self.plans.removed == removed)]

    def _by_world(self, removed: int) -> Iterable[DataFrame]:
        return (self._plans(env, removed) for env in self.plans.env.unique())

    def _scores(self, env: str) -> DataFrame:
        return self.pairs[(self.pairs.env == env) & self.pairs.score.notna()]


def pnf_csv(found: Removal) -> str:
    """One row for each world and number of removed terms."""
    rows = []
    for (env, removed), plans in _cells(found.plans, "removed"):
        share = rate(len(plans) - int(plans.found.sum()), len(plans))
        numbers = (share.mean, share.low, share.high, _lacking(plans.works))
        rows.append((env, removed, len(plans), *map(_four, numbers)))
    return write_csv(("env", "removed", "n", "pnf", "low", "high", "no_working_plan"), rows)


def exact_csv(found: Removal) -> str:
    """One row a world of which every single term was removed once: plans asked for, and PNF_1."""
    terms = found.terms.groupby("env", sort=False).found
    return write_csv(("env", "n", "pnf"), [(env, len(f), _four(_lacking(f))) for env, f in terms])


def ew_csv(found: Removal) -> str:
    """One row for each world and number of differing terms."""
    rows = []
    for (env, differing), pairs in _cells(found.pairs[found.pairs.score.notna()], "differing"):
        mean, error = _mean(pairs.score)
        rows.append((env, differing, len(pairs), shown(mean, 4), _four(error)))
    return write_csv(("env", "differing", "n", "ew", "stderr"), rows)


def _cells(frame: DataFrame, number: str) -> Iterable[tuple[tuple[str, int], DataFrame]]:
    """The rows of each world and number, numbers ascending."""
    for env, rows in frame.groupby("env", sort=False):
        for size, cell in rows.groupby(number):
            yield (str(env), int(str(size))), cell


def correlation_csv(found: Removal) -> str:
    """One row a world."""
    unscored = found.pairs.groupby("env").score.agg(lambda scores: scores.isna().sum())
    rows = [(env, *map(_four, found.rho(env)), int(unscored[env])) for env in found.envs]
    return write_csv(("env", "rho_pairs", "rho_means", "unscored"), rows)


def summary_table(found: Removal) -> Table:
    """One row a world: PNF at 1, 3 and 10, EW at 0, 1, 3 and 10 differing terms, and the correlations.

    PNF_1 stands there exactly, if that was measured, and sampled.
    """
    removed, differing = (1, 3, 10), (0, 1, 3, 10)
    rows, scores = [], []
    for env in found.envs:
        ew = {n: mean for n, mean, _ in found.ew(env)}
        shares = (found.exact_pnf(env), *(found.pnf(env, k) for k in removed))
        scores.append(ew)
        rows.append(
            (env, *map(two, shares), *(shown(ew.get(n)) for n in differing), *map(two, found.rho(env)))
        )
    exact = [found.exact_pnf(env) or 0.0 for env in found.terms.env.unique()]
    means = (fmean(exact) if exact else None, *(found.mean_pnf(k)[0] for k in removed))
    at = [[ew[n] for ew in scores if n in ew] for n in differing]
    rows.append(("mean", *map(two, means), *(shown(fmean(some) if some else None) for some in at), "", ""))
    rows.append(("published, 15 environments", "", *PUBLISHED_PNF, "", *[""] * 6))
    columns = (
        "world", "PNF 1, all terms", *(f"PNF {k}" for k in removed), *(f"EW {n}" for n in differing),
        "rho, pairs", "rho, means",
    )  # fmt: skip
    return Table("Plans not found after removing k terms, and EW by differing terms", columns, tuple(rows))


def _lacking(good: Column) -> float | None:
    """The share that is not good; None of nothing."""
    return 1 - int(good.sum()) / len(good) if len(good) else None


def _mean(values: Iterable[float | None]) -> tuple[float, float]:
    """Mean and standard error (0 for a single value)."""
    there = [value for value in values if value is not None]
    return fmean(there), standard_error(there) or 0.0


def _four(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}"


def draw_removal(found: Removal, folder: Path) -> tuple[Path, ...]:
    """All figures of the study; returns the files."""
    shown = [env for env in _SHOWN if env in found.envs] or found.envs[:6]
    return (
        *_pnf(found, folder / "pnf"),
        *_ew(found, shown, 3, folder / "ew"),
        *_ew(found, found.envs, _WIDTH, folder / "ew-all"),
    )


def _pnf(found: Removal, path: Path) -> tuple[Path, ...]:
    """A grey line a world, their mean in red with its standard error."""
    figure = new_figure(6.4, 4.0)
    axes = figure.add_subplot()
    by_world = [
        plans.groupby("removed").found.agg(_lacking) for _, plans in found.plans.groupby("env", sort=False)
    ]
    for shares in by_world:
        axes.plot(shares.index, shares, color="0.75", linewidth=0.8)
    ks = sorted(set.intersection(*(set(shares.index) for shares in by_world)))
    means, errors = zip(*(found.mean_pnf(k) for k in ks), strict=True)
    axes.errorbar(ks, means, yerr=errors, color="tab:red", capsize=2, label="no plan found, mean")
    failing = [found.mean_failing(k)[0] for k in ks]
    axes.plot(ks, failing, color="tab:blue", linestyle="--", label="no plan that works, mean")
    axes.set_xlabel("terms removed")
    axes.set_ylabel("share of domains")
    axes.set_ylim(-0.03, 1.03)
    axes.legend(loc="lower right")
    axes.set_title(f"Planning without some terms, {len(by_world)} worlds")
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
        [n for n, _, _ in points], [mean for _, mean, _ in points], yerr=[e for _, _, e in points], capsize=2
    )
    axes.set_title(f"{env}" if rho is None else f"{env} ($\\rho$ = {rho:.2f})", fontsize=9)
    axes.set_ylim(-0.03, 1.05)
