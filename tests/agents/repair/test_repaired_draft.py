"""A repaired proposal says what the repair found, and leaves the wording of the rest alone."""

from __future__ import annotations

import pytest
from walked_worlds import broken, walked

from agents.draft import ActionDraft, DomainDraft
from agents.proposal import Proposal
from agents.repair.proposals import repaired_proposal
from agents.repair.repaired import Repaired, RepairVerdict
from envs.pddl.interface import ActionSignature, Parameter
from envs.pddl.language.domain import Domain, read_domain
from envs.pddl.language.render import render_domain, render_problem
from envs.pddl.language.terms import Part, conjuncts_of, same_rules, tree_of
from envs.pddl.language.vocabulary import show_declaration
from envs.pddl.mutation.parameters import faulty_domain, faulty_problem, parameter_faults


def drafted(domain: Domain) -> DomainDraft:
    """The draft of a domain; its conditions and declarations are worded with a space more."""
    tree = tree_of(domain)

    def worded(name: str, part: Part) -> tuple[str, ...]:
        return tuple(f"{text[:-1]} )" for text in conjuncts_of(tree.part(name, part)))

    return DomainDraft(
        domain.name,
        tuple(domain.vocabulary.types.parents.items()),
        tuple(
            ActionDraft(
                ActionSignature(name, tuple(Parameter(p.symbol, p.sort.name) for p in action.parameters)),
                *(worded(name, part) for part in Part),
            )
            for name, action in domain.actions.items()
        ),
        tuple(
            (name, f"{show_declaration(name, kinds)[:-1]} )")
            for name, kinds in domain.vocabulary.predicates.items()
        ),
        tuple(domain.vocabulary.constants.items()),
    )


def child_of(parent: Proposal, domain: str, problem: str) -> Proposal:
    found = Repaired(RepairVerdict.AGREES, domain, (problem,), (), 0, 0, 0, 0.0)
    return repaired_proposal(parent, (0,), found)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("env", ["grippers", "blocksworld"])
def test_only_the_parts_that_differ_are_worded_anew(env: str, seed: int) -> None:
    truth = walked(env).problem
    faulty, removed = broken(truth, 2, seed)
    parent = Proposal(render_problem(faulty), drafted(faulty.domain))
    child = child_of(parent, render_domain(truth.domain), render_problem(truth))
    assert same_rules(read_domain(child.domain), truth.domain)
    assert child.problem == parent.problem and child.draft.predicates == parent.draft.predicates
    touched = {(term.action, term.part) for term in removed}
    for before, after in zip(parent.draft.actions, child.draft.actions, strict=True):
        name = before.signature.name
        assert (before.preconditions != after.preconditions) == ((name, Part.PRECONDITION) in touched)
        assert (before.effects != after.effects) == ((name, Part.EFFECT) in touched)


@pytest.mark.parametrize("env", ["grippers", "blocksworld"])
def test_predicates_with_other_parameters_are_declared_so(env: str) -> None:
    truth = walked(env).problem
    for fault in parameter_faults(truth.domain):
        domain = faulty_domain(truth.domain, fault)
        problem = faulty_problem(truth, fault)
        parent = Proposal(render_problem(truth), drafted(truth.domain))
        child = child_of(parent, domain, problem)
        assert same_rules(read_domain(child.domain), read_domain(domain))
        declared = read_domain(domain).vocabulary.predicates
        assert read_domain(child.domain).vocabulary.predicates == declared
        assert [name for name, _ in child.draft.predicates] == list(declared)
