"""A translation held against its pair: can it be read, can it be solved, is it correct?

Whatever problem of the domain can be cut from the answer counts, the last one if there are several. It is
planned for without search where that is possible (`envs.pddl.planning.domain_specific`), else by Fast
Downward, and every plan is validated. Source: the protocol of Zuo et al. 2024, section 5.
"""

from __future__ import annotations

from dataclasses import replace

from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.equivalence.deadline import OutOfTime
from envs.pddl.equivalence.goals.derive import Means
from envs.pddl.equivalence.goals.goal import NotLiterals
from envs.pddl.language.domain import Domain, Problem, read_problem
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.sexpr import MAX_CHARACTERS
from envs.pddl.planning.domain_specific import plan_by_rules
from envs.pddl.planning.planner import Planner, PlanResult
from envs.pddl.planning.planner_text import planner_texts
from envs.pddl.planning.validate import validate_plan
from envs.planetarium.pairs import Pair
from experiments.evaluation.judge import MachineFault
from experiments.evaluation.pair_mistakes import mistakes_of
from experiments.evaluation.pair_records import Answer, Mistake, PairRecord


def unjudged(pair: Pair, answer: Answer, fault: str) -> PairRecord:
    """The record of a pair without a translation that can be read."""
    layouts = f"{pair.init_layout} to {pair.goal_layout}" if pair.goal_layout else ""
    return PairRecord(pair.id, pair.world, pair.style, layouts, pair.size, answer.value, fault=fault)


def judged(
    text: str, pair: Pair, domain: Domain, planner: Planner, invariants: str = ""
) -> tuple[PairRecord, PlanResult | None]:
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
        result, by = planner.plan(*planner_texts(problem)), "fast_downward"
        if result.outcome.infrastructure:
            raise MachineFault(f"the planner ended as {result.outcome.value}: {result.log_tail[-500:]}")
    if result.plan is not None:
        report = validate_plan(problem, result.plan)
        if not report.valid:
            raise RuntimeError(f"a plan by {by} is not valid: {report.render()}")
    return result, by


def _read(text: str, pair: Pair, domain: Domain) -> tuple[Problem | None, PairRecord]:
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


def _compared(record: PairRecord, truth: Problem, found: Problem, pair: Pair, means: Means) -> PairRecord:
    """The record with how the translation compares with the truth."""
    comparison = compare(truth, found, placeholder=pair.placeholder, means=means)
    record = replace(record, verdict=comparison.verdict.value)
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
