"""How often a task's text is translated rightly, in the shape of the published tables, and what follows.

A *cell* is one world, one level of its texts and one method: all its tasks of all runs. A translation is
right if it is the ground truth as written, up to the names of interchangeable objects, as in the published
tables. Beside it is counted whether it means the same (*correct*), whether the names are those of the text,
and whether a plan for it is found and works in the environment. Shares come with Wilson's interval.
Source of the figures beside: Agarwal and Sreepathy 2024, Tables 1 and 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum
from types import MappingProxyType

from envs.variants import Level, split_variant
from experiments.reporting.results import ordered
from experiments.reporting.statistics import rate
from experiments.reporting.tables import NOTHING, Columns, Table, rows_of, write_csv
from experiments.runs.details import JudgedTranslation
from experiments.runs.frames import Column, DataFrame, RunFrames

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
_CELL = ["environment", "level", "condition"]
_CSV = {
    "world": "environment", "level": "level", "method": "condition", "run": "seed", "task": "task",
    "translation": "translation", "equality": "equality", "part": "part", "meaning": "equivalence",
    "names": "names", "outcome": "outcome", "plan_length": "plan_length", "completions": "completions",
    "prompt_tokens": "prompt_tokens", "completion_tokens": "completion_tokens",
    "difference": "difference", "notes": "notes", "unsolvable": "unsolvable",
}  # fmt: skip
_WHOSE: Columns = {
    "world": "environment", "texts": lambda row: row.level or NOTHING, "method": "condition"
}  # fmt: skip
_STAGES: Columns = {
    **_WHOSE, "n": "n", "translated": "translated", "right": "right", "names kept": "names_kept",
    "correct": "correct", "unsolvable": "planless", "plan found": "planned", "plan valid": "solved",
    "calls": "completions", "tokens in": "prompt_tokens", "tokens out": "completion_tokens",
}  # fmt: skip


def translations(run: RunFrames) -> DataFrame:
    """The judged translations of a run with their tasks, sorted by world, level and method, then by task.

    `environment` and `level` are the two parts of a world's name.
    """
    found = run.details(JudgedTranslation.name)
    found = found if found.empty else found[found.id == ""]  # the others have tables of their own
    if found.empty:
        return found
    renamed = found.drop(columns=["world", "plan_length"])
    renamed = renamed.rename(columns={"outcome": "translation", "meaning": "equivalence"})
    both = run.tasks.drop(columns=["meaning", "difference", "undecided"]).merge(renamed, on=["unit", "task"])
    variants = [split_variant(world) for world in both.world]
    kept = both.names_kept.astype(object)
    both = both.assign(
        environment=[world for world, _ in variants],
        level=[str(variant).removeprefix("+") for _, variant in variants],
        names=kept.map({True: "kept", False: "changed"}).fillna(""), names_kept=kept.eq(True),
        translated=both.problem.notna(), planless=both.unsolvable != "", planned=both.plan_length.notna(),
    )  # fmt: skip
    both = both.assign(level_place=both.level.map(_place), method_place=both.condition.map(_column))
    return ordered(both, ["environment", "level_place", "method_place", "condition", "seed", "task"])


def tic_tables(run: RunFrames) -> tuple[Table, ...]:
    """All tables about translations; none if no translation was judged."""
    found = translations(run)
    if found.empty:
        return ()
    levels = sorted(found.level.unique(), key=_place)
    tables = [accuracy_table(found[found.level == level], level) for level in levels]
    tables += [stages_table(found), faults_table(found)]
    return (*tables, unsolvable_table(found)) if found.planless.any() else tuple(tables)


def accuracy_table(found: DataFrame, level: str) -> Table:
    """A row for each world, and for each method its share of right translations and the published one."""
    methods = sorted(found.condition.unique(), key=lambda m: (_column(m), m))
    worlds = list(found.environment.unique())
    beside = BESIDE.get(level, MappingProxyType({}))
    rows = [(world, [world]) for world in worlds] + ([("all", worlds)] if len(worlds) > 1 else [])
    titles, cells = ["world"], [[name] for name, _ in rows]
    for method in methods:
        titles += [method, "published"]
        mine = found[found.condition == method]
        for line, (_, of) in zip(cells, rows, strict=True):
            line += [_percent(mine.right[mine.environment.isin(of)]), _published(beside, of, method)]
    notes = (
        "Percent of translations that are the ground truth as written, up to the names of objects, with "
        "Wilson's 95 % interval and their number; all: of all worlds together.",
        "published: on other tasks of the same domains, the first of the three language models there; its "
        f"{'varied texts' if beside is VARIED else 'texts as given'}. all: the mean.",
    )
    title = f"Right translations, {level or 'texts of the world'}"
    return Table(title, tuple(titles), tuple(map(tuple, cells)), notes)


def stages_table(found: DataFrame) -> Table:
    """How far the tasks of each cell came: translated, right, correct, planned, valid in the environment."""
    groups = found.groupby(_CELL, sort=False)
    counts = ["translated", "right", "names_kept", "correct", "planless", "planned", "solved"]
    costs = ["completions", "prompt_tokens", "completion_tokens"]
    cells = groups[[*counts, *costs]].sum().assign(n=groups.size()).reset_index()
    undecided = int(found.undecided.sum())
    notes = (
        "translated: there is a problem that fits the domain. right: the ground truth as written, up to the "
        "names of objects; names kept: those of them under its names. correct: the same planning problem, "
        f"goals with all that they imply; undecided, and not counted: {undecided}. unsolvable: proved to "
        "have no plan, with the true domain, though the program was consistent. plan valid: executed step "
        "by step in the environment, under the names that the translation gave its objects.",
    )
    return Table.of("How far translations came", rows_of(cells), _STAGES, notes)


def faults_table(found: DataFrame) -> Table:
    """What is wrong with the translations that are not right, as far as there are any."""
    kinds = found[~found.right].groupby(_CELL, sort=False).judgement.agg(_kinds).reset_index()
    columns = {**_WHOSE, "outcomes": "judgement"}
    return Table.of("Translations that are not right", rows_of(kinds), columns)


def _kinds(judgements: Sequence[str]) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in sorted(Counter(judgements).items()))


def unsolvable_table(found: DataFrame) -> Table:
    """Every task whose problem was proved to have no plan, and what is missing there."""
    columns = {**_WHOSE, "run": "seed", "task": "task", "why": "unsolvable"}
    notes = ("For the reader of the run: nothing of this is sent to a language model.",)
    rows = rows_of(found[found.planless])
    return Table.of("Translations without a possible plan", rows, columns, notes)


def tic_csv(run: RunFrames) -> str:
    """One row a translation, cell by cell."""
    rows = rows_of(translations(run)[[*_CSV.values()]])
    return write_csv([*_CSV], rows)


def _place(level: str) -> int:
    """Levels in the order of naturalness, other variants after them."""
    levels = [known.value for known in Level]
    return levels.index(level) if level in levels else len(levels)


def _column(method: str) -> int:
    return PAPER_METHODS.index(method) if method in PAPER_METHODS else len(PAPER_METHODS)


def _percent(right: Column) -> str:
    """`95.0 [76, 99] n 20`; a dash without any."""
    found = rate(int(right.sum()), len(right))
    if found.mean is None or found.low is None or found.high is None:
        return NOTHING
    return f"{100 * found.mean:.1f} [{100 * found.low:.0f}, {100 * found.high:.0f}] n {len(right)}"


def _published(beside: _Published, worlds: Sequence[str], method: str) -> str:
    """The mean of the published figures of these worlds; a dash where there is none."""
    found = [beside[w][_column(method)] for w in worlds if w in beside and method in PAPER_METHODS]
    return f"{fsum(found) / len(found):.1f}" if found else NOTHING
