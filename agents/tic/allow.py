"""What a language model wrote as ASP, checked before clingo may see it as a program.

First the words (`agents.tic.scan`), then the statements: facts, rules, constraints and choices pass, if their
heads are object/2, cardinality/2, init/1, goal/1 or helper predicates of the text's own. Everything else is
refused with its place and how to fix it, and no `clingo.Control` exists before nothing is left to refuse.

The rules of a world are read the same way; they may also call external functions, and derive what they like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clingo import MessageCode, ast
from clingo.ast import AST, ASTType, Sign

from agents.tic.knowledge import Knowledge, NameTable
from agents.tic.scan import MAX_ISSUES, scan
from envs.pddl.language.issues import Code, Issue, PDDLError
from envs.pddl.language.sexpr import Source

#: The predicates of an IR: how many arguments each takes, and an example.
HEADS = {
    "object": (2, "object(shot1, shot)"),
    "cardinality": (2, "cardinality(shot, 5)"),
    "init": (1, "init(on(a, b))"),
    "goal": (1, "goal(on(a, b))"),
}
#: What most statements are, in clingo's words: to look into their trees takes far longer than all else.
_PLAIN_FACT = re.compile(r"(?:init|goal)\(-?\w+(?:\([\w,]*\))?\)\.|(?:object|cardinality)\(\w+,\w+\)\.")
_FAULT = re.compile(r"<string>:(\d+):(\d+)(?:-[\d:]+)?: (?:error|info): (.*)", re.DOTALL)


class IRError(PDDLError):
    """A text that is no IR; `issues` say where and why. Survives pickling."""


@dataclass(frozen=True)
class Statement:
    """One statement of a program, in clingo's own words, and its 1-based place in the text."""

    text: str
    line: int
    column: int

    @property
    def is_constraint(self) -> bool:
        """Whether it has no head."""
        return self.text.startswith("#false")


@dataclass(frozen=True)
class IR:
    """A program that may be run. Picklable."""

    statements: tuple[Statement, ...]
    read: frozenset[str] = frozenset()  #: the words in bodies and conditions

    @property
    def text(self) -> str:
        """The program, one statement a line."""
        return "".join(f"{statement.text}\n" for statement in self.statements)


def read_ir(text: str, knowledge: Knowledge) -> IR:
    """The program that `text` is, without a code fence around it. Raises IRError."""
    source = Source(text, "program")
    declared = knowledge.vocabulary
    outside = {knowledge.names.asp(name): "predicate" for name in declared.predicates}
    types = {knowledge.names.asp(name): "type" for name in declared.types.parents}
    return _read(source, knowledge.names, types | outside)


def read_rules(knowledge: Knowledge) -> IR:
    """The world's rules as a program. Raises IRError if they are none."""
    return _read(Source(knowledge.rules, "rules"), knowledge.names, {}, ours=True)


def _read(source: Source, names: NameTable, declared: dict[str, str], ours: bool = False) -> IR:
    """The program of a text whose heads may not be any of the `declared` names (what they are beside)."""
    words = scan(source, names, ours=ours)
    _refuse(words.issues)
    found, faults = _parse(words.text)
    _refuse(_located(source, line, column, Code.SYNTAX, what, fix) for line, column, what, fix in faults)
    statements = tuple(Statement(str(node), *_place(node)) for node in found)
    if not ours:
        doubtful = (n for n, s in zip(found, statements, strict=True) if not _PLAIN_FACT.fullmatch(s.text))
        refused = (issue for node in doubtful for issue in _judge(source, node, declared))
        _refuse(issue for issue, _ in zip(refused, range(MAX_ISSUES), strict=False))
    return IR(statements, words.read)


def _refuse(issues: Iterator[Issue] | Sequence[Issue]) -> None:
    if found := tuple(issues):
        raise IRError(found)


def _parse(text: str) -> tuple[list[AST], list[tuple[int, int, str, str]]]:
    """The statements of a scanned text, or line, column, message and fix of what clingo cannot read."""
    found: list[AST] = []
    faults: list[tuple[int, int, str, str]] = []

    def log(_code: MessageCode, message: str) -> None:
        if match := _FAULT.match(message.strip()):
            line, column, what = match.groups()
            faults.append((int(line), int(column), " ".join(what.split()), "end each fact and rule with `.`"))

    try:
        ast.parse_string(text, found.append, logger=log, message_limit=MAX_ISSUES)
    except RuntimeError as error:
        return [], faults or [(1, 1, str(error), "write facts and rules")]
    return found[1:], faults  # the first one is the `#program base.` that clingo adds


def _place(node: AST) -> tuple[int, int]:
    begin = node.location.begin
    return begin.line, begin.column


def _located(source: Source, line: int, column: int, code: Code, message: str, fix: str) -> Issue:
    starts = [0, *(m.end() for m in re.finditer("\n", source.text))]
    return source.issue(code, starts[min(line, len(starts)) - 1] + column - 1, message, fix)


def _judge(source: Source, node: AST, declared: dict[str, str]) -> Iterator[Issue]:
    """What is wrong with a statement."""
    if node.ast_type is not ASTType.Rule:
        message = "only facts, rules, constraints and choices are read"
        yield _located(source, *_place(node), Code.UNSUPPORTED_FEATURE, message, "leave this out")
        return
    for literal in _heads(node.head):
        if problem := _head_problem(literal, declared):
            code, message, fix = problem
            yield _located(source, *_place(literal), code, message, fix)


def _heads(head: AST) -> Iterator[AST]:
    """The literals that a statement makes true."""
    if head.ast_type is ASTType.Aggregate:
        yield from (element.literal for element in head.elements)
    elif head.ast_type is not ASTType.Literal or head.atom.ast_type is not ASTType.BooleanConstant:
        yield head


def _head_problem(literal: AST, declared: dict[str, str]) -> tuple[Code, str, str] | None:
    """Code, message and fix if the literal may not be a head."""
    if literal.ast_type is not ASTType.Literal or literal.atom.ast_type is not ASTType.SymbolicAtom:
        fix = "write one atom, such as init(on(a, b)), or a choice: 1 { init(p(X)) : object(X, t) } 1"
        return Code.UNSUPPORTED_FEATURE, "this cannot be the head of a rule", fix
    symbol = literal.atom.symbol
    if Sign(literal.sign) is not Sign.NoSign or symbol.ast_type is ASTType.UnaryOperation:
        fix = "put the sign inside: goal(-on(a, b))"
        return Code.UNSUPPORTED_FEATURE, "a head cannot be negative", fix
    parts = symbol.arguments if symbol.ast_type is ASTType.Pool else [symbol]
    problems = (_predicate_problem(part.name, len(part.arguments), declared) for part in parts)
    return next(filter(None, problems), None)


def _predicate_problem(name: str, arity: int, declared: dict[str, str]) -> tuple[Code, str, str] | None:
    if name in HEADS:
        wanted, example = HEADS[name]
        message = f"{name} takes {wanted} argument{'s' * (wanted != 1)}, but {arity} are given"
        return None if arity == wanted else (Code.ARITY, message, f"write it as in {example}")
    if declared.get(name) == "predicate":
        message = f"{name} is a predicate of the domain and says nothing by itself"
        return Code.UNSUPPORTED_FEATURE, message, f"write init({name}(...)) or goal({name}(...))"
    if declared.get(name) == "type" and arity == 1:
        return Code.UNSUPPORTED_FEATURE, f"{name} is a type", f"write object(..., {name})"
    return None
