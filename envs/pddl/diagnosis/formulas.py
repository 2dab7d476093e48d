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

from envs.pddl.diagnosis.atoms import Scope, check_arguments, check_term
from envs.pddl.diagnosis.findings import Findings, did_you_mean, shorten
from envs.pddl.diagnosis.requirements import COMPUTING, Needs
from envs.pddl.diagnosis.terms import check_types_declared, check_unique, typed_list
from envs.pddl.language.issues import Code
from envs.pddl.language.sexpr import MAX_CHARACTERS, Group, Node, Word
from envs.pddl.language.vocabulary import RESERVED, TOTAL_COST, Parameters, Vocabulary, is_name, show_typed

#: A cost. Longer ones could not be kept exactly.
NUMBER = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")

#: Variables that may be bound at one place, an action's parameters among them.
MAX_VARIABLES = 1000

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


class FormulaChecker:
    """Checks conditions and effects against a vocabulary; what it finds goes to `findings`."""

    def __init__(self, findings: Findings, vocabulary: Vocabulary, needs: Needs):
        self._findings = findings
        self._vocabulary = vocabulary
        self._needs = needs
        self._written = 0  #: characters of the effects so far, written flat

    def condition(self, node: Node, scope: Scope) -> None:
        """Check a whole precondition, goal or effect condition."""
        if isinstance(node, Group) and not node.items:
            return
        self._condition(node, scope)

    def effect(self, node: Node, scope: Scope) -> bool:
        """Check a whole effect; whether it changes any atom."""
        if isinstance(node, Group) and not node.items:
            return False
        self._count(node)
        costs: list[Node] = []
        changes = self._effect(node, scope, costs, nested=False)
        for surplus in costs[1:]:
            self._findings.error(
                Code.DUPLICATE,
                surplus,
                "the cost is increased twice",
                "write one (increase (total-cost) ...)",
            )
        return changes

    def _count(self, node: Node) -> None:
        """Refuse effects whose flat form would be too long to be read again, before they are built."""
        self._written += written_size(node)
        if self._written > MAX_CHARACTERS:
            message = (
                f"with its own conditions around each change, the effects up to here have {self._written:,} "
                f"characters; at most {MAX_CHARACTERS:,} are read"
            )
            fix = "write fewer changes or shorter conditions in each (when ...)"
            self._findings.error(Code.TOO_LARGE, node, message, fix, key="written")

    def parameters(self, nodes: list[Node], around: int = 0) -> Parameters:
        """The typed variables of a parameter list or quantifier, `around` being bound outside of it."""
        entries = typed_list(self._findings, nodes, "variable", variables=True)
        if len(entries) + around > MAX_VARIABLES:
            message = f"{len(entries) + around} variables are bound here; at most {MAX_VARIABLES} are read"
            self._findings.error(Code.TOO_LARGE, nodes[0], message, "use fewer variables", key="variables")
            entries = entries[: max(0, MAX_VARIABLES - around)]
        check_types_declared(self._findings, entries, self._vocabulary.types)
        check_unique(self._findings, entries, "variable")
        typed = next((e.type_node for e in entries if e.type_node is not None), None)
        if typed is not None:
            self._needs.use(":typing", typed)
        return tuple((e.name, e.type) for e in entries)

    def _condition(self, node: Node, scope: Scope) -> None:
        if not self._is_form(node, "condition"):
            return
        assert isinstance(node, Group)
        head = node.head
        if head in ("and", "or"):
            self._junction(node, scope)
        elif head in ("not", "imply"):
            self._connective(node, scope)
        elif head in ("exists", "forall"):
            self._needs.use(
                ":existential-preconditions" if head == "exists" else ":universal-preconditions", node
            )
            inner = self._quantifier(node, scope, "condition")
            if inner is not None:
                self._condition(node.items[2], inner)
        elif head == "=":
            self._equality(node, scope)
        else:
            self._atom(node, scope, "condition")

    def _junction(self, node: Group, scope: Scope) -> None:
        if node.head == "or":
            self._needs.use(":disjunctive-preconditions", node)
        for part in node.items[1:]:
            self._condition(part, scope)

    def _connective(self, node: Group, scope: Scope) -> None:
        wanted = 1 if node.head == "not" else 2
        flag = ":negative-preconditions" if node.head == "not" else ":disjunctive-preconditions"
        if self._has_parts(node, wanted, "condition"):
            inner = node.items[1]
            is_inequality = node.head == "not" and isinstance(inner, Group) and inner.head == "="
            self._needs.use(":equality" if is_inequality else flag, node)
        for part in node.items[1:]:
            self._condition(part, scope)

    def _equality(self, node: Group, scope: Scope) -> None:
        self._needs.use(":equality", node)
        if len(node.items) != 3:
            self._findings.error(
                Code.ARITY,
                node,
                f"= compares two terms, but {shorten(node)} gives {len(node.items) - 1}",
                "write (= a b)",
            )
        if any(isinstance(n, Group) and n.head in self._vocabulary.functions for n in node.items[1:]):
            self._unsupported(node, "comparing numbers")
            return
        for term in node.items[1:]:
            check_term(self._findings, term, scope)

    def _atom(self, node: Group, scope: Scope, what: str) -> None:
        head = node.head
        parameters = self._vocabulary.predicates.get(head)
        if parameters is not None:
            check_arguments(self._findings, node, parameters, scope)
        elif head in COMPUTING:
            self._unsupported(node, "comparing numbers")
        elif head in _LATER:
            self._unsupported(node, f"({head} ...)")
        elif head in RESERVED or (what == "effect" and head in _FOREIGN_WORDS):
            fix = (
                "effects are made of atoms, and, not, when and forall; "
                "conditions of atoms, =, and, or, not, imply, exists and forall"
            )
            self._findings.error(Code.SYNTAX, node, f"({head} ...) is not allowed in {_a(what)}", fix)
        else:
            self._undeclared(node, scope)

    def _undeclared(self, node: Group, scope: Scope) -> None:
        head = node.items[0]
        hint = did_you_mean(node.head, self._vocabulary.predicates)
        action = " (it is an action)" if node.head in self._vocabulary.actions else ""
        self._findings.error(
            Code.UNDECLARED_PREDICATE,
            head,
            f"predicate {shorten(node.head)} is not declared{action}{hint}",
            _in_words_of_pddl(node) or self._declaring(node, scope),
            key=node.head,
        )

    def _declaring(self, node: Group, scope: Scope) -> str:
        """How to go on with a predicate that is not declared."""
        if not is_name(node.head):
            return "use a declared predicate; a name has letters, digits, - and _ only"
        kinds = [
            (f"?x{i + 1}", scope.type_of(str(n)) if not isinstance(n, Group) else None)
            for i, n in enumerate(node.items[1:])
        ]
        arguments = show_typed(tuple((name, kind or "object") for name, kind in kinds))
        declaration = shorten(f"{node.head} {arguments}".strip(), 200)
        return f"use a declared predicate, or declare this one with (:predicates ... ({declaration}))"

    def _effect(self, node: Node, scope: Scope, costs: list[Node], nested: bool) -> bool:
        if not self._is_form(node, "effect"):
            return True
        assert isinstance(node, Group)
        head = node.head
        if head == "and":
            return any([self._effect(part, scope, costs, nested) for part in node.items[1:]])
        if head == "when":
            self._needs.use(":conditional-effects", node)
            if not self._has_parts(node, 2, "effect"):
                return True
            self.condition(node.items[1], scope)
            return self._effect(node.items[2], scope, costs, nested=True)
        if head == "forall":
            self._needs.use(":conditional-effects", node)
            inner = self._quantifier(node, scope, "effect")
            return inner is None or self._effect(node.items[2], inner, costs, nested=True)
        if head == "increase":
            costs.append(node)
            self._cost(node, scope, nested)
            return False
        self._literal(node, scope)
        return True

    def _literal(self, node: Group, scope: Scope) -> None:
        if node.head in _FOREIGN_EFFECTS and node.head not in self._vocabulary.predicates:
            self._unsupported(node, f"({node.head} ...)")
        elif node.head != "not":
            self._atom(node, scope, "effect")
        elif self._has_parts(node, 1, "effect"):
            inner = node.items[1]
            if isinstance(inner, Group) and inner.head and inner.head not in RESERVED:
                self._atom(inner, scope, "effect")
            else:
                self._findings.error(
                    Code.SYNTAX,
                    node,
                    f"{shorten(node)}: not takes one atom in an effect",
                    _negation_fix(inner),
                )

    def _cost(self, node: Group, scope: Scope, nested: bool) -> None:
        self._needs.use(":action-costs", node)
        if nested:
            self._unsupported(node, "a cost inside when or forall")
        if not self._has_parts(node, 2, "number"):
            return
        target, amount = node.items[1:]
        if str(target) != f"({TOTAL_COST})":
            self._unsupported(node, f"increasing {shorten(target)}, which is not (total-cost),")
        elif TOTAL_COST not in self._vocabulary.functions:
            fix = "add (:functions (total-cost) - number) to the domain"
            self._findings.error(
                Code.UNDECLARED_FUNCTION, target, "function total-cost is not declared", fix, key=TOTAL_COST
            )
        if isinstance(amount, Group) and amount.head not in COMPUTING:
            self.function(amount, scope)
        elif isinstance(amount, Group) or not NUMBER.fullmatch(amount.text):
            fix = "write a number that is not negative, or a declared function"
            self._unsupported(amount, f"the cost {shorten(amount)}", fix)

    def function(self, node: Group, scope: Scope) -> tuple[str, ...] | None:
        """The name and arguments of a function term; None if the function is not declared."""
        parameters = self._vocabulary.functions.get(node.head)
        if parameters is None:
            hint = did_you_mean(node.head, self._vocabulary.functions)
            self._findings.error(
                Code.UNDECLARED_FUNCTION,
                node,
                f"function {shorten(node.head)} is not declared{hint}",
                "declare it with (:functions (name ?x - type) - number) in the domain",
                key=node.head,
            )
            return None
        return (node.head, *check_arguments(self._findings, node, parameters, scope))

    def _quantifier(self, node: Group, scope: Scope, what: str) -> Scope | None:
        if not self._has_parts(node, 2, what):
            return None
        variables = node.items[1]
        if not isinstance(variables, Group) or not variables.items:
            fix = f"write ({node.head} (?x - type) ...)"
            self._findings.error(Code.SYNTAX, variables, f"{node.head} needs a list of variables", fix)
            return None
        return scope.within(self.parameters(variables.items, len(scope.variables)))

    def _is_form(self, node: Node, what: str) -> bool:
        if isinstance(node, Group) and node.head:
            return True
        if isinstance(node, Group) and not node.items:
            self._findings.error(Code.SYNTAX, node, f"() stands inside {_a(what)}", "remove it")
        elif isinstance(node, Group):
            fix = "join several with (and ...)"
            self._findings.error(
                Code.SYNTAX, node, f"{shorten(node)} starts with a parenthesis, not a name", fix
            )
        elif isinstance(node, Word) and node.text.startswith(":"):
            message = f"`{shorten(node)}` stands inside {_a(what)}"
            self._findings.error(Code.SYNTAX, node, message, "add the `)` that is missing before it")
        else:
            fix = f"write it in parentheses: ({shorten(node)})"
            self._findings.error(
                Code.SYNTAX, node, f"`{shorten(node)}` stands where {_a(what)} is expected", fix
            )
        return False

    def _has_parts(self, node: Group, wanted: int, what: str) -> bool:
        given = len(node.items) - 1
        if given == wanted:
            return True
        parts = "part" if wanted == 1 else "parts"
        several = "write (not ...) around each" if node.head == "not" else "join several with (and ...)"
        fix = several if given > wanted else f"write the missing {what}"
        self._findings.error(
            Code.SYNTAX, node, f"{node.head} takes {wanted} {parts}, but {given} are given", fix
        )
        return False

    def _unsupported(self, node: Node, what: str, fix: str = "model it with predicates") -> None:
        self._findings.error(Code.UNSUPPORTED_FEATURE, node, f"{what} is not supported", fix)


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


def written_size(effect: Node) -> int:
    """About how many characters the effect has when it is written flat; linear in the size of the tree."""
    return _written(effect)[1]


def _written(node: Node) -> tuple[int, int]:
    """How many changes an effect has, and how many characters they have together."""
    if not isinstance(node, Group):
        return 0, 0
    if node.head == "and":
        found = [_written(part) for part in node.parts]
        return sum(changes for changes, _ in found), sum(size for _, size in found)
    if node.head in ("when", "forall") and len(node.items) == 3:
        changes, size = _written(node.items[2])
        return changes, size + changes * (_FRAME + _length(node.items[1]))
    return 1, _length(node)


def _length(node: Node) -> int:
    """The characters of a tree, one blank or parenthesis after each word."""
    length = 0
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Word):
            length += len(part.text) + 1
        else:
            length += _FRAME
            waiting.extend(part.items)
    return length
