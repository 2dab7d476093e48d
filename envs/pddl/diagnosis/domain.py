"""A domain's text to its vocabulary and the trees of its actions, with every fault found on the way.

Verdicts where readers of PDDL differ: an action named twice, a type hierarchy with a cycle, prose or code
fences around the form and a second `define` are errors; a flag that `:requirements` lacks, a parent type
that is only named as a parent (it is taken as declared), a type named twice of which one parent lies within
the other, a constant declared twice alike, a flag for numbers where only `total-cost` is used, an action
without effect and a type and a predicate of the same name are warnings; sections may stand in any order;
`(p?x)` reads as `(p ?x)`; an action may share its name with an object, type or predicate. An argument's type
must lie within the declared type.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from envs.pddl.diagnosis.atoms import Scope
from envs.pddl.diagnosis.define import Define, read_define
from envs.pddl.diagnosis.findings import Findings, TooManyIssues, shorten
from envs.pddl.diagnosis.formulas import FormulaChecker
from envs.pddl.diagnosis.requirements import Needs, check_requirements
from envs.pddl.diagnosis.terms import check_declared_once, check_name, check_types_declared, typed_list
from envs.pddl.diagnosis.types import read_types
from envs.pddl.language.issues import Code, Issue, PDDLError
from envs.pddl.language.sexpr import Group, Node, Source, Word
from envs.pddl.language.vocabulary import TOTAL_COST, Parameters, Vocabulary

_SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")
_FOREIGN = (
    ":durative-action",
    ":derived",
    ":axiom",
    ":constraints",
    ":process",
    ":event",
    ":modules",
    ":method",
    ":task",
)
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
    findings = Findings(Source(text, name))
    checked = CheckedDomain(None)
    try:
        define = read_define(findings, "domain", _SECTIONS, _FOREIGN)
        if define is not None:
            checked.vocabulary = Vocabulary(name=define.name)
            _Checker(findings, define, checked.vocabulary).run(checked.bodies)
    except PDDLError as error:
        findings.issues.extend(error.issues)
    except TooManyIssues:
        checked.vocabulary = None
    checked.issues = tuple(findings.issues)
    return checked


class _Checker:
    """One pass over a define form, filling the vocabulary section by section."""

    def __init__(self, findings: Findings, define: Define, vocabulary: Vocabulary):
        self._findings = findings
        self._define = define
        self._vocabulary = vocabulary
        vocabulary.requirements = check_requirements(findings, define.nodes(":requirements"), define.actions)
        self._needs = Needs(findings, vocabulary.requirements)
        self._formulas = FormulaChecker(findings, vocabulary, self._needs)

    def run(self, bodies: dict[str, ActionBody]) -> None:
        self._types()
        self._constants()
        self._predicates()
        self._functions()
        fields = [self._action_head(node) for node in self._define.actions]
        for found in fields:
            if found is not None:
                name, node, parts = found
                bodies[name] = self._action_body(name, node, parts)

    def _types(self) -> None:
        section = self._define.sections.get(":types")
        if section is not None:
            self._needs.use(":typing", section)
            self._vocabulary.types = read_types(self._findings, section)

    def _constants(self) -> None:
        entries = typed_list(self._findings, self._define.nodes(":constants"), "constant", variables=False)
        check_declared_once(self._findings, entries, "constant", {})
        check_types_declared(self._findings, entries, self._vocabulary.types)
        for entry in entries:
            self._vocabulary.constants.setdefault(entry.name, entry.type)

    def _predicates(self) -> None:
        for node in self._define.nodes(":predicates"):
            if isinstance(node, Group):
                self._declare(node, "predicate", self._vocabulary.predicates)
            else:
                fix = f"write ({shorten(node)} ?x - type)"
                self._findings.error(
                    Code.SYNTAX, node, f"`{shorten(node)}` is not a predicate declaration", fix
                )

    def _functions(self) -> None:
        nodes = self._define.nodes(":functions")
        for place, node in enumerate(nodes):
            after_dash = place > 0 and str(nodes[place - 1]) == "-"
            if isinstance(node, Group) and not after_dash:
                self._declare(node, "function", self._vocabulary.functions)
            elif after_dash and str(node) != "number":
                message = f"a function of type {shorten(node)} is not supported"
                self._findings.error(
                    Code.UNSUPPORTED_FEATURE, node, message, "write - number, or use a predicate"
                )
            elif not after_dash and str(node) != "-":
                terms = "" if str(node) == TOTAL_COST else " ?x - type"
                fix = f"write ({shorten(node)}{terms}) - number"
                self._findings.error(
                    Code.SYNTAX, node, f"`{shorten(node)}` is not a function declaration", fix
                )
        if self._vocabulary.functions.get(TOTAL_COST):
            message = "total-cost takes no arguments"
            self._findings.error(
                Code.ARITY, self._define.sections[":functions"], message, "write (total-cost) - number"
            )

    def _declare(self, node: Group, what: str, known: dict[str, Parameters]) -> None:
        name = check_name(self._findings, node.items[0] if node.items else None, node, what)
        parameters = self._formulas.parameters(node.items[1:])
        if name is None:
            return
        if name in known:
            message = f"{what} {name} is declared twice"
            self._findings.error(
                Code.DUPLICATE, node, message, "keep one declaration, or choose another name"
            )
            return
        known[name] = parameters
        other = "type" if name in self._vocabulary.types.parents else ""
        if what == "function" and name in self._vocabulary.predicates:
            other = "predicate"
        if other:
            message = f"{what} {name} has the name of a {other}"
            self._findings.warning(
                Code.NAME_CLASH, node, message, "rename it, since some planners refuse this"
            )

    def _action_head(self, node: Group) -> tuple[str, Group, dict[str, Node]] | None:
        """Name and fields of an action; its parameters go to the vocabulary."""
        name = check_name(self._findings, node.items[1] if len(node.items) > 1 else None, node, "action")
        parts = self._fields(node, 2 if name is not None else 1)
        listed = parts.get(":parameters")
        if listed is not None and not isinstance(listed, Group):
            fix = "write :parameters (?x - type ...)"
            self._findings.error(Code.SYNTAX, listed, "the parameters must be a list in parentheses", fix)
        parameters = self._formulas.parameters(listed.items) if isinstance(listed, Group) else ()
        if name is None:
            return None
        if name in self._vocabulary.actions:
            message = f"action {name} is declared twice"
            self._findings.error(Code.DUPLICATE, node, message, "keep one of them, or give each its own name")
            return None
        self._vocabulary.actions[name] = parameters
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
                self._findings.error(Code.SYNTAX, key, message, fix)
                continue
            value = node.items[place] if place < len(node.items) else None
            if value is None or (isinstance(value, Word) and value.text in _FIELDS):
                self._findings.error(Code.SYNTAX, key, f"{key} has no value", f"write {key} (...)")
                continue
            place += 1
            if key.text in parts:
                self._findings.error(Code.DUPLICATE, key, f"{key} is given twice", "keep one")
            parts.setdefault(key.text, value)
        return parts

    def _action_body(self, name: str, node: Group, parts: dict[str, Node]) -> ActionBody:
        vocabulary = self._vocabulary
        scope = Scope(vocabulary.types, dict(vocabulary.actions[name]), vocabulary.constants, name)
        precondition, effect = parts.get(":precondition"), parts.get(":effect")
        if precondition is not None:
            self._formulas.condition(precondition, scope)
        changes = self._formulas.effect(effect, scope) if effect is not None else False
        if not changes:
            message = f"action {name} changes nothing"
            fix = "write in :effect which atoms become true and, in (not ...), which become false"
            self._findings.warning(Code.EMPTY_EFFECT, effect or node, message, fix)
        return ActionBody(precondition, effect)
