"""A domain's text to its vocabulary and the trees of its actions, with every fault found on the way.

Verdicts where readers of PDDL differ: an action named twice, a type hierarchy with a cycle, prose or code
fences around the form and a second `define` are errors; a flag that `:requirements` lacks, a parent type
that is only named as a parent (it is taken as declared), a type named twice of which one parent lies within
the other, a constant declared twice alike, a flag for numbers where only `total-cost` is used, an action
without effect and a type and a predicate of the same name are warnings; sections may stand in any order;
`(p?x)` reads as `(p ?x)`; an action may share its name with an object, type or predicate. An argument's type
must lie within the declared type.

A type may be named more than once, as in the storage domain of IPC-5 (`area - object`, later `area -
surface`): all parents must hold, so the narrowest one is the type's parent, in whatever order they stand;
the section gets a warning. Two parents of which neither lies within the other are an error, as the hierarchy
gives a type one parent. A type that is only named as a parent is taken as a type of its own, with a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from envs.pddl.diagnosis.define import DefineChecker
from envs.pddl.diagnosis.findings import Findings, TooManyIssues, shorten
from envs.pddl.diagnosis.terms import Scope, TermChecker, Typed
from envs.pddl.language.issues import Code, Issue
from envs.pddl.language.sexpr import Group, Node, Source, Word
from envs.pddl.language.vocabulary import OBJECT, TOTAL_COST, Parameters, Types, Vocabulary, members_of

MAX_TYPES = 500

#: The parents that a text gives each type, in the order of the text.
_Stated = Mapping[str, Sequence[Typed]]


def read_types(checker: TermChecker, section: Group) -> Types:
    """The hierarchy that a `(:types ...)` section declares; types on a cycle hang below `object`.

    Raises TooManyIssues if there are more than `MAX_TYPES`.
    """
    entries = checker.typed_list(section.items[1:], "type")
    stated: dict[str, list[Typed]] = {}
    for entry in entries:
        if entry.name != OBJECT:
            stated.setdefault(entry.name, []).append(entry)
        elif entry.type != OBJECT:
            message = f"object is the root of all types, but has the parent {entry.type}"
            checker.error(entry.node, message, "leave out the parent of object", Code.CYCLIC_TYPES)
    if len(stated) > MAX_TYPES:
        message = f"{len(stated)} types are declared; at most {MAX_TYPES} are read"
        checker.error(section, message, "declare fewer types", Code.TOO_LARGE)
        raise TooManyIssues  # without types, every use of one would be called a fault
    types = Types({name: found[0].type for name, found in stated.items()})
    _take_parents_as_declared(checker, entries, types)
    for name in _ancestors_first(stated):
        _take_narrowest(checker, stated[name], types)
    _report_cycles(checker, entries, types)
    return types


def _take_parents_as_declared(findings: Findings, entries: Iterable[Typed], types: Types) -> None:
    for entry in entries:
        for above in members_of(entry.type):
            if above != OBJECT and above not in types.parents:
                types.parents[above] = OBJECT
                message = f"type {shorten(above)} is only named as a parent; it is taken as a type of its own"
                fix = f"add `{above} - object` to (:types ...)"
                findings.warning(entry.type_node or entry.node, message, fix, Code.UNDECLARED_TYPE, above)


def _ancestors_first(stated: _Stated) -> list[str]:
    """The types that are named more than once, each after all types above it.

    In the order of the text if the parents form a cycle, which is an error anyway.
    """
    graph = {
        name: [above for entry in found for above in members_of(entry.type)] for name, found in stated.items()
    }
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError:
        order = list(stated)
    return [name for name in order if len(stated.get(name, ())) > 1]


def _take_narrowest(findings: Findings, found: Sequence[Typed], types: Types) -> None:
    """Give a type that is named more than once the parent that lies within all of its parents."""
    name, parents = found[0].name, [entry.type for entry in found]
    narrowest = next((p for p in parents if all(types.is_subtype(p, other) for other in parents)), None)
    message, key = f"type {shorten(name)} is declared twice", ("type", name)
    if narrowest is None:
        message += ", with parents of which neither lies within the other"
        findings.error(found[1].node, message, "keep one declaration", Code.DUPLICATE, key)
    else:
        types.place_below(name, narrowest)
        message += f"; it is read as {shorten(name)} - {shorten(narrowest)}"
        findings.warning(found[1].node, message, f"keep `{name} - {narrowest}` alone", Code.DUPLICATE, key)


def _report_cycles(findings: Findings, entries: Iterable[Typed], types: Types) -> None:
    cyclic = types.on_cycles()
    for entry in entries:
        if entry.name in cyclic:
            message = f"type {entry.name} is its own ancestor: {shorten(', '.join(cyclic))} form a cycle"
            fix = "give every type a parent nearer to object"
            findings.error(entry.node, message, fix, Code.CYCLIC_TYPES, "cycle")
    for name in cyclic:
        types.place_below(name, OBJECT)


_FIELDS = (":parameters", ":precondition", ":effect")


@dataclass(frozen=True)
class ActionBody:
    """The trees of an action; None if it has no such field."""

    precondition: Node | None
    effect: Node | None


@dataclass
class CheckedDomain:
    """What a domain text declares, and what is wrong with it. Usable if no issue is an error."""

    vocabulary: Vocabulary | None  #: None if the text holds no domain, or too many errors to go on
    bodies: dict[str, ActionBody] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()


def check_domain(text: str, name: str = "domain") -> CheckedDomain:
    """Check a domain's text, called `name` in the issues; never raises."""
    checker = _DomainChecker(Source(text, name), Vocabulary())
    read = checker.run()
    return CheckedDomain(checker.vocabulary if read else None, checker.bodies, tuple(checker.issues))


class _DomainChecker(DefineChecker):
    """Fills the vocabulary section by section."""

    kind, other = "domain", "problem"
    known = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")
    foreign = (
        *(":durative-action", ":derived", ":axiom", ":constraints", ":process", ":event"),
        *(":modules", ":method", ":task"),
    )

    def __init__(self, source: Source, vocabulary: Vocabulary):
        super().__init__(source, vocabulary)
        self.bodies: dict[str, ActionBody] = {}

    def check(self) -> None:
        vocabulary, form = self.vocabulary, self.form
        vocabulary.name = form.name
        vocabulary.requirements = self.requirements(form.nodes(":requirements"), form.actions)
        self.allow(vocabulary.requirements)
        if ":types" in form.sections:
            self.use(":typing", form.sections[":types"])
            vocabulary.types = read_types(self, form.sections[":types"])
        vocabulary.constants = self.objects(form.nodes(":constants"), "constant", {})
        self._predicates()
        self._functions()
        for found in [self._action_head(node) for node in form.actions]:
            if found is not None:
                self._action_body(*found)

    def _predicates(self) -> None:
        for node in self.form.nodes(":predicates"):
            if isinstance(node, Group):
                self._declare(node, "predicate", self.vocabulary.predicates)
            else:
                message = f"`{shorten(node)}` is not a predicate declaration"
                self.error(node, message, f"write ({shorten(node)} ?x - type)")

    def _functions(self) -> None:
        nodes = self.form.nodes(":functions")
        for place, node in enumerate(nodes):
            after_dash = place > 0 and str(nodes[place - 1]) == "-"
            if isinstance(node, Group) and not after_dash:
                self._declare(node, "function", self.vocabulary.functions)
            elif after_dash and str(node) != "number":
                message = f"a function of type {shorten(node)} is not supported"
                self.error(node, message, "write - number, or use a predicate", Code.UNSUPPORTED_FEATURE)
            elif not after_dash and str(node) != "-":
                terms = "" if str(node) == TOTAL_COST else " ?x - type"
                message = f"`{shorten(node)}` is not a function declaration"
                self.error(node, message, f"write ({shorten(node)}{terms}) - number")
        if self.vocabulary.functions.get(TOTAL_COST):
            section = self.form.sections[":functions"]
            self.error(section, "total-cost takes no arguments", "write (total-cost) - number", Code.ARITY)

    def _declare(self, node: Group, what: str, known: dict[str, Parameters]) -> None:
        name = self.name(node.items[0] if node.items else None, node, what)
        parameters = self.parameters(node.items[1:])
        if name is None:
            return
        if name in known:
            fix = "keep one declaration, or choose another name"
            self.error(node, f"{what} {name} is declared twice", fix, Code.DUPLICATE)
            return
        known[name] = parameters
        other = "type" if name in self.vocabulary.types.parents else ""
        if what == "function" and name in self.vocabulary.predicates:
            other = "predicate"
        if other:
            message = f"{what} {name} has the name of a {other}"
            self.warning(node, message, "rename it, since some planners refuse this", Code.NAME_CLASH)

    def _action_head(self, node: Group) -> tuple[str, Group, dict[str, Node]] | None:
        """Name, tree and fields of an action; its parameters go to the vocabulary."""
        name = self.name(node.items[1] if len(node.items) > 1 else None, node, "action")
        parts = self._fields(node, 2 if name is not None else 1)
        listed = parts.get(":parameters")
        if listed is not None and not isinstance(listed, Group):
            fix = "write :parameters (?x - type ...)"
            self.error(listed, "the parameters must be a list in parentheses", fix)
        parameters = self.parameters(listed.items) if isinstance(listed, Group) else ()
        if name is None:
            return None
        if name in self.vocabulary.actions:
            fix = "keep one of them, or give each its own name"
            self.error(node, f"action {name} is declared twice", fix, Code.DUPLICATE)
            return None
        self.vocabulary.actions[name] = parameters
        return name, node, parts

    def _fields(self, node: Group, start: int) -> dict[str, Node]:
        parts: dict[str, Node] = {}
        place = start
        while place < len(node.items):
            key = node.items[place]
            place += 1
            if not isinstance(key, Word) or key.text not in _FIELDS:
                message = f"`{shorten(key)}` stands where a field of the action is expected"
                fix = f"use {' '.join(_FIELDS)}, each followed by one form; join several forms with (and ...)"
                self.error(key, message, fix)
                continue
            value = node.items[place] if place < len(node.items) else None
            if value is None or (isinstance(value, Word) and value.text in _FIELDS):
                self.error(key, f"{key} has no value", f"write {key} (...)")
                continue
            place += 1
            if key.text in parts:
                self.error(key, f"{key} is given twice", "keep one", Code.DUPLICATE)
            parts.setdefault(key.text, value)
        return parts

    def _action_body(self, name: str, node: Group, parts: dict[str, Node]) -> None:
        vocabulary = self.vocabulary
        scope = Scope(dict(vocabulary.actions[name]), vocabulary.constants, name)
        precondition, effect = parts.get(":precondition"), parts.get(":effect")
        if precondition is not None:
            self.condition(precondition, scope)
        if effect is None or not self.effect(effect, scope):
            fix = "write in :effect which atoms become true and, in (not ...), which become false"
            self.warning(effect or node, f"action {name} changes nothing", fix, Code.EMPTY_EFFECT)
        self.bodies[name] = ActionBody(precondition, effect)
