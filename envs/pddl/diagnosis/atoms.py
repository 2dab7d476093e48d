"""Atoms and their arguments: arity, names, types.

A `Scope` says what a term may name at some place. An argument's type must lie within the declared type;
a type that is itself not declared has been reported at its place and is not held against any argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations, islice

from envs.pddl.diagnosis.findings import Findings, did_you_mean, listed, shorten
from envs.pddl.language.issues import Code
from envs.pddl.language.sexpr import Group, Node, Word
from envs.pddl.language.vocabulary import Parameters, Types, is_name, show_typed


@dataclass(frozen=True)
class Scope:
    """What a term may name: variables and objects, each with its type expression."""

    types: Types
    variables: Mapping[str, str]
    objects: Mapping[str, str]
    place: str = ""  #: the action's name; an unbound variable is one fault in each action

    def within(self, parameters: Parameters) -> Scope:
        """This scope with more variables, which hide outer ones of the same name."""
        return replace(self, variables={**self.variables, **dict(parameters)})

    def type_of(self, term: str) -> str | None:
        """The type expression of a variable or object; None if it is not known here."""
        return self.variables.get(term) if term[0] == "?" else self.objects.get(term)

    def fits(self, found: str | None, wanted: str) -> bool:
        """Whether a term of type `found` may stand where `wanted` is declared; unknown types fit."""
        if found is None or self.types.is_subtype(found, wanted):
            return True
        return not self.types.declares(found) or not self.types.declares(wanted)


def check_arguments(findings: Findings, atom: Group, parameters: Parameters, scope: Scope) -> tuple[str, ...]:
    """The argument names of `atom`, whose head takes `parameters`; every fault is recorded."""
    arguments = atom.items[1:]
    if any(isinstance(a, Word) and a.text.startswith("-") for a in arguments):
        _report_types(findings, atom)
        return tuple("" for _ in parameters)
    kinds = [check_term(findings, argument, scope) for argument in arguments]
    if len(arguments) != len(parameters):
        _report_arity(findings, atom, parameters)
    else:
        for place, (kind, (_, wanted)) in enumerate(zip(kinds, parameters, strict=True)):
            if not scope.fits(kind, wanted):
                _report_mismatch(findings, atom, place, parameters, scope)
                break
    return tuple(a.text if isinstance(a, Word) else "" for a in arguments)


def check_term(findings: Findings, node: Node, scope: Scope) -> str | None:
    """The type expression of a term; None and an error if it is not known in `scope`."""
    if isinstance(node, Group):
        message = f"{shorten(node)} stands where a variable or object is expected"
        nested = "arguments are single words; write a nested condition as its own part"
        fix = nested if node.items else "remove it"
        findings.error(Code.SYNTAX, node, message, fix)
        return None
    found = scope.type_of(node.text)
    if found is None and node.text[0] == "?":
        _report_variable(findings, node, scope)
    elif found is None:
        _report_object(findings, node, scope)
    return found


def _report_types(findings: Findings, atom: Group) -> None:
    """An atom that names the types of its arguments, as only a declaration may."""
    kept: list[str] = []
    nodes = iter(atom.items)
    for node in nodes:
        if not (isinstance(node, Word) and node.text.startswith("-")):
            kept.append(str(node))
        elif node.text == "-":
            next(nodes, None)
    message = f"{shorten(atom)} names types with `-`, which only declarations do"
    plain = f"({' '.join(kept)})"
    findings.error(Code.SYNTAX, atom, message, f"write {shorten(plain, 200)}")


def _report_variable(findings: Findings, node: Word, scope: Scope) -> None:
    name = shorten(node)
    if scope.variables:
        bound = listed(scope.variables)
        fix = f"use one that is bound ({bound}), or add {name} to :parameters or to an exists or forall"
    elif scope.place:
        fix = f"add {name} to :parameters or to an exists or forall"
    else:
        fix = "write an object's name, or bind the variable with exists or forall"
    message = f"variable {name} is not bound here{did_you_mean(node.text, scope.variables)}"
    findings.error(Code.UNDECLARED_VARIABLE, node, message, fix, key=(scope.place, node.text))


def _report_object(findings: Findings, node: Word, scope: Scope) -> None:
    name = shorten(node)
    if f"?{node.text}" in scope.variables:
        hint, fix = "", f"write ?{name} with a question mark"
    elif not is_name(node.text):
        hint, fix = "", "use a parameter" if scope.place else "use a declared name"
    elif scope.place:
        hint = did_you_mean(node.text, scope.objects)
        fix = "an action cannot name a problem's objects: use a parameter, or add it to (:constants ...)"
    else:
        hint = did_you_mean(node.text, scope.objects)
        fix = "use a declared name, or add it to the (:objects ...)"
    findings.error(Code.UNDECLARED_OBJECT, node, f"object {name} is not declared{hint}", fix, key=node.text)


def _report_arity(findings: Findings, atom: Group, parameters: Parameters) -> None:
    wanted, given = len(parameters), len(atom.items) - 1
    findings.error(
        Code.ARITY,
        atom,
        f"{atom.head} takes {wanted} argument{'s' * (wanted != 1)}, but {shorten(atom)} gives {given}",
        f"write it as declared: {_declaration(atom, parameters)}; or change the declaration and every use",
    )


def _report_mismatch(
    findings: Findings, atom: Group, place: int, parameters: Parameters, scope: Scope
) -> None:
    argument, wanted = atom.items[place + 1], parameters[place][1]
    candidates = (scope.variables or scope.objects).items()
    fitting = list(islice((n for n, t in candidates if scope.types.is_subtype(t, wanted)), 9))
    widen = f"use one of type {wanted}, or widen the declaration {_declaration(atom, parameters)}"
    choose = f"use one of type {wanted}: {listed(fitting)}"
    findings.error(
        Code.TYPE_MISMATCH,
        argument,
        f"argument {place + 1} of {shorten(atom)} must be of type {wanted}, "
        f"but {shorten(argument)} is of type {scope.type_of(str(argument))}",
        _swap(atom, parameters, scope) or (choose if fitting else widen),
    )


def _swap(atom: Group, parameters: Parameters, scope: Scope) -> str:
    """The fix that exchanges two arguments, if that makes every type right; else nothing."""
    names = [node.text for node in atom.items[1:] if isinstance(node, Word)]
    if len(names) != len(parameters) or len(names) > 8:
        return ""
    for i, j in combinations(range(len(names)), 2):
        trial = names[:]
        trial[i], trial[j] = trial[j], trial[i]
        kinds = map(scope.type_of, trial)
        if all(
            kind and scope.fits(kind, wanted) for kind, (_, wanted) in zip(kinds, parameters, strict=True)
        ):
            swapped = shorten(f"({' '.join([atom.head, *trial])})", 200)
            return f"swap arguments {i + 1} and {j + 1}: {swapped}"
    return ""


def _declaration(atom: Group, parameters: Parameters) -> str:
    return shorten(f"({f'{atom.head} {show_typed(parameters)}'.strip()})", 200)
