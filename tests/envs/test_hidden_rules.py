"""Worlds with a hidden rule: laws of drawn rules, of kept cases, and of what such a world shows."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from envs.folder import WorldNotFound
from envs.hidden_rules.cases import BASES, SEEDS, CaseName, draw_case, hidden_case
from envs.hidden_rules.checks import TaskLook, chosen_tasks
from envs.hidden_rules.draw import RuleDrawing
from envs.hidden_rules.rules import Addition, HiddenPredicate, HiddenRule, RuleKind, kept_cases
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.render import render_domain, render_problem
from envs.pddl.language.terms import Part, same_rules
from envs.pddl.planning.planner import Planner, planner_texts
from envs.pddl.planning.validate import validate_plan
from envs.source import read_texts
from envs.world import open_world
from tests.agents.repair.hash_seeds import under_hash_seeds

KINDS = [kind for kind in RuleKind if kind is not RuleKind.NONE]
WORLDS = ["blocksworld", "driverlog", "childsnack"]  # without types, with types, with constants


def problem_of(world, task=1):
    texts = read_texts(world, task)
    return read_problem(texts.problem, read_domain(texts.domain))


def draws(world, kind, count, seed=0):
    drawing = RuleDrawing(problem_of(world).domain, np.random.default_rng(seed))
    found = []
    while len(found) < count:
        try:
            found.append(drawing.draw(kind))
        except LookupError:
            continue
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", WORLDS)
def test_every_drawn_rule_fits_its_domain_and_changes_it(world, kind):
    given = problem_of(world)
    for rule in draws(world, kind, 4):
        model = rule.model(given.domain)
        domain = rule.domain(model)
        assert not same_rules(model, domain)
        stated = rule.problem(given, domain)
        assert rule.own == (not same_rules(model, given.domain))
        assert read_problem(render_problem(stated), domain).init == stated.init
        assert {atom for atom in stated.init if atom[0] in given.domain.predicates} == given.init
        assert read_domain(render_domain(domain)).vocabulary == domain.vocabulary


@pytest.mark.parametrize("world", WORLDS)
def test_a_literal_of_the_domain_is_missing_in_the_model_alone(world):
    given = problem_of(world).domain
    own = [rule for rule in draws(world, RuleKind.LITERAL, 20) if rule.own]
    assert own and all(same_rules(rule.domain(rule.model(given)), given) for rule in own)


def test_the_same_is_drawn_under_any_hash_seed():
    code = (
        "import numpy as np\n"
        "from envs.hidden_rules.draw import RuleDrawing\n"
        "from envs.hidden_rules.rules import RuleKind\n"
        "from envs.pddl.language.domain import read_domain\n"
        "text = open('envs/worlds/driverlog/domain.pddl', encoding='utf-8').read()\n"
        "drawing = RuleDrawing(read_domain(text), np.random.default_rng(0))\n"
        "for kind in list(RuleKind)[1:] * 5:\n"
        "    try: print(drawing.draw(kind))\n"
        "    except LookupError: print('none')\n"
    )
    first, second = under_hash_seeds(code)
    assert first == second


def test_a_new_predicate_holds_of_all_objects_of_a_type_or_of_those_of_a_static_predicate():
    given = problem_of("childsnack")
    everyone = HiddenPredicate("tired", ("child",), True)
    children = {("tired", name) for name, kind in given.objects.items() if kind == "child"}
    assert everyone.atoms(given) == children
    allergic = {("tired", atom[1]) for atom in given.init if atom[0] == "allergic_gluten"}
    assert replace(everyone, among="allergic_gluten").atoms(given) == allergic
    assert not replace(everyone, initially=False).atoms(given)


@pytest.fixture(scope="module")
def looks():
    """Tasks of a model that does not know that a gripper has to be free."""
    free = HiddenRule(RuleKind.LITERAL, (Addition("pick", Part.PRECONDITION, "(free ?r ?g)"),), own=True)
    model = free.model(problem_of("grippers").domain)
    return [TaskLook(free.problem(problem_of("grippers", n), model), n) for n in range(1, 7)]


@pytest.mark.parametrize(
    "text",
    [
        "(forall (?x - room) (not (at-robby ?r ?x)))",  # pick could never run
        "(not (exists (?x - obj) (and (carry ?r ?x ?g) (at ?x ?room))))",  # no plan fails
        "(not (exists (?x - obj) (carry ?r ?x ?g)))",  # so says (free ?r ?g)
    ],
)
def test_a_rule_is_not_good_if_it_disables_or_breaks_nothing_or_is_a_literal(looks, text):
    addition = Addition("pick", Part.PRECONDITION, text)
    assert not chosen_tasks(HiddenRule(RuleKind.QUANTIFIED, (addition,)), looks)


def test_kept_cases_are_standard_ones_and_differ():
    standard = {str(CaseName(b, k, s)) for b in BASES for k in KINDS for s in range(SEEDS)}
    assert kept_cases() and kept_cases().keys() <= standard
    rules = {(name.rsplit("/", 1)[0], case.rule) for name, case in kept_cases().items()}
    assert len(rules) == len(kept_cases())


def holds(case, numbers):
    """Whether in each task the model's plan fails in the world, and the world's own works there."""
    planner = Planner()
    for number in numbers:
        model, true = case.tasks[number - 1].pddl.problem, case.rules(number).problem
        world = open_world(case.name.world, number)
        plan, works = (planner.plan(*planner_texts(problem)).plan for problem in (model, true))
        assert plan and validate_plan(model, plan).valid
        assert not world.verify(plan).valid and not validate_plan(true, plan).valid
        assert works and world.verify(works).valid


@pytest.mark.parametrize("kind", KINDS)
def test_the_plan_without_the_rule_fails_and_there_is_one_with_it(kind):
    case = hidden_case(CaseName("grippers", kind, 0))
    holds(case, case.unseen[:1])


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(kept_cases())), ids=sorted(kept_cases()).__getitem__)
def test_it_is_so_in_every_kept_case(number):
    """In one of its six tasks; the cases take turns at these."""
    case = hidden_case(CaseName.read(sorted(kept_cases())[number]))
    numbers = (*case.seen, *case.unseen)
    holds(case, [numbers[(number + number // 6) % 6]])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_kept_cases_are_what_is_drawn(kind):
    name = CaseName("grippers", kind, 0)
    assert draw_case(name) == kept_cases()[str(name)]


def test_a_control_is_its_base_world():
    case = hidden_case(CaseName("miconic", RuleKind.NONE, 1))
    for number in case.seen:
        task, shown = case.tasks[number - 1], read_texts(case.name.world, number)
        assert (shown.domain, shown.problem) == (task.domain, task.problem)
        assert case.rules(number) is task.pddl
        assert same_rules(shown.pddl.problem.domain, problem_of("miconic").domain)


def test_tasks_of_a_case_differ_and_other_seeds_have_others():
    cases = [hidden_case(CaseName("miconic", RuleKind.NONE, seed)) for seed in range(2)]
    facts = [task.pddl.facts for case in cases for task in case.tasks]
    assert all(one != other for place, one in enumerate(facts) for other in facts[:place])


def test_a_world_shows_nothing_of_its_rule():
    case = hidden_case(CaseName("grippers", RuleKind.NEW_PREDICATE, 0))
    world, base = open_world(case.name.world, 1), case.tasks[0].pddl.problem
    assert world.predicates == base.domain.predicates and world.facts() == base.init
    assert world.objects == base.objects and [a.name for a in world.actions] == list(base.domain.actions)
    assert world.description == read_texts("grippers", 1).description
    assert "hidden" not in world.describe() + world.describe_step(world.applicable()[:1]) + world.task
    again = pickle.loads(pickle.dumps(world))  # noqa: S301
    assert again.applicable() == world.applicable() and again.key == world.key


@pytest.mark.parametrize("name", ["grippers", "grippers/none/x", "grippers/what/0", "nowhere/none/0"])
def test_other_names_are_refused(name):
    with pytest.raises(WorldNotFound):
        open_world(f"hidden:{name}", 1)


def test_the_tasks_to_be_seen_are_those_of_feedback_too():
    texts = [read_texts("hidden:miconic/none/0", task) for task in (1, 2, 3, "f01", "f02", "f03")]
    assert [text.task for text in texts[:3]] == [text.task for text in texts[3:]]


def test_there_are_six_tasks():
    assert open_world("hidden:miconic/none/0", 6)
    for task in (0, 7, "p01", "f04"):
        with pytest.raises(WorldNotFound, match="1 to 6"):
            open_world("hidden:miconic/none/0", task)
