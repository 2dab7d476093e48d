"""The `:requirements` flags: which we support, what each implies, and which a text uses without naming.

A flag that is used but not named is a warning, since every reader of ours reads on; a flag of a language
that we do not read is an error, since its constructs would have to be dropped.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from envs.pddl.diagnose_findings import Findings, did_you_mean, shorten
from envs.pddl.issues import Code
from envs.pddl.sexpr import Node, Word

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


def check_requirements(findings: Findings, nodes: Sequence[Node]) -> tuple[str, ...]:
    """The flags of a `:requirements` section, in the order of the text, each once."""
    flags: list[str] = []
    for node in nodes:
        if isinstance(node, Word) and node.text in SUPPORTED:
            flags.append(node.text)
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
