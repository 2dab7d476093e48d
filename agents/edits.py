"""The two edit functions, read out of a model's code and never run.

`add_or_update_predicates(predicates)` and `modify_action(action_name, new_preconditions, new_effects)` are
a notation for data: the code is parsed with `ast`, each top-level statement is looked at by itself, and is
accepted as an edit or refused with a reason. Arguments are literals, or names that were bound to a literal
at top level before. Conditions, effects and declarations come out as canonical one-line PDDL.

Parsing can exhaust Python's stack on hostile code, so nesting and everything that could nest without
brackets are bounded by a flat scan before `ast.parse` sees the text.

A declaration, condition or effect passes if it is exactly one balanced form; what it means is judged later,
in the whole domain. So a string can never smuggle a second section into the domain's text.
"""

from __future__ import annotations

import ast
import difflib
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from envs.pddl.language.issues import PDDLError
from envs.pddl.language.sexpr import Group, Source, Word, lone_surrogate, read_sexprs

#: Longer code, deeper brackets, or more signs and keywords that are no part of a plain call, are refused.
MAX_CODE_CHARS = 100_000
MAX_NESTING = 50
MAX_FOREIGN_TOKENS = 500
#: Refusals beyond this many are counted, not told.
MAX_REFUSALS = 20

#: CPython 3.11 counts the depth of a tree under construction once for all threads: two at a time can end in a
#: SystemError, where collecting garbage hands over from one to the other.
_PARSING = threading.Lock()

_TOKEN = re.compile(
    r"#[^\n]*"
    r"|(?P<prefix>\b[rRbBuUfF]{1,2})?(?P<string>'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\""
    r"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<foreign>[^\w\s,=()\[\]{}]|\b(?:not|lambda|await|if|else|for|in|is|and|or|yield)\b)",
    re.DOTALL,
)


@dataclass(frozen=True)
class SetPredicates:
    """Declare predicates: (name, declaration text) pairs, in the order given."""

    predicates: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ModifyAction:
    """Replace an action's preconditions and effects, each a canonical one-line PDDL text."""

    action: str
    preconditions: tuple[str, ...]
    effects: tuple[str, ...]


Edit = SetPredicates | ModifyAction


@dataclass(frozen=True)
class EditReading:
    """What a reply's code says: the edits in order, and why each other statement was refused."""

    edits: tuple[Edit, ...] = ()
    refusals: tuple[str, ...] = ()


class _Refused(ValueError):
    """One statement is no edit; the text says why."""


class NotOneForm(_Refused):
    """The text is not one balanced form; the message says what it is instead."""


def read_edits(blocks: Iterable[str]) -> EditReading:
    """The edits in all `blocks` of code, in order. Never raises: what cannot be read is refused by line."""
    edits: list[Edit] = []
    refusals: list[str] = []
    constants: dict[str, object] = {}
    for code in blocks:
        try:
            statements = _parse(code)
        except _Refused as fault:
            refusals.append(f"a code block was not read: {fault}")
            continue
        for statement in statements:
            try:
                edit = _read_statement(statement, constants)
            except _Refused as fault:
                refusals.append(f"`{_line(code, statement.lineno)}`: {fault}")
            else:
                edits.extend([edit] if edit else [])
    if len(refusals) > MAX_REFUSALS:
        refusals[MAX_REFUSALS:] = [f"{len(refusals) - MAX_REFUSALS} more statements were refused"]
    return EditReading(tuple(edits), tuple(refusals))


def _parse(code: str) -> list[ast.stmt]:
    """The statements of `code`, or why it cannot be parsed."""
    _check_depth(code)
    try:
        with _PARSING:
            return ast.parse(code).body
    except SyntaxError as fault:
        # Python's own words differ between its versions, and a recorded conversation must not.
        line = fault.lineno or 1
        raise _Refused(f"Python syntax error at line {line}: `{_line(code, line)}`") from fault
    except (ValueError, RecursionError, MemoryError) as fault:
        raise _Refused("it is no plain Python code") from fault


def _check_depth(code: str) -> None:
    """Refuse code that could exhaust the parser's stack."""
    if len(code) > MAX_CODE_CHARS:
        raise _Refused(f"it has {len(code):,} characters; at most {MAX_CODE_CHARS:,} are read")
    depth = foreign = closed = 0
    for token in _TOKEN.finditer(code):
        if token.group("open"):
            depth += 1
            # A call or index of what was just called or indexed nests without being deep in brackets.
            foreign += bool(closed) and not code[closed : token.start()].strip()
        elif token.group("close"):
            depth -= 1
            closed = token.end()
        elif token.group("foreign"):
            foreign += 1
        elif token.group("string") and "f" in (token.group("prefix") or "").lower():
            foreign += len(re.findall(r"\W", token.group("string")))
        if depth > MAX_NESTING:
            raise _Refused(f"brackets are nested more than {MAX_NESTING} deep; write flat lists of strings")
        if foreign > MAX_FOREIGN_TOKENS:
            raise _Refused("it is mostly something else than plain calls of the two functions")


def _read_statement(statement: ast.stmt, constants: dict[str, object]) -> Edit | None:
    """The statement's edit; None for a literal (e.g. a docstring) or a name bound to one."""
    match statement:
        case ast.Expr(value=ast.Call() as call):
            return _read_call(call, constants)
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return None
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            constants[name] = _literal(value, constants, f"the value of {name[:80]}")
            return None
    kind = type(statement).__name__
    raise _Refused(f"only calls of {' and '.join(_READERS)} are read, and this is none (Python {kind})")


def _read_call(call: ast.Call, constants: Mapping[str, object]) -> Edit:
    name = call.func.id if isinstance(call.func, ast.Name) else "the called function"
    if name not in _READERS:
        close = difflib.get_close_matches(name, _READERS, n=1, cutoff=0.4)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise _Refused(f"{name[:80]} is not one of the two functions {' and '.join(_READERS)}{hint}")
    parameters, build = _READERS[name]
    return build(_arguments(call, name, parameters, constants))


def _arguments(
    call: ast.Call, name: str, parameters: tuple[str, ...], constants: Mapping[str, object]
) -> dict[str, object]:
    """Literal arguments by parameter name: all of them, each once."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        raise _Refused("arguments with * or ** are not read; write the lists themselves")
    listed = ", ".join(parameters)
    if len(call.args) > len(parameters):
        raise _Refused(f"{name} takes {len(parameters)} arguments ({listed}), got {len(call.args)}")
    nodes: dict[str, ast.expr] = dict(zip(parameters, call.args, strict=False))
    for keyword in call.keywords:
        key = keyword.arg or ""
        if key not in parameters or key in nodes:
            raise _Refused(f"{name} takes {listed}, each once; `{key[:80]}` is unknown or given twice")
        nodes[key] = keyword.value
    missing = [p for p in parameters if p not in nodes]
    if missing:
        raise _Refused(f"{name} lacks its argument {', '.join(missing)}")
    return {key: _literal(node, constants, f"`{key}`") for key, node in nodes.items()}


def _literal(node: ast.expr, constants: Mapping[str, object], what: str) -> object:
    """The value of a literal, or of a name bound to one before."""
    if isinstance(node, ast.Name) and node.id in constants:
        return constants[node.id]
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError) as fault:
        words = f"{what} is not a literal; code is not run, so write the list or string itself"
        raise _Refused(words) from fault
    _refuse_half_characters(value, what)
    return value


def _refuse_half_characters(value: object, what: str) -> None:
    """Refuse a string with a lone surrogate, as `"\\ud800"` makes, at any depth: no file can hold it."""
    if isinstance(value, str) and (at := lone_surrogate(value)) is not None:
        name = f"U+{ord(value[at]):04X}"
        raise _Refused(f"{what} has half a character ({name}, a lone surrogate) at place {at + 1}; remove it")
    if isinstance(value, list | tuple | set):
        for part in value:
            _refuse_half_characters(part, what)


def _strings(value: object, what: str) -> list[str]:
    """A list of strings; a single string counts as a list of one."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise _Refused(f"`{what}` must be a list of strings")
    return list(items)


def _set_predicates(arguments: Mapping[str, object]) -> SetPredicates:
    texts = _strings(arguments["predicates"], "predicates")
    return SetPredicates(tuple(read_declaration(text) for text in texts))


def _modify_action(arguments: Mapping[str, object]) -> ModifyAction:
    action = arguments["action_name"]
    if not isinstance(action, str) or not action.strip():
        raise _Refused("`action_name` must be an action's name, as a string")
    preconditions, effects = (
        tuple(form for text in _strings(arguments[key], key) for form in read_forms(text))
        for key in ("new_preconditions", "new_effects")
    )
    return ModifyAction(action.strip().lower(), preconditions, effects)


def _line(code: str, number: int) -> str:
    """Line `number` (from 1) of the code, cut to a readable length."""
    lines = code.split("\n")
    line = lines[min(number, len(lines)) - 1].strip()
    return f"{line[:80]}..." if len(line) > 80 else line


_READERS: dict[str, tuple[tuple[str, ...], Callable[[Mapping[str, object]], Edit]]] = {
    "add_or_update_predicates": (("predicates",), _set_predicates),
    "modify_action": (("action_name", "new_preconditions", "new_effects"), _modify_action),
}


def read_declaration(text: str) -> tuple[str, str]:
    """Name and canonical text of a declaration such as `(at ?r - robot ?p - place)`.

    A missing outer pair of parentheses is forgiven. Raises NotOneForm.
    """
    form = _one_form(text if text.lstrip().startswith(("(", ";")) else f"({text})")
    if not form.head or form.head.startswith(("?", ":", "-")):
        raise NotOneForm(f"{_shown(text)} declares no predicate: write it as (name ?variable - type ...)")
    if any(isinstance(item, Group) and item.head != "either" for item in form.items):
        raise NotOneForm(f"{_shown(text)} holds more than one declaration: write one declaration a string")
    return form.head, str(form)


def read_forms(text: str) -> tuple[str, ...]:
    """Canonical text of one condition or effect, in a tuple; an empty one for blank text, `()` and `(and)`.

    Raises NotOneForm.
    """
    if not text.strip():
        return ()
    form = _one_form(text)
    if not form.items or str(form) == "(and)":
        return ()
    fault = ""
    if not form.head:
        fault = "does not start with a predicate or a connective after its parenthesis"
    elif form.head.startswith((":", "?")):
        fault = f"starts with {form.head}, which is neither a predicate nor a connective"
    if fault:
        raise NotOneForm(f"{_shown(text)} {fault}")
    return (str(form),)


def _one_form(text: str) -> Group:
    """The one group that `text` consists of."""
    try:
        nodes = read_sexprs(Source(text, "edit"))
    except PDDLError as fault:
        raise NotOneForm(f"{_shown(text)} is not one PDDL form: {fault.issues[0].message}") from fault
    match nodes:
        case [Group() as form]:
            return form
        case [Word(), *_]:
            raise NotOneForm(f"{_shown(text)} has to be one PDDL form in parentheses")
    raise NotOneForm(f"{_shown(text)} holds {len(nodes)} PDDL forms: write one a string")


def _shown(text: str) -> str:
    """The text in quotes, cut to a readable length."""
    return repr(text if len(text) <= 200 else f"{text[:200]}...")
