"""What a world answers, and what it keeps to itself."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest

from envs.pddl.interface import BatchedWorld, Execution, Refusal, TransitionSystem
from envs.pddl.language.domain import Domain, Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.pddl.simulation.simulator import Task
from envs.registry import WORLDS, WORLDS_FOLDER, gymnasium_id
from envs.source import WorldNotFound
from envs.truth import GroundTruth, truth_of
from envs.world import PddlWorld, open_world


def _through_pickle(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 (what this test wrote itself)


def _walk(world: PddlWorld, length: int, rng: np.random.Generator) -> list[str]:
    walk: list[str] = []
    while len(walk) < length and (options := world.applicable(walk)):
        walk.append(options[int(rng.random() * len(options))])
    return walk


@pytest.mark.parametrize("name", WORLDS)
def test_worlds_have_the_surface_that_agents_and_walks_ask_for(name: str) -> None:
    world = open_world(name)
    assert isinstance(world, BatchedWorld)
    assert isinstance(world.transitions(), TransitionSystem)
    assert world.name == name
    assert world.description and world.task
    assert set(world.objects.values()) <= {"object", *world.types}


@pytest.mark.parametrize("name", WORLDS)
def test_walks_are_executable_and_applicable_operators_are_those_of_the_reference(name: str) -> None:
    world = open_world(name)
    texts = [
        (WORLDS_FOLDER / name / f"{stem}.pddl").read_text(encoding="utf-8") for stem in ("domain", "p01")
    ]
    reference = ReferenceSimulator(read_problem(texts[1], read_domain(texts[0])))
    walk = _walk(world, 8, np.random.default_rng(3))
    assert world.executable(walk) == Execution(len(walk))
    state = reference.initial()
    for steps, operator in enumerate(walk):
        assert world.applicable(walk[:steps]) == reference.applicable(state)
        state = reference.successor(state, operator)
    assert world.verify(walk).goal_reached == reference.holds_goal(state)


@pytest.mark.parametrize("name", WORLDS)
def test_the_batched_system_walks_as_the_world_does(name: str) -> None:
    world = open_world(name)
    system = world.transitions()
    walk = _walk(world, 8, np.random.default_rng(5))
    states = system.initial(2)
    for steps, operator in enumerate(walk):
        named = tuple(system.operators[i] for i in np.flatnonzero(system.applicable(states)[0]))
        assert named == world.applicable(walk[:steps])
        states = system.successors(states, np.array([system.operators.index(operator), -1]))
    assert (states[1] == system.initial(1)[0]).all(), "index -1 leaves a state as it is"


@pytest.mark.parametrize(
    ("operator", "refusal"),
    [
        ("(fly robot1 room2 room1)", Refusal.UNKNOWN_NAME),
        ("(move robot1 room2 cellar)", Refusal.UNKNOWN_NAME),
        ("move(robot1, room2)", Refusal.UNKNOWN_NAME),
        ("", Refusal.UNKNOWN_NAME),
        ("(move robot1 room2)", Refusal.WRONG_ARITY),
        ("(move room2 robot1 room1)", Refusal.NOT_EXECUTABLE),
        ("(pick robot1 ball1 room1 rgripper2)", Refusal.NOT_EXECUTABLE),
    ],
)
def test_a_refused_operator_is_told_apart_by_kind(operator: str, refusal: Refusal) -> None:
    world = open_world("grippers")
    here = world.applicable()[0]
    assert world.executable([here, operator, here]) == Execution(1, refusal)


def test_operators_are_read_in_any_case_and_spacing() -> None:
    world = open_world("grippers")
    operator = world.applicable()[0]
    assert world.executable([f"  {operator.upper()} ", operator[1:-1].replace(" ", "  ")]).steps >= 1


def test_a_plan_is_valid_only_if_every_step_runs_and_the_goal_holds() -> None:
    world = open_world("blocksworld", 2)
    plan = (
        *("(unstack b1 b4)", "(put-down b1)", "(unstack b3 b2)", "(stack b3 b4)"),
        *("(pick-up b2)", "(stack b2 b1)"),
    )
    assert world.verify(plan).valid
    assert not world.verify(plan[:-1]).valid
    refused = world.verify((*plan, "(pick-up b1)"))
    assert refused.goal_reached and not refused.valid


def test_a_state_is_described_by_its_true_fluents_and_its_false_switches() -> None:
    world = open_world("termes")
    lines = world.describe(["(move pos-2-1 pos-2-2 n0)", "(create-block pos-2-2)"]).splitlines()
    assert "the robot carries a block." in lines
    assert "the robot carries no block." in world.describe().splitlines()
    assert "pos-0-0 has height n0." in lines
    assert not [line for line in lines if "neighbour" in line or "more than" in line]


def test_after_a_refused_walk_there_is_no_state_to_ask_about() -> None:
    world = open_world("blocksworld")
    for ask in (world.applicable, world.describe):
        with pytest.raises(ValueError, match=r"step 1 of the walk, \(put-down b1\), is refused"):
            ask(["(put-down b1)"])


def test_a_world_pickles_as_its_name_and_task() -> None:
    world = open_world("grippers_ood", 3)
    assert len(pickle.dumps(world)) < 200
    again = _through_pickle(world)
    assert repr(again) == repr(world)
    assert again.applicable() == world.applicable()
    assert _through_pickle(world.transitions()).operators == world.transitions().operators


def test_a_world_may_live_in_any_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    world = open_world("mine", 2)
    monkeypatch.chdir(folder)
    assert _through_pickle(world).applicable() == open_world("grippers", 2).applicable()


def test_the_folder_of_a_built_in_world_is_that_world(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(WORLDS_FOLDER)
    for path in ("./grippers", str(WORLDS_FOLDER / "grippers"), "../worlds/grippers"):
        assert repr(open_world(path, "g3")) == repr(open_world("grippers", "g3"))


def test_a_folder_without_words_still_describes_states(folder: Path) -> None:
    (folder / "words.json").unlink()
    assert "(at-robby robot1 room" in open_world(str(folder)).describe()


def test_an_undocumented_world_is_the_same_world_without_its_description(folder: Path) -> None:
    for name in ("grippers_ood", str(folder)):
        world, silent = open_world(name), open_world(f"{name}+undocumented")
        assert silent.description != world.description
        assert "has described" in silent.description
        assert (silent.name, silent.task, silent.objects) == (world.name, world.task, world.objects)
        assert silent.applicable() == world.applicable()
        reopened = pickle.loads(pickle.dumps(silent))  # noqa: S301
        assert reopened.description == silent.description


@pytest.mark.parametrize(("missing", "named"), [("domain.pddl", "domain.pddl"), ("p01.pddl", "task 'p01'")])
def test_a_missing_file_is_named(folder: Path, missing: str, named: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(WorldNotFound, match=named):
        open_world(str(folder))


@pytest.mark.parametrize(("missing", "texts"), [("domain.nl", 1), ("p01.nl", 0)])
def test_a_world_without_a_text_is_the_same_world(folder: Path, missing: str, texts: int) -> None:
    whole = open_world(str(folder))
    (folder / missing).unlink()
    world = open_world(str(folder))
    assert (world.description, world.task)[1 - texts] == ""
    assert (world.description, world.task)[texts] == (whole.description, whole.task)[texts]
    assert (world.applicable(), world.describe()) == (whole.applicable(), whole.describe())


def test_an_unknown_world_or_task_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(WorldNotFound, match=r"did you mean gripper.*termes"):
        open_world("griper")
    with pytest.raises(WorldNotFound, match=r"task 'p11'.*did you mean p1.*example"):
        open_world("grippers", 11)


def test_broken_pddl_is_reported_with_its_place(folder: Path) -> None:
    text = (folder / "domain.pddl").read_text(encoding="utf-8")
    (folder / "domain.pddl").write_text(
        text.replace("(at-robby ?r ?from)", "(at-bobby ?r ?from)"), encoding="utf-8"
    )
    with pytest.raises(PDDLError, match="at-bobby"):
        open_world(str(folder))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("{", "not JSON"),
        ("[]", "Expected `object`"),
        ('{"phrases": {}}', "unknown field `phrases`"),
        ('{"predicates": {"at": "here"}}', "'at'"),
        ('{"predicates": {"at": {"positive": 1, "negative": "x"}}}', "'at': Expected `str`, got `int`"),
        ('{"types": {"room": {"one": "room"}}}', "'room'"),
        ("{}", None),
    ],
)
def test_bad_words_are_refused(folder: Path, words: str, message: str | None) -> None:
    (folder / "words.json").write_text(words, encoding="utf-8")
    if message is None:
        assert open_world(str(folder)).describe()
    else:
        with pytest.raises(ValueError, match=message):
            open_world(str(folder))


def test_a_phrase_with_a_slot_too_many_is_refused(folder: Path) -> None:
    words = {"predicates": {"at": {"positive": "{0} is in {2}", "negative": "{0} is out"}}}
    (folder / "words.json").write_text(json.dumps(words), encoding="utf-8")
    with pytest.raises(ValueError, match="slot too many"):
        open_world(str(folder)).describe()


def test_files_that_changed_since_a_world_was_opened_are_not_mixed_with_it(folder: Path) -> None:
    world = open_world(str(folder))
    (folder / "domain.nl").write_text("Other words.", encoding="utf-8")
    truth_of.cache_clear()
    with pytest.raises(WorldNotFound, match="have changed"):
        world.applicable()
    assert open_world(str(folder)).applicable()


def test_changing_the_returned_mappings_changes_nothing() -> None:
    world = open_world("grippers")
    dict.clear(world.objects)  # type: ignore[arg-type]
    dict.clear(world.types)  # type: ignore[arg-type]
    assert world.objects and world.types


# --- Nothing of the rules can be read off what an agent is handed. ---


def _reachable(root: Any) -> Iterator[Any]:
    """Every object that attributes, slots, properties and calls without arguments lead to."""
    seen: list[Any] = []
    stack = [root]
    while stack:
        thing = stack.pop()
        if isinstance(thing, ModuleType | FunctionType | type) or any(thing is other for other in seen):
            continue
        seen.append(thing)
        yield thing
        if isinstance(thing, MethodType):
            continue
        stack.extend(_parts(thing))


def _parts(thing: Any) -> list[Any]:
    if isinstance(thing, str | bytes | int | float | np.ndarray | np.generic | None):
        return []
    if isinstance(thing, Mapping):
        return [*thing.keys(), *thing.values()]
    if isinstance(thing, Sequence | set | frozenset):
        return list(thing)
    if not type(thing).__module__.startswith("envs"):
        return list(getattr(thing, "__dict__", {}).values())
    names = [name for name in dir(thing) if not name.startswith("__")]
    parts = [getattr(thing, name) for name in names]
    public = ("applicable", "describe", "transitions") if isinstance(thing, PddlWorld) else ()
    return [*parts, *(getattr(thing, name)() for name in public), repr(thing)]


def _secrets(name: str) -> list[str]:
    """Every atom of the domain's preconditions and effects, and the words around them."""
    text = (WORLDS_FOLDER / name / "domain.pddl").read_text(encoding="utf-8")
    bodies = text.split(":action", 1)[1]
    atoms = sorted(
        set(re.findall(r"\([\w-]+(?: \?\w+)+\)", bodies)) - set(re.findall(r":parameters (\S.*)", bodies))
    )
    assert len(atoms) >= 5
    return [*atoms, ":precondition", ":effect", "(not ("]


def _assert_nothing_leaks(name: str, handed: list[Any]) -> None:
    *secrets, negation = _secrets(name)
    for root in handed:
        goals = set()  # they are shown, and no rules
        for thing in _reachable(root):
            if isinstance(thing, PddlWorld):
                goals.add(thing.goal)
            assert not isinstance(thing, GroundTruth | Task | Problem | Domain)
            text = thing.decode("latin-1") if isinstance(thing, bytes) else str(thing)
            assert not [secret for secret in secrets if secret in text]
            assert negation not in text or text in goals


def test_the_search_for_leaks_finds_one() -> None:
    domain = (WORLDS_FOLDER / "grippers" / "domain.pddl").read_text(encoding="utf-8")
    for leak in ({"info": [domain]}, truth_of(open_world("grippers").key)):
        with pytest.raises(AssertionError):
            _assert_nothing_leaks("grippers", [leak])


@pytest.mark.parametrize("name", WORLDS)
def test_no_precondition_or_effect_is_reachable_from_a_world(name: str) -> None:
    world = open_world(name)
    refusals = [world.executable(["(nothing)"]), world.executable(list(world.transitions().operators))]
    _assert_nothing_leaks(name, [world, world.transitions(), pickle.dumps(world), *refusals])


@pytest.mark.parametrize("interface", ["text", "discrete"])
@pytest.mark.parametrize("name", ["grippers", "termes"])
def test_no_precondition_or_effect_is_reachable_from_an_environment(name: str, interface: str) -> None:
    env = gymnasium.make(gymnasium_id(name), action_interface=interface).unwrapped
    handed = [env, *env.reset(seed=1)]
    refused = "(nothing)" if interface == "text" else int(np.flatnonzero(handed[2]["action_mask"] == 0)[0])
    _assert_nothing_leaks(name, [*handed, *env.step(refused)])
