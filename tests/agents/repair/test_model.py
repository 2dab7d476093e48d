"""What may be edited: everything well typed, or where that is too much, all with one constant at most."""

from __future__ import annotations

import pytest
from walked_worlds import walked, with_domain

from agents.repair import model as model_module
from agents.repair.model import Model
from envs.pddl.language.terms import terms, without_terms


@pytest.mark.parametrize("world", ["childsnack", "logistics", "barman"])
def test_of_too_many_literals_those_with_several_constants_are_left_out(
    world: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = walked(world).problem
    whole = Model.of(problem).actions
    monkeypatch.setattr(model_module, "MAX_LITERALS", 0)
    for name, action in Model.of(problem).actions.items():
        few = [p for p in whole[name].candidates if sum(t >= 0 for t in p.terms) <= 1]
        assert list(action.candidates) == few
        assert (action.preconditions, action.effects) == (whole[name].preconditions, whole[name].effects)


def test_no_action_of_a_large_world_has_thousands_of_literals() -> None:
    assert max(len(a.candidates) for a in Model.of(walked("minecraft").problem).actions.values()) < 2000


@pytest.mark.parametrize("world", ["grippers", "household", "dimhollow"])
def test_the_parts_of_one_changed_action_are_those_of_the_whole_model_with_it(world: str) -> None:
    problem = walked(world).problem
    before = Model.of(problem)
    for term in terms(problem.domain)[::7]:
        changed = with_domain(problem, without_terms(problem.domain, [term]))
        part = before.with_actions((changed,), (term.action,))
        one, other = part.actions[term.action], Model.of(changed).actions[term.action]
        for name in ("schemas", "preconditions", "fixed", "effects", "conditional", "candidates"):
            assert getattr(one, name) == getattr(other, name)
        assert set(one.tests) == set(other.tests)
        assert all(own is before.actions[name] for name, own in part.actions.items() if name != term.action)
