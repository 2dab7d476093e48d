"""Worlds of published domains have their names and parameter orders, so that published files load."""

from __future__ import annotations

from pathlib import Path

import pytest

from envs.pddl.language.domain import read_domain
from envs.registry import WORLDS_FOLDER
from envs.world import open_world

#: What the published domains call their actions and predicates, parameters in their order.
PUBLISHED = {
    "blocksworld": "(pick-up x) (put-down x) (stack x y) (unstack x y) | clear handempty holding on ontable",
    "grippers": "(move r from to) (pick r obj room g) (drop r obj room g) | at at-robby carry free",
    "termes": "(move from to h) (move-up from hfrom to hto) (move-down from hfrom to hto)"
    " (place-block rpos bpos hbefore hafter) (remove-block rpos bpos hbefore hafter)"
    " (create-block p) (destroy-block p) | at has-block height is-depot neighbor succ",
    "floortile": "(change-color r c c2) (paint-up r y x c) (paint-down r y x c)"
    " (up r x y) (down r x y) (right r x y) (left r x y)"
    " | available-color clear down free-color left painted right robot-at robot-has up",
}


@pytest.mark.parametrize("world", PUBLISHED)
def test_names_and_parameter_orders_are_those_of_the_published_domains(world: str) -> None:
    domain = read_domain((WORLDS_FOLDER / world / "domain.pddl").read_text(encoding="utf-8"))
    actions = [
        f"({action.name} {' '.join(p.symbol.removeprefix('?') for p in action.parameters)})"
        for action in domain.actions.values()
    ]
    assert f"{' '.join(actions)} | {' '.join(sorted(domain.predicates))}" == PUBLISHED[world]


def test_a_published_problem_file_loads_in_a_built_in_world(tmp_path: Path) -> None:
    published = """(define (problem prob)
      (:domain termes)
      (:objects n0 - numb n1 - numb pos-0-0 - position pos-0-1 - position)
      (:init (height pos-0-0 n0) (height pos-0-1 n0) (at pos-0-1) (SUCC n1 n0)
             (NEIGHBOR pos-0-0 pos-0-1) (NEIGHBOR pos-0-1 pos-0-0) (IS-DEPOT pos-0-1))
      (:goal (and (height pos-0-0 n1) (not (has-block)))))"""
    for name in ("domain.pddl", "domain.nl", "words.json"):
        (tmp_path / name).write_bytes((WORLDS_FOLDER / "termes" / name).read_bytes())
    (tmp_path / "p01.pddl").write_text(published, encoding="utf-8")
    (tmp_path / "p01.nl").write_text("Build a tower of one block next to the depot.", encoding="utf-8")
    plan = ("(create-block pos-0-1)", "(place-block pos-0-1 pos-0-0 n0 n1)")
    assert open_world(str(tmp_path)).verify(plan).valid
