"""What an agent is told of every world, and that the world's rules can be written with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.draft import DomainDraft
from agents.edits import ModifyAction, SetPredicates
from agents.problems import read_problem_reply
from agents.texts import WorldTexts
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import Domain, read_domain, read_problem
from envs.pddl.language.issues import Code
from envs.pddl.language.render import render_effect, render_formula, render_problem
from envs.pddl.language.vocabulary import show_typed
from envs.pddl.simulation.compile import compile_task
from envs.registry import WORLDS
from envs.source import read_texts
from envs.world import open_world

every_world = pytest.mark.parametrize("world", WORLDS)


def _told(world: str) -> WorldTexts:
    return WorldTexts.of(open_world(world))


def _written(draft: DomainDraft, domain: Domain) -> DomainDraft:
    """The draft after edits that say what `domain` says."""
    predicates = domain.vocabulary.predicates.items()
    declared = tuple((name, f"({' '.join([name, show_typed(typed)]).strip()})") for name, typed in predicates)
    edits = [
        ModifyAction(a.name, (render_formula(a.precondition),), tuple(map(render_effect, a.effects)))
        for a in domain.actions.values()
    ]
    written, refusals = draft.apply([SetPredicates(declared), *edits])
    assert refusals == ()
    return written


@every_world
def test_templates_and_drafts_declare_the_worlds_constants_and_tasks_only_the_other_objects(
    world: str,
) -> None:
    told, hidden = _told(world), read_domain(read_texts(world, 1).domain)
    assert dict(told.constants) == dict(hidden.constants)
    issues = diagnose(told.domain_template, told.problem_template).issues
    assert {issue.code for issue in issues} <= {Code.EMPTY_EFFECT}
    for text in (told.domain_template, told.draft.text()):
        domain = read_domain(text)
        assert dict(domain.constants) == dict(told.constants)
        assert dict(read_problem(told.problem_template, domain).objects) == dict(told.objects)


@every_world
def test_the_worlds_own_rules_and_task_can_be_written_by_edits_of_the_draft(world: str) -> None:
    told, texts = _told(world), read_texts(world, 1)
    domain = read_domain(texts.domain)
    problem = read_problem(texts.problem, domain)
    without_costs = render_problem(replace(problem, costs={}, minimizes_cost=False))
    draft = _written(told.draft, domain)
    reading = read_problem_reply(without_costs, told, draft)
    assert reading.fault is None and reading.problem is not None
    assert read_problem_reply(without_costs, told).fault is None, "also before there are predicates"
    model = compile_task(read_problem(reading.problem, read_domain(draft.text())))
    real = compile_task(problem)
    assert (model.operators, model.atoms, model.static) == (real.operators, real.atoms, real.static)


def test_a_condition_may_name_the_kitchen_of_childsnack() -> None:
    told = _told("childsnack")
    edits = [
        SetPredicates((("at", "(at ?t - tray ?p - place)"),)),
        ModifyAction("put_on_tray", ("(at ?t kitchen)",), ("(not (at ?t kitchen))",)),
    ]
    assert told.constants == {"kitchen": "place"} and "kitchen" not in told.problem_template
    assert diagnose(told.draft.apply(edits)[0].text(), told.problem_template).errors == ()
    unknown = DomainDraft.empty(told.domain_name, told.types, told.actions).apply(edits)[0]
    assert {issue.code for issue in diagnose(unknown.text()).errors} == {Code.UNDECLARED_OBJECT}


def test_a_world_that_names_no_constants_has_none() -> None:
    class Plain:
        """The World surface without more."""

        def __init__(self) -> None:
            real = open_world("childsnack")
            for name in ("name", "description", "task", "types", "objects", "actions"):
                setattr(self, name, getattr(real, name))

    told = WorldTexts.of(Plain())  # type: ignore[arg-type]
    assert told.constants == {} and "kitchen" in told.problem_template
