"""An operator from the text of one PDDL action, as a language model writes it. The text is checked first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from agents.operators.lifted import EQUAL, Literal, Operator, domain_of
from envs.pddl.language.domain import read_domain
from envs.pddl.language.sexpr import Group, Source, Word, read_sexprs
from envs.pddl.language.vocabulary import Vocabulary


class NoOperator(ValueError):
    """A text that is no operator of this form; the message says why."""


def read_operator(text: str, vocabulary: Vocabulary) -> Operator:
    """The operator of an `(:action ...)` over the words of `vocabulary`.

    Preconditions and effects must be literals or conjunctions of them. Raises PDDLError for a text that is
    no action over these words, NoOperator for one that says more than an operator can.
    """
    groups = [node for node in read_sexprs(Source(text, "action")) if isinstance(node, Group)]
    actions = [group for group in groups if group.head == ":action"]
    if len(actions) != 1:
        raise NoOperator(f"there must be one (:action ...), not {len(actions)}")
    # the reader of domains checks names, types and numbers of arguments
    domain = read_domain(_domain(vocabulary, str(actions[0])), "action")
    ((name, action),) = domain.actions.items()
    fields = _fields(actions[0])
    needed = tuple(_literals(fields.get(":precondition")))
    changed = tuple(_literals(fields.get(":effect")))
    if any(effect.predicate == EQUAL for effect in changed):
        raise NoOperator("an effect cannot be an equality")
    parameters = tuple((v.symbol, v.sort.name) for v in action.parameters)
    return Operator(name, parameters, _sorted(needed), _sorted(changed))


def action_text(operator: Operator, vocabulary: Vocabulary) -> str:
    """The operator as the text of an action, as it stands in a domain."""
    text = domain_of(vocabulary, [operator])
    return text[text.index("(:action") :].rstrip().removesuffix(")")


def _domain(vocabulary: Vocabulary, action: str) -> str:
    return f"{domain_of(vocabulary, []).rstrip().removesuffix(')')}\n{action})\n"


def _fields(action: Group) -> dict[str, Group]:
    """The groups behind the fields of an action."""
    items = action.items
    return {
        one.text: other
        for one, other in pairwise(items)
        if isinstance(one, Word) and one.text.startswith(":") and isinstance(other, Group)
    }


def _sorted(literals: Iterable[Literal]) -> tuple[Literal, ...]:
    return tuple(sorted(set(literals)))


def _literals(group: Group | None) -> Iterator[Literal]:
    """The literals of a conjunction; of `()`, none."""
    if group is None or not group.items:
        return
    if group.head == "and":
        for part in group.parts:
            yield from _literals(part)
    elif group.head == "not" and len(group.parts) == 1:
        yield _atom(group.parts[0]).negated
    else:
        yield _atom(group)


def _atom(group: Group) -> Literal:
    if group.head in ("and", "or", "not", "imply", "forall", "exists", "when") or group.parts:
        raise NoOperator(f"{group} is no literal: write one conjunction of literals")
    return Literal(group.head, tuple(str(item) for item in group.items[1:]))
