"""The whole program of an inference, and where each of its lines comes from.

It is the schema, what follows from the domain, the world's rules and the IR, one statement a line.
Constraints of the last two become rules that say which constraint is broken, so that it can be told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agents.tic.allow import IR, Statement, read_rules
from agents.tic.domain_rules import domain_rules
from agents.tic.knowledge import Knowledge

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
