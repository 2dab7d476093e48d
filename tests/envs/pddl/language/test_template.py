"""Templates hold the interface and nothing else."""

from dataclasses import dataclass, field

from pddl_texts import EVERYTHING, EVERYTHING_PROBLEM, GRIPPERS, GRIPPERS_PROBLEM
from tarski.syntax import Tautology

from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.interface import ActionSignature, Parameter
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import Code
from envs.pddl.language.template import domain_template, interface_vocabulary, problem_template


@dataclass
class Interface:
    types: dict[str, str | None]
    actions: tuple[ActionSignature, ...]
    objects: dict[str, str] = field(default_factory=dict)


def signatures(domain):
    return tuple(
        ActionSignature(a.name, tuple(Parameter(v.symbol, v.sort.name) for v in a.parameters))
        for a in domain.actions.values()
    )


def template_of(name, types, *actions):
    return domain_template(interface_vocabulary(name, Interface(types, actions), {}))


def test_a_template_reads_back_as_the_interface_it_was_made_of():
    for domain_text, problem_text in ((GRIPPERS, GRIPPERS_PROBLEM), (EVERYTHING, EVERYTHING_PROBLEM)):
        domain = read_domain(domain_text)
        objects = read_problem(problem_text, domain).objects
        text = template_of(domain.name, domain.types, *signatures(domain))
        template = read_domain(text)
        assert template.types == domain.types
        assert signatures(template) == signatures(domain)
        assert not template.predicates
        for action in template.actions.values():
            assert isinstance(action.precondition, Tautology) and action.effects == ()
        problem = read_problem(problem_template("p", domain.name, objects), template)
        assert problem.objects == objects
        assert problem.init == frozenset() and isinstance(problem.goal, Tautology)


def test_only_the_empty_effects_are_reported():
    domain = read_domain(GRIPPERS)
    text = template_of("grippers", domain.types, *signatures(domain))
    diagnosis = diagnose(
        text, problem_template("p", "grippers", read_problem(GRIPPERS_PROBLEM, domain).objects)
    )
    assert {issue.code for issue in diagnosis.issues} == {Code.EMPTY_EFFECT}


def test_a_template_looks_like_this():
    move = ActionSignature(
        "move", (Parameter("?r", "robot"), Parameter("?from", "room"), Parameter("?to", "room"))
    )
    assert template_of("d", {"robot": None, "room": None}, move) == (
        "(define (domain d)\n"
        "  (:requirements :strips :typing)\n"
        "  (:types robot room)\n"
        "  (:predicates)\n"
        "\n"
        "  (:action move\n"
        "    :parameters (?r - robot ?from ?to - room)\n"
        "    :precondition ()\n"
        "    :effect ()))\n"
    )


def test_objects_of_one_type_stand_together():
    text = problem_template("p", "d", {"a": "room", "r": "robot", "b": "room"})
    assert "(:objects a b - room r - robot)" in text


def test_a_domain_without_types_names_none():
    text = template_of("d", {}, ActionSignature("go", (Parameter("?x", "object"),)))
    assert ":types" not in text and "(?x)" in text
    assert diagnose(text).valid
