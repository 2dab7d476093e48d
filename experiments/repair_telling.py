"""One repair from beginning to end, told on the console as it goes and written into a folder.

A model is judged by EW on walks that the repair has not seen, the same ones before and after, and by the
plans that it yields. If walks or plans speak against it, the shortest walk on which it still disagrees with
the world is told in words.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from rich.console import Console

from agents.repair.goals import GoalStanding
from agents.repair.ledger_words import table
from agents.repair.repair import RepairConfig, Repaired, Verdict, repair
from envs.pddl.language import Domain, Problem, read_domain, read_problem
from envs.pddl.planner import Planner
from envs.pddl.render import render_domain, render_problem
from envs.source import WorldNotFound
from ew.disagreement import first_disagreement
from ew.feedback import Exploded, NoInitialAction, render_failure
from ew.shown import shown
from experiments.judge import Judge
from experiments.repair_cases import fresh_ew, fresh_walks, model_of
from experiments.repair_files import Given
from experiments.rundir import to_json
from experiments.solve import Attempt, ModelSolver
from experiments.streams import stream
from experiments.telling import shortest

#: What a verdict means, for people.
VERDICTS: Mapping[Verdict, str] = MappingProxyType(
    {
        Verdict.AGREES: "nothing that was seen in the world speaks against the repaired model",
        Verdict.OUT_OF_QUERIES: "the world may not be asked more often (--queries); the best model so far",
        Verdict.OUT_OF_TIME: "the time is up (--wall-s); the best model so far",
        Verdict.TOO_LARGE: "the model that explains what was seen is too large to be walked in; unconfirmed",
        Verdict.UNEXPLAINED: "no edits that repair can make explain all that was seen; the best model found",
    }
)
#: What became of the goal, for people.
GOALS: Mapping[GoalStanding, str] = MappingProxyType(
    {
        GoalStanding.REACHED: "after a walk, it holds in the world as it does in the repaired model",
        GoalStanding.NOT_REACHED: "no model that was tried has a plan to it; nothing was edited for its sake",
        GoalStanding.UNKNOWN: "a limit was met before a plan was confirmed; nothing was edited for its sake",
        GoalStanding.NOT_ASKED: "walks and model do not agree, so no plan was tried",
    }
)


@dataclass(frozen=True, eq=False)
class Outcome:
    """A repaired model and how it was judged."""

    found: Repaired
    domain: Domain
    problem: Problem
    before: float | None  #: EW; None if the model cannot be walked in
    after: float | None
    disagreement: str  #: in words; empty if there is none, or none was found


@dataclass(frozen=True, eq=False)
class RepairRun:
    """What is to be repaired, how it is judged, and where that is told."""

    given: Given
    seed: int
    limits: RepairConfig
    walks: int  #: fresh ones
    tasks: int  #: of the world, if its own rules were broken
    planner: Planner
    console: Console

    def write_to(self, folder: Path) -> None:
        """Repair, tell, try tasks, and write all of it into an empty folder.

        Raises MachineFault or WorldFault if the tasks cannot be tried; what was found is written by then.
        """
        case = self.given.case
        self._say(f"world: {self.given.env}, task {self.given.task}")
        if case is not None:
            self._say(f"faults made: {len(case.broken.faults)}", *map(_item, case.broken.faults))
        outcome = self._repaired()
        diff = _diff(self.given.problem.domain, outcome.domain)
        self._tell(outcome, diff)
        for name, text in self._files(outcome, diff).items():
            (folder / name).write_text(text, encoding="utf-8")
        record = self._record(outcome, dict(self._attempts(outcome)))
        (folder / "repair.json").write_text(to_json(record), encoding="utf-8")
        self._say(f"written to {folder}")

    def _repaired(self) -> Outcome:
        """The repair and its judgement."""
        given = self.given
        rng = stream(self.seed, "repair", given.env, given.task)
        found = repair(given.world, given.problem, rng, self.limits)
        domain = read_domain(found.domain)
        problem = read_problem(found.problem, domain)
        before, after = self._ew(given.problem), self._ew(problem)
        words = "" if after == 1 else self._disagreement(problem)
        return Outcome(found, domain, problem, before, after, words)

    def _ew(self, problem: Problem) -> float | None:
        rng = stream(self.seed, "fresh", self.given.env, self.given.task)
        return fresh_ew(self.given.world, model_of(problem), self.walks, rng)

    def _disagreement(self, problem: Problem) -> str:
        """What still disagrees, at its shortest."""
        world, model = self.given.world, model_of(problem)
        if model is None:
            return render_failure(Exploded("It cannot be ground within the limits."))
        if not model.applicable(model.initial(1)).any():
            return render_failure(NoInitialAction.seen_in(world))
        rng = stream(self.seed, "fresh", self.given.env, self.given.task)
        found = first_disagreement(world, model, rng, fresh_walks(self.walks))
        return "" if found is None else render_failure(shortest(world, model, found))

    def _tell(self, outcome: Outcome, diff: Sequence[str]) -> None:
        found, case = outcome.found, self.given.case
        self._say(f"edits found: {len(found.told)}", *map(_item, found.told))
        self._say("", *diff, "" if diff else "the domain is as it was given")
        self._say(f"verdict: {found.verdict.value}: {VERDICTS[found.verdict]}")
        self._say(f"goal: {found.goal.value}: {GOALS[found.goal]}")
        if case is not None:
            same = case.is_original(outcome.domain, outcome.problem)
            self._say(f"the world's own rules again, literal by literal: {'yes' if same else 'no'}")
        ew = f"{_three(outcome.before)} before, {_three(outcome.after)} after"
        self._say(f"EW on {self.walks} fresh walks: {ew}")
        self._say(f"{found.world_queries} world queries, {found.rounds} checks, {found.wall_s:.1f} s")
        if outcome.disagreement:
            self._say("", "What still disagrees:", "", outcome.disagreement, "")

    def _attempts(self, outcome: Outcome) -> Iterator[tuple[str, Attempt]]:
        """Tasks tried with the repaired model, told as they end. Raises MachineFault, WorldFault."""
        solver = ModelSolver(self.given.env, self.seed, Judge(fresh_walks(100), self.planner))
        text = render_domain(outcome.domain)
        for task, problem in self._tasks(outcome):
            attempt = solver(task, text, problem)
            self._say(f"  task {task}: {_ended(attempt)}")
            yield str(task), attempt

    def _tasks(self, outcome: Outcome) -> Iterator[tuple[int | str, str]]:
        """The tasks to be tried, with their problems in the repaired domain's words."""
        case = self.given.case
        if case is None:
            yield self.given.task, render_problem(outcome.problem)
            return
        for number in range(1, self.tasks + 1):
            try:
                yield number, case.task_text(number, outcome.domain)
            except WorldNotFound:
                return

    def _files(self, outcome: Outcome, diff: Sequence[str]) -> dict[str, str]:
        """File name to text."""
        files = {
            "given.domain.pddl": render_domain(self.given.problem.domain),
            "given.problem.pddl": render_problem(self.given.problem),
            "domain.pddl": render_domain(outcome.domain),
            "problem.pddl": render_problem(outcome.problem),
            "domain.diff": "".join(f"{line}\n" for line in diff),
            "ledger.md": table(outcome.found.evidence),
        }
        return files | ({"disagreement.txt": outcome.disagreement + "\n"} if outcome.disagreement else {})

    def _record(self, outcome: Outcome, attempts: Mapping[str, Attempt]) -> dict[str, object]:
        found, case = outcome.found, self.given.case
        return {
            "env": self.given.env,
            "task": self.given.task,
            "seed": self.seed,
            "queries": self.limits.queries,
            "wall_limit_s": self.limits.wall_s,
            "faults": [] if case is None else [str(fault) for fault in case.broken.faults],
            "verdict": found.verdict.value,
            "goal": found.goal.value,
            "edits": list(found.told),
            "unexplained": found.unexplained,
            "walks": self.walks,
            "ew_before": outcome.before,
            "ew": outcome.after,
            "world_queries": found.world_queries,
            "checks": found.rounds,
            "wall_s": round(found.wall_s, 3),
            "tasks": {task: attempt.outcome.value for task, attempt in attempts.items()},
        }

    def _say(self, *lines: str) -> None:
        for line in lines:
            self.console.print(line, markup=False, highlight=False, soft_wrap=True)


def _diff(before: Domain, after: Domain) -> list[str]:
    """The canonical texts of two domains as a unified diff."""
    given, repaired = (render_domain(domain).splitlines() for domain in (before, after))
    return list(difflib.unified_diff(given, repaired, "given", "repaired", n=2, lineterm=""))


def _item(thing: object) -> str:
    return f"  - {thing}"


def _ended(attempt: Attempt) -> str:
    words = attempt.outcome.value.replace("_", " ")
    plan = f", plan of {attempt.plan_length} steps" if attempt.plan_length is not None else ""
    return f"{words}{plan}, EW {_three(attempt.score.ew)}"


def _three(value: float | None) -> str:
    return "none" if value is None else shown(value, 3)
