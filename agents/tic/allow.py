"""What a language model wrote as ASP, checked before clingo may see it as a program.

First the words, then the statements: facts, rules, constraints and choices pass, if their heads are
object/2, cardinality/2, init/1, goal/1 or helper predicates of the text's own. Everything else is refused
with its place and how to fix it, and no `clingo.Control` exists before nothing is left to refuse.

The rules of a world are read the same way; they may also call external functions, and derive what they like.

clingo's own reader opens the files that a text includes, so what may not be there is refused word by word
before clingo sees any of it. Whatever is no word of the small language that an IR is written in is an issue;
what is left holds no comment, no string, no directive and no call, so nothing can hide in one. Sizes and
nesting are bounded here, too, since readers recurse.

Two things are corrected instead of refused, in place, so that lines and columns stay: `not` behind `init(` or
`goal(` becomes `-`, and a quoted name becomes the constant of that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clingo import MessageCode, ast
from clingo.ast import AST, ASTType, Sign

from agents.tic.knowledge import Knowledge, NameTable
from envs.pddl.diagnosis.findings import shorten
from envs.pddl.language.issues import Code, Issue, PDDLError
from envs.pddl.language.sexpr import Source, refuse_half_characters

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 30
#: Signs of arithmetic and negation in one statement.
MAX_OPERATORS = 200
MAX_NAME = 200
MAX_ISSUES = 20
_MAX_DIGITS = 9

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+|%\*.*?\*%|%(?!\*)[^\n]*)
    |(?P<unclosed>%\*.*)
    |(?P<string>"[^"\\\n]*")
    |(?P<hash>\#[ \t\r\n]*[A-Za-z_]*\+?)
    |(?P<number>[0-9]+)
    |(?P<word>_*[a-z][A-Za-z0-9_']*)
    |(?P<variable>_*[A-Z][A-Za-z0-9_']*|_+)
    |(?P<open>[({])|(?P<close>[)}])
    |(?P<weak>:~)
    |(?P<sign>:-|\.\.|!=|<>|<=|>=|[,;:.|=<>+\-*/\\])
    |(?P<call>@)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_AGGREGATES = frozenset({"#count", "#sum", "#sum+", "#min", "#max", "#inf", "#sup", "#true", "#false"})
_OPERATORS = frozenset({"+", "-", "*", "/", "\\", "|", "not"})
_STATES = frozenset({"init", "goal"})
#: The external functions that the rules of a world may call; schema.lp says what they are.
CALLS = ("make_id", "make_fact", "make_seq", "number")
#: What names of the schema's own start with.
OWN = "tic_"
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


@dataclass(frozen=True)
class Scan:
    """What a text holds, without comments."""

    text: str  #: as long as the original up to the first quoted name that is longer as a constant
    read: frozenset[str]  #: the words in bodies and conditions
    issues: tuple[Issue, ...]


def scan(source: Source, names: NameTable, *, ours: bool = False) -> Scan:
    """The words of a text; `ours` may call external functions, and use names of the schema's own."""
    if len(source.text) > MAX_CHARACTERS:
        message = f"the text has {len(source.text):,} characters; at most {MAX_CHARACTERS:,} are read"
        head = Source(source.text[:100], source.name)  # an issue stays small even when the text is one line
        return Scan("", frozenset(), (head.issue(Code.TOO_LARGE, 0, message, "write a shorter text"),))
    try:
        refuse_half_characters(source)
    except PDDLError as error:
        return Scan("", frozenset(), error.issues)
    scanner = _Scanner(source, names, ours)
    pieces = list(scanner.run())
    return Scan("".join(pieces), frozenset(scanner.read), tuple(scanner.issues))


class _Scanner:
    """One pass over the words of a text."""

    def __init__(self, source: Source, names: NameTable, ours: bool):
        self.issues: list[Issue] = []
        self.read: set[str] = set()
        self._source, self._names, self._ours = source, names, ours
        self._depth = self._operators = 0
        self._in_body = False
        self._weak = self._weight = False  #: within a weak constraint, and within its weight
        self._last: tuple[str, str] = ("", "")  #: the two words before this one

    def run(self) -> Iterator[str]:
        """What becomes of each word, up to the end or to where the text is given up."""
        for match in _TOKEN.finditer(self._source.text):
            kind, text = match.lastgroup or "", match.group()
            if kind == "blank":
                yield re.sub(r"[^\n]", " ", text)
                continue
            yield self._word(kind, text, match.start())
            self._last = (self._last[1], text)
            if len(self.issues) >= MAX_ISSUES or (self.issues and self.issues[-1].code is Code.TOO_LARGE):
                return

    def _word(self, kind: str, text: str, at: int) -> str:
        if kind == "string":
            return self._quoted(text, at)
        if kind in ("open", "close"):
            self._nest(1 if kind == "open" else -1, at)
        elif text == ".":
            self._depth, self._operators, self._in_body = 0, 0, False
        elif text in (":-", ":"):
            self._in_body = True
        elif text in _OPERATORS:
            self._operate(at)
        if not self._weighs(kind, text):
            self._refuse(kind, text, at)
        if text == "not" and self._last[1] == "(" and self._last[0] in _STATES:
            return "-  "
        if kind == "word" and self._in_body:
            self.read.add(text)
        return text

    def _weighs(self, kind: str, text: str) -> bool:
        """Whether a word belongs to the weight of a weak constraint, `[1@2]`, which is refused with it."""
        self._weak = kind == "weak" or (self._weak and (self._last[1] != "." or text == "["))
        self._weight = self._weight or (self._weak and text == "[")
        if self._weight and text == "]":
            self._weak = self._weight = False
            return True
        return self._weight

    def _quoted(self, text: str, at: int) -> str:
        name = text[1:-1].strip()
        if not re.search("[A-Za-z0-9]", name):
            self._issue(Code.SYNTAX, at, f"{shorten(text)} names nothing", "write a name, as in shot1")
            return text
        if len(name) > MAX_NAME:
            self._issue(Code.TOO_LARGE, at, f"the name {shorten(text)} is too long", "write a shorter one")
            return text
        return self._names.asp(name).ljust(len(text))

    def _nest(self, step: int, at: int) -> None:
        self._depth += step
        if self._depth == MAX_DEPTH + 1 and step > 0:
            message = f"brackets are nested more than {MAX_DEPTH} deep"
            self._issue(Code.TOO_LARGE, at, message, "write flat facts and rules")

    def _operate(self, at: int) -> None:
        self._operators += 1
        if self._operators == MAX_OPERATORS + 1:
            message = f"there are more than {MAX_OPERATORS} operators in one statement"
            self._issue(Code.TOO_LARGE, at, message, "end each fact and each rule with a period")

    def _refuse(self, kind: str, text: str, at: int) -> None:
        """Record what may not be there."""
        if kind == "hash" and text not in _AGGREGATES:
            message = f"`{shorten(' '.join(text.split()))}` is no part of a task's program"
            fix = "write facts, rules, constraints and choices only"
            self._issue(Code.UNSUPPORTED_FEATURE, at, message, fix)
        elif kind == "weak":
            message = "a weak constraint says which of several models is better, and a task has only one"
            fix = "state what is true as facts, or what cannot be true as a constraint, `:- ...`"
            self._issue(Code.UNSUPPORTED_FEATURE, at, message, fix)
        elif kind == "word" and self._last[1] == "@" and self._ours and text not in CALLS:
            self._issue(
                Code.SYNTAX, at, f"there is no function `{shorten(text)}`", f"call {', '.join(CALLS)}"
            )
        elif kind == "call" and not self._ours:
            fix = "state the facts, or use a rule with a body, a cardinality or a map"
            self._issue(Code.UNSUPPORTED_FEATURE, at, "external functions may not be called with `@`", fix)
        elif kind == "other":
            fix = "names are lower-case letters, digits and _, variables start with a capital"
            self._issue(Code.SYNTAX, at, f"`{text}` cannot stand in a program", fix)
        elif kind == "number" and len(text) > _MAX_DIGITS:
            message = f"the number {shorten(text)} is too large: numbers have up to {_MAX_DIGITS} digits"
            self._issue(Code.TOO_LARGE, at, message, "write a smaller one, or a name such as n1")
        elif kind in ("word", "variable") and len(text) > MAX_NAME:
            self._issue(Code.TOO_LARGE, at, f"the name {shorten(text)} is too long", "write a shorter one")
        elif kind in ("word", "variable") and text.startswith(OWN) and not self._ours:
            message = f"names that start with `{OWN}` are the schema's own"
            self._issue(Code.NAME_CLASH, at, message, "choose another name")
        elif kind == "unclosed":
            self._issue(Code.UNBALANCED, at, "this comment is never closed", "write `*%` at its end")

    def _issue(self, code: Code, at: int, message: str, fix: str) -> None:
        self.issues.append(self._source.issue(code, at, message, fix))
