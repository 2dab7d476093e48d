"""The `:requirements` flags: which we support, what each implies, and which a text uses without naming.

A flag that is used but not named is a warning, since every reader of ours reads on; a flag of a language
that we do not read is an error, since its constructs would have to be dropped. The flags for numbers stand
in between: a text that names one and computes with `total-cost` alone means `:action-costs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from envs.pddl.diagnosis.findings import Findings, did_you_mean, shorten
from envs.pddl.language.issues import Code
from envs.pddl.language.sexpr import Group, Node, Word, nodes_in
from envs.pddl.language.vocabulary import TOTAL_COST

_QUANTIFIED = (":existential-preconditions", ":universal-preconditions")
_ADL = (":strips", ":typing", ":equality", ":negative-preconditions", ":disjunctive-preconditions")

#: Supported flags, each with the flags that it stands for besides itself.
SUPPORTED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((":strips", ":typing", ":equality", ":negative-preconditions"), ()),
    ":negation": (":negative-preconditions",),
    **dict.fromkeys((":disjunctive-preconditions", *_QUANTIFIED), ()),
    ":quantified-preconditions": _QUANTIFIED,
    **dict.fromkeys((":conditional-effects", ":action-costs"), ()),
    ":adl": (*_ADL, *_QUANTIFIED, ":conditional-effects"),
}
_COSTS = ":action-costs"
#: Flags for numbers of any kind, `total-cost` among them.
_NUMBERS = (":numeric-fluents", ":fluents")
#: Words that compute with numbers, wherever they start a form.
COMPUTING = frozenset(("<", ">", "<=", ">=", "+", "-", "*", "/"))
_CHANGING = frozenset(("increase", "decrease", "assign", "scale-up", "scale-down"))


def uses_numbers(forms: Iterable[Node]) -> bool:
    """Whether some form computes with anything but the total cost."""
    for node in chain.from_iterable(map(nodes_in, forms)):
        if not isinstance(node, Group):
            continue
        target = node.items[1] if len(node.items) > 1 else None
        if node.head in COMPUTING or (node.head == "=" and isinstance(target, Group)):
            return True
        if node.head in _CHANGING and (node.head != "increase" or str(target) != f"({TOTAL_COST})"):
            return True
    return False


class FlagChecker(Findings):
    """Reads the flags that a text names, and warns once about each that it uses without naming it."""

    _flags: frozenset[str] = frozenset()  #: those named, and those that these stand for

    def requirements(self, nodes: Sequence[Node], formulas: Iterable[Node]) -> tuple[str, ...]:
        """The flags of a `:requirements` section, in the order of the text, each once.

        `formulas` are the conditions and effects of the text, which say whether it computes with numbers.
        """
        flags: dict[str, None] = {}
        for node in nodes:
            if isinstance(node, Word) and node.text in SUPPORTED:
                flags[node.text] = None
            elif isinstance(node, Word) and node.text in _NUMBERS and not uses_numbers(formulas):
                flags[_COSTS] = None
                message = f"requirement {node.text} is more than is read; it is taken as {_COSTS}"
                self.warning(node, message, f"write {_COSTS}", Code.UNSUPPORTED_FEATURE, node.text)
            elif isinstance(node, Word) and node.text.startswith(":"):
                message = f"requirement {shorten(node)} is not supported{did_you_mean(node.text, SUPPORTED)}"
                fix = f"leave it out and model without it; supported are {' '.join(SUPPORTED)}"
                self.error(node, message, fix, Code.UNSUPPORTED_FEATURE, node.text)
            else:
                self.error(node, f"{shorten(node)} is not a requirement flag", "write flags such as :typing")
        return tuple(flags)

    def allow(self, named: Iterable[str]) -> None:
        """Take these flags as named by the text, and those that they stand for."""
        self._flags = frozenset(implied for flag in named for implied in (flag, *SUPPORTED[flag]))

    def use(self, flag: str, node: Node) -> None:
        """Note that `node` uses what `flag` stands for."""
        if flag not in self._flags:
            message = f"this uses {flag}, which (:requirements ...) does not name"
            fix = f"add {flag} to the domain's (:requirements ...)"
            self.warning(node, message, fix, Code.MISSING_REQUIREMENT, flag)
