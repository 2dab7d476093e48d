"""What models written action by action are worth: their errors, and what is done with them.

A model's errors are counted against the true domain under the best alignment (docs/worldmodel.md), before and
after it was corrected; EW is the mean over the tasks for feedback. Runs of one environment and seed share
their model, whatever it is used for. Success is that of instructions carried out in the environment, with
Wilson's interval; those with an order count only if that was kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from experiments.evaluation.instructed import task_of
from experiments.methods.registry import without_prompts
from experiments.reporting.results import ordered
from experiments.reporting.statistics import mean, share
from experiments.reporting.tables import NOTHING, Columns, Table, listed, rows_of, write_csv
from experiments.runs.details import Built
from experiments.runs.frames import Column, DataFrame, RunFrames
from experiments.runs.records import TaskOutcome

#: The methods, in the order of the tables.
METHOD_NAMES = ("plan-alone", "plan-advised", "plan-shown", "plan-shown-advised", "plan-by-model")
_CSV = (
    "world", "method", "run", "instruction", "outcome", "plan_length", "told", "completions",
    "prompt_tokens", "completion_tokens",
)  # fmt: skip


def worldmodel_tables(run: RunFrames) -> tuple[Table, ...]:
    """All tables about world models and instructions; none if no method of `METHOD_NAMES` ran."""
    tasks, models = instructions(run), models_of(run)
    if tasks.empty:
        return ()
    tables = (success_table(tasks), feedback_table(tasks))
    if models.empty:
        return tables
    return models_table(models), classes_table(models), dialogues_table(models), *tables


def instructions(run: RunFrames) -> DataFrame:
    """The tasks of the methods of `METHOD_NAMES`, by world, method, seed and number."""
    plain = run.tasks.method.map(without_prompts)
    known = plain.isin(METHOD_NAMES)
    places = plain[known].map(METHOD_NAMES.index)
    return ordered(run.tasks[known].assign(place=places), ["env", "place", "seed", "task"])


def models_of(run: RunFrames) -> DataFrame:
    """The model of each environment and seed, sorted, one row each."""
    built = run.details(Built.name)
    if built.empty:
        return built
    both = ordered(run.episodes.merge(built, on="unit"), ["env", "seed", "method"])
    return ordered(both.drop_duplicates(["world", "seed"], keep="last"), ["world", "seed"])


def models_table(models: DataFrame) -> Table:
    """Errors and EW of each world's models before and after correction, and what it took."""
    columns: Columns = {
        "world": lambda found: found.world.iloc[0],
        "models": len,
        "errors before": lambda found: mean(map(_errors, found.before.dropna())),
        "errors after": lambda found: mean(map(_errors, found.after.dropna())),
        "EW before": lambda found: _ew(found.ew_before[found.walked]),
        "EW after": lambda found: _ew(found.ew_after[found.walked]),
        "remarks": lambda found: mean(found.remarks),
        "without error": lambda found: sum(
            after == {} and not left for after, left in zip(found.after, found.unwritten, strict=True)
        ),
    }
    notes = (
        "Errors against the true domain under the alignment with the fewest, parameters by their place, or "
        "in any order where they are the model's own; "
        f"models for which that is not proved: {int((~models.exact).sum())}. Means over runs, with bootstrap "
        "intervals.",
        "A model that cannot be walked counts 0 in EW, but for one with parameters of its own, which no walk "
        "is made for. remarks: made by the environment, or by a person who "
        "has a say. A model that says the same otherwise, `not (open ?c)` for `(closed ?c)`, has errors "
        "although its EW is 1.",
    )
    worlds = [group for _, group in models.groupby("world", sort=False)]
    return Table.of("Models before and after correction", worlds, columns, notes)


def _errors(counts: dict[str, int]) -> int:
    return sum(counts.values())


def _ew(scores: Column) -> str:
    return mean(scores.fillna(0.0)).cut()


def classes_table(models: DataFrame) -> Table:
    """The errors of each model by class, before and after."""
    rows = []
    for model in rows_of(models):
        whose = model.world, str(model.seed)
        if model.before is None or model.after is None:
            rows.append((*whose, "too large to count", NOTHING, NOTHING))
            continue
        for kind in sorted(model.before.keys() | model.after.keys()):
            rows.append((*whose, kind, str(model.before.get(kind, 0)), str(model.after.get(kind, 0))))
    columns = ("world", "run", "class", "before", "after")
    return Table("Errors of models by class", columns, tuple(rows), ("Models without errors are left out.",))


def dialogues_table(models: DataFrame) -> Table:
    """What was sent back while each model was written, and how its correction ended."""
    columns: Columns = {
        "world": "world", "run": "seed", "faults of replies": lambda model: listed(model.faults),
        "correction ended": "ending", "actions not met": lambda m: len(m.unmet) if m.walked else None,
    }  # fmt: skip
    notes = (
        "faults of replies: found and sent back before a reply counted. actions not met: executed nowhere "
        "on the last walks, so that EW and the environment's silence say nothing of them.",
    )
    return Table.of("Dialogues about models", rows_of(models), columns, notes)


_WHOSE: Columns = {
    "world": lambda mine: mine.world.iloc[0], "method": lambda mine: mine.method.iloc[0]
}  # fmt: skip


def success_table(tasks: DataFrame) -> Table:
    """The share of instructions that were carried out, by world and method; those out of order beside."""
    late = TaskOutcome.OUT_OF_ORDER.value
    columns: Columns = {
        **_WHOSE, "n": len, "carried out": lambda mine: share(mine.solved), "with an order": _ordered,
        "out of order": lambda mine: (mine.outcome == late).sum(),
        "other outcomes": lambda mine: listed(Counter(mine.outcome[~mine.solved & (mine.outcome != late)])),
    }  # fmt: skip
    notes = (
        "plan-alone: plans of the language model; plan-shown: the same, with the corrected model in words; "
        "-advised: sent back with what that model finds wrong; plan-by-model: the classical planner in that "
        "model. Wilson's 95 % intervals.",
        "with an order: of the instructions that name one, those carried out. out of order: the goal was "
        "reached, but not in the order asked for; that does not count.",
    )
    return Table.of("Instructions carried out", _groups(tasks), columns, notes)


def _groups(tasks: DataFrame) -> Iterable[DataFrame]:
    return (mine for _, mine in tasks.groupby(["world", "method"], sort=False))


def _ordered(tasks: DataFrame) -> str | None:
    """`4 of 5` of the instructions that name an order."""
    made = ((task.solved, task_of(task.env, task.task)[1]) for task in rows_of(tasks))
    named = [solved for solved, instruction in made if instruction is not None and instruction.order]
    return f"{sum(named)} of {len(named)}" if named else None


def feedback_table(tasks: DataFrame) -> Table:
    """What plans were told before the last one, by kind, and what the asking took."""
    columns: Columns = {
        **_WHOSE,
        "told": lambda mine: listed(sum(map(Counter[str], mine.told), Counter[str]())),
        "calls": lambda mine: mine.completions.sum(),
        "tokens in": lambda mine: mine.prompt_tokens.sum(),
        "tokens out": lambda mine: mine.completion_tokens.sum(),
    }
    notes = ("Of the instructions alone; the model's own dialogues are in the costs of the run.",)
    return Table.of("Feedback to plans", _groups(tasks), columns, notes)


def worldmodel_csv(run: RunFrames) -> str:
    """One row an instruction."""
    found = instructions(run)
    shown = found.assign(told=found.told.map(listed))
    names = {"run": "seed", "instruction": "task"}
    return write_csv(_CSV, rows_of(shown[[names.get(column, column) for column in _CSV]]))
