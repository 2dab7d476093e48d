"""A problem's text, checked against its domain's vocabulary, to objects, ground facts and a goal tree.

Verdicts where readers of PDDL differ: another `:domain` than the domain's name, a fact whose arguments have
the wrong type, `(and ...)` in `:init` and an atom that `:init` gives as true and as false are errors; `(not
(p a))` in `:init` says what is so anyway (an atom that `:init` does not name is false) and is a warning, as
are an object declared twice alike and an action that no object can be a parameter of; an object may share its
name with an action; a fact may be written twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

from envs.pddl.diagnosis.define import DefineChecker
from envs.pddl.diagnosis.findings import did_you_mean, shorten
from envs.pddl.diagnosis.formulas import NUMBER
from envs.pddl.diagnosis.terms import Scope
from envs.pddl.language.issues import Code, Issue
from envs.pddl.language.sexpr import Group, Node, Source, Word
from envs.pddl.language.vocabulary import RESERVED, TOTAL_COST, Vocabulary, is_name, show_typed

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
    checker = _ProblemChecker(Source(text, name), vocabulary)
    checker.run()
    checker.checked.issues = tuple(checker.issues)
    return checker.checked


class _ProblemChecker(DefineChecker):
    """Fills `checked` section by section."""

    kind, other = "problem", "domain"
    known = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric")
    foreign = (":constraints", ":length", ":situation", ":htn", ":observe")

    def __init__(self, source: Source, vocabulary: Vocabulary):
        super().__init__(source, vocabulary)
        self.checked = CheckedProblem()
        self._scope = Scope({}, self.checked.objects)

    def check(self) -> None:
        form, checked = self.form, self.checked
        checked.name = form.name
        checked.requirements = self.requirements(form.nodes(":requirements"), form.nodes(":goal"))
        self.allow((*self.vocabulary.requirements, *checked.requirements))
        self._domain_name()
        checked.objects.update(self.vocabulary.constants)
        checked.objects.update(self.objects(form.nodes(":objects"), "object", self.vocabulary.constants))
        self._init()
        self._goal()
        self._metric()
        self._groundings()

    def _required(self, section: str, example: str) -> Group | None:
        found = self.form.sections.get(section)
        if found is None:
            self.error(self.form.form, f"the problem has no ({section} ...)", f"add {example}")
        return found

    def _domain_name(self) -> None:
        wanted = self.vocabulary.name
        section = self._required(":domain", f"(:domain {wanted})")
        name = self.only_name(section, "domain", wanted) if section is not None else None
        if section is not None and name is not None and wanted and name != wanted:
            message = f"the problem is for domain {name}, but the domain's name is {wanted}"
            # planners do not look at it, and collections have such pairs
            self.warning(section.items[1], message, f"write (:domain {wanted})", Code.DOMAIN_NAME_MISMATCH)

    def _init(self) -> None:
        section = self._required(":init", "(:init ...) with the facts that hold at the start")
        predicates = self.vocabulary.predicates
        false: list[tuple[Node, tuple[str, ...]]] = []
        for node in section.items[1:] if section is not None else ():
            if isinstance(node, Group) and node.head in predicates and not _is_timed(node):
                self.checked.init.add(self._fact(node))
            elif isinstance(node, Group) and node.head == "=":
                self._value(node)
            elif (negated := _negated(node)) is not None and negated.head in predicates:
                false.append((node, self._fact(negated)))
            else:
                self._bad_fact(node)
        for node, atom in false:
            if atom in self.checked.init:
                message = f"{shorten(node)} stands in :init beside the fact that it denies"
                self.error(node, message, "keep one of the two", Code.DUPLICATE)
            else:
                self.warning(node, _listed_as_false(node), "leave it out", Code.SYNTAX, "not in init")

    def _fact(self, node: Group) -> tuple[str, ...]:
        return (node.head, *self.arguments(node, self.vocabulary.predicates[node.head], self._scope))

    def _value(self, node: Group) -> None:
        """Record `(= (f a b) 3)`."""
        target, amount = node.items[1:] if len(node.items) == 3 else (None, None)
        if not isinstance(target, Group) or not isinstance(amount, Word) or not NUMBER.fullmatch(amount.text):
            message = f"{shorten(node)} is no fact: = in :init gives a function a number that is not negative"
            self.error(node, message, "write (= (function object ...) number), or a predicate")
            return
        term = self.function(target, self._scope)
        if term in self.checked.costs:
            message = f"{shorten(target)} is given two values"
            self.error(node, message, "keep one of them", Code.DUPLICATE)
        if term is not None:
            self.checked.costs[term] = float(amount.text)

    def _bad_fact(self, node: Node) -> None:
        head = node.head if isinstance(node, Group) else ""
        negated = _negated(node)
        if head == "and":
            message = "(and ...) stands in :init, which lists its facts one after the other"
            self.error(node, message, "remove the `(and` and its `)` and keep the facts")
        elif negated is not None and negated.head not in RESERVED:
            self._bad_fact(negated)
        elif head == "not":
            self.error(node, _listed_as_false(node), "leave it out", key="not in init")
        elif head in ("or", "imply", "forall", "exists", "when"):
            fix = "list each fact that holds, with object names"
            self.error(node, f"({head} ...) stands in :init", fix)
        elif isinstance(node, Group) and _is_timed(node):
            message = "facts that come true later are not supported"
            self.error(node, message, "leave it out", Code.UNSUPPORTED_FEATURE)
        elif isinstance(node, Group) and head:
            self._undeclared(node)
        else:
            message = f"`{shorten(node)}` stands where a fact is expected"
            self.error(node, message, "write (predicate object ...)")

    def _undeclared(self, node: Group) -> None:
        """A fact whose predicate the domain does not declare."""
        declared, head = self.vocabulary.predicates, node.head
        known = ", ".join(f"({p} {show_typed(q)})" for p, q in islice(declared.items(), 8))
        fix = "declare it in the domain's (:predicates ...)" if is_name(head) else "leave it out"
        if known:
            fix = f"use a declared predicate: {known}"
        message = f"predicate {shorten(head)} is not declared in the domain{did_you_mean(head, declared)}"
        self.error(node.items[0], message, fix, Code.UNDECLARED_PREDICATE, head)

    def _goal(self) -> None:
        section = self._required(":goal", "(:goal (and ...))")
        if section is not None and len(section.items) != 2:
            message = f":goal takes one condition, but {len(section.items) - 1} are given"
            self.error(section, message, "write (:goal (and ...))")
        elif section is not None:
            self.checked.goal = section.items[1]
            self.condition(section.items[1], self._scope)

    def _metric(self) -> None:
        section = self.form.sections.get(":metric")
        if section is None:
            return
        if str(section) != f"({_METRIC})":
            fix = f"write ({_METRIC}), or leave it out"
            self.error(section, f"{shorten(section)} is not supported", fix, Code.UNSUPPORTED_FEATURE)
        elif TOTAL_COST not in self.vocabulary.functions:
            fix = "leave out the :metric, or add (:functions (total-cost) - number) to the domain"
            self.error(section, "the domain declares no total-cost", fix, Code.UNDECLARED_FUNCTION)
        else:
            self.use(":action-costs", section)
            self.checked.minimizes_cost = True

    def _groundings(self) -> None:
        """Warn of every action that has a parameter which no object fits."""
        present = list(dict.fromkeys(self.checked.objects.values()))
        types, actions = self.vocabulary.types, self.vocabulary.actions
        wanted = dict.fromkeys(kind for parameters in actions.values() for _, kind in parameters)
        if len(present) * len(wanted) > _MAX_PAIRS:
            return
        fits = {k: not types.declares(k) or any(types.is_subtype(t, k) for t in present) for k in wanted}
        for action, parameters in actions.items():
            for variable, kind in [p for p in parameters if not fits[p[1]]][:1]:
                place = self.form.sections.get(":objects", self.form.form)
                message = f"action {action} can never run: no object has the type {kind} of its {variable}"
                fix = f"add an object of type {kind}, or correct the types of the objects or of {action}"
                self.warning(place, message, fix, Code.ZERO_GROUNDINGS, action)


def _listed_as_false(node: Node) -> str:
    return f"{shorten(node)} stands in :init, where everything that is not listed is false"


def _negated(node: Node) -> Group | None:
    """The one form under a `not`."""
    inner = node.items[1] if isinstance(node, Group) and node.head == "not" and len(node.items) == 2 else None
    return inner if isinstance(inner, Group) else None


def _is_timed(node: Group) -> bool:
    """Whether a fact is `(at 5 (fact))`, which holds from a time on."""
    return node.head == "at" and len(node.items) == 3 and isinstance(node.items[2], Group)
