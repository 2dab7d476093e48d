"""The `:requirements` flags: which we support, what each implies, and which a text uses without naming.

A flag that is used but not named is a warning, since every reader of ours reads on; a flag of a language
that we do not read is an error, since its constructs would have to be dropped. The flags for numbers stand
in between: a text that names one and computes with `total-cost` alone means `:action-costs`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from envs.pddl.diagnosis.findings import Findings, did_you_mean, shorten
from envs.pddl.language.issues import Code
from envs.pddl.language.sexpr import Group, Node, Word
from envs.pddl.language.vocabulary import TOTAL_COST

_QUANTIFIED = (":existential-preconditions", ":universal-preconditions")

#: Supported flags, each with the flags that it stands for besides itself.
SUPPORTED: dict[str, tuple[str, ...]] = {
    ":strips": (),
    ":typing": (),
    ":equality": (),
    ":negative-preconditions": (),
    ":negation": (":negative-preconditions",),
    ":disjunctive-preconditions": (),
    ":existential-preconditions": (),
    ":universal-preconditions": (),
    ":quantified-preconditions": _QUANTIFIED,
    ":conditional-effects": (),
    ":action-costs": (),
    ":adl": (
        ":strips",
        ":typing",
        ":equality",
        ":negative-preconditions",
        ":disjunctive-preconditions",
        *_QUANTIFIED,
        ":conditional-effects",
    ),
}


_COSTS = ":action-costs"
#: Flags for numbers of any kind, `total-cost` among them.
_NUMBERS = (":numeric-fluents", ":fluents")
#: Words that compute with numbers, wherever they start a form.
COMPUTING = frozenset(("<", ">", "<=", ">=", "+", "-", "*", "/"))
_CHANGING = frozenset(("increase", "decrease", "assign", "scale-up", "scale-down"))


def uses_numbers(forms: Iterable[Node]) -> bool:
    """Whether some form computes with anything but the total cost."""
    waiting = list(forms)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Group):
            continue
        waiting.extend(node.items)
        target = node.items[1] if len(node.items) > 1 else None
        if node.head in COMPUTING or (node.head == "=" and isinstance(target, Group)):
            return True
        if node.head in _CHANGING and (node.head != "increase" or str(target) != f"({TOTAL_COST})"):
            return True
    return False


def check_requirements(
    findings: Findings, nodes: Sequence[Node], formulas: Iterable[Node]
) -> tuple[str, ...]:
    """The flags of a `:requirements` section, in the order of the text, each once.

    `formulas` are the conditions and effects of the text, which say whether it computes with numbers.
    """
    flags: list[str] = []
    for node in nodes:
        if isinstance(node, Word) and node.text in SUPPORTED:
            flags.append(node.text)
        elif isinstance(node, Word) and node.text in _NUMBERS and not uses_numbers(formulas):
            flags.append(_COSTS)
            message = f"requirement {node.text} is more than is read; it is taken as {_COSTS}"
            findings.warning(Code.UNSUPPORTED_FEATURE, node, message, f"write {_COSTS}", key=node.text)
        elif isinstance(node, Word) and node.text.startswith(":"):
            hint = did_you_mean(node.text, SUPPORTED)
            findings.error(
                Code.UNSUPPORTED_FEATURE,
                node,
                f"requirement {shorten(node)} is not supported{hint}",
                f"leave it out and model without it; supported are {' '.join(SUPPORTED)}",
                key=node.text,
            )
        else:
            fix = "write flags such as :typing"
            findings.error(Code.SYNTAX, node, f"{shorten(node)} is not a requirement flag", fix)
    return tuple(dict.fromkeys(flags))


class Needs:
    """Warns once about each flag that a text uses without naming it."""

    def __init__(self, findings: Findings, named: Collection[str]):
        self._findings = findings
        self._named = {implied for flag in named for implied in (flag, *SUPPORTED[flag])}

    def use(self, flag: str, node: Node) -> None:
        """Note that `node` uses what `flag` stands for."""
        if flag not in self._named:
            self._findings.warning(
                Code.MISSING_REQUIREMENT,
                node,
                f"this uses {flag}, which (:requirements ...) does not name",
                f"add {flag} to the domain's (:requirements ...)",
                key=flag,
            )
