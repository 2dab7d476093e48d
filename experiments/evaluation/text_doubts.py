"""Doubts about the texts that a model was refined on: where its solved problem differs from its first.

The first problem of a task is what was read from the text. If the model is solved with another one, the
environment bears out what was changed, with the same domain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.proposal import Proposal
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.simulation.lifted import lift
from ew.counterexample.doubting import MAX_DOUBTS
from ew.counterexample.doubts import Doubt, DoubtKind
from ew.counterexample.explanations import parts_of, render
from ew.score.rating import Outcome
from search.nodes import Node

_EVIDENCE = "so changed, the model agrees with the environment on all walks, and its plan works"


def doubts_of_refined(
    tasks: Sequence[int | str], best: Node | None, nodes: Sequence[Node]
) -> dict[int | str, tuple[Doubt, ...]]:
    """The doubts about each task's text whose problem was changed until the model was solved in it."""
    if best is None:
        return {}
    solved = best.evaluation.rating.tasks + (best.evaluation.rating.outcome is Outcome.SOLVED)
    found = {}
    for number, task in list(enumerate(tasks))[:solved]:
        first = next(_problems(number, best, nodes), None)
        doubts = _doubts(str(task), first, best.payload, number) if first is not None else ()
        if doubts:
            found[task] = doubts
    return found


def _problems(number: int, best: Node, nodes: Sequence[Node]) -> Iterator[str]:
    """The problems of a task on the way to the best node, the first one first."""
    line = sorted((n for n in (*nodes, best) if n.id in best.line or n.id == best.id), key=lambda n: n.depth)
    return (n.payload.problems[number] for n in line if number < len(n.payload.problems))


def _doubts(task: str, first: str, solution: Proposal, number: int) -> tuple[Doubt, ...]:
    """None if so much was changed that it says nothing of the text, as where predicates were renamed."""
    try:
        domain = read_domain(solution.domain)
        before, after = read_problem(first, domain), read_problem(solution.problems[number], domain)
    except PDDLError:
        return ()
    facts = [(f"({' '.join(atom)})", atom in before.init) for atom in sorted(before.init ^ after.init)]
    doubts = [_fact(task, atom, said) for atom, said in facts]
    doubts += [_goal(task, goal) for goal in _goals(before) if goal not in _goals(after)]
    return tuple(doubts) if len(doubts) <= MAX_DOUBTS else ()


def _fact(task: str, atom: str, said: bool) -> Doubt:
    says, shows = ("true", "false") if said else ("false", "true")
    read, shown = f"{atom} is {says} at the start", f"actions run as if it were {shows}"
    return Doubt(task, DoubtKind.FACT, atom, read, shown, _EVIDENCE)


def _goal(task: str, goal: str) -> Doubt:
    return Doubt(
        task, DoubtKind.GOAL, goal, f"{goal} is asked for", "the goal does not ask for it", _EVIDENCE
    )


def _goals(problem: Problem) -> tuple[str, ...]:
    lifted = lift(problem)
    return tuple(render(p, lifted.objects, ()) for p in parts_of(lifted.goal.precondition))
