"""The instructions of an environment, and plans for them carried out and judged there.

The worlds of the suite have instructions of their own (`envs.instructions`); any other environment's tasks
are told as they are. A plan runs in the Gymnasium environment like any other; one that reaches the goal of an
instruction with an order is replayed by the world's rules, to see what became true when.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from agents.texts import WorldTexts
from agents.worldmodel.model import Places, in_environment
from agents.worldmodel.problems import Asked
from envs.instructions import Instruction, make_instruction
from envs.pddl.language.domain import GroundAtom, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.planning.validate import validate_plan
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.registry import WORLDS
from envs.source import read_texts
from envs.variants import split_variant
from envs.world import open_world
from experiments.evaluation.judge import Judge
from experiments.evaluation.solve import Attempt, act, timed, unplanned
from experiments.runs.records import TaskOutcome
from experiments.runs.units import counted_task

#: What is asked for where a task's own text says it.
AS_TOLD = "Reach the goal of this task."


@dataclass(frozen=True)
class Ready:
    """What is carried out for an instruction: a plan, or a model in which one is to be found."""

    plan: tuple[str, ...] | None = None
    domain: str = ""  #: PDDL, if there is no plan yet
    stages: tuple[str, ...] = ()  #: PDDL; see `agents.worldmodel.problems`
    places: Places = field(default_factory=dict)  #: of arguments, where steps are written with other ones
    told: Mapping[str, int] = field(default_factory=dict)  #: faults that were sent back


@dataclass(frozen=True)
class InstructionSolver:
    """Carries out what is ready for an instruction of an environment. Picklable."""

    env: str
    judge: Judge

    @timed
    def __call__(self, task: int | str, number: int, ready: Ready) -> Attempt:
        """Plan if need be, act and judge; `task` is of no effect. Raises MachineFault, PlannerMissing."""
        return replace(self._tried(number, ready), told=ready.told)

    def _tried(self, number: int, ready: Ready) -> Attempt:
        plan = self._planned(ready) if ready.plan is None else ready.plan
        if isinstance(plan, Attempt):
            return plan
        plan = in_environment(plan, ready.places) if ready.places else plan
        task, instruction = task_of(self.env, number)
        attempt = act(self.env, task, plan)
        if not attempt.solved or instruction is None or not instruction.order:
            return attempt
        kept = instruction.kept_order(_states(self.env, task, plan))
        return attempt if kept else replace(attempt, outcome=TaskOutcome.OUT_OF_ORDER)

    def _planned(self, ready: Ready) -> tuple[str, ...] | Attempt:
        """A plan from stage to stage, each from where the one before it ends; or what became of it."""
        domain, plan = read_domain(ready.domain), tuple[str, ...]()
        state: frozenset[GroundAtom] | None = None
        for text in ready.stages:
            try:
                problem = read_problem(text, domain)
            except PDDLError as error:
                return Attempt(TaskOutcome.INVALID_PROBLEM, detail=str(error))
            problem = problem if state is None else replace(problem, init=state)
            result = self.judge.draw_plan(problem)
            if result.plan is None:
                return unplanned(result)
            plan, state = (*plan, *result.plan), validate_plan(problem, result.plan).final_state
        return plan


def task_of(env: str, number: int) -> tuple[int | str, Instruction | None]:
    """The task behind instruction `number` of an environment, and the instruction if it is one of its own."""
    base, variant = split_variant(env)
    if base in WORLDS and not variant.anonymised:
        instruction = make_instruction(base, number)
        return instruction.task, instruction
    return counted_task(env, number), None


def asked_of(env: str, number: int) -> Asked:
    """Instruction `number` (from 1) as it is put to a language model."""
    task, instruction = task_of(env, number)
    texts = WorldTexts.of(open_world(env, task))
    if instruction is None:
        return Asked(texts, texts.task, AS_TOLD)
    return Asked(texts, instruction.start, instruction.text)


def _states(env: str, task: int | str, plan: Sequence[str]) -> list[frozenset[GroundAtom]]:
    """The true states along a plan that runs, from the first on to the one in which the goal is reached."""
    texts = read_texts(env, task)
    problem = read_problem(texts.problem, read_domain(texts.domain))
    simulator = ReferenceSimulator(problem)
    states = [simulator.initial()]
    for step in plan:
        if simulator.holds(problem.goal, states[-1], {}):
            break
        states.append(simulator.successor(states[-1], step))
    return states
