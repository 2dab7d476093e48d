"""A learned domain goes with the problems that it was not learned from: their names, numbers and types."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.planning.planner import Planner, planner_texts
from envs.pddl.traces.files import load_traces
from envs.registry import WORLDS_FOLDER
from envs.world import open_world
from experiments.run import main

PARCELS = """(define (domain parcels)
  (:requirements :strips :typing :action-costs)
  (:types place truck drone parcel - object)
  (:constants depot - place)
  (:predicates (at ?x - (either truck drone parcel) ?p - place) (road ?a ?b - place) (broken ?t - truck)
    (in ?x - parcel ?v - (either truck drone)) (signed ?x - parcel))
  (:functions (total-cost) - number (length ?a ?b - place) - number)
  (:action drive :parameters (?t - truck ?a ?b - place)
    :precondition (and (at ?t ?a) (road ?a ?b))
    :effect (and (not (at ?t ?a)) (at ?t ?b) (increase (total-cost) (length ?a ?b))))
  (:action fly :parameters (?d - drone ?a ?b - place)
    :precondition (at ?d ?a)
    :effect (and (not (at ?d ?a)) (at ?d ?b) (increase (total-cost) 9)))
  (:action load :parameters (?x - parcel ?v - (either truck drone) ?p - place)
    :precondition (and (at ?x ?p) (at ?v ?p))
    :effect (and (not (at ?x ?p)) (in ?x ?v)))
  (:action unload :parameters (?x - parcel ?v - (either truck drone) ?p - place)
    :precondition (and (in ?x ?v) (at ?v ?p))
    :effect (and (not (in ?x ?v)) (at ?x ?p)))
  (:action sign :parameters (?x - parcel)
    :precondition (at ?x depot)
    :effect (signed ?x))
  (:action scrap :parameters (?t - truck)
    :precondition (broken ?t)
    :effect (not (at ?t depot))))
"""
DELIVERY = """(define (problem delivery) (:domain parcels)
  (:objects mill harbour - place t1 - truck d1 - drone x1 x2 - parcel)
  (:init (at t1 mill) (at d1 harbour) (at x1 mill) (at x2 harbour) (road mill depot) (road depot mill)
    (road depot harbour) (road harbour depot) (= (total-cost) 0) (= (length mill depot) 4)
    (= (length depot mill) 4) (= (length depot harbour) 2.5) (= (length harbour depot) 2.5))
  (:goal (and (signed x1) (signed x2)))
  (:metric minimize (total-cost)))
"""
FEW = ("--walks", "10", "--length", "10")
BARE = ("grippers", "floortile", "miconic")


@pytest.fixture(scope="module")
def parcels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own") / "my-deliveries"  # not the domain's name
    folder.mkdir()
    (folder / "domain.pddl").write_text(PARCELS, encoding="utf-8")
    (folder / "p01.pddl").write_text(DELIVERY, encoding="utf-8")
    return folder


def learned(folder: Path, out: Path, *flags: str) -> Path:
    assert main(["learn", "--env", str(folder), *(flags or FEW), "--out", str(out)]) == 0
    return out / "domain.pddl"


def repaired(folder: Path, domain: Path, out: Path) -> dict[str, object]:
    files = ["--domain", str(domain), "--problem", str(folder / "p01.pddl")]
    assert main(["repair", "--env", str(folder), *files, "--walks", "100", "--out", str(out)]) == 0
    found: dict[str, object] = json.loads((out / "repair.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def domain(parcels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What was learned from it, beside all else that is written; the tests only read it."""
    return learned(parcels, tmp_path_factory.mktemp("own") / "learned")


def test_name_functions_and_costs_are_those_of_the_world(domain: Path) -> None:
    text = domain.read_text(encoding="utf-8")
    true, found = read_domain(PARCELS), read_domain(text)
    words, own = found.vocabulary, true.vocabulary
    assert (words.name, words.functions, words.costs) == (own.name, own.functions, own.costs)
    assert (words.types, words.constants, words.predicates) == (own.types, own.constants, own.predicates)
    assert words.actions == own.actions
    assert words.costs == {"drive": "(length ?a ?b)", "fly": "9"}
    problem = read_problem(DELIVERY, found)
    assert problem.minimizes_cost and len(problem.costs) == 5


def test_what_was_learned_is_repaired_with_the_users_own_problem(
    parcels: Path, domain: Path, tmp_path: Path
) -> None:
    assert repaired(parcels, domain, tmp_path / "repaired")
    mended = (tmp_path / "repaired" / "domain.pddl").read_text(encoding="utf-8")
    kept, own = read_domain(mended), read_domain(PARCELS)
    assert (kept.name, kept.vocabulary.costs) == (own.name, own.vocabulary.costs)
    plan = Planner().plan(*planner_texts(read_problem(DELIVERY, kept))).plan
    assert plan is not None and open_world(str(parcels)).verify(plan).valid


def test_an_action_that_never_ran_stands_there_and_is_named(domain: Path) -> None:
    assert "scrap" in read_domain(domain.read_text(encoding="utf-8")).actions
    told = (domain.parent / "operators.md").read_text(encoding="utf-8")
    assert "## scrap\n\nNever ran" in told


def test_traces_keep_functions_and_costs(domain: Path, tmp_path: Path) -> None:
    traces = domain.parent / "traces.jsonl.gz"
    assert load_traces(traces).vocabulary.costs == {"drive": "(length ?a ?b)", "fly": "9"}
    assert main(["learn", "--traces", str(traces), "--out", str(tmp_path / "two")]) == 0
    assert (tmp_path / "two" / "domain.pddl").read_bytes() == domain.read_bytes()


@pytest.mark.parametrize(
    "world", [BARE[0], *(pytest.param(name, marks=pytest.mark.slow) for name in BARE[1:])]
)
def test_the_two_commands_work_on_a_folder_of_any_world(world: str, tmp_path: Path) -> None:
    folder = tmp_path / f"my-{world}"
    folder.mkdir()
    for name in ("domain.pddl", "p01.pddl"):
        shutil.copyfile(WORLDS_FOLDER / world / name, folder / name)
    few = ("--walks", "3", "--length", "5")  # so that some actions never run
    assert repaired(folder, learned(folder, tmp_path / "learned", *few), tmp_path / "repaired")
