"""A problem's text, checked against its domain's vocabulary, to objects, ground facts and a goal tree.

Verdicts where readers of PDDL differ: another `:domain` than the domain's name, a fact whose arguments have
the wrong type, `(and ...)` in `:init` and an atom that `:init` gives as true and as false are errors; `(not
(p a))` in `:init` says what is so anyway (an atom that `:init` does not name is false) and is a warning, as
are an object declared twice alike and an action that no object can be a parameter of; an object may share its
name with an action; a fact may be written twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from envs.pddl.diagnosis.atoms import Scope, check_arguments
from envs.pddl.diagnosis.define import Define, read_define
from envs.pddl.diagnosis.findings import Findings, TooManyIssues, did_you_mean, shorten
from envs.pddl.diagnosis.formulas import NUMBER, FormulaChecker
from envs.pddl.diagnosis.requirements import Needs, check_requirements
from envs.pddl.diagnosis.terms import check_declared_once, check_name, check_types_declared, typed_list
from envs.pddl.language.issues import Code, Issue, PDDLError
from envs.pddl.language.sexpr import Group, Node, Source, Word
from envs.pddl.language.vocabulary import RESERVED, TOTAL_COST, Vocabulary, is_name, show_typed

_SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric")
_FOREIGN = (":constraints", ":length", ":situation", ":htn", ":observe")
#: More pairs of types than this occur in texts made to cost time; they get no such warning.
_MAX_PAIRS = 1_000_000
_METRIC = f":metric minimize ({TOTAL_COST})"


@dataclass
class CheckedProblem:
    """What a problem text says, and what is wrong with it. Usable if no issue is an error."""

    name: str = ""
    requirements: tuple[str, ...] = ()
    objects: dict[str, str] = field(default_factory=dict)  #: the domain's constants first
    init: set[tuple[str, ...]] = field(default_factory=set)
    costs: dict[tuple[str, ...], float] = field(default_factory=dict)
    goal: Node | None = None
    minimizes_cost: bool = False
    issues: tuple[Issue, ...] = ()


def check_problem(text: str, vocabulary: Vocabulary, name: str = "problem") -> CheckedProblem:
    """Check a problem's text, called `name` in the issues, against a domain's vocabulary; never raises."""
    findings = Findings(Source(text, name))
    checked = CheckedProblem()
    try:
        define = read_define(findings, "problem", _SECTIONS, _FOREIGN)
        if define is not None:
            checked.name = define.name
            _Checker(findings, define, vocabulary, checked).run()
    except PDDLError as error:
        findings.issues.extend(error.issues)
    except TooManyIssues:
        pass
    checked.issues = tuple(findings.issues)
    return checked


class _Checker:
    """One pass over a define form, filling `checked` section by section."""

    def __init__(self, findings: Findings, define: Define, vocabulary: Vocabulary, checked: CheckedProblem):
        self._findings = findings
        self._define = define
        self._vocabulary = vocabulary
        self._checked = checked
        checked.requirements = check_requirements(
            findings, define.nodes(":requirements"), define.nodes(":goal")
        )
        self._needs = Needs(findings, (*vocabulary.requirements, *checked.requirements))
        self._formulas = FormulaChecker(findings, vocabulary, self._needs)

    def run(self) -> None:
        self._domain_name()
        self._objects()
        self._scope = Scope(self._vocabulary.types, {}, self._checked.objects)
        self._init()
        self._goal()
        self._metric()
        self._groundings()

    def _require(self, section: str, example: str) -> Group | None:
        found = self._define.sections.get(section)
        if found is None:
            message = f"the problem has no ({section} ...)"
            self._findings.error(Code.SYNTAX, self._define.form, message, f"add {example}")
        return found

    def _domain_name(self) -> None:
        section = self._require(":domain", f"(:domain {self._vocabulary.name})")
        if section is None:
            return
        if len(section.items) > 2:
            message = f"{shorten(section)} has {len(section.items) - 1} words, but names one domain"
            fix = f"write (:domain {self._vocabulary.name or shorten(section.items[1])})"
            self._findings.error(Code.SYNTAX, section, message, fix)
            return
        node = section.items[1] if len(section.items) == 2 else None
        name = check_name(self._findings, node, section, "domain")
        if name is not None and node is not None and self._vocabulary.name and name != self._vocabulary.name:
            message = f"the problem is for domain {name}, but the domain's name is {self._vocabulary.name}"
            self._findings.error(
                Code.DOMAIN_NAME_MISMATCH, node, message, f"write (:domain {self._vocabulary.name})"
            )

    def _objects(self) -> None:
        self._checked.objects.update(self._vocabulary.constants)
        entries = typed_list(self._findings, self._define.nodes(":objects"), "object", variables=False)
        check_declared_once(self._findings, entries, "object", self._vocabulary.constants)
        check_types_declared(self._findings, entries, self._vocabulary.types)
        for entry in entries:
            self._checked.objects.setdefault(entry.name, entry.type)

    def _init(self) -> None:
        section = self._require(":init", "(:init ...) with the facts that hold at the start")
        predicates = self._vocabulary.predicates
        false: list[tuple[Node, tuple[str, ...]]] = []
        for node in section.items[1:] if section is not None else ():
            if isinstance(node, Group) and node.head in predicates and not _is_timed(node):
                self._checked.init.add(self._fact(node))
            elif isinstance(node, Group) and node.head == "=":
                self._value(node)
            elif (negated := _negated(node)) is not None and negated.head in predicates:
                false.append((node, self._fact(negated)))
            else:
                self._bad_fact(node)
        for node, atom in false:
            self._listed_as_false(node, atom)

    def _fact(self, node: Group) -> tuple[str, ...]:
        arguments = check_arguments(self._findings, node, self._vocabulary.predicates[node.head], self._scope)
        return (node.head, *arguments)

    def _listed_as_false(self, node: Node, atom: tuple[str, ...]) -> None:
        if atom in self._checked.init:
            message = f"{shorten(node)} stands in :init beside the fact that it denies"
            self._findings.error(Code.DUPLICATE, node, message, "keep one of the two")
        else:
            message = f"{shorten(node)} stands in :init, where everything that is not listed is false"
            self._findings.warning(Code.SYNTAX, node, message, "leave it out", key="not in init")

    def _value(self, node: Group) -> None:
        """Record `(= (f a b) 3)`."""
        target, amount = node.items[1:] if len(node.items) == 3 else (None, None)
        if not isinstance(target, Group) or not isinstance(amount, Word) or not NUMBER.fullmatch(amount.text):
            message = f"{shorten(node)} is no fact: = in :init gives a function a number that is not negative"
            self._findings.error(
                Code.SYNTAX, node, message, "write (= (function object ...) number), or a predicate"
            )
            return
        term = self._formulas.function(target, self._scope)
        if term in self._checked.costs:
            message = f"{shorten(target)} is given two values"
            self._findings.error(Code.DUPLICATE, node, message, "keep one of them")
        if term is not None:
            self._checked.costs[term] = float(amount.text)

    def _bad_fact(self, node: Node) -> None:
        error = self._findings.error
        head = node.head if isinstance(node, Group) else ""
        if head == "and":
            message = "(and ...) stands in :init, which lists its facts one after the other"
            error(Code.SYNTAX, node, message, "remove the `(and` and its `)` and keep the facts")
        elif (negated := _negated(node)) is not None and negated.head not in RESERVED:
            self._bad_fact(negated)
        elif head == "not":
            message = f"{shorten(node)} stands in :init, where everything that is not listed is false"
            error(Code.SYNTAX, node, message, "leave it out", key="not in init")
        elif head in ("or", "imply", "forall", "exists", "when"):
            error(
                Code.SYNTAX,
                node,
                f"({head} ...) stands in :init",
                "list each fact that holds, with object names",
            )
        elif isinstance(node, Group) and _is_timed(node):
            error(
                Code.UNSUPPORTED_FEATURE, node, "facts that come true later are not supported", "leave it out"
            )
        elif isinstance(node, Group) and head:
            hint = did_you_mean(head, self._vocabulary.predicates)
            known = ", ".join(
                f"({p} {show_typed(q)})" for p, q in list(self._vocabulary.predicates.items())[:8]
            )
            error(
                Code.UNDECLARED_PREDICATE,
                node.items[0],
                f"predicate {shorten(head)} is not declared in the domain{hint}",
                f"use a declared predicate: {known}"
                if known
                else ("declare it in the domain's (:predicates ...)" if is_name(head) else "leave it out"),
                key=head,
            )
        else:
            message = f"`{shorten(node)}` stands where a fact is expected"
            error(Code.SYNTAX, node, message, "write (predicate object ...)")

    def _goal(self) -> None:
        section = self._require(":goal", "(:goal (and ...))")
        if section is None:
            return
        if len(section.items) != 2:
            message = f":goal takes one condition, but {len(section.items) - 1} are given"
            self._findings.error(Code.SYNTAX, section, message, "write (:goal (and ...))")
            return
        self._checked.goal = section.items[1]
        self._formulas.condition(section.items[1], self._scope)

    def _metric(self) -> None:
        section = self._define.sections.get(":metric")
        if section is None:
            return
        if str(section) != f"({_METRIC})":
            message = f"{shorten(section)} is not supported"
            self._findings.error(
                Code.UNSUPPORTED_FEATURE, section, message, f"write ({_METRIC}), or leave it out"
            )
        elif TOTAL_COST not in self._vocabulary.functions:
            fix = "leave out the :metric, or add (:functions (total-cost) - number) to the domain"
            message = "the domain declares no total-cost"
            self._findings.error(Code.UNDECLARED_FUNCTION, section, message, fix)
        else:
            self._needs.use(":action-costs", section)
            self._checked.minimizes_cost = True

    def _groundings(self) -> None:
        """Warn of every action that has a parameter which no object fits."""
        present = list(dict.fromkeys(self._checked.objects.values()))
        types = self._vocabulary.types
        fits = {kind: False for parameters in self._vocabulary.actions.values() for _, kind in parameters}
        if len(present) * len(fits) > _MAX_PAIRS:
            return
        for kind in fits:
            fits[kind] = not types.declares(kind) or any(types.is_subtype(t, kind) for t in present)
        for action, parameters in self._vocabulary.actions.items():
            empty = next((p for p in parameters if not fits[p[1]]), None)
            if empty is not None:
                variable, kind = empty
                self._findings.warning(
                    Code.ZERO_GROUNDINGS,
                    self._define.sections.get(":objects", self._define.form),
                    f"action {action} can never run: no object has the type {kind} of its {variable}",
                    f"add an object of type {kind}, or correct the types of the objects or of {action}",
                    key=action,
                )


def _negated(node: Node) -> Group | None:
    """The one form under a `not`."""
    inner = node.items[1] if isinstance(node, Group) and node.head == "not" and len(node.items) == 2 else None
    return inner if isinstance(inner, Group) else None


def _is_timed(node: Group) -> bool:
    """Whether a fact is `(at 5 (fact))`, which holds from a time on."""
    return node.head == "at" and len(node.items) == 3 and isinstance(node.items[2], Group)
