"""A translated problem beside the ground truth: can it be read, can it be solved, is it right?

It is *right* if both are the same as they are written, up to the names of objects: the published measure of
TIC. It is *correct* if both are the same planning problem, goals with all that they imply; that may be
undecided. The problem is planned for, every plan is validated, and carried out in the environment.

Of an answer in free text (`judged`), whatever problem of the domain can be cut from it counts, the last one
if there are several; it is planned for without search where that is possible
(`envs.pddl.planning.domain_specific`), else by Fast Downward. Source: the protocol of Zuo et al. 2024,
section 5.

A task of an environment is a pair of a data set, or any task with the text that it comes with (`pair_at`).

What is wrong with a translation is sorted into kinds (`mistakes_of`). Objects are counted by kind: type, and
what holds of one alone and for good. Initial state and goal are held against the truth's apart from each
other, the goals with all that they imply: in the truth's initial state, if the objects have the same names,
so that a mistake there is none of the goal. Where the text names the objects of a side, atoms are missing or
extra under their names; where it does not, or other names are used, there are fewer or more of a predicate.
As many of each, but not the same up to names, is another arrangement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import StrEnum

from envs.folder import PAIRS_PREFIX
from envs.pddl.equivalence.as_written import same_as_written
from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.equivalence.deadline import Deadline, OutOfTime
from envs.pddl.equivalence.goals.derive import Means, specify
from envs.pddl.equivalence.goals.goal import Exactness, Goal, NotLiterals, fluents_of, read_goal
from envs.pddl.equivalence.graphs.problem_graphs import ProblemGraphs
from envs.pddl.equivalence.graphs.scenes import kinds_of, with_static_marks
from envs.pddl.language.domain import Domain, GroundAtom, Problem, read_domain, read_problem
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.sexpr import MAX_CHARACTERS
from envs.pddl.planning.domain_specific import plan_by_rules
from envs.pddl.planning.planner import Planner, PlanResult, planner_texts
from envs.pddl.planning.validate import validate_plan
from envs.planetarium.drawing import pair_of_texts
from envs.planetarium.pairs import Pair
from envs.planetarium.published import is_published
from envs.planetarium.source import find_pair
from envs.source import read_texts, world_invariants
from envs.variants import split_variant
from experiments.evaluation.judge import Judge, planned_by
from experiments.evaluation.solve import Attempt, act, unplanned
from experiments.evaluation.unsolvable import why_unsolvable
from experiments.runs.details import Answer, JudgedTranslation
from experiments.runs.records import TaskOutcome

_OUTCOMES = {
    Answer.NO_ANSWER: TaskOutcome.NO_ANSWER,
    Answer.NO_PROBLEM: TaskOutcome.NO_PROBLEM,
    Answer.UNREADABLE: TaskOutcome.INVALID_PROBLEM,
}


def tried_answer(env: str, task: int | str, text: str, judge: Judge) -> Attempt:
    """An answer in free text, judged, and a plan for it carried out.

    Raises MachineFault, PlannerMissing, LabellingFailed, BadRules.
    """
    pair, domain = pair_at(env, task), read_domain(read_texts(env, task).domain)
    record, result = judged(text, pair, domain, judge.planner, invariants_at(env, pair))
    if result is None:
        return Attempt(_OUTCOMES[Answer(record.outcome)], detail=record.fault, details=(record,))
    return replace(_carried_out(env, task, result), details=(record,))


def tried_problem(env: str, task: int | str, translated: JudgedTranslation, judge: Judge) -> Attempt:
    """A translation with a problem, judged, and a plan for it carried out. Raises as `tried_answer`."""
    truth = read_texts(env, task)
    domain = read_domain(truth.domain)
    try:
        problem = read_problem(translated.problem or "", domain)
    except PDDLError as error:
        return Attempt(TaskOutcome.INVALID_PROBLEM, detail=str(error), details=(translated,))
    right = read_problem(truth.problem, domain)
    translated = compared_as_written(translated, problem, right, world_invariants(env))
    attempt = _carried_out(env, task, judge.draw_plan(problem))
    if attempt.outcome is TaskOutcome.UNSOLVABLE:
        why = why_unsolvable(problem, by_program=translated.ir is not None)
        attempt, translated = replace(attempt, detail=why), replace(translated, unsolvable=why)
    return replace(attempt, details=(translated,))


def _carried_out(env: str, task: int | str, result: PlanResult) -> Attempt:
    return unplanned(result) if result.plan is None else act(env, task, result.plan)


def compared_as_written(
    translated: JudgedTranslation, problem: Problem, truth: Problem, invariants: str = ""
) -> JudgedTranslation:
    """The translation whose problem was read as `problem`, with how it compares with the truth.

    `invariants` are the world's own. Raises LabellingFailed, BadRules.
    """
    written = same_as_written(problem, truth)
    verdict = written.verdict.value
    if not isinstance(written.witness, str):
        kept = all(name == image for name, image in written.witness.items())
        return replace(translated, equality=verdict, meaning=verdict, names_kept=kept)
    part = written.part.value if written.part else ""
    meaning = compare(problem, truth, means=Means(invariants=invariants)).verdict.value
    return replace(translated, equality=verdict, part=part, difference=written.witness, meaning=meaning)


def unjudged(pair: Pair, answer: Answer, fault: str) -> JudgedTranslation:
    """The record of a pair without a translation that can be read."""
    layouts = f"{pair.init_layout} to {pair.goal_layout}" if pair.goal_layout else ""
    return JudgedTranslation(
        answer.value,
        fault=fault,
        id=pair.id,
        world=pair.world,
        style=pair.style,
        layouts=layouts,
        size=pair.size,
    )


def judged(
    text: str, pair: Pair, domain: Domain, planner: Planner, invariants: str = ""
) -> tuple[JudgedTranslation, PlanResult | None]:
    """What becomes of an answer, and the plan for it if there is one; `invariants` are the world's own.

    Raises MachineFault, PlannerMissing, LabellingFailed, BadRules.
    """
    problem, record = _read(text, pair, domain)
    if problem is None:
        return record, None
    result, by = planned(problem, planner)
    length = None if result.plan is None else len(result.plan)
    record = replace(record, planner=by, plan=result.outcome.value, plan_length=length)
    means = Means(planner=planner, invariants=invariants)
    return _compared(record, read_problem(pair.problem, domain), problem, pair, means), result


def planned(problem: Problem, planner: Planner) -> tuple[PlanResult, str]:
    """A validated plan, or why there is none; and who planned. Raises MachineFault, PlannerMissing."""
    result, by = plan_by_rules(problem), "rules"
    if result is None:
        result, by = planned_by(planner, *planner_texts(problem)), "fast_downward"
    if result.plan is not None:
        report = validate_plan(problem, result.plan)
        if not report.valid:
            raise RuntimeError(f"a plan by {by} is not valid: {report.render()}")
    return result, by


def _read(text: str, pair: Pair, domain: Domain) -> tuple[Problem | None, JudgedTranslation]:
    """The last problem of the domain in a text."""
    found = extract_pddl(text)
    if found.too_large:
        fault = f"the answer was not read: it is longer than {MAX_CHARACTERS:,} characters"
        return None, unjudged(pair, Answer.UNREADABLE, fault)
    fault = ""
    for candidate in reversed(found.problems):
        try:
            problem = read_problem(candidate, domain)
        except PDDLError as error:
            fault = fault or str(error)
        else:
            return problem, replace(unjudged(pair, Answer.PROBLEM, ""), problem=candidate)
    if found.problems:
        return None, replace(unjudged(pair, Answer.UNREADABLE, fault), problem=found.problems[-1])
    if found.unbalanced:
        return None, unjudged(pair, Answer.UNREADABLE, "the parentheses of (define ...) do not balance")
    return None, unjudged(pair, Answer.NO_PROBLEM, "the answer holds no (define (problem ...) ...)")


def _compared(
    record: JudgedTranslation, truth: Problem, found: Problem, pair: Pair, means: Means
) -> JudgedTranslation:
    """The record with how the translation compares with the truth."""
    comparison = compare(truth, found, placeholder=pair.placeholder, means=means)
    record = replace(record, meaning=comparison.verdict.value)
    if not isinstance(comparison.witness, str):
        return record
    part = comparison.part.value if comparison.part else ""
    record = replace(record, part=part, difference=comparison.witness)
    if comparison.verdict is not Verdict.DIFFERENT:
        return record
    try:
        mistakes = mistakes_of(truth, found, (not pair.init_abstract, not pair.goal_abstract))
    except (OutOfTime, NotLiterals):
        return record
    return replace(record, mistakes=tuple(m.value for m in mistakes))


def pair_at(env: str, task: int | str) -> Pair:
    """The pair that a task is. Raises WorldNotFound, ValueError for a goal that is no conjunction."""
    texts = read_texts(env, task)
    base, variant = split_variant(env)
    if base.startswith(PAIRS_PREFIX) and not str(variant):
        return find_pair(base.removeprefix(PAIRS_PREFIX), int(task))
    level = variant.level.value if variant.level else "as given"
    return pair_of_texts(texts, f"{texts.name}-{texts.problem_name}", texts.name, level)


def invariants_at(env: str, pair: Pair) -> str:
    """The invariants of the world that a pair of an environment belongs to; empty if it has none.

    A domain of the published data has its own predicates, so nothing is known of it.
    """
    base = split_variant(env)[0]
    if not base.startswith(PAIRS_PREFIX):
        return world_invariants(env)
    return "" if is_published(base.removeprefix(PAIRS_PREFIX)) else world_invariants(pair.world)


class Mistake(StrEnum):
    """One way in which a translation differs from the truth."""

    OBJECTS_MISSING = "objects_missing"
    OBJECTS_EXTRA = "objects_extra"
    INIT_MISSING = "init_missing"
    INIT_EXTRA = "init_extra"
    INIT_ARRANGED = "init_arranged"  #: as many atoms of each kind, about other objects
    GOAL_MISSING = "goal_missing"
    GOAL_EXTRA = "goal_extra"
    GOAL_ARRANGED = "goal_arranged"
    GOAL_IMPOSSIBLE = "goal_impossible"  #: no reachable state satisfies it


_INIT = (Mistake.INIT_MISSING, Mistake.INIT_EXTRA, Mistake.INIT_ARRANGED)
_GOAL = (Mistake.GOAL_MISSING, Mistake.GOAL_EXTRA, Mistake.GOAL_ARRANGED)
_ARRANGED = (Mistake.INIT_ARRANGED, Mistake.GOAL_ARRANGED)
_DEADLINE_S = 10.0


def mistakes_of(truth: Problem, found: Problem, named: tuple[bool, bool]) -> tuple[Mistake, ...]:
    """The kinds of mistakes of a problem that is different from the truth.

    `named` says whether the text names the objects of the initial state, and of the goal. Raises OutOfTime,
    and NotLiterals if one of the goals is no conjunction of literals.
    """
    deadline = Deadline(_DEADLINE_S)
    graphs = ProblemGraphs(truth, deadline), ProblemGraphs(found, deadline)
    same_init = graphs[0].init.form.digest == graphs[1].init.form.digest
    objects, names = list(_objects(truth, found)), truth.objects.keys() == found.objects.keys()
    init = [] if same_init else _differences(truth.init, found.init, names and named[0], _INIT)
    context = graphs[0] if names and not same_init else graphs[1]
    goal = _goals(graphs[0], context, read_goal(found), named=names and named[1])
    # Over other objects nothing is arranged alike.
    of_atoms = [kind for kind in (*init, *goal) if not (objects and kind in _ARRANGED)]
    return (*objects, *of_atoms)


def _objects(truth: Problem, found: Problem) -> Iterator[Mistake]:
    here, there = _kinds(truth), _kinds(found)
    if here - there:
        yield Mistake.OBJECTS_MISSING
    if there - here:
        yield Mistake.OBJECTS_EXTRA


def _kinds(problem: Problem) -> Counter[str]:
    fluents = fluents_of(problem.domain)
    statics = sorted(atom for atom in problem.init if atom[0] not in fluents)
    return Counter(with_static_marks(kinds_of(problem), statics).values())


def _goals(truth: ProblemGraphs, context: ProblemGraphs, goal: Goal, named: bool) -> list[Mistake]:
    """The mistakes of a goal, taken in the initial state of `context`."""
    completed = specify(context.problem, goal)
    if completed.exactness is Exactness.UNREACHABLE:
        return [Mistake.GOAL_IMPOSSIBLE]
    wanted, found = specify(truth.problem, read_goal(truth.problem)).goal, completed.goal
    apart = truth.apart(wanted).form.digest == context.apart(found).form.digest
    tied = truth.init.form.digest == context.init.form.digest
    if apart and not (tied and truth.whole(wanted).form.digest != context.whole(found).form.digest):
        return []
    return _differences(_signed(wanted), _signed(found), named, _GOAL)


def _signed(goal: Goal) -> frozenset[GroundAtom]:
    """The literals of a goal, negated ones under another name."""
    return goal.positive | {(f"not {atom[0]}", *atom[1:]) for atom in goal.negative}


def _differences(
    truth: Iterable[GroundAtom], found: Iterable[GroundAtom], named: bool, kinds: tuple[Mistake, ...]
) -> list[Mistake]:
    missing, extra, arranged = kinds
    here = Counter(truth) if named else Counter(atom[:1] for atom in truth)
    there = Counter(found) if named else Counter(atom[:1] for atom in found)
    mistakes = [*([missing] if here - there else []), *([extra] if there - here else [])]
    return mistakes or [arranged]
