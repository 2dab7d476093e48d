"""The tables of results: what a run found for each environment and condition, and what it cost.

Rates are over tasks of all seeds, with Wilson's interval. The EW of a seed is Equation 2 over its tasks
(`ew.score.several_tasks`), and is averaged over seeds, with a bootstrap interval over seeds; a task whose
model could not be walked agrees with the environment nowhere and counts 0 in both directions (the number of
such tasks stands beside it). The mean of the tasks' own scores, never more, is in `summary.json` too. Best@k
is the best of the k seeds by solve rate, ties by EW; both numbers are that seed's. An episode that the
language model did not answer (`experiments.reporting.faults`) has no score: it is counted in a column of its
own, its tasks are `unanswered`, and no mean is taken over it; what it cost is counted. A *condition* is a
method, with its budget if it has one. `experiments.reporting.comparison` sets conditions side by side.
Source of the measures: Mahdavi et al. 2024, section 5.

Two further tables are about tasks. A doubt (`ew.counterexample.doubts`) is what to look at in a text before a
model is blamed. And were the problems of the counted tasks right? A plan that works does not show it: a goal
may want too much. The problem that a model solved a task with is compared with the true one, written in the
true domain's words (`envs.pddl.equivalence.aligned`); where the model's domain is not the true one, nothing
is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from envs.pddl.equivalence.compare import Verdict
from ew.score.rating import Outcome
from ew.score.several_tasks import NO_AGREEMENT, TasksEW, ew_over_tasks
from ew.score.shown import shown
from ew.walks.budget import SimulatorCost
from experiments.reporting.statistics import Estimate, mean, share
from experiments.reporting.tables import NOTHING, Columns, Table, rows_of, two
from experiments.runs.frames import SIMULATOR, Column, DataFrame, RunFrames
from experiments.runs.records import Spent, TaskOutcome

#: Columns of `results.csv`; those of simulators only where one was walked in. Nothing here depends on clocks,
#: machines or the order of finishing.
RESULT_COLUMNS = [
    "env", "method", "seed", "task", "outcome", "plan_length", "failed_step", "ew", "forward", "backward",
    "stderr", "ew_verdict", "world_queries", *SIMULATOR, "completions", "prompt_tokens", "completion_tokens",
    "budget_tokens", "budget_queries", "meaning", "difference", "undecided", "doubts",
]  # fmt: skip
#: The columns of tables for what simulators did: title, and what is counted.
SIMULATOR_TITLES = {"simulator steps": "steps", "resets": "resets", "refused attempts": "refused"}
_ORDER = ["env", "method", "budget_tokens", "budget_queries", "seed"]
#: How tasks without a verdict count.
_UNDECIDED = (
    "undecided: the planner ran out of time or memory, or its search was incomplete. That is nobody's fault: "
    "neither solved nor wrong, and no language model is asked because of it. Solve rates are over all tasks."
)
#: How the EW of a table is taken over tasks.
EW_NOTE = (
    "EW over the tasks of a seed is Equation 2 (Mahdavi et al. 2024): the harmonic mean of two means over "
    "tasks, the share of the environment's walks that run in the model and that of the model's in the "
    "environment."
)


@dataclass(frozen=True)
class Summary:
    """All seeds of one environment and method."""

    env: str
    method: str  #: with its budgets: a condition
    seeds: int  #: episodes that were answered, which all means are over
    solve_rate: Estimate  #: over the tasks of all seeds
    ew: Estimate | None  #: Equation 2 over the tasks of a seed, mean over seeds; None without a model
    ew_unscored: int  #: tasks without a score, counted 0 in `ew`
    best_solve_rate: float | None  #: Best@k over seeds; also the highest of any seed
    best_ew: float | None  #: of the same seed
    outcomes: dict[str, int]  #: tasks per outcome, names sorted
    candidates: int
    spent: Spent
    world_queries: int
    wall_s: float
    simulator: SimulatorCost | None = None  #: what simulators did for the queries; None: walked in batches
    tasks: int = 0  #: of one seed; the most if seeds differ
    np: int = 0  #: settings, 0 or empty where old records do not have them
    nd: int = 0
    turns: int = 0
    protocol: str = ""
    undecided: int = 0  #: tasks on which the planner gave no verdict, of all seeds; they count as not solved
    unanswered: int = 0  #: episodes that were not answered
    ew_forward: Estimate | None = None  #: mean over the tasks of a seed, over seeds; None where `ew` is
    ew_backward: Estimate | None = None  #: likewise
    ew_mean_of_tasks: Estimate | None = None  #: mean of the tasks' own scores, over seeds; never above `ew`
    highest_ew: float | None = None  #: of any seed, whichever solved most
    seed_rates: tuple[float, ...] = ()  #: share of tasks solved, a seed each, in the order of seeds


def summarise(run: RunFrames) -> tuple[Summary, ...]:
    """One summary for each environment and condition, sorted; only finished episodes count."""
    episodes = ordered(run.episodes, _ORDER)
    return tuple(
        _summary(group, run.tasks[run.tasks.unit.isin(group.unit)])
        for _, group in episodes.groupby(["env", "condition"], sort=False)
    )


def ordered(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    """A frame sorted by columns, missing values first; equal rows keep their order."""
    return frame.sort_values(list(columns), na_position="first", kind="stable")


def _summary(episodes: DataFrame, tasks: DataFrame) -> Summary:
    answered, counted = episodes[~episodes.unanswered], tasks[~tasks.unanswered]
    of_unit = dict(iter(counted.groupby("unit")))
    per_seed = [of_unit[unit] for unit in answered.unit if unit in of_unit]
    walked = bool(episodes.makes_model.any())
    over_tasks = [seed_ew(seed) for seed in per_seed] if walked else []
    ews = [found.score for found in over_tasks]
    rates = [int(seed.solved.sum()) / len(seed) for seed in per_seed]
    best = max(zip(rates, ews or [0.0] * len(rates), strict=True), default=None)
    shared = ["np", "nd", "turns", "protocol"]  # by all episodes of a condition
    first = episodes.astype(object).iloc[0]
    costs = ["candidates", "completions", "prompt_tokens", "completion_tokens", "world_queries"]
    candidates, *spent, queries = episodes[costs].sum().tolist()
    return Summary(
        env=first.world,
        method=first.condition,
        seeds=len(answered),
        solve_rate=share(counted.solved),
        ew=mean(ews) if walked else None,
        ew_unscored=int(counted.ew.isna().sum()) if walked else 0,
        best_solve_rate=best[0] if best else None,
        best_ew=best[1] if best and walked else None,
        outcomes=dict(sorted(Counter(outcomes(tasks)).items())),
        candidates=candidates,
        spent=Spent(*spent),
        world_queries=queries,
        wall_s=round(sum(episodes.wall_s.tolist()), 3),
        simulator=_simulator(episodes),
        tasks=max(map(len, per_seed), default=0),
        **first[shared],
        undecided=int(counted.undecided.sum()),
        unanswered=len(episodes) - len(answered),
        ew_forward=mean(found.forward for found in over_tasks) if walked else None,
        ew_backward=mean(found.backward for found in over_tasks) if walked else None,
        ew_mean_of_tasks=mean(found.mean_of_tasks for found in over_tasks) if walked else None,
        highest_ew=max(ews, default=None),
        seed_rates=tuple(rates),
    )


def _simulator(episodes: DataFrame) -> SimulatorCost | None:
    walked = episodes[list(SIMULATOR)].dropna()
    return SimulatorCost(*walked.sum().tolist()) if len(walked) else None


def seed_ew(tasks: DataFrame) -> TasksEW:
    """The EW of a seed's model over these tasks, one at least. An unscored task agrees nowhere.

    Raises ValueError for a score without its two directions.
    """
    scored = tasks[tasks.ew.notna()]
    if scored[["forward", "backward"]].isna().any(axis=None):
        raise ValueError("a score without its two directions: over tasks it cannot be taken")
    directions = list(zip(scored.forward.tolist(), scored.backward.tolist(), strict=True))
    return ew_over_tasks(directions + [NO_AGREEMENT] * (len(tasks) - len(scored)))


def outcomes(tasks: DataFrame) -> Column:
    """The outcome of each task; `unanswered` for the tasks of unanswered episodes."""
    return tasks.outcome.mask(tasks.unanswered, TaskOutcome.UNANSWERED.value)


def results_csv(tasks: DataFrame) -> str:
    """`results.csv`: one row per task, sorted by environment, method, budgets, seed and task."""
    rows = ordered(tasks, [*_ORDER, "task"])
    scores = {
        name: rows[name].map(partial(shown, digits=6), na_action="ignore")
        for name in ("ew", "forward", "backward")
    }
    stderr = rows.stderr.map("{:.6f}".format, na_action="ignore")
    written = rows.assign(
        env=rows.world, outcome=outcomes(rows), undecided=rows.undecided.astype(int), stderr=stderr, **scores
    )
    columns = [c for c in RESULT_COLUMNS if c not in SIMULATOR or written[c].notna().any()]
    return written[columns].to_csv(index=False, lineterminator="\n")


def result_table(summaries: Sequence[Summary]) -> Table:
    """How well each environment and condition did; Best@k is solved / EW.

    Episodes that were not answered have a column where there are any.
    """
    k = max((s.seeds for s in summaries), default=1)
    columns: dict[str, Any] = {
        "env": "env", "method": "method", "seeds": "seeds", "solved": "solve_rate",
        "EW": lambda s: s.ew and s.ew.cut(),
        f"Best@{k}": lambda s: f"{two(s.best_solve_rate)} / {shown(s.best_ew)}",
    }  # fmt: skip
    notes = [EW_NOTE] if any(s.ew is not None for s in summaries) else []
    if any(s.unanswered for s in summaries):
        columns["unanswered"] = "unanswered"
        notes.append("unanswered: episodes without any answer of the language model; in no other column.")
    return Table.of("Results (mean and 95 % interval)", summaries, columns, notes)


def refinement_table(run: RunFrames) -> Table:
    """What feedback did: the candidates of each turn, over all seeds of an environment and condition.

    A candidate that could not be walked has no EW; best-so-far is the highest EW up to that turn.
    """
    places = ["world", "condition"]
    nodes = run.nodes[run.nodes.turn > 0].merge(run.episodes[["unit", *places]], on="unit")
    turns = nodes.assign(solved=nodes.outcome == Outcome.SOLVED.name).groupby([*places, "turn"])
    made = turns.agg(
        candidates=("id", "size"), scored=("ew", "count"), total=("ew", "sum"), best=("ew", "max"),
        solved=("solved", "sum"),
    ).reset_index()  # fmt: skip
    made["best"] = made.groupby(places).best.transform(lambda best: best.cummax().ffill())
    columns: Columns = {
        "env": "world", "method": "condition", "turn": "turn", "candidates": "candidates",
        "without EW": lambda turn: turn.candidates - turn.scored,
        "mean EW": lambda turn: shown(turn.total / turn.scored if turn.scored else None),
        "best so far": lambda turn: shown(turn.best), "solved": "solved",
    }  # fmt: skip
    return Table.of("Refinement, turn by turn", rows_of(made), columns)


def cost_table(summaries: Sequence[Summary]) -> Table:
    """What it took."""
    columns: Columns = {
        "env": "env", "method": "method", "candidates": "candidates", "calls": "spent.completions",
        "tokens in": "spent.prompt_tokens", "tokens out": "spent.completion_tokens",
        "queries": "world_queries", **simulator_columns(summaries), "wall s": lambda s: f"{s.wall_s:.1f}",
    }  # fmt: skip
    return Table.of("Cost", summaries, columns)


def simulator_columns(summaries: Iterable[Summary]) -> dict[str, Callable[[Summary], int | None]]:
    """What simulators did; no column where none was walked in."""

    def counted(name: str) -> Callable[[Summary], int | None]:
        return lambda summary: getattr(summary.simulator, name, None)

    some = any(s.simulator is not None for s in summaries)
    return {title: counted(name) for title, name in SIMULATOR_TITLES.items()} if some else {}


def outcome_table(summaries: Sequence[Summary], faults: Iterable[Mapping[str, Any]] = ()) -> Table:
    """Tasks per outcome class, those without the planner's verdict, and without a score (0 in EW).

    `faults` are the episodes that were given up: counted, as their tasks are in no other column.
    """
    lost = Counter(str(fault["name"]).rpartition("-")[0] for fault in faults)
    columns: Columns = {
        "env": "env", "method": "method",
        "outcomes": lambda s: ", ".join(f"{n} {name}" for name, n in s.outcomes.items()),
        "undecided": "undecided", "without EW": "ew_unscored",
        "episodes given up": lambda s: lost[f"{s.env}-{s.method}"],
    }  # fmt: skip
    notes = (_UNDECIDED,) if any(s.undecided for s in summaries) else ()
    table = Table.of("Tasks by outcome", summaries, columns, notes)
    others = sorted(lost.keys() - {f"{s.env}-{s.method}" for s in summaries})
    rows = tuple((name, *[NOTHING] * 4, str(lost[name])) for name in others)
    return replace(table, rows=(*table.rows, *rows))


_DOUBTS: Columns = {
    "env": "world", "method": "condition", "seed": "seed", "task": "task",
    "doubt": lambda doubt: f"{doubt.kind} {doubt.subject}", "the text, as read": "says",
    "in the environment": "showed", "evidence": "evidence",
}  # fmt: skip
_DOUBT_NOTES = (
    "A doubt is raised where the domain works in another task and this one's text, as it was read, does not "
    "agree with the environment. The text may be wrong or incomplete, or it was misread.",
)


def doubt_tables(run: RunFrames) -> tuple[Table, ...]:
    """The table of all doubts, each once an episode; none if there is no doubt."""
    if run.doubts.empty:
        return ()
    first = run.doubts.drop_duplicates(["unit", "task", "kind", "subject"])
    found = first.merge(run.episodes[["unit", "world", "condition", "seed"]], on="unit")
    table = Table.of("Doubts about the texts of tasks", rows_of(found), _DOUBTS, _DOUBT_NOTES)
    return (replace(table, rows=tuple(sorted(table.rows))),) if table.rows else ()


_MEANINGS: Columns = {
    "env": "world", "method": "condition", "tasks": "tasks", "solved": "solved", "correct": "correct",
    "different": "different", "undecided": "undecided", "solved, different": "wrong",
}  # fmt: skip
_MEANING_NOTES = (
    "correct: the task's problem is the same planning problem as the true one, names of predicates and what "
    "goals imply aside, with a plan or without. undecided: mostly as the domain is not the true one, "
    "so that problems cannot be compared. Of tasks without a problem that can be read nothing is said.",
)


def meaning_tables(run: RunFrames) -> tuple[Table, ...]:
    """The table of each environment's and condition's problems; none if no problem was compared."""
    if not run.tasks.meaning.any():
        return ()
    tasks = ordered(run.tasks, ["env", "condition"])
    different = tasks.meaning == Verdict.DIFFERENT
    marked = tasks.assign(
        compared=tasks.meaning != "", correct=tasks.meaning == Verdict.EQUIVALENT, different=different,
        undecided=tasks.meaning.isin([Verdict.UNSUPPORTED, Verdict.TIMEOUT]), wrong=different & tasks.solved,
    )  # fmt: skip
    kinds = ["compared", "solved", "correct", "different", "undecided", "wrong"]
    groups = marked.groupby(["world", "condition"], sort=False)
    found = groups[kinds].sum().assign(tasks=groups.size()).reset_index()
    rows = rows_of(found[found.compared > 0])
    return (Table.of("Problems of the tasks, judged", rows, _MEANINGS, _MEANING_NOTES),)
