"""The whole program of an inference, and where each of its lines comes from.

It is the schema, what follows from the domain, the world's rules and the IR, one statement a line.
Constraints of the last two become rules that say which constraint is broken, so that it can be reported.

From the domain follows what its declarations say about the types of objects: what stands in a fact or a goal
has the type that the predicate asks for; what has a type has the types above it, the unions with it included;
and the domain's constants are objects. In a domain without types, everything is an `object`. A helper
predicate that the world's rules read inside `init` may also be stated by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agents.tic.allow import IR, OWN, Statement, read_rules
from agents.tic.knowledge import Knowledge, NameTable, type_expressions
from envs.pddl.language.vocabulary import OBJECT, Types, Vocabulary

_SCHEMA = Path(__file__).parent / "schema.lp"


@dataclass(frozen=True)
class Origin:
    """A statement, and whether it is the IR's; otherwise it is of the world's rules."""

    statement: Statement
    of_ir: bool

    @property
    def place(self) -> str:
        """Where it stands, in words."""
        return f"line {self.statement.line} of {'the program' if self.of_ir else 'the rules'}"


@dataclass(frozen=True)
class Program:
    """A program's text, and what stands in its lines."""

    text: str
    origins: Mapping[int, Origin]  #: by 1-based line
    read: frozenset[str]  #: the words in the conditions of the rules and the IR


def program_of(ir: IR, knowledge: Knowledge) -> Program:
    """The program of an IR. Raises IRError if the knowledge's rules are none."""
    rules = read_rules(knowledge)
    ours = f"{_schema()}{domain_rules(knowledge)}"
    origins = [Origin(s, False) for s in rules.statements] + [Origin(s, True) for s in ir.statements]
    placed = dict(enumerate(origins, start=ours.count("\n") + 1))
    return Program(ours + "".join(_lines(placed.items())), placed, rules.read | ir.read)


@cache
def _schema() -> str:
    return _SCHEMA.read_text(encoding="utf-8")


def _lines(placed: Iterable[tuple[int, Origin]]) -> Iterable[str]:
    for number, origin in placed:
        text = origin.statement.text
        broken = text.replace("#false", f"tic_wrong(broken({number}))", 1)
        yield f"{broken if origin.statement.is_constraint else text}\n"


def domain_rules(knowledge: Knowledge) -> str:
    """The rules as ASP text, one a line, in the order of the domain. Raises PDDLError."""
    declared, names = knowledge.vocabulary, knowledge.names
    rules = [
        *_of_helpers(knowledge),
        *_of_predicates(declared, names),
        *_of_types(declared, names),
        *(f"object({names.asp(c)},{names.asp(kind)})." for c, kind in declared.constants.items()),
    ]
    return "".join(f"{rule}\n" for rule in rules)


def _of_helpers(knowledge: Knowledge) -> Iterator[str]:
    for helper in knowledge.helpers:
        name, _, parameters = helper.rstrip(")").partition("(")
        arguments = ",".join(f"X{place}" for place, _ in enumerate(parameters.split(",")))
        atom = f"{name}({arguments})" if parameters else name
        yield f"init({atom}) :- {atom}."


def _of_predicates(declared: Vocabulary, names: NameTable) -> Iterator[str]:
    for name, parameters in declared.predicates.items():
        for place, (_, kind) in enumerate(parameters):
            terms = ",".join("X" if i == place else "_" for i in range(len(parameters)))
            atom = f"{names.asp(name)}({terms})"
            for fact in (f"init({atom})", f"goal({atom})", f"goal(-{atom})"):
                yield f"object(X,{names.asp(kind)}) :- {fact}."


def _of_types(declared: Vocabulary, names: NameTable) -> Iterator[str]:
    expressions = type_expressions(declared)
    for kind in expressions:
        every = [above for above in expressions if _is_above(above, kind, declared.types)]
        for above in every:  # the next ones: not those that are above one of them
            if not any(_is_above(above, other, declared.types) for other in every):
                yield f"object(X,{names.asp(above)}) :- object(X,{names.asp(kind)})."
        yield from (f"{OWN}above({names.asp(above)},{names.asp(kind)})." for above in every)
    if not declared.types.parents:
        yield f"object(X,{names.asp(OBJECT)}) :- object(X,_)."


def _is_above(above: str, kind: str, types: Types) -> bool:
    return types.is_subtype(kind, above) and not types.is_subtype(above, kind)
