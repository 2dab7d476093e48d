"""From records to tables: what a run found, per environment and method, in four forms.

Rates are over tasks of all seeds, with Wilson's interval. The EW of a seed is Equation 2 over its tasks
(`ew.score.several_tasks`), and is averaged over seeds, with a bootstrap interval over seeds; a task whose
model could not be walked agrees with the environment nowhere and counts 0 in both directions (the number of
such tasks stands beside it). The mean of the tasks' own scores, never more, is in `summary.json` too. Best@k
is the best of the k seeds: the one that solved most, of equals the one with the higher EW; both numbers are
that seed's. An episode that the language model did not answer (`experiments.reporting.faults`) is
nobody's score: it is counted in a column of its own, its tasks are `unanswered`, and no mean is taken over
it; what it cost is counted. A method with a budget of its own is a column of its own, see `records.arm_of`.
`experiments.reporting.comparison` sets methods side by side. Source of the measures: Mahdavi et al. 2024,
section 5.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ew.score.rating import Outcome
from ew.score.several_tasks import NO_AGREEMENT, TasksEW, ew_over_tasks
from ew.score.shown import shown
from experiments.reporting.statistics import Estimate, mean, rate
from experiments.runs.records import EpisodeRecord, NodeRecord, Spent, TaskOutcome, TaskRecord

#: Columns of `results.csv`. Nothing here depends on clocks, machines or the order of finishing.
RESULT_COLUMNS = (
    "env", "method", "seed", "task", "outcome", "plan_length", "failed_step", "ew", "forward", "backward",
    "stderr", "ew_verdict", "world_queries", "completions", "prompt_tokens", "completion_tokens",
    "budget_tokens", "budget_queries", "meaning", "difference", "undecided", "doubts",
)  # fmt: skip


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
class Table:
    """A table as text, to be written in any form."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()  #: what a reader must know to read it rightly, a sentence each


@dataclass(frozen=True)
class Summary:
    """All seeds of one environment and method."""

    env: str
    method: str  #: with its budgets: what `records.arm_of` says
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


def summarise(episodes: Iterable[EpisodeRecord], tasks: Iterable[TaskRecord]) -> tuple[Summary, ...]:
    """One summary for each environment and method, sorted; only finished episodes count."""
    by_unit = {e.unit: e for e in episodes}
    found = sorted(by_unit.values(), key=lambda e: (e.env, e.method, *_budgets(e), e.seed))
    groups: dict[tuple[str, str], list[EpisodeRecord]] = {}
    for episode in found:
        groups.setdefault((episode.env, episode.arm), []).append(episode)
    solved_tasks = [t for t in tasks if t.unit in by_unit]
    return tuple(_summary(group, solved_tasks) for group in groups.values())


def _summary(episodes: Sequence[EpisodeRecord], tasks: Sequence[TaskRecord]) -> Summary:
    scored = [e for e in episodes if not e.unanswered]
    silent = [t for t in tasks if t.unit in {e.unit for e in episodes if e.unanswered}]
    per_seed = [[t for t in tasks if t.unit == e.unit] for e in scored]
    rows = [t for seed in per_seed for t in seed]
    walked = any(e.makes_model for e in episodes)
    over_tasks = [seed_ew(seed) for seed in per_seed if seed] if walked else []
    ews = [found.score for found in over_tasks]
    rates = [sum(t.solved for t in seed) / len(seed) for seed in per_seed if seed]
    best = max(zip(rates, ews or [0.0] * len(rates), strict=True), default=None)
    first = episodes[0]
    return Summary(
        env=Path(first.env).name,
        method=first.arm,
        seeds=len(scored),
        solve_rate=rate(sum(t.solved for t in rows), len(rows)),
        ew=mean(ews) if walked else None,
        ew_unscored=sum(t.score.ew is None for t in rows) if walked else 0,
        best_solve_rate=best[0] if best else None,
        best_ew=best[1] if best and walked else None,
        outcomes=dict(sorted(Counter(str(t.outcome) for t in [*rows, *map(as_unanswered, silent)]).items())),
        candidates=sum(e.candidates for e in episodes),
        spent=sum((e.spent for e in episodes), Spent()),
        world_queries=sum(e.world_queries for e in episodes),
        wall_s=round(sum(e.wall_s for e in episodes), 3),
        tasks=max(map(len, per_seed), default=0),
        np=first.np,
        nd=first.nd,
        turns=first.turns,
        protocol=first.protocol,
        undecided=sum(t.undecided for t in rows),
        unanswered=len(episodes) - len(scored),
        ew_forward=mean([found.forward for found in over_tasks]) if walked else None,
        ew_backward=mean([found.backward for found in over_tasks]) if walked else None,
        ew_mean_of_tasks=mean([found.mean_of_tasks for found in over_tasks]) if walked else None,
        highest_ew=max(ews, default=None),
        seed_rates=tuple(rates),
    )


def seed_ew(tasks: Sequence[TaskRecord]) -> TasksEW:
    """The EW of a seed's model over these tasks, one at least. An unscored task agrees nowhere."""
    return ew_over_tasks([task.score.directions or NO_AGREEMENT for task in tasks])


def as_unanswered(task: TaskRecord) -> TaskRecord:
    """A task of an episode that was not answered, as tables show it."""
    return replace(task, outcome=TaskOutcome.UNANSWERED)


def _budgets(record: EpisodeRecord | TaskRecord) -> tuple[int, int]:
    """For sorting: without a budget first, then the smaller ones."""
    return record.budget_tokens or 0, record.budget_queries or 0


def results_csv(tasks: Iterable[TaskRecord], episodes: Iterable[EpisodeRecord] = ()) -> str:
    """`results.csv`: one row per task, sorted by environment, method, budgets, seed and task.

    Of `episodes`, those that were not answered make their tasks `unanswered`.
    """
    silent = {e.unit for e in episodes if e.unanswered}
    counted = (as_unanswered(t) if t.unit in silent else t for t in tasks)
    rows = sorted(counted, key=lambda t: (t.env, t.method, *_budgets(t), t.seed, t.task))
    return write_csv(RESULT_COLUMNS, [_result_row(t) for t in rows])


def _result_row(task: TaskRecord) -> list[str]:
    score, spent = task.score, task.spent
    scores = ("" if v is None else shown(v, 6) for v in (score.ew, score.forward, score.backward))
    return [
        *(str(v) for v in (Path(task.env).name, task.method, task.seed, task.task, task.outcome)),
        *(_or_blank(v) for v in (task.plan_length, task.failed_step)),
        *scores,
        "" if score.stderr is None else f"{score.stderr:.6f}",
        score.verdict,
        *(
            str(v)
            for v in (score.world_queries, spent.completions, spent.prompt_tokens, spent.completion_tokens)
        ),
        *(_or_blank(v) for v in (task.budget_tokens, task.budget_queries)),
        task.meaning,
        task.difference,
        str(int(task.undecided)),
        "; ".join(f"{doubt.kind} {doubt.subject}" for doubt in task.doubts),
    ]


def _or_blank(value: int | None) -> str:
    return "" if value is None else str(value)


def result_table(summaries: Sequence[Summary]) -> Table:
    """How well each environment and method did; Best@k is solved / EW.

    Episodes that were not answered have a column where there are any.
    """
    k = max((s.seeds for s in summaries), default=1)
    columns = ("env", "method", "seeds", "solved", "EW", f"Best@{k}")
    rows = [
        (
            s.env, s.method, str(s.seeds), str(s.solve_rate), s.ew.cut() if s.ew else "–",
            f"{two(s.best_solve_rate)} / {shown(s.best_ew)}",
        )
        for s in summaries
    ]  # fmt: skip
    notes: tuple[str, ...] = (EW_NOTE,) if any(s.ew is not None for s in summaries) else ()
    if not any(s.unanswered for s in summaries):
        return Table("Results (mean and 95 % interval)", columns, tuple(rows), notes)
    counted = tuple((*row, str(s.unanswered)) for row, s in zip(rows, summaries, strict=True))
    notes += ("unanswered: episodes without any answer of the language model; in no other column.",)
    return Table("Results (mean and 95 % interval)", (*columns, "unanswered"), counted, notes)


def refinement_table(episodes: Iterable[EpisodeRecord], nodes: Iterable[NodeRecord]) -> Table:
    """What feedback did: the candidates of each turn, over all seeds of an environment and method.

    A candidate that could not be walked has no EW; best-so-far is the highest EW up to that turn.
    """
    names = {e.unit: (Path(e.env).name, e.arm) for e in episodes}
    turns: dict[tuple[str, str, int], list[NodeRecord]] = {}
    for node in nodes:
        if node.unit in names and "." in node.id:
            turns.setdefault((*names[node.unit], node.id.count(".")), []).append(node)
    rows = []
    best: dict[tuple[str, str], list[float]] = {}
    for (env, method, turn), made in sorted(turns.items()):
        ews = [n.score.ew for n in made if n.score.ew is not None]
        so_far = best.setdefault((env, method), [])
        so_far += ews
        solved = sum(n.outcome == Outcome.SOLVED.name for n in made)
        rows.append(
            (
                env, method, str(turn), str(len(made)), str(len(made) - len(ews)),
                shown(sum(ews) / len(ews) if ews else None), shown(max(so_far, default=None)), str(solved),
            )
        )  # fmt: skip
    columns = ("env", "method", "turn", "candidates", "without EW", "mean EW", "best so far", "solved")
    return Table("Refinement, turn by turn", columns, tuple(rows))


def cost_table(summaries: Sequence[Summary]) -> Table:
    """What it took."""
    columns = (
        "env",
        "method",
        "candidates",
        "calls",
        "tokens in",
        "tokens out",
        "queries",
        "wall s",
    )
    rows = [
        (
            s.env, s.method, str(s.candidates), str(s.spent.completions), str(s.spent.prompt_tokens),
            str(s.spent.completion_tokens), str(s.world_queries), f"{s.wall_s:.1f}",
        )
        for s in summaries
    ]  # fmt: skip
    return Table("Cost", columns, tuple(rows))


def two(value: float | None) -> str:
    """Two decimals, or a dash for nothing."""
    return "–" if value is None else f"{value:.2f}"


def outcome_table(summaries: Sequence[Summary], faults: Iterable[Mapping[str, Any]] = ()) -> Table:
    """Tasks per outcome class, those without the planner's verdict, and without a score (0 in EW).

    `faults` are the episodes that were given up: counted, as their tasks are in no other column.
    """
    lost = Counter(str(fault["name"]).rpartition("-")[0] for fault in faults)
    rows = [
        (
            s.env, s.method, ", ".join(f"{n} {name}" for name, n in s.outcomes.items()), str(s.undecided),
            str(s.ew_unscored), str(lost.pop(f"{s.env}-{s.method}", 0)),
        )
        for s in summaries
    ]  # fmt: skip
    rows += [(label, "–", "–", "–", "–", str(n)) for label, n in sorted(lost.items())]
    notes = (_UNDECIDED,) if any(s.undecided for s in summaries) else ()
    columns = ("env", "method", "outcomes", "undecided", "without EW", "episodes given up")
    return Table("Tasks by outcome", columns, tuple(rows), notes)


def slug(table: Table) -> str:
    """A name for a file of the table: its title up to the first bracket or comma."""
    words = re.split(r"[(,:]", table.title, maxsplit=1)[0]
    return "-".join(re.findall(r"[a-z0-9]+", words.lower()))


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Comma-separated text with a header and plain line breaks."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return buffer.getvalue()


def markdown(table: Table) -> str:
    """A title, a pipe table, and its notes."""
    lines = [table.columns, ["---"] * len(table.columns), *table.rows]
    body = "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)
    return f"{table.title}\n\n{body}" + "".join(f"\n{note}\n" for note in table.notes)


def latex(table: Table) -> str:
    """A `tabular` with booktabs rules, its title and notes as comments."""
    head, *body = (" & ".join(map(_tex, row)) + r" \\" for row in (table.columns, *table.rows))
    begin = rf"\begin{{tabular}}{{{'l' * len(table.columns)}}}"
    lines = [
        *(f"% {line}" for line in (table.title, *table.notes)),
        begin,
        r"\toprule",
        head,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _tex(cell: str) -> str:
    for character in "&%_#$":
        cell = cell.replace(character, "\\" + character)
    return cell.replace("–", "--")


def summary_json(summaries: Sequence[Summary], faults: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """`summary.json` as plain data; `faults` are the episodes that were given up."""
    return {"summaries": [asdict(s) for s in summaries], "faults": list(faults)}
