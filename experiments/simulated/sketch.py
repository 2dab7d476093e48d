"""A domain in parts and a problem in facts, as far as an answer writes them, and how two of them differ.

A domain that a request shows may be wrong in every way but one: it is balanced. So it is read as text, a
conjunct of a precondition or effect at a time, and compared with the true one conjunct by conjunct.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from envs.pddl.language.sexpr import Group, Node, Source, read_sexprs
from envs.pddl.language.terms import Part


@dataclass(frozen=True)
class Difference:
    """A text that is missing, too much, or another one."""

    is_there: str  #: empty if it is missing
    should: str  #: empty if it is too much


@dataclass(frozen=True)
class Conjuncts:
    """The conjuncts of an action, each in canonical text."""

    precondition: tuple[str, ...] = ()
    effect: tuple[str, ...] = ()

    def of(self, part: Part) -> tuple[str, ...]:
        """The conjuncts of that half."""
        return self.precondition if part is Part.PRECONDITION else self.effect

    def changed(self, part: Part, difference: Difference) -> Conjuncts:
        """The same with one conjunct fixed."""
        conjuncts = substituted(self.of(part), difference)
        return replace(self, **{part.value: conjuncts})


@dataclass(frozen=True)
class Sketch:
    """A domain in parts. Equal sketches are equal models up to the order of conjuncts."""

    predicates: Mapping[str, str]  #: name to declaration
    rules: Mapping[str, Conjuncts]  #: by action


@dataclass(frozen=True)
class TaskSketch:
    """The initial facts and the goal of a problem."""

    init: tuple[str, ...]
    goal: str


def sketch_of(domain: str) -> Sketch:
    """The parts of a domain's text, which is balanced. Amounts of cost are left out. Raises PDDLError."""
    predicates: dict[str, str] = {}
    rules: dict[str, Conjuncts] = {}
    for section in _sections(domain):
        if section.head == ":predicates":
            predicates |= {form.head: str(form) for form in section.parts}
        elif section.head == ":action":
            fields = dict(zip(map(str, section.items[2::2]), section.items[3::2], strict=False))
            halves = (conjuncts_of(fields.get(f":{part}")) for part in Part)
            rules[str(section.items[1])] = Conjuncts(*halves)
    return Sketch(predicates, rules)


def scene_of(problem: str) -> TaskSketch:
    """The facts and the goal of a problem's text, which is balanced. Raises PDDLError."""
    init: tuple[str, ...] = ()
    goal = "(and)"
    for section in _sections(problem):
        if section.head == ":init":
            init = tuple(str(fact) for fact in section.parts if fact.head != "=")
        elif section.head == ":goal" and section.parts:
            goal = str(section.parts[0])
    return TaskSketch(init, goal)


def conjuncts_of(formula: Node | None) -> tuple[str, ...]:
    """The parts of a conjunction, or the only one; amounts of cost are none."""
    if not isinstance(formula, Group) or not formula.items:
        return ()
    parts = formula.parts if formula.head == "and" else [formula]
    return tuple(str(part) for part in parts if part.head != "increase")


def differences(there: Iterable[str], should: Iterable[str]) -> tuple[Difference, ...]:
    """What sets two lists of texts apart; one too much and one missing of the same predicate are one."""
    there, should = tuple(there), tuple(should)
    missing = [text for text in should if text not in there]
    found = []
    for text in (text for text in there if text not in should):
        partner = next((other for other in missing if predicate_of(other) == predicate_of(text)), "")
        if partner:
            missing.remove(partner)
        found.append(Difference(text, partner))
    return (*found, *(Difference("", text) for text in missing))


def substituted(texts: tuple[str, ...], difference: Difference) -> tuple[str, ...]:
    """The texts with one difference removed; what they do not hold is not taken out."""
    if not difference.is_there:
        return texts if difference.should in texts else (*texts, difference.should)
    changed = (difference.should if text == difference.is_there else text for text in texts)
    return tuple(text for text in changed if text)


def predicate_of(literal: str) -> str:
    """The predicate of a literal, negative or not; of any other formula, its connective."""
    words = literal.replace("(not (", "(", 1).strip("()").split()
    return words[0] if words else ""


def calls(predicates: Iterable[str], rules: Mapping[str, Conjuncts]) -> str:
    """Declarations and actions as calls of the two edit functions."""
    declared = list(predicates)
    lines = [f"add_or_update_predicates({json.dumps(declared, indent=4)})"] if declared else []
    for name, rule in rules.items():
        halves = "".join(f"    {json.dumps(rule.of(part))},\n" for part in Part)
        lines.append(f"modify_action(\n    {json.dumps(name)},\n{halves})")
    return "\n".join(lines)


def _sections(text: str) -> Iterator[Group]:
    for form in read_sexprs(Source(text, "text")):
        if isinstance(form, Group):
            yield from form.parts
