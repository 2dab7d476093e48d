"""What models written action by action are worth: their errors, and what is done with them.

A model's errors are counted against the true domain under the best alignment (docs/worldmodel.md), before and
after it was corrected; EW is the mean over the tasks for feedback. Runs of one environment and seed share
their model, whatever it is used for. Success is that of instructions carried out in the environment, with
Wilson's interval; those with an order count only if that was kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from experiments.evaluation.instructed import task_of
from experiments.reporting.statistics import mean, rate
from experiments.reporting.tables import Table, write_csv
from experiments.runs.records import Built, EpisodeRecord, TaskOutcome, TaskRecord

#: The methods, in the order of the tables.
METHOD_NAMES = ("plan-alone", "plan-advised", "plan-shown", "plan-shown-advised", "plan-by-model")
_NOTHING = "–"
_CSV = (
    "world", "method", "run", "instruction", "outcome", "plan_length", "told", "completions",
    "prompt_tokens", "completion_tokens",
)  # fmt: skip


def worldmodel_tables(episodes: Iterable[EpisodeRecord], tasks: Iterable[TaskRecord]) -> tuple[Table, ...]:
    """All tables about world models and instructions; none if no method of `METHOD_NAMES` ran."""
    mine = [task for task in tasks if task.method in METHOD_NAMES]
    models = models_of(episodes)
    if not mine:
        return ()
    tables = [success_table(mine), told_table(mine)]
    if models:
        tables = [models_table(models), classes_table(models), dialogues_table(models), *tables]
    return tuple(tables)


def models_of(episodes: Iterable[EpisodeRecord]) -> dict[tuple[str, int], Built]:
    """The model of each environment and seed, sorted."""
    found = {
        (Path(episode.env).name, episode.seed): episode.built
        for episode in sorted(episodes, key=lambda e: (e.env, e.seed, e.method))
        if episode.built is not None
    }
    return dict(sorted(found.items()))


def models_table(models: Mapping[tuple[str, int], Built]) -> Table:
    """Errors and EW of each world's models before and after correction, and what it took."""
    columns = (
        "world", "models", "errors before", "errors after", "EW before", "EW after", "remarks",
        "without error",
    )  # fmt: skip
    worlds: dict[str, list[Built]] = {}
    for (world, _), built in models.items():
        worlds.setdefault(world, []).append(built)
    rows = [
        (
            world,
            str(len(found)),
            str(mean([sum(b.before.values()) for b in found if b.before is not None])),
            str(mean([sum(b.after.values()) for b in found if b.after is not None])),
            _ew([b.ew_before or 0.0 for b in found if b.walked]),
            _ew([b.ew_after or 0.0 for b in found if b.walked]),
            str(mean([float(b.remarks) for b in found])),
            str(sum(b.after == {} and not b.unwritten for b in found)),
        )
        for world, found in worlds.items()
    ]
    open_counts = sum(not built.exact for built in models.values())
    notes = (
        "Errors against the true domain under the alignment with the fewest, parameters by their place, or "
        "in any order where they are the model's own; "
        f"models for which that is not proved: {open_counts}. Means over runs, with bootstrap intervals.",
        "A model that cannot be walked counts 0 in EW, but for one with parameters of its own, which no walk "
        "is made for. remarks: made by the environment, or by a person who "
        "has a say. A model that says the same otherwise, `not (open ?c)` for `(closed ?c)`, has errors "
        "although its EW is 1.",
    )
    return Table("Models before and after correction", columns, tuple(rows), notes)


def _ew(scores: Sequence[float]) -> str:
    return mean(scores).cut() if scores else _NOTHING


def classes_table(models: Mapping[tuple[str, int], Built]) -> Table:
    """The errors of each model by class, before and after."""
    rows: list[tuple[str, ...]] = []
    for (world, seed), built in models.items():
        if built.before is None or built.after is None:
            rows.append((world, str(seed), "too large to count", _NOTHING, _NOTHING))
            continue
        for kind in sorted(built.before.keys() | built.after.keys()):
            counts = built.before.get(kind, 0), built.after.get(kind, 0)
            rows.append((world, str(seed), kind, *map(str, counts)))
    columns = ("world", "run", "class", "before", "after")
    return Table("Errors of models by class", columns, tuple(rows), ("Models without errors are left out.",))


def dialogues_table(models: Mapping[tuple[str, int], Built]) -> Table:
    """What was sent back while each model was written, and how its correction ended."""
    rows = [
        (world, str(seed), _listed(b.faults), b.ending, str(len(b.unmet)) if b.walked else _NOTHING)
        for (world, seed), b in models.items()
    ]
    columns = ("world", "run", "faults of replies", "correction ended", "actions not met")
    notes = (
        "faults of replies: found and sent back before a reply counted. actions not met: executable nowhere "
        "on the last walks, so that EW and the environment's silence say nothing of them.",
    )
    return Table("Dialogues about models", columns, tuple(rows), notes)


def success_table(tasks: Sequence[TaskRecord]) -> Table:
    """The share of instructions that were carried out, by world and method; those out of order beside."""
    columns = ("world", "method", "n", "carried out", "with an order", "out of order", "other outcomes")
    rows = []
    for (world, method), mine in _groups(tasks).items():
        others = Counter(str(task.outcome) for task in mine if not task.solved)
        unordered = others.pop(TaskOutcome.OUT_OF_ORDER.value, 0)
        share = str(rate(sum(task.solved for task in mine), len(mine)))
        rows.append((world, method, str(len(mine)), share, _ordered(mine), str(unordered), _listed(others)))
    notes = (
        "plan-alone: plans of the language model; plan-shown: the same, with the corrected model in words; "
        "-advised: sent back with what that model finds wrong; plan-by-model: the classical planner in that "
        "model. Wilson's 95 % intervals.",
        "with an order: of the instructions that name one, those carried out. out of order: the goal was "
        "reached, but not in the order asked for; that does not count.",
    )
    return Table("Instructions carried out", columns, tuple(rows), notes)


def _ordered(tasks: Sequence[TaskRecord]) -> str:
    """`4 of 5` of the instructions that name an order."""
    made = ((task, task_of(task.env, task.task)[1]) for task in tasks)
    named = [task.solved for task, instruction in made if instruction is not None and instruction.order]
    return f"{sum(named)} of {len(named)}" if named else _NOTHING


def told_table(tasks: Sequence[TaskRecord]) -> Table:
    """What plans were told before the last one, by kind, and what the asking took."""
    rows = []
    for (world, method), mine in _groups(tasks).items():
        told = Counter[str]()
        for task in mine:
            told.update(task.told)
        spent = [task.spent for task in mine]
        rows.append(
            (
                world,
                method,
                _listed(told) or _NOTHING,
                str(sum(s.completions for s in spent)),
                str(sum(s.prompt_tokens for s in spent)),
                str(sum(s.completion_tokens for s in spent)),
            )
        )
    columns = ("world", "method", "told", "calls", "tokens in", "tokens out")
    notes = ("Of the instructions alone; the model's own dialogues are in the costs of the run.",)
    return Table("Feedback to plans", columns, tuple(rows), notes)


def worldmodel_csv(tasks: Iterable[TaskRecord]) -> str:
    """One row an instruction."""
    mine = [task for task in tasks if task.method in METHOD_NAMES]
    return write_csv(_CSV, [_csv_row(t) for group in _groups(mine).values() for t in group])


def _groups(tasks: Iterable[TaskRecord]) -> dict[tuple[str, str], list[TaskRecord]]:
    found: dict[tuple[str, str], list[TaskRecord]] = {}
    for task in sorted(tasks, key=lambda t: (t.env, METHOD_NAMES.index(t.method), t.seed, t.task)):
        found.setdefault((Path(task.env).name, task.method), []).append(task)
    return found


def _csv_row(task: TaskRecord) -> tuple[str, ...]:
    length = "" if task.plan_length is None else str(task.plan_length)
    spent = task.spent.completions, task.spent.prompt_tokens, task.spent.completion_tokens
    return (
        Path(task.env).name, task.method, str(task.seed), str(task.task), task.outcome.value, length,
        _listed(task.told), *map(str, spent),
    )  # fmt: skip


def _listed(counts: Mapping[str, int]) -> str:
    """`2 missing effect, 1 wrong type`, the most first."""
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{n} {name}" for name, n in ordered) or _NOTHING
