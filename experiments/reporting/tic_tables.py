"""How often a task's text is translated rightly, in the shape of the published tables, and what follows.

A *cell* is one world, one level of its texts and one method: all its tasks of all runs. A translation is
right if it is the ground truth as written, up to the names of interchangeable objects, as in the published
tables. Beside it is counted whether it means the same (*correct*), whether the names are those of the text,
and whether a plan for it is found and works in the environment. Shares come with Wilson's interval.
Source of the figures beside: Agarwal and Sreepathy 2024, Tables 1 and 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from types import MappingProxyType

from envs.variants import Level, split_variant
from experiments.reporting.statistics import rate
from experiments.reporting.tables import Table, write_csv
from experiments.runs.records import TaskRecord, Translated

#: The worlds of the published tables, in their order.
PAPER_WORLDS = ("barman", "blocksworld", "floortile", "grippers", "storage", "termes", "tyreworld")
#: The methods of the published tables, in their order.
PAPER_METHODS = ("llm+p", "tic-ic", "tic-g3", "tic-g1")
_Published = Mapping[str, tuple[float, ...]]
#: Published accuracy in percent over 20 tasks and 3 runs, by world, in the order of `PAPER_METHODS`: of the
#: first of the three language models there. The texts as they were, and the same in varied language.
AS_GIVEN: _Published = MappingProxyType(
    {
        "barman": (100, 100, 100, 98.33),
        "blocksworld": (88.33, 100, 100, 100),
        "floortile": (0, 100, 100, 100),
        "grippers": (95, 100, 100, 98.33),
        "storage": (40, 100, 100, 98.33),
        "termes": (53.33, 100, 98.33, 98.33),
        "tyreworld": (71.67, 100, 95, 95),
    }
)
VARIED: _Published = MappingProxyType(
    {
        "barman": (100, 100, 100, 96.67),
        "blocksworld": (100, 100, 100, 100),
        "floortile": (0, 100, 100, 100),
        "grippers": (0, 100, 96.67, 96.67),
        "storage": (0, 100, 93.33, 68.33),
        "termes": (0, 100, 100, 96.67),
        "tyreworld": (0, 100, 93.33, 88.33),
    }
)
#: What a level of our texts is set beside.
BESIDE: Mapping[str, _Published] = MappingProxyType(
    {level.value: VARIED if level is Level.NARRATIVE else AS_GIVEN for level in Level}
)
_NOTHING = "–"
_CSV = (
    "world", "level", "method", "run", "task", "translation", "equality", "part", "meaning", "names",
    "outcome", "plan_length", "completions", "prompt_tokens", "completion_tokens", "difference", "notes",
    "unsolvable",
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """All tasks of one world, one level of its texts and one method."""

    world: str
    level: str
    method: str
    tasks: tuple[tuple[TaskRecord, Translated], ...]

    @property
    def n(self) -> int:
        """Tasks of all runs."""
        return len(self.tasks)

    @property
    def translated(self) -> int:
        """Those with a problem of the domain, right or not."""
        return sum(found.problem is not None for _, found in self.tasks)

    @property
    def right(self) -> int:
        """Those whose problem is the ground truth as written, up to names."""
        return sum(found.right for _, found in self.tasks)

    @property
    def named(self) -> int:
        """Those that are right under the names of the ground truth."""
        return sum(bool(found.names_kept) for _, found in self.tasks)

    @property
    def correct(self) -> int:
        """Those whose problem means the same as the ground truth."""
        return sum(found.correct for _, found in self.tasks)

    @property
    def undecided(self) -> int:
        """Those of whose problem that is not known; they are not counted as correct."""
        return sum(found.undecided for _, found in self.tasks)

    @property
    def unsolvable(self) -> tuple[tuple[TaskRecord, Translated], ...]:
        """Those whose problem was proved to have no plan."""
        return tuple(pair for pair in self.tasks if pair[1].unsolvable)

    @property
    def planned(self) -> int:
        """Those for whose problem a plan was found."""
        return sum(task.plan_length is not None for task, _ in self.tasks)

    @property
    def valid(self) -> int:
        """Those whose plan ran in the environment and reached the goal there."""
        return sum(task.solved for task, _ in self.tasks)


def cells_of(tasks: Iterable[TaskRecord]) -> tuple[Cell, ...]:
    """The cells of those tasks whose translation was judged, sorted by world, level and method."""
    groups: dict[tuple[str, str, str], list[tuple[TaskRecord, Translated]]] = {}
    for task in sorted(tasks, key=lambda t: (t.seed, t.task)):
        if task.translated is not None:
            world, variant = split_variant(Path(task.env).name)
            key = world, str(variant).removeprefix("+"), task.arm
            groups.setdefault(key, []).append((task, task.translated))
    order = sorted(groups, key=lambda key: (key[0], _place(key[1]), _column(key[2]), key[2]))
    return tuple(Cell(*key, tuple(groups[key])) for key in order)


def tic_tables(tasks: Iterable[TaskRecord]) -> tuple[Table, ...]:
    """All tables about translations; none if no translation was judged."""
    cells = cells_of(tasks)
    levels = sorted({cell.level for cell in cells}, key=_place)
    if not cells:
        return ()
    shares = (accuracy_table([c for c in cells if c.level == level], level) for level in levels)
    stages = (stages_table(cells), faults_table(cells))
    return (*shares, *stages, *([unsolvable_table(cells)] if any(c.unsolvable for c in cells) else []))


def accuracy_table(cells: Sequence[Cell], level: str) -> Table:
    """A row for each world, and for each method its share of right translations and the published one."""
    methods = sorted({c.method for c in cells}, key=lambda m: (_column(m), m))
    worlds = list(dict.fromkeys(c.world for c in cells))
    there = {(c.world, c.method): c for c in cells}
    beside = BESIDE.get(level, MappingProxyType({}))
    columns = ("world", *(name for method in methods for name in (method, "published")))
    rows = [
        (w, *(text for m in methods for text in (_share(there.get((w, m))), _published(beside, w, m))))
        for w in worlds
    ]
    if len(worlds) > 1:
        average = (text for m in methods for text in (_pooled(cells, m), _average(beside, worlds, m)))
        rows.append(("all", *average))
    notes = (
        "Percent of translations that are the ground truth as written, up to the names of objects, with "
        "Wilson's 95 % interval and their number; all: of all worlds together.",
        "published: on other tasks of the same domains, the first of the three language models there; its "
        f"{'varied texts' if beside is VARIED else 'texts as given'}. all: the mean.",
    )
    return Table(f"Right translations, {level or 'texts of the world'}", columns, tuple(rows), notes)


def stages_table(cells: Sequence[Cell]) -> Table:
    """How far the tasks of each cell came: translated, right, correct, planned, valid in the environment."""
    columns = (
        "world", "texts", "method", "n", "translated", "right", "names kept", "correct", "unsolvable",
        "plan found", "plan valid", "calls", "tokens in", "tokens out",
    )  # fmt: skip
    rows = [(c.world, c.level or _NOTHING, c.method, *map(str, _stages(c)), *_spent(c)) for c in cells]
    undecided = sum(cell.undecided for cell in cells)
    notes = (
        "translated: there is a problem that fits the domain. right: the ground truth as written, up to the "
        "names of objects; names kept: those of them under its names. correct: the same planning problem, "
        f"goals with all that they imply; undecided, and not counted: {undecided}. unsolvable: proved to "
        "have no plan, with the true domain, though the program was consistent. plan valid: executed step "
        "by step in the environment, under the names that the translation gave its objects.",
    )
    return Table("How far translations came", columns, tuple(rows), notes)


def faults_table(cells: Sequence[Cell]) -> Table:
    """What is wrong with the translations that are not right, as far as there are any."""
    rows = [
        (cell.world, cell.level or _NOTHING, cell.method, ", ".join(f"{n} {kind}" for kind, n in kinds))
        for cell in cells
        if (kinds := sorted(Counter(t.judgement for _, t in cell.tasks if not t.right).items()))
    ]
    return Table("Translations that are not right", ("world", "texts", "method", "outcomes"), tuple(rows))


def unsolvable_table(cells: Sequence[Cell]) -> Table:
    """Every task whose problem was proved to have no plan, and what is missing there."""
    rows = [
        (cell.world, cell.level or _NOTHING, cell.method, str(task.seed), str(task.task), found.unsolvable)
        for cell in cells
        for task, found in cell.unsolvable
    ]
    columns = ("world", "texts", "method", "run", "task", "why")
    notes = ("For the reader of the run: nothing of this is sent to a language model.",)
    return Table("Translations without a possible plan", columns, tuple(rows), notes)


def tic_csv(tasks: Iterable[TaskRecord]) -> str:
    """One row a translation, cell by cell."""
    return write_csv(_CSV, [_csv_row(cell, *pair) for cell in cells_of(tasks) for pair in cell.tasks])


def _stages(cell: Cell) -> tuple[int, ...]:
    seen = cell.n, cell.translated, cell.right, cell.named, cell.correct
    return *seen, len(cell.unsolvable), cell.planned, cell.valid


def _csv_row(cell: Cell, task: TaskRecord, found: Translated) -> tuple[str, ...]:
    names = "" if found.names_kept is None else "kept" if found.names_kept else "changed"
    length = "" if task.plan_length is None else str(task.plan_length)
    spent = task.spent.completions, task.spent.prompt_tokens, task.spent.completion_tokens
    return (
        cell.world, cell.level, cell.method, str(task.seed), str(task.task), found.outcome, found.equality,
        found.part, found.meaning, names, task.outcome.value, length, *map(str, spent), found.difference,
        found.notes, found.unsolvable,
    )  # fmt: skip


def _place(level: str) -> int:
    """Levels in the order of naturalness, other variants after them."""
    levels = [known.value for known in Level]
    return levels.index(level) if level in levels else len(levels)


def _column(method: str) -> int:
    return PAPER_METHODS.index(method) if method in PAPER_METHODS else len(PAPER_METHODS)


def _share(cell: Cell | None) -> str:
    return _NOTHING if cell is None else _percent(cell.right, cell.n)


def _pooled(cells: Sequence[Cell], method: str) -> str:
    mine = [cell for cell in cells if cell.method == method]
    return _percent(sum(cell.right for cell in mine), sum(cell.n for cell in mine))


def _percent(right: int, n: int) -> str:
    """`95.0 [76, 99] n 20`."""
    found = rate(right, n)
    if found.mean is None or found.low is None or found.high is None:
        return _NOTHING
    return f"{100 * found.mean:.1f} [{100 * found.low:.0f}, {100 * found.high:.0f}] n {n}"


def _published(beside: _Published, world: str, method: str) -> str:
    if world not in beside or method not in PAPER_METHODS:
        return _NOTHING
    return f"{beside[world][_column(method)]:.1f}"


def _average(beside: _Published, worlds: Iterable[str], method: str) -> str:
    found = [beside[w][_column(method)] for w in worlds if w in beside and method in PAPER_METHODS]
    return f"{fsum(found) / len(found):.1f}" if found else _NOTHING


def _spent(cell: Cell) -> tuple[str, str, str]:
    tasks = [task for task, _ in cell.tasks]
    return (
        str(sum(t.spent.completions for t in tasks)),
        str(sum(t.spent.prompt_tokens for t in tasks)),
        str(sum(t.spent.completion_tokens for t in tasks)),
    )
