"""What is wrong with an IR, in words for its author: where, what, and how to fix it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from agents.tic.allow import HEADS
from agents.tic.compile import some
from agents.tic.inference_child import MAX_OBJECTS, Facts
from agents.tic.knowledge import Knowledge, type_expressions
from agents.tic.program import Program
from envs.pddl.diagnosis.findings import did_you_mean, shorten

#: More names, faults or differences than this are counted, not listed.
_LISTED = 8
_STATEMENT = 160  #: characters of a statement that are shown
_NAME = re.compile(r"_*[a-z]\w*")
_MAP = ("map", 4)  #: the schema's own fact, and how many words it has
#: What clingo says of a term that has no value, such as b1..b3; it leaves out the rule.
_UNDEFINED = " undefined:"
_UNSAFE = re.compile(r"unsafe variables in: .*", re.DOTALL)


def blames(notes: Iterable[tuple[int, str]], program: Program, *, of_ir: bool) -> bool:
    """Whether clingo does not take a statement of the IR, or else one of the world's rules."""
    lines = [line for line, words in notes if words.startswith("error")]
    return any(line in program.origins and program.origins[line].of_ir is of_ir for line in lines)


def refusal(notes: Iterable[tuple[int, str]], program: Program) -> str:
    """Why clingo does not take a program, from what it said of its lines."""
    errors = [_note(line, words, program) for line, words in notes if words.startswith("error")]
    return "\n".join(some(errors, _LISTED)) or "the program could not be read by the solver"


def _note(line: int, words: str, program: Program) -> str:
    origin = program.origins.get(line)
    message = _UNSAFE.sub(_unsafe, words.removeprefix("error: ").removeprefix("info: "))
    if origin is None:
        return message
    return f"{origin.place}: `{shorten(origin.statement.text, _STATEMENT)}`: {message}"


def _unsafe(found: re.Match[str]) -> str:
    variables = list(dict.fromkeys(re.findall(r"'(\w+)' is unsafe", found.group())))
    if not variables:
        return "`_` in a head stands for nothing: name a variable, and say in a condition what it stands for"
    return (
        f"nothing says what {', '.join(variables)} stands for: add a condition, as object({variables[0]}, "
        "shot); the names of things start with a small letter"
    )


def what_is_wrong(
    wrong: Iterable[Sequence[str]], objects: Iterable[tuple[str, str]], program: Program
) -> str:
    """Why a program has no model; `objects` are those with which the least is wrong."""
    members: dict[str, list[str]] = {}
    for thing, kind in objects:
        members.setdefault(kind, []).append(thing)
    listed = (_wrong(one, members, program) for one in wrong)
    return "\n".join(some([words for words in listed if words], _LISTED))


def _wrong(wrong: Sequence[str], members: dict[str, list[str]], program: Program) -> str:
    """One thing that is wrong; nothing if another one says the same."""
    match wrong:
        case ["broken", line]:
            origin = program.origins[int(line)]
            statement = shorten(origin.statement.text.removeprefix("#false "), _STATEMENT)
            return f"{origin.place}: the constraint `{statement}` is broken"
        case ["miscounted", kind, number]:
            return _miscounted(kind, number, members.get(kind, []))
        case ["contrary", fact]:
            state, _, inner = fact.partition("(")
            return "" if inner.startswith("-") else f"{fact} and {state}(-{inner} contradict each other"
        case ["open", what]:
            return f"{what} depends on a choice: state it as a fact, or by a rule that leaves nothing open"
        case ["number", kind, number] if number.isdecimal():
            limit = f"at most {MAX_OBJECTS:,} objects of a type are made"
            return f"cardinality({kind}, {number}) is too large: {limit}"
        case ["number", kind, number]:
            return f"cardinality({kind}, {number}) gives no number: write cardinality(type, 5)"
        case ["numbers", kind, *numbers]:
            stated = " and ".join(f"cardinality({kind}, {number})" for number in numbers)
            return f"{stated} contradict each other: state one number for each type"
        case ["unsettled"]:
            return "the number of objects never settles: rules make new objects of the objects they lead to"
        case ["denied"]:
            return "a rule denies its own condition, or a choice cannot be made within its bounds"
    return _unpaired(wrong)


def _unpaired(wrong: Sequence[str]) -> str:
    """What is wrong with a map."""
    problem, state, left, predicate, right, *more = wrong
    map_ = f"{state}(map({left}, {predicate}, {right}))"
    match problem:
        case "unequal":
            return (
                f"{map_} pairs each {left} with one {right}, but there are {more[0]} of type {left} and "
                f"{more[1]} of type {right}: correct the cardinalities, or state each {predicate} by itself"
            )
        case "twice":
            return f"{map_} pairs each {left} with one {right}, but {more[0]} is in two pairs that are stated"
    return f"{map_} takes the names of a type, a predicate and a type"


def _miscounted(kind: str, number: str, found: list[str]) -> str:
    there = f"there are {len(found)} objects of this type" if len(found) != 1 else "there is one object of it"
    return (
        f"cardinality({kind}, {number}) is stated, but {there}: {_listed(found)}; correct the number, or "
        f"leave out what is no {kind}"
    )


def difference(one: Facts, other: Facts) -> str:
    """What two models of one program say differently."""
    first, second = set(one.statements()), set(other.statements())
    only = [sorted(first - second), sorted(second - first)]
    parts = [f"is true: {_listed(facts)}" if facts else "none of this" for facts in only]
    return (
        f"the program leaves open what is true; in one reading {parts[0]}; in another {parts[1]}; replace "
        "choices, and rules that deny what they lead to, by facts"
    )


def unread(notes: Iterable[tuple[int, str]], program: Program, knowledge: Knowledge) -> tuple[str, ...]:
    """What looks wrong in a program with one model: conditions that nothing meets, and idle helpers."""
    said = _said(((line, words) for line, words in notes if _UNDEFINED not in words), program)
    return tuple(some([*said, *_idle_helpers(program, _words_read(program, knowledge))], _LISTED))


def mistakes(
    notes: Iterable[tuple[int, str]], program: Program, facts: Facts, knowledge: Knowledge
) -> tuple[str, ...]:
    """What is wrong in a program with one model: terms without a value, unknown names that are never read."""
    said = _said(((line, words) for line, words in notes if _UNDEFINED in words), program)
    return tuple(some([*said, *_unknown_names(facts, knowledge, _words_read(program, knowledge))], _LISTED))


def _said(notes: Iterable[tuple[int, str]], program: Program) -> dict[str, None]:
    """What clingo says of the lines of an IR."""
    ours = {line for line, origin in program.origins.items() if origin.of_ir}
    return dict.fromkeys(_note(line, words, program) for line, words in notes if line in ours)


def _words_read(program: Program, knowledge: Knowledge) -> frozenset[str]:
    """The names of types and predicates that rules read."""
    return (program.read | {helper.partition("(")[0] for helper in knowledge.helpers}) - HEADS.keys()


def _idle_helpers(program: Program, read: frozenset[str]) -> Iterator[str]:
    """Helper predicates of the IR that no rule reads."""
    named = {*read, *HEADS}
    for origin in program.origins.values():
        if origin.of_ir and (name := _NAME.match(origin.statement.text)) and name.group() not in named:
            named.add(name.group())
            yield f"{origin.place}: no rule reads {name.group()}: write init(...) or goal(...) around a fact"


def _unknown_names(facts: Facts, knowledge: Knowledge, read: frozenset[str]) -> Iterator[str]:
    declared, names = knowledge.vocabulary, knowledge.names
    types = [names.asp(kind) for kind in type_expressions(declared)]
    predicates = [names.asp(name) for name in declared.predicates]
    facts_of_both = [*facts.init, *(fact for _, fact in facts.goal)]
    stated = [fact[0] for fact in facts_of_both if (fact[0], len(fact)) != _MAP]
    # without types, all are read
    kinds = [kind for _, kind in facts.objects] if declared.types.parents else []
    used = (("type", types, kinds), ("predicate", predicates, stated))
    for what, known, found in used:
        for name in dict.fromkeys(found):
            if name not in known and name not in read:
                yield f"the domain has no {what} {name}, and no rule reads it{did_you_mean(name, known)}"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _LISTED
    shown = ", ".join(names[:_LISTED])
    return f"{shown} and {more} more" if more > 0 else shown or "none"
