"""Conditions side by side, over all environments: the published comparison, means, costs, and differences.

A *cell* is one environment and one condition: a `Summary`. A cell may be missing, or have fewer seeds and
tasks than others; whatever differs is marked where it stands, and averages say how many environments they are
over. Only a run with more than one condition is compared.

Differences are paired: for each two methods, over the environments that both have, the mean difference of
their means, a bootstrap interval over these environments, and how often flipped signs would give as much.
Source of the form: Mahdavi et al. 2024, Table 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

from ew.score.shown import shown
from experiments.methods.registry import IN_ORDER, without_prompts
from experiments.reporting.results import EW_NOTE, Summary, simulator_columns
from experiments.reporting.statistics import mean, sign_flips
from experiments.reporting.tables import NOTHING, Columns, Table, two
from experiments.runs.records import budget_of, method_of

#: Methods that fit beside each other on a terminal; more stand below each other if environments are fewer.
_BESIDE = 7
#: What sharing work does to seconds.
SHARED_NOTE = (
    "wall s: what several budgets or methods do alike is done once, by the first of them, so seconds do "
    "not compare them."
)


@dataclass(frozen=True)
class Cells:
    """The cells of a comparison with its rows and columns."""

    summaries: tuple[Summary, ...]
    envs: tuple[str, ...]
    methods: tuple[str, ...]

    @classmethod
    def of(cls, summaries: Sequence[Summary], envs: Sequence[str] = (), methods: Sequence[str] = ()) -> Cells:
        """What was found, with rows and columns that were asked for in vain; methods as in `IN_ORDER`.

        A cell in which no episode was answered is empty.
        """
        names = dict.fromkeys([*methods, *(s.method for s in summaries)])
        order = {name: place for place, name in enumerate(IN_ORDER)}
        columns = sorted(names, key=lambda name: order.get(without_prompts(method_of(name)), len(order)))
        rows = dict.fromkeys([*envs, *(s.env for s in summaries)])
        return cls(tuple(s for s in summaries if s.seeds), tuple(rows), tuple(columns))

    def get(self, env: str, method: str) -> Summary | None:
        """The cell, None if it is empty."""
        return next((s for s in self.summaries if (s.env, s.method) == (env, method)), None)

    def of_method(self, method: str, envs: Sequence[str] | None = None) -> list[Summary]:
        """The method's cells that are not empty, in the order of `envs`; of all of them if None."""
        found = (self.get(env, method) for env in (self.envs if envs is None else envs))
        return [cell for cell in found if cell is not None]

    @property
    def shared(self) -> tuple[str, ...]:
        """The environments that every method with any cell has."""
        some = [m for m in self.methods if self.of_method(m)]
        return tuple(env for env in self.envs if all(self.get(env, m) for m in some))


def comparison_tables(cells: Cells) -> tuple[Table, ...]:
    """What compares methods; nothing for a single one."""
    if len(cells.methods) < 2:
        return ()
    return best_table(cells), methods_table(cells), differences_table(cells)


def best_table(cells: Cells) -> Table:
    """Best@k, solved / EW: a row for each environment and their average, a column for each condition."""
    k = max((s.seeds for s in cells.summaries), default=1)
    ((usual, _),) = Counter(s.tasks for s in cells.summaries).most_common(1) or [(0, 0)]
    names = ("env", *cells.methods)
    rows = [(env, *(_best(cells.get(env, m), k, usual) for m in cells.methods)) for env in cells.envs]
    rows.append(("Average", *(_average(cells.of_method(m), len(cells.envs)) for m in cells.methods)))
    if 0 < len(cells.shared) < len(cells.envs):
        averages = (_average(cells.of_method(m, cells.shared), 0) for m in cells.methods)
        rows.append((f"Average of {len(cells.shared)}", *averages))
    if len(cells.methods) > max(_BESIDE, len(cells.envs)):
        names, *rows = zip(*[names, *rows], strict=True)
        names = ("method", *names[1:])
    return Table(f"Best@{k} (solved / EW)", names, tuple(rows), tuple(_notes(cells, k, usual)))


def _best(cell: Summary | None, k: int, tasks: int) -> str:
    if cell is None:
        return NOTHING
    marks = [f"k {cell.seeds}"] * (cell.seeds != k) + [f"{cell.tasks} tasks"] * (cell.tasks != tasks)
    best = f"{two(cell.best_solve_rate)} / {shown(cell.best_ew)}"
    return f"{best} ({', '.join(marks)})" if marks else best


def _average(found: Sequence[Summary], envs: int) -> str:
    """Of the best; with the number of cells, if it is not `envs` (0 for any number)."""
    if not found:
        return NOTHING
    solved = average(s.best_solve_rate for s in found)
    text = f"{two(solved)} / {shown(average(s.best_ew for s in found))}"
    return text if envs in (0, len(found)) else f"{text} ({len(found)} of {envs})"


def average(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are there; None without any."""
    there = [value for value in values if value is not None]
    return fsum(there) / len(there) if there else None


def _notes(cells: Cells, k: int, tasks: int) -> list[str]:
    """What the cells share, and where they do not."""
    notes = [
        f"Best@{k}: of {k} {_plural('seed', k)} the one that solved most, of equals the one with the higher "
        f"EW; {tasks} {_plural('task', tasks)}. {NOTHING}: not run, or no EW as there is no model."
    ]
    if any(s.seeds != k for s in cells.summaries):
        notes.append("(k n): the best of n seeds only, which is lower by chance alone.")
    if any(s.tasks != tasks for s in cells.summaries):
        notes.append("(n tasks): another number of tasks.")
    if 0 < len(cells.shared) < len(cells.envs):
        names = ", ".join(cells.shared)
        notes.append(f"Average of {len(cells.shared)}: over what all methods have, {names}.")
    if any(s.ew is not None for s in cells.summaries):
        notes.append(EW_NOTE)
    return [*notes, *_protocols(cells), *_settings(cells)]


def _plural(word: str, number: int) -> str:
    return word if number == 1 else word + "s"


def _protocols(cells: Cells) -> list[str]:
    """Whether a counted task was refined on; methods without a model refine on none."""
    made = [s for s in cells.summaries if s.ew is not None and s.protocol]
    names = {"paper": "refined on task 1, which is counted", "apart": "refined on tasks that are not counted"}
    notes = []
    for protocol, words in names.items():
        there = [s for s in made if s.protocol == protocol]
        where = "" if len(there) == len(made) else ": " + ", ".join(f"{s.env} {s.method}" for s in there)
        if there:
            notes.append(f"Protocol {protocol}, {words}{where}.")
    return notes


def _settings(cells: Cells) -> list[str]:
    """The settings of each method that makes models, once, or for each environment where they differ."""
    notes = []
    for method in dict.fromkeys(map(method_of, cells.methods)):
        mine = [s for s in cells.summaries if method_of(s.method) == method and s.ew is not None and s.np]
        settings = [(f"np {s.np}, nd {s.nd}, turns {s.turns}", s.env) for s in mine]
        if settings:
            notes.append(f"{method}: {'; '.join(by_words(settings))}.")
    return notes


def by_words(places: Iterable[tuple[str, str]]) -> list[str]:
    """Each text once; if there are several, with the environments that it is said of."""
    groups: dict[str, dict[str, None]] = {}
    for words, env in places:
        groups.setdefault(words, {})[env] = None
    return [f"{words} ({', '.join(envs)})" if len(groups) > 1 else words for words, envs in groups.items()]


def methods_table(cells: Cells) -> Table:
    """Each condition over all its environments, and what one of its episodes takes."""
    columns: Columns = {
        "method": lambda found: found[0].method,
        "envs": len,
        "episodes": _episodes,
        "solved": lambda found: mean(s.solve_rate.mean or 0.0 for s in found),
        "EW": lambda found: mean(s.ew.mean for s in found if s.ew and s.ew.mean is not None).cut(),
        "calls": lambda found: _each(found, [s.spent.completions for s in found]),
        "tokens in": lambda found: _each(found, [s.spent.prompt_tokens for s in found]),
        "tokens out": lambda found: _each(found, [s.spent.completion_tokens for s in found]),
        "queries": lambda found: _each(found, [s.world_queries for s in found]),
        **_simulator(cells),
        "wall s": lambda found: f"{fsum(s.wall_s for s in found) / _episodes(found):.1f}",
    }
    notes = [
        "Means over environments with 95 % intervals (bootstrap over environments), of the mean over seeds; "
        "calls and all after it: mean over episodes.",
        EW_NOTE,
        *([SHARED_NOTE] if any(method_of(name) != name for name in cells.methods) else []),
    ]
    groups = filter(None, map(cells.of_method, cells.methods))
    return Table.of("Methods (means and 95 % intervals; cost of an episode)", groups, columns, notes)


def _simulator(cells: Cells) -> Columns:
    """What simulators did, a mean over episodes; a dash for a condition that walked in none."""

    def mean_of(count: Callable[[Summary], int | None]) -> Callable[[Sequence[Summary]], str | None]:
        def meant(found: Sequence[Summary]) -> str | None:
            walked = [(s, n) for s in found if (n := count(s)) is not None]
            return _each([s for s, _ in walked], [n for _, n in walked]) if walked else None

        return meant

    return {title: mean_of(count) for title, count in simulator_columns(cells.summaries).items()}


def _episodes(found: Sequence[Summary]) -> int:
    return sum(s.seeds + s.unanswered for s in found)


def _each(found: Sequence[Summary], counts: Sequence[int]) -> str:
    """The mean over episodes."""
    return f"{sum(counts) / _episodes(found):.0f}"


def differences_table(cells: Cells) -> Table:
    """Each two conditions with the same budget, over the environments that both have, if they are several."""
    both = [(pair, _pairs(cells, *pair)) for pair in combinations(reversed(cells.methods), 2)]
    rows = [
        (" − ".join(names), str(len(pairs)), *_solved(pairs), *_ews(pairs))
        for names, pairs in both
        if len(pairs) > 1 and len({*map(budget_of, names)}) == 1
    ]
    notes = (
        "Mean difference over the environments where both had the same tasks, under the same protocol; 95 % "
        "interval (bootstrap over environments); "
        "p: how often flipped signs alone would give as much. An interval with 0 in it, or a p that is not "
        "small, is noise until there is more; of 20 rows one has p < 0.05 by chance.",
    )
    columns = ("methods", "envs", "solved", "p", "EW", "p of EW")
    return Table("Differences (paired over environments)", columns, tuple(rows), notes)


def _pairs(cells: Cells, one: str, other: str) -> list[tuple[Summary, Summary]]:
    """The cells of two conditions by environment, where both had the same tasks under the same protocol.

    Without a model nothing is refined, so the protocol makes no difference.
    """
    both = [(cells.get(env, one), cells.get(env, other)) for env in cells.envs]
    return [
        (a, b)
        for a, b in both
        if a is not None and b is not None and a.tasks == b.tasks
        and (a.protocol == b.protocol or a.ew is None or b.ew is None)
    ]  # fmt: skip


def _solved(pairs: Sequence[tuple[Summary, Summary]]) -> tuple[str, str]:
    """The mean difference with its interval, and the p-value."""
    values = [(a.solve_rate.mean or 0.0) - (b.solve_rate.mean or 0.0) for a, b in pairs]
    return mean(values).signed(), _p_value(values)


def _ews(pairs: Sequence[tuple[Summary, Summary]]) -> tuple[str, str]:
    both = [(a.ew.mean, b.ew.mean) for a, b in pairs if a.ew is not None and b.ew is not None]
    values = [a - b for a, b in both if a is not None and b is not None]
    return mean(values).cut(signed=True), _p_value(values)


def _p_value(values: Sequence[float]) -> str:
    p = sign_flips(values)
    return NOTHING if p is None else f"{p:.3f}"
