"""A translated problem beside the ground truth: can it be read, can it be solved, is it right?

It is *right* if both are the same as they are written, up to the names of objects: the published measure of
TIC. It is *correct* if both are the same planning problem, goals with all that they imply; that may be
undecided. The problem is planned for, every plan is validated, and carried out in the environment.

Of an answer in free text (`judged`), whatever problem of the domain can be cut from it counts, the last one
if there are several; it is planned for without search where that is possible
(`envs.pddl.planning.domain_specific`), else by Fast Downward. Source: the protocol of Zuo et al. 2024,
section 5.

A task of an environment is a pair of a data set, or any task with the text that it comes with (`pair_at`).
"""

from __future__ import annotations

from dataclasses import replace

from envs.folder import PAIRS_PREFIX
from envs.pddl.equivalence.as_written import same_as_written
from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.equivalence.deadline import OutOfTime
from envs.pddl.equivalence.goals.derive import Means
from envs.pddl.equivalence.goals.goal import NotLiterals
from envs.pddl.language.domain import Domain, Problem, read_domain, read_problem
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
from experiments.evaluation.pair_mistakes import Mistake, mistakes_of
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
    return replace(record, mistakes=tuple(m.value for m in _mistakes(truth, found, pair)))


def _mistakes(truth: Problem, found: Problem, pair: Pair) -> tuple[Mistake, ...]:
    try:
        return mistakes_of(truth, found, (not pair.init_abstract, not pair.goal_abstract))
    except (OutOfTime, NotLiterals):
        return ()


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
