"""What the words of each fix mean, as edits of the texts. See `fixes`."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import get_close_matches

from fixes import (
    Rule,
    Texts,
    as_declared,
    end_of,
    forms_alone,
    nodes,
    opening,
    parameters,
    section,
    types,
)

from envs.pddl.language.issues import Issue

Match = re.Match[str]


def _remove(t: Texts, _i: Issue, _m: Match) -> list[Texts]:
    return [t.put("")]


def _write(t: Texts, _i: Issue, m: Match) -> list[Texts]:
    return [t.put(m[1].replace(" - type", " - object"))]


def _instead(t: Texts, i: Issue, m: Match) -> list[Texts]:
    """An atom in the place of the one whose head, or which itself, is at fault."""
    return [(t if t.node.startswith("(") else t.around()).put(m[1])]


def _spread(t: Texts, _i: Issue, _m: Match) -> list[Texts]:
    parts = [
        p for node in nodes(t.node)[1:] for p in (nodes(node)[1:] if node.startswith("(and") else [node])
    ]
    return [t.put(f"(and {' '.join(f'(not {part})' for part in parts)})")]


def _join(t: Texts, i: Issue, _m: Match) -> list[Texts]:
    head, *parts = nodes(t.node)
    if "starts with a parenthesis" in i.message:
        return [t.put(f"(and {t.node[1:]}")]
    return [t.put(f"({head} {parts[0]} (and {' '.join(parts[1:])}))")]


def _rename_head(t: Texts, new: str) -> Texts:
    at = t.at + 1 if t.node.startswith("(") else t.at
    return t.put(new, at, end_of(t.text, at))


def _meant(i: Issue, default: str) -> str:
    found = re.search(r"did you mean ([^?]*\S)\?\)", i.message)
    return found[1] if found else default


def _declare(t: Texts, i: Issue, m: Match) -> list[Texts]:
    declared = section(t.in_domain(), ":predicates", m[1])
    others = [_rename_head(t, _meant(i, "at-robby"))] if "(:predicates" in t.domain else []
    return [replace(declared, source=t.source), *others]


def _declare_somehow(t: Texts, _i: Issue, _m: Match) -> list[Texts]:
    head, *given = nodes(t.around().node)
    names = " ".join(f"?x{n}" for n, _ in enumerate(given))
    return [section(t.in_domain(), ":predicates", f"({head} {names})")]


def _field(t: Texts, _i: Issue, m: Match) -> list[Texts]:
    if t.node.startswith("("):
        before = max(
            (at for at in range(opening(t.text, t.at) + 1, t.at) if t.text[at] == "("
             and end_of(t.text, at) <= t.at and opening(t.text, at) == opening(t.text, t.at)), default=None
        )  # fmt: skip
        if before is None or ":" in t.text[end_of(t.text, before) : t.at]:
            return [t.put("")]
        joined = f"(and {t.text[before : end_of(t.text, before)]} {t.node})"
        return [t.put(joined, before, t.end)]
    near = get_close_matches(t.node, m[1].split(), 1)
    return [t.put(near[0] if near else "")]


def _keep_field(t: Texts, _i: Issue, _m: Match) -> list[Texts]:
    value = re.compile(r"\s*").match(t.text, t.end)
    assert value is not None
    return [t.put("", t.at, end_of(t.text, value.end()))]


def _keep_one(t: Texts, _i: Issue, _m: Match) -> list[Texts]:
    tail = re.compile(r"\s*-\s*[^\s()]+(?=\s*\))").match(t.text, t.end)
    alone = t.text[: t.at].rstrip()[-1:] in "(" or re.search(r"-\s+\S+\s*\Z", t.text[: t.at])
    return [t.put("", t.at, tail.end() if tail and alone else t.end)]


def _effect(t: Texts, i: Issue, _m: Match) -> list[Texts]:
    name = re.search(r"action (\S+) ", i.message)
    assert name is not None
    action = re.search(rf"\(:action\s+{re.escape(name[1])}(?=[\s)])", t.text)
    assert action is not None
    it = section(t, ":predicates", "(done)")
    at = re.search(rf"\(:action\s+{re.escape(name[1])}(?=[\s)])", it.text)
    assert at is not None
    end = end_of(it.text, at.start())
    body = it.text[at.start() : end]
    own = re.search(r":effect\s+", body)
    if own is None:
        return [it.put(" :effect (done))", end - 1, end)]
    start = at.start() + own.end()
    return [it.put("(done)", start, end_of(it.text, start))]


def _variable(t: Texts, i: Issue, m: Match) -> list[Texts]:
    bound = m[1].split(", ")
    action = t.text.rfind("(:action", 0, t.at)
    listed = t.text.find(":parameters", action) if action >= 0 else -1
    out = [t.put(_meant(i, bound[0]))]
    if listed >= 0:
        end = end_of(t.text, t.text.index("(", listed)) - 1
        out.append(t.put(f" {m[2]}", end, end))
    return out


def _parameter(t: Texts, _i: Issue, m: Match) -> list[Texts]:
    action = t.text.rindex("(:action", 0, t.at)
    end = end_of(t.text, action)
    listed = t.text.find(":parameters", action, end)
    if listed < 0:
        return [t.put(f" :parameters ({m[1]}))", end - 1, end)]
    inside = end_of(t.text, t.text.index("(", listed)) - 1
    return [t.put(f" {m[1]}", inside, inside)]


def _named(t: Texts, i: Issue, m: Match) -> list[Texts]:
    """A declared name in the place of an unknown one, or its declaration."""
    known = parameters(t)
    first = [t.put(_meant(i, known[0][0]))] if known else []
    where = re.search(r"\((:constants|:objects) \.\.\.\)", i.fix)
    return first + ([section(t, where[1], t.node)] if where else [])


def _widen(t: Texts, _i: Issue, m: Match) -> list[Texts]:
    head = nodes(m[1])[0]
    at = re.search(rf"\({re.escape(head)}\s", t.domain[t.domain.index("(:predicates") :])
    assert at is not None
    start = t.domain.index("(:predicates") + at.start()
    bare = " ".join(n for n in nodes(m[1]) if n == head or n.startswith("?"))
    return [t.in_domain().put(f"({bare})", start, end_of(t.domain, start))]


def _insert(t: Texts, _i: Issue, m: Match) -> list[Texts]:
    return [t.put(f" {m[1]})", t.end - 1, t.end)]


def _close(t: Texts, i: Issue, _m: Match) -> list[Texts]:
    count = re.search(r"(\d+) `\)` are", i.message)
    return [t.written(t.text + ")" * (int(count[1]) if count else 1))]


def _close_before(t: Texts, i: Issue, m: Match) -> list[Texts]:
    line = re.search(r" in line (\d+):", i.message)
    assert line is not None
    start = sum(len(text) + 1 for text in t.text.split("\n")[: int(line[1]) - 1])
    at = t.text.index(m[1].rstrip(".) "), start)
    return [t.put(") ", at, at)]


def _unclose(t: Texts, _i: Issue, _m: Match) -> list[Texts]:
    at = t.text.rindex(")", 0, t.at)
    return [t.put("", at, at + 1)]


def _sections(t: Texts, i: Issue, m: Match) -> list[Texts]:
    near = _meant(i, "")
    return [t.put(near, t.at + 1, end_of(t.text, t.at + 1))] if near else [t.put("")]


def _join_sections(t: Texts, _i: Issue, _m: Match) -> list[Texts]:
    head, *inner = nodes(t.node)
    return [section(t.put(""), head, " ".join(inner))]


def _swap_texts(t: Texts, i: Issue, m: Match) -> list[Texts]:
    if "expected" in i.message:
        return [Texts(t.problem, t.domain)]
    at = t.text.index("define") + len("define")
    return [t.put(f" {m[1]} ", at, at)]


def _used_types(t: Texts, _i: Issue, _m: Match) -> list[Texts]:
    start = t.domain.index("(:types")
    rest = t.domain[:start] + t.domain[end_of(t.domain, start) :] + t.problem
    used = set(re.findall(r"[a-z0-9_-]+", rest))
    return [types(t, lambda entries: [e for e in entries if e[0] in used])]


def _flag(t: Texts, _i: Issue, m: Match) -> list[Texts]:
    return [section(t.in_domain(), ":requirements", m[1])]


def _title(t: Texts, _i: Issue, m: Match) -> list[Texts]:
    if t.node.startswith("("):
        head = end_of(t.text, t.at + 1)
        return [t.put(" name1", head, head)]
    return [t.put("name1 ", t.at, t.at) if m[1] else t.put("name1")]


def _object(t: Texts, _i: Issue, m: Match) -> list[Texts]:
    entry = f"new-{len(t.problem)} - {m[1]}"
    if "(:objects" not in t.problem:
        return [section(replace(t, source="problem"), ":objects", entry)]
    return [replace(t, problem=t.problem.replace("(:objects", f"(:objects {entry} ", 1))]


def _function(t: Texts, _i: Issue, _m: Match) -> list[Texts]:
    head, *given = nodes(t.node)
    names = " ".join(f"?x{n}" for n, _ in enumerate(given))
    return [section(t.in_domain(), ":functions", f"({head} {names}) - number")]


def _each_once(t: Texts, _i: Issue, _m: Match) -> list[Texts]:
    return [t.written(re.sub(r"(\([^()]*\))(?:\s*\1)+", r"\1", t.text))]


def _flat(t: Texts, _i: Issue, _m: Match) -> list[Texts]:
    text, count = t.text, 1
    while count:
        text, count = re.subn(r"\(and\s*\(and\s*\)\s*\)", "(and )", text)
    return [t.written(text)]


def _renamed(t: Texts, i: Issue, _m: Match) -> list[Texts]:
    if i.message.startswith("function"):
        return [_rename_head(t, "new-name")]
    name = re.escape(nodes(t.node)[0])
    sub = re.compile(rf"\({name}(?=[\s)])")
    return [replace(t, domain=sub.sub("(new-name", t.domain), problem=sub.sub("(new-name", t.problem))]


def _first_only(t: Texts, _i: Issue, _m: Match) -> list[Texts]:
    listed = t.around()
    return [listed.put(f"({' '.join(nodes(listed.node)[:300])})")]


RULES: dict[str, Rule] = {
    r"remove the surplus `\)` before this section": _unclose,
    r"remove it, or add the `\(` that it closes": lambda t, i, m: [t.put("", t.at, t.at + 1)],
    r"close every `\(`; check this form first": _close,
    r"add the missing `\)` before (.*)": _close_before,
    r"add the `\)` that is missing before it": lambda t, i, m: [t.put(") ", t.at, t.at)],
    r"write a shorter text": lambda t, i, m: [t.written(re.sub(r";[^\n]*", "", t.text))],
    r"remove every (U\+\w+), .*": lambda t, i, m: [t.written(t.text.replace(chr(int(m[1][2:], 16)), ""))],
    r"remove every comma, .*": lambda t, i, m: [t.written(t.text.replace(",", " "))],
    r"write flat conditions, such as .*": _flat,
    r"write fewer changes or shorter conditions .*": _each_once,
    r"use fewer variables": _first_only,
    r"send the PDDL alone: .*": lambda t, i, m: [forms_alone(t)],
    r"send one .* alone": lambda t, i, m: [t.put("")],
    r"write (\(define \(\w+ name\)) \.\.\.\)": lambda t, i, m: [t.written(f"{m[1]})")],
    r"start with \(define (\(\w+ name\)) \.\.\.\)": _swap_texts,
    r"write sections such as \(.*": lambda t, i, m: [
        t.put(":", t.at + 1, t.at + 1) if t.node.startswith("(") else t.put("")
    ],
    r"leave it out( and model without it)?(; .*)?": _remove,
    r"remove it": _remove,
    r"use one of (:.*)": _sections,
    r"join both into one section": _join_sections,
    r"write flags such as (:typing)": _write,
    r"add (:\S+) to the domain's \(:requirements \.\.\.\)": _flag,
    r"write (:action-costs)": _write,
    r"write the name of the \w+( before it)?": _title,
    r"choose another name": lambda t, i, m: [t.put("name1")],
    r"use letters, digits, - and _ only": lambda t, i, m: [
        t.put(re.sub(r"[^a-z0-9_-]", "", t.node.lower()).lstrip("-") or "name1")
    ],
    r"name a \w+ before the `-`, or remove the type": lambda t, i, m: [
        t.put("", t.at, end_of(t.text, re.compile(r"\s*").match(t.text, t.end).end()))  # type: ignore[union-attr]
    ],
    r"write names only, as in .*": lambda t, i, m: [t.put(t.node.replace("(", " ").replace(")", " "))],
    r"put a blank after the dash: (.*)": _write,
    r"remove this `-`, or write one type after it, such as `(- object)`": lambda t, i, m: [
        t.put(""),
        *([] if re.match(r"\s*-", t.text[t.end :]) else [t.put(m[1])]),
    ],
    r"write - type or - \(either type1 type2\)": lambda t, i, m: [t.put("object")],
    r"use a declared type \((\S+?)(?:, .*)?\) or add it to the domain's \(:types \.\.\.\)": lambda t, i, m: [
        t.put(_meant(i, m[1])),
        section(t.in_domain(), ":types", t.node),
    ],
    r"add it to the domain's \(:types \.\.\.\)": lambda t, i, m: [section(t.in_domain(), ":types", t.node)],
    r"keep one declaration": _keep_one,
    r"keep one declaration, or choose another name": _remove,
    r"keep `(\S+) - (.*)` alone": lambda t, i, m: [
        types(t, lambda entries: [*(e for e in entries if e[0] != m[1]), (m[1], m[2])])
    ],
    r"leave out the parent of object": lambda t, i, m: [
        types(t, lambda entries: [e for e in entries if e[0] != "object"])
    ],
    r"give every type a parent nearer to object": lambda t, i, m: [
        types(t, lambda entries: [*(e for e in entries if e[0] != t.node), (t.node, "object")])
    ],
    r"declare fewer types": _used_types,
    r"add `(.*)` to \(:types \.\.\.\)": lambda t, i, m: [
        types(t, lambda entries: [*entries, tuple(m[1].split(" - "))])  # type: ignore[list-item]
    ],
    r"write - number, or use a predicate": lambda t, i, m: [t.put("number")],
    r"write (\(total-cost\)) - number": lambda t, i, m: [
        t.written(re.sub(r"\(total-cost[^()]*\)", m[1], t.text, count=1))
        if t.node.startswith("(")
        else t.put(f"{m[1]} - number")
    ],
    r"rename it, since some planners refuse this": _renamed,
    r"write :parameters \(\?x - type \.\.\.\)": lambda t, i, m: [t.put(f"({t.node})")],
    r"keep one of them(, or give each its own name)?": _remove,
    r"keep one of the two": _remove,
    r"use (:parameters .*), each followed by one form; .*": _field,
    r"write (:\w+) \(\.\.\.\)": lambda t, i, m: [t.put(f"{m[1]} (and)")],
    r"keep one": _keep_field,
    r"write in :effect which atoms become true .*": _effect,
    r"use one that is bound \((.*)\), or add (\S+) to :parameters or to an exists or forall": _variable,
    r"add (\?\S+) to :parameters or to an exists or forall": _parameter,
    r"write an object's name, or bind the variable with exists or forall": _named,
    r"write (\?\S+) with a question mark": _write,
    r"an action cannot name a problem's objects: .*": _named,
    r"use a declared name(, or add it to the \(:objects \.\.\.\))?": _named,
    r"use a parameter": _named,
    r"write it as declared: (.*); or change the declaration and every use": lambda t, i, m: [
        as_declared(t, m[1])
    ],
    r"swap arguments \d+ and \d+: (.*)": lambda t, i, m: [t.around().put(m[1])],
    r"use one of type \S+: (\S+?)(?:, .*)?": _write,
    r"use one of type .*, or widen the declaration (.*)": _widen,
    r"arguments are single words; .*": lambda t, i, m: [t.put(nodes(t.node)[-1])],
    r"effects are made of atoms, .*": lambda t, i, m: [_rename_head(t, "and")],
    r"conditions are joined by and, .*": lambda t, i, m: [_rename_head(t, "and")],
    r"write one \(not \(predicate \.\.\.\)\) for each .*": _spread,
    r"write \(not \.\.\.\) around each": _spread,
    r"join several with \(and \.\.\.\)": _join,
    r"write the missing number": lambda t, i, m: [t.put(" 1)", t.end - 1, t.end)],
    r"write the missing \w+": lambda t, i, m: [t.put(" (and))", t.end - 1, t.end)],
    r"write \((?:exists|forall) \((\?x - type)\) \.\.\.\)": lambda t, i, m: [t.put("(?x - object)")],
    r"write it in parentheses: (.*)": _write,
    r"model it with predicates": lambda t, i, m: [t.put("(and)")],
    r"write a number that is not negative, .*": lambda t, i, m: [t.put("1")],
    r"write one \(increase .*": _remove,
    r"add (\(:functions .*\)) to the domain": lambda t, i, m: [
        section(t.in_domain(), ":functions", "(total-cost) - number")
    ],
    r"declare it with \(:functions .*": _function,
    r"add \((:\w+) ([^()]*|\(and \.\.\.\))\)(?: with .*)?": lambda t, i, m: [
        section(t, m[1], m[2].replace("...", ""))
    ],
    r"write \((:goal) \(and \.\.\.\)\)": lambda t, i, m: [
        t.put(f"({m[1]} (and {' '.join(nodes(t.node)[1:])}))")
    ],
    r"write \(:domain (.*)\)": _write,
    r"write \(= \(function object \.\.\.\) number\), or a predicate": _remove,
    r"remove the `\(and` and its `\)` and keep the facts": lambda t, i, m: [
        t.put(" ".join(nodes(t.node)[1:]))
    ],
    r"list each fact that holds, with object names": _remove,
    r"use a declared predicate: \((\S+).*": lambda t, i, m: [_rename_head(t, _meant(i, m[1].rstrip(")")))],
    r"use a declared predicate, or declare this one with \(:predicates \.\.\. (.*)\)": _declare,
    r"use a declared predicate; .*": lambda t, i, m: [_rename_head(t, "at-robby")],
    r"declare it in the domain's \(:predicates \.\.\.\)": _declare_somehow,
    r"write \(predicate object \.\.\.\)": lambda t, i, m: [
        t.put(f"({t.node})" if not t.node.startswith("(") else "")
    ],
    r"write (\(:metric .*\)), or leave it out": lambda t, i, m: [t.put(""), t.put(m[1])],
    r"leave out the :metric, or add .*": lambda t, i, m: [
        t.put(""),
        section(t.in_domain(), ":functions", "(total-cost) - number"),
    ],
    r"add an object of type (\S+), or correct .*": _object,
    r"write (\?\S+ - type|\?\S+)": _write,
    r"write (\(= a b\))": lambda t, i, m: [t.put(f"(= {' '.join((nodes(t.node)[1:] * 2)[:2])})")],
    r"write (\(.* \?x - type\)( - number)?)": _write,
    r"write (\(.*\))": _instead,
}
