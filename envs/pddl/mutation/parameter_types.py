"""Parameters of actions whose type is drawn too narrow or too wide.

Too narrow is a type right below the right one, so that some objects are shut out. Too wide is the type right
above, so that the action seems to be there for objects of other kinds. Predicates that would refuse such an
argument are declared as wide as that, so the domain reads without an error; every other use of them is as
good as before. A parameter that an action's cost depends on is never too wide, as other objects have no cost.
An untyped domain has no such fault.
"""

from __future__ import annotations

from dataclasses import dataclass

from envs.pddl.language.structure import Domain
from envs.pddl.language.terms import DomainTree, terms_in, tree_of
from envs.pddl.language.vocabulary import OBJECT, Types, members_of, union_of


@dataclass(frozen=True)
class TypeFault:
    """One parameter of an action has another type."""

    action: str
    parameter: str  #: with the question mark
    before: str  #: a type expression
    after: str  #: a type expression, above or below `before`
    too_wide: bool

    @property
    def subject(self) -> tuple[str, str]:
        """What it concerns: no two faults of one domain concern the same."""
        return self.action, self.parameter

    def __str__(self) -> str:
        how = "too wide" if self.too_wide else "too narrow"
        return f"typed {self.parameter} of {self.action} {how}: {self.after} for {self.before}"


def type_faults(domain: Domain) -> tuple[TypeFault, ...]:
    """Every fault of a parameter's type: actions and parameters in their order, narrower types first."""
    tree, types, costs = tree_of(domain), domain.vocabulary.types, domain.vocabulary.costs
    return tuple(
        TypeFault(action, name, kind, other, too_wide)
        for action in tree.actions
        for name, kind in tree.parameters(action)
        for too_wide in ((False,) if name in costs.get(action, "").strip("()").split() else (False, True))
        for other in (_above(kind, types) if too_wide else _below(kind, types))
    )


def with_type(domain: Domain, fault: TypeFault) -> str:
    """The text of the domain with one such fault. Raises ValueError if it is none of this domain."""
    if fault not in type_faults(domain):
        raise ValueError(f"domain {domain.name!r} cannot have this fault: {fault}")
    tree = tree_of(domain)
    retyped = (
        (name, fault.after if name == fault.parameter else kind)
        for name, kind in tree.parameters(fault.action)
    )
    return _widened(tree.with_parameters(fault.action, tuple(retyped)), domain, fault).render()


def _widened(tree: DomainTree, domain: Domain, fault: TypeFault) -> DomainTree:
    """The tree with the declarations of those predicates widened that would refuse the parameter."""
    types, declared = domain.vocabulary.types, {p: list(own) for p, own in domain.predicates.items()}
    for term in terms_in(tree):
        bound = [kind for name, kind in term.scope if name == fault.parameter]
        if term.action != fault.action or len(bound) != 1 or term.atom[0] not in declared:
            continue  # of another action, a variable of a quantifier that has the same name, or an equality
        own = declared[str(term.atom[0])]
        for place, argument in enumerate(term.atom[1:]):
            name, kind = own[place]
            if argument == fault.parameter and not types.is_subtype(fault.after, kind):
                own[place] = (name, _both(kind, fault.after, types))
    for predicate, parameters in declared.items():
        tree = tree.declaring(predicate, tuple(parameters))
    return tree


def _both(one: str, other: str, types: Types) -> str:
    """A type expression for the objects of both."""
    if types.is_subtype(one, other):
        return other
    return union_of((*members_of(one), *members_of(other)))


def _below(kind: str, types: Types) -> tuple[str, ...]:
    """The types right below a type, the members of a union."""
    members = members_of(kind)
    if len(members) > 1:
        return members
    return tuple(name for name, above in types.parents.items() if above == kind != name)


def _above(kind: str, types: Types) -> tuple[str, ...]:
    """The type right above a type or a union; none above all."""
    if kind == OBJECT or not types.parents:
        return ()
    above = {types.parents.get(member, OBJECT) for member in members_of(kind)}
    return (above.pop() if len(above) == 1 else OBJECT,)
