"""Conditions and effects: every fault in them, found on the trees.

What passes here can be built by `formulas` without fail; the two follow the same grammar.

    condition: () | (p t ...) | (= t t) | (not c) | (and c ...) | (or c ...) | (imply c c)
               | (exists (v ...) c) | (forall (v ...) c)
    effect:    () | (p t ...) | (not (p t ...)) | (and e ...) | (when c e) | (forall (v ...) e)
               | (increase (total-cost) number-or-(f t ...)), at most once, outside `when` and `forall`

`()` stands for nothing only as the whole of a condition or effect.

Reading flattens effects: each added or deleted atom stands under all the `when` and `forall` around it, so a
text may stand for a product of its parts' sizes. The product is counted (`written_size`) before anything is
built.
"""

from __future__ import annotations

import re

from envs.pddl.diagnosis.findings import did_you_mean, shorten
from envs.pddl.diagnosis.requirements import COMPUTING, FlagChecker
from envs.pddl.diagnosis.terms import Scope, TermChecker
from envs.pddl.language.issues import Code
from envs.pddl.language.sexpr import MAX_CHARACTERS, Group, Node, Word, nodes_in
from envs.pddl.language.vocabulary import OBJECT, RESERVED, TOTAL_COST, Parameters, is_name, show_typed

#: A cost. Longer ones could not be kept exactly.
NUMBER = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")

#: Variables that may be bound at one place, an action's parameters among them.
MAX_VARIABLES = 1000

_COST_DECLARATION = f"(:functions ({TOTAL_COST}) - number)"

#: What words of other languages are in PDDL.
_FOREIGN_WORDS = {
    **dict.fromkeys(("!=", "/=", "<>", "neq"), "(not (= {a} {b}))"),
    "==": "(= {a} {b})",
    **dict.fromkeys(("iff", "<->", "<=>"), "(and (imply {a} {b}) (imply {b} {a}))"),
    **dict.fromkeys(("implies", "=>", "->"), "(imply {a} {b})"),
    "xor": "(and (or {a} {b}) (not (and {a} {b})))",
    **dict.fromkeys(("&", "&&"), "(and {a} {b})"),
    **dict.fromkeys(("|", "||"), "(or {a} {b})"),
}
_FOREIGN_EFFECTS = frozenset(("decrease", "assign", "scale-up", "scale-down", "probabilistic", "oneof"))
_LATER = frozenset(
    ("always", "sometime", "within", "at-most-once", "sometime-after", "sometime-before", "preference")
)


#: What conditions are made of besides atoms and equalities: the flag that each form needs.
_FLAGS = {
    "and": "",
    "or": ":disjunctive-preconditions",
    "not": ":negative-preconditions",
    "imply": ":disjunctive-preconditions",
    "exists": ":existential-preconditions",
    "forall": ":universal-preconditions",
}
_ALLOWED = (
    "effects are made of atoms, and, not, when and forall; "
    "conditions of atoms, =, and, or, not, imply, exists and forall"
)


class FormulaChecker(TermChecker, FlagChecker):
    """Checks conditions and effects."""

    _written = 0  #: characters of the effects so far, written flat

    def condition(self, node: Node, scope: Scope) -> None:
        """Check a whole precondition, goal or effect condition."""
        if not _is_empty(node):
            self._condition(node, scope)

    def effect(self, node: Node, scope: Scope) -> bool:
        """Check a whole effect; whether it changes any atom."""
        if _is_empty(node):
            return False
        # Refuse effects whose flat form would be too long to be read again, before they are built.
        self._written += written_size(node)[1]
        if self._written > MAX_CHARACTERS:
            message = (
                f"with its own conditions around each change, the effects up to here have {self._written:,} "
                f"characters; at most {MAX_CHARACTERS:,} are read"
            )
            fix = "write fewer changes or shorter conditions in each (when ...)"
            self.error(node, message, fix, Code.TOO_LARGE, "written")
        costs: list[Node] = []
        changes = self._effect(node, scope, costs, nested=False)
        for surplus in costs[1:]:
            fix = "write one (increase (total-cost) ...)"
            self.error(surplus, "the cost is increased twice", fix, Code.DUPLICATE)
        return changes

    def parameters(self, nodes: list[Node], around: int = 0) -> Parameters:
        """The typed variables of a parameter list or quantifier, `around` being bound outside of it."""
        entries = self.typed_list(nodes, "variable")
        bound = len(entries) + around
        if bound > MAX_VARIABLES:
            message = f"{bound} variables are bound here; at most {MAX_VARIABLES} are read"
            self.error(nodes[0], message, "use fewer variables", Code.TOO_LARGE, "variables")
            entries = entries[: max(0, MAX_VARIABLES - around)]
        self.types_declared(entries)
        names: set[str] = set()
        for entry in entries:
            if entry.name in names:
                message, key = f"variable {shorten(entry.name)} is declared twice", ("variable", entry.name)
                self.error(entry.node, message, "keep one declaration", Code.DUPLICATE, key)
            names.add(entry.name)
        typed = next((e.type_node for e in entries if e.type_node is not None), None)
        if typed is not None:
            self.use(":typing", typed)
        return tuple((e.name, e.type) for e in entries)

    def _condition(self, node: Node, scope: Scope) -> None:
        if not self._is_form(node, "condition"):
            return
        assert isinstance(node, Group)
        head = node.head
        if head == "=":
            self._equality(node, scope)
        elif head not in _FLAGS:
            self._atom(node, scope, "condition")
        elif head in ("exists", "forall"):
            self.use(_FLAGS[head], node)
            inner = self._quantifier(node, scope, "condition")
            if inner is not None:
                self._condition(node.items[2], inner)
        else:
            if head in ("and", "or") or self._has_parts(node, 1 if head == "not" else 2, "condition"):
                unequal = head == "not" and isinstance(node.items[1], Group) and node.items[1].head == "="
                flag = ":equality" if unequal else _FLAGS[head]
                if flag:
                    self.use(flag, node)
            for part in node.items[1:]:
                self._condition(part, scope)

    def _equality(self, node: Group, scope: Scope) -> None:
        self.use(":equality", node)
        if len(node.items) != 3:
            message = f"= compares two terms, but {shorten(node)} gives {len(node.items) - 1}"
            self.error(node, message, "write (= a b)", Code.ARITY)
        if any(isinstance(n, Group) and n.head in self.vocabulary.functions for n in node.items[1:]):
            self._unsupported(node, "comparing numbers")
            return
        for term in node.items[1:]:
            self.term(term, scope)

    def _atom(self, node: Group, scope: Scope, what: str) -> None:
        head = node.head
        parameters = self.vocabulary.predicates.get(head)
        if parameters is not None:
            self.arguments(node, parameters, scope)
        elif head in COMPUTING:
            self._unsupported(node, "comparing numbers")
        elif head in _LATER:
            self._unsupported(node, f"({head} ...)")
        elif head in RESERVED or (what == "effect" and head in _FOREIGN_WORDS):
            self.error(node, f"({head} ...) is not allowed in {_a(what)}", _ALLOWED)
        else:
            hint = did_you_mean(head, self.vocabulary.predicates)
            action = " (it is an action)" if head in self.vocabulary.actions else ""
            message = f"predicate {shorten(head)} is not declared{action}{hint}"
            fix = _in_words_of_pddl(node) or _declaring(node, scope)
            self.error(node.items[0], message, fix, Code.UNDECLARED_PREDICATE, head)

    def _effect(self, node: Node, scope: Scope, costs: list[Node], nested: bool) -> bool:
        if not self._is_form(node, "effect"):
            return True
        assert isinstance(node, Group)
        head = node.head
        if head == "and":
            return any([self._effect(part, scope, costs, nested) for part in node.items[1:]])
        if head == "when":
            self.use(":conditional-effects", node)
            if not self._has_parts(node, 2, "effect"):
                return True
            self.condition(node.items[1], scope)
            return self._effect(node.items[2], scope, costs, nested=True)
        if head == "forall":
            self.use(":conditional-effects", node)
            inner = self._quantifier(node, scope, "effect")
            return inner is None or self._effect(node.items[2], inner, costs, nested=True)
        if head == "increase":
            costs.append(node)
            self._cost(node, scope, nested)
            return False
        self._literal(node, scope)
        return True

    def _literal(self, node: Group, scope: Scope) -> None:
        if node.head in _FOREIGN_EFFECTS and node.head not in self.vocabulary.predicates:
            self._unsupported(node, f"({node.head} ...)")
        elif node.head != "not":
            self._atom(node, scope, "effect")
        elif self._has_parts(node, 1, "effect"):
            inner = node.items[1]
            if isinstance(inner, Group) and inner.head and inner.head not in RESERVED:
                self._atom(inner, scope, "effect")
            else:
                message = f"{shorten(node)}: not takes one atom in an effect"
                self.error(node, message, _negation_fix(inner))

    def _cost(self, node: Group, scope: Scope, nested: bool) -> None:
        self.use(":action-costs", node)
        if nested:
            self._unsupported(node, "a cost inside when or forall")
        if not self._has_parts(node, 2, "number"):
            return
        target, amount = node.items[1:]
        if str(target) != f"({TOTAL_COST})":
            self._unsupported(node, f"increasing {shorten(target)}, which is not (total-cost),")
        elif TOTAL_COST not in self.vocabulary.functions:
            message, fix = "function total-cost is not declared", f"add {_COST_DECLARATION} to the domain"
            self.error(target, message, fix, Code.UNDECLARED_FUNCTION, TOTAL_COST)
        if isinstance(amount, Group) and amount.head not in COMPUTING:
            self.function(amount, scope)
        elif isinstance(amount, Group) or not NUMBER.fullmatch(amount.text):
            fix = "write a number that is not negative, or a declared function"
            self._unsupported(amount, f"the cost {shorten(amount)}", fix)

    def function(self, node: Group, scope: Scope) -> tuple[str, ...] | None:
        """The name and arguments of a function term; None if the function is not declared."""
        parameters = self.vocabulary.functions.get(node.head)
        if parameters is not None:
            return (node.head, *self.arguments(node, parameters, scope))
        hint = did_you_mean(node.head, self.vocabulary.functions)
        message = f"function {shorten(node.head)} is not declared{hint}"
        fix = "declare it with (:functions (name ?x - type) - number) in the domain"
        self.error(node, message, fix, Code.UNDECLARED_FUNCTION, node.head)
        return None

    def _quantifier(self, node: Group, scope: Scope, what: str) -> Scope | None:
        if not self._has_parts(node, 2, what):
            return None
        variables = node.items[1]
        if isinstance(variables, Group) and variables.items:
            return scope.within(self.parameters(variables.items, len(scope.variables)))
        message, fix = f"{node.head} needs a list of variables", f"write ({node.head} (?x - type) ...)"
        self.error(variables, message, fix)
        return None

    def _is_form(self, node: Node, what: str) -> bool:
        if isinstance(node, Group) and node.head:
            return True
        text = shorten(node)
        if _is_empty(node):
            self.error(node, f"() stands inside {_a(what)}", "remove it")
        elif isinstance(node, Group):
            message = f"{text} starts with a parenthesis, not a name"
            self.error(node, message, "join several with (and ...)")
        elif node.text.startswith(":"):
            message = f"`{text}` stands inside {_a(what)}"
            self.error(node, message, "add the `)` that is missing before it")
        else:
            message = f"`{text}` stands where {_a(what)} is expected"
            self.error(node, message, f"write it in parentheses: ({text})")
        return False

    def _has_parts(self, node: Group, wanted: int, what: str) -> bool:
        given = len(node.items) - 1
        if given == wanted:
            return True
        parts = "part" if wanted == 1 else "parts"
        several = "write (not ...) around each" if node.head == "not" else "join several with (and ...)"
        fix = several if given > wanted else f"write the missing {what}"
        self.error(node, f"{node.head} takes {wanted} {parts}, but {given} are given", fix)
        return False

    def _unsupported(self, node: Node, what: str, fix: str = "model it with predicates") -> None:
        self.error(node, f"{what} is not supported", fix, Code.UNSUPPORTED_FEATURE)


def _is_empty(node: Node) -> bool:
    """Whether a node is `()`."""
    return isinstance(node, Group) and not node.items


def _declaring(node: Group, scope: Scope) -> str:
    """How to go on with a predicate that is not declared."""
    if not is_name(node.head):
        return "use a declared predicate; a name has letters, digits, - and _ only"
    kinds = (scope.type_of(n.text) if isinstance(n, Word) else None for n in node.items[1:])
    arguments = show_typed([(f"?x{i}", kind or OBJECT) for i, kind in enumerate(kinds, 1)])
    declaration = shorten(f"{node.head} {arguments}".strip(), 200)
    return f"use a declared predicate, or declare this one with (:predicates ... ({declaration}))"


def _in_words_of_pddl(node: Group) -> str:
    """The fix for a word of other languages, or for conditions under a name; nothing for a mere atom."""
    parts = node.items[1:]
    meant = _FOREIGN_WORDS.get(node.head)
    nested = any(isinstance(part, Group) for part in parts)
    if meant is not None and len(parts) == 2 and (nested or not is_name(node.head)):
        one, other = (shorten(part) for part in parts)
        return f"write {meant.format(a=one, b=other)}"
    return "conditions are joined by and, or, not, imply, exists and forall only" if nested else ""


def _negation_fix(inner: Node) -> str:
    """How to write what stands under a `not` in an effect, where one atom is expected."""
    if isinstance(inner, Word):
        return f"write (not ({shorten(inner)}))"
    if not inner.items:
        return "leave it out"
    if inner.head == "not" and len(inner.items) == 2:
        return f"write {shorten(inner.items[1], 200)}"
    return "write one (not (predicate ...)) for each atom that becomes false"


def _a(what: str) -> str:
    return f"an {what}" if what[0] in "aeiou" else f"a {what}"


#: Characters around a change or a list: parentheses, blanks and the word before them.
_FRAME = 3


def written_size(node: Node) -> tuple[int, int]:
    """How many changes an effect has when it is written flat, and about how many characters; linear time."""
    if not isinstance(node, Group):
        return 0, 0
    if node.head == "and":
        found = [written_size(part) for part in node.parts]
        return sum(changes for changes, _ in found), sum(size for _, size in found)
    if node.head in ("when", "forall") and len(node.items) == 3:
        changes, size = written_size(node.items[2])
        return changes, size + changes * (_FRAME + _length(node.items[1]))
    return 1, _length(node)


def _length(node: Node) -> int:
    """The characters of a tree, one blank or parenthesis after each word."""
    return sum(len(part.text) + 1 if isinstance(part, Word) else _FRAME for part in nodes_in(node))
