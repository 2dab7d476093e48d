"""The changes that make a mutant: fixed operators over the syntax tree, each a replaced span of the text.

Left alone is what no test should pin: docstrings, annotations, messages (f-strings, arguments of exceptions,
logging and printing), `__repr__` and `__str__`, and blocks for type checkers. A change that leaves
the tree as it was is none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path


class Operator(StrEnum):
    """What is changed."""

    COMPARISON = "comparison"  #: `<` for `<=`, `==` for `!=`, `in` for `not in`, and the reverse
    ONE = "plus or minus one"  #: a number in a comparison, an index or a sum, or a length
    EFFECT = (
        "dropped effect"  #: no assignment (of an attribute, an entry, a name that had a value), no append
    )
    ARGUMENT = "swapped argument"  #: two neighbours in a call
    CONSTANT = "constant"  #: true for false, another number
    CALL = "removed call"  #: only its first argument is left, or, of a call for its effect alone, nothing


@dataclass(frozen=True, order=True)
class Mutant:
    """One change, named by function and source text, so that a moved file has the same mutants."""

    function: str  #: qualified within its module
    source: str  #: the line on which the change starts, without its indentation
    operator: Operator
    change: str  #: old text -> new text
    nth: int  #: of the equal ones before
    path: str  #: from the root of the tree, with slashes
    lines: tuple[int, int]  #: first and last of the changed text
    function_lines: tuple[int, int]
    span: tuple[int, int]  #: bytes of the file
    new: str

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What names it independently of its file."""
        return self.function, self.source, str(self.operator), self.change, self.nth


_OTHER: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
_COLLECTING = {
    "append",
    "appendleft",
    "add",
    "update",
    "extend",
    "insert",
    "remove",
    "discard",
    "pop",
    "clear",
}
#: Without these the value is the same, or of another type and the next line fails.
_CONVERSIONS = {
    "int",
    "float",
    "bool",
    "str",
    "tuple",
    "list",
    "dict",
    "iter",
    "cast",
    "repr",
    "bytes",
    "type",
}
_CONVERSIONS |= {"asarray", "array", "ascontiguousarray", "len", "super", "hasattr", "isinstance", "field"}
_CONVERSIONS |= {"range", "enumerate", "zeros", "ones", "arange"}
_SPEAKING = {"print", "warn", "debug", "info", "warning", "error", "exception", "log"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def mutants_of(path: Path, root: Path) -> list[Mutant]:
    """All mutants of a file's functions, in the order of the text."""
    text = path.read_bytes()
    tree = ast.parse(text)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    name, seen = path.relative_to(root).as_posix(), dict[tuple[str, str, str, str], int]()
    found = []
    for function, node, scope in _functions(tree, ""):
        for operator, part, (first, last), new in _changes(node, starts, text):
            old = text[first:last].decode()
            line = text[starts[part.lineno - 1] : starts[part.lineno]].decode().strip()
            key = (function, line, str(operator), f"{' '.join(old.split())} -> {' '.join(new.split())}")
            nth = seen[key] = seen.get(key, -1) + 1
            spread = (part.lineno, part.end_lineno or part.lineno)
            found.append(
                Mutant(function, line, operator, key[3], nth, name, spread, scope, (first, last), new)
            )
    return found


def mutated(text: bytes, mutant: Mutant) -> bytes:
    """The text with the change made."""
    first, last = mutant.span
    return text[:first] + mutant.new.encode() + text[last:]


def differs(text: bytes, mutant: Mutant) -> bool:
    """Whether the changed text is a program, and another one."""
    try:
        changed = ast.parse(mutated(text, mutant))
    except SyntaxError:
        return False
    return ast.dump(changed) != ast.dump(ast.parse(text))


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef, tuple[int, int]]]:
    """Functions and methods; those within functions belong to them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.FunctionDef) and child.name not in ("__repr__", "__str__"):
            yield f"{prefix}{child.name}", child, (child.lineno, child.end_lineno or child.lineno)


_Change = tuple[Operator, ast.expr | ast.stmt, tuple[int, int], str]


def _changes(function: ast.FunctionDef, starts: list[int], text: bytes) -> Iterator[_Change]:
    site = _Sites(starts, text, first=function.name == "__init__")
    defaults = [d for d in (*function.args.defaults, *function.args.kw_defaults) if d is not None]
    for node in (*defaults, *function.body):
        site.walk(node, None)
    yield from site.found
    yield from site.lost_assignments(function)


class _Sites:
    """Walks over a function and gathers the changes of its expressions and statements."""

    def __init__(self, starts: list[int], text: bytes, *, first: bool):
        self._starts, self._text, self._first = starts, text, first
        self.found: list[_Change] = []

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The bytes of a node."""
        end_line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[end_line - 1] + end

    def text(self, node: ast.expr) -> str:
        """The source of a node."""
        first, last = self.span(node)
        return self._text[first:last].decode()

    def walk(self, node: ast.AST, parent: ast.AST | None) -> None:
        """The changes of a node and of all below it."""
        if _is_left_alone(node):
            return
        if isinstance(node, ast.Compare):
            self._comparison(node)
        elif isinstance(node, ast.Constant):
            self._constant(node, parent)
        elif isinstance(node, ast.Call):
            self._call(node, parent)
        elif isinstance(node, ast.AugAssign | ast.Assign | ast.Expr):
            self._statement(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.walk(child, node)

    def lost_assignments(self, function: ast.FunctionDef) -> Iterator[_Change]:
        """Assignments to a plain name that has a value already."""
        arguments = function.args
        known = {a.arg for a in (*arguments.args, *arguments.kwonlyargs, *arguments.posonlyargs)}
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], ast.Name)
            ):
                if node.targets[0].id in known:
                    yield Operator.EFFECT, node, self.span(node), "pass"
                known.add(node.targets[0].id)

    def _comparison(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for left, test, right in zip(sides, node.ops, sides[1:], strict=False):
            first, last = self.span(left)[1], self.span(right)[0]
            old, new = _OTHER[type(test)]
            between = self._text[first:last].decode()
            if between.count(old) == 1:
                self.found.append((Operator.COMPARISON, node, (first, last), between.replace(old, new)))

    def _constant(self, node: ast.Constant, parent: ast.AST | None) -> None:
        value = node.value
        if isinstance(value, bool):
            self._put(Operator.CONSTANT, node, str(not value))
        elif isinstance(value, int):
            counts = isinstance(parent, ast.Compare | ast.BinOp | ast.Slice | ast.Subscript)
            if counts:
                self._put(Operator.ONE, node, str(value + 1))
            else:
                self._put(Operator.CONSTANT, node, str(value + 1))
        elif isinstance(value, float):
            self._put(Operator.CONSTANT, node, repr(2 * value + 1))

    def _call(self, node: ast.Call, parent: ast.AST | None) -> None:
        for one, other in zip(node.args, node.args[1:], strict=False):
            if self.text(one) != self.text(other) and not {type(one), type(other)} & {ast.Starred}:
                first, middle = self.span(one)
                start, last = self.span(other)
                between = self._text[middle:start].decode()
                swapped = self.text(other) + between + self.text(one)
                self.found.append((Operator.ARGUMENT, node, (first, last), swapped))
        name = _name(node.func)
        if name == "len" and isinstance(parent, ast.Compare | ast.BinOp | ast.Slice | ast.Call):
            self._put(Operator.ONE, node, f"({self.text(node)} - 1)")
        alone = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp)
        if alone and name not in _CONVERSIONS and not isinstance(parent, ast.Expr):
            self._put(Operator.CALL, node, f"({self.text(node.args[0])})")

    def _statement(self, node: ast.AugAssign | ast.Assign | ast.Expr) -> None:
        """An attribute's first value is no lost effect: without it the next line fails."""
        if isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Call):
                collects = (
                    isinstance(node.value.func, ast.Attribute) and _name(node.value.func) in _COLLECTING
                )
                self._put(Operator.EFFECT if collects else Operator.CALL, node, "pass")
        elif isinstance(node, ast.AugAssign) or (
            not self._first and any(isinstance(t, ast.Attribute | ast.Subscript) for t in node.targets)
        ):
            self._put(Operator.EFFECT, node, "pass")

    def _put(self, operator: Operator, node: ast.expr | ast.stmt, new: str) -> None:
        self.found.append((operator, node, self.span(node), new))


def _name(function: ast.expr) -> str:
    """The last name of what is called."""
    return ast.unparse(function).rpartition(".")[2]


def _is_left_alone(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr | ast.Raise | ast.ClassDef):
        return True
    if isinstance(node, ast.Expr) and (isinstance(node.value, ast.Constant) or _is_left_alone(node.value)):
        return True
    if isinstance(node, ast.Call) and (_name(node.func) in _SPEAKING or _name(node.func).endswith("Error")):
        return True
    if isinstance(node, ast.keyword) and node.arg == "strict":  # a check of our own mistakes
        return True
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def renumbered(mutants: list[Mutant]) -> list[Mutant]:
    """Equal keys from several files get numbers of their own."""
    seen = dict[tuple[str, str, str, str], int]()
    out = []
    for mutant in mutants:
        key = mutant.key[:4]
        seen[key] = seen.get(key, -1) + 1
        out.append(replace(mutant, nth=seen[key]))
    return out
