"""A domain's `(:types ...)` section to the type hierarchy, with every fault found on the way.

A type may be named more than once, as in the storage domain of IPC-5 (`area - object`, later `area -
surface`): all parents must hold, so the narrowest one is the type's parent, in whatever order they stand; the
section gets a warning. Two parents of which neither lies within the other are an error, as the hierarchy
gives a type one parent. A parent that is only
named as a parent is taken as a type of its own, with a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from envs.pddl.diagnosis.findings import Findings, TooManyIssues, shorten
from envs.pddl.diagnosis.terms import TermChecker, Typed
from envs.pddl.language.issues import Code
from envs.pddl.language.sexpr import Group
from envs.pddl.language.vocabulary import OBJECT, Types, members_of

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
