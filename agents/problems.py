"""A problem out of a reply: cut out, fitted to the environment's objects, and checked.

The object list, the problem's name and the domain's name are given by the environment, so whatever the reply
says there is replaced; `:init`, `:goal` and all else stay as they were written. What then still has errors,
such as a fact about an object that does not exist, cannot be used.

What a reply says its predicates mean is gathered from its lines, and written into its PDDL as comments.
A problem is written before its domain, and the author of the domain has to know which argument of a
predicate plays which part. A definition is a line of the reply, or a comment in its PDDL, such as

    - `(on ?x - block ?y - block)`: x stands directly on y

with as many variables as the predicate has arguments. The first of each predicate counts: what comes after it
mostly says of which objects it holds. A comment changes nothing of what the PDDL means.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from agents.draft import DomainDraft
from agents.llm.interface import Completion
from agents.sampling import why_unanswered
from agents.texts import WorldTexts
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import read_vocabulary
from envs.pddl.language.extract import Extraction, extract_pddl
from envs.pddl.language.issues import Code, Diagnosis, PDDLError
from envs.pddl.language.sexpr import MAX_CHARACTERS, Group, Node, Source, read_sexprs

#: Words at the head of a formula that are no predicates.
_CONNECTIVES = frozenset({"and", "or", "not", "imply", "forall", "exists", "when", "="})
#: Sections that the environment's own templates give.
_GIVEN = frozenset({"problem", ":domain", ":objects", ":requirements"})


@dataclass(frozen=True)
class Misfit:
    """An object of a type that the domain's predicate does not take."""

    name: str
    atom: str
    wanted: str  #: the predicate's type
    kind: str  #: the object's type in the environment


@dataclass(frozen=True)
class ProblemReading:
    """A problem's PDDL, or why the reply holds none that can be used: exactly one is None."""

    problem: str | None
    fault: str | None = None
    answered: bool = True  #: False if the reply was cut off, refused, withheld or empty
    misfits: tuple[Misfit, ...] = ()  #: facts about objects that their types do not allow


def read_problem_reply(
    reply: str, texts: WorldTexts, draft: DomainDraft | None = None, defined: Mapping[str, str] | None = None
) -> ProblemReading:
    """The last problem in `reply`, for the task of `texts`, with what the reply says its predicates mean.

    `defined` are the definitions known before, by predicate; they come before those of the reply. The problem
    is checked against the predicates of `draft`; without a draft it only has to use its own predicates with
    the same number of arguments everywhere.
    """
    found = extract_pddl(reply)
    if found.problem is None:
        return ProblemReading(None, _why_none(found))
    try:
        sections = _sections(found.problem)
    except PDDLError as fault:
        return ProblemReading(None, str(fault))
    if not any(_atoms(sections, ":goal")):
        return ProblemReading(None, "the problem has no goal, or one that says nothing")
    arities = _arities(sections)
    actions = [action.name for action in texts.actions]
    meanings = {**(defined or {}), **definitions(reply, arities, actions), **(defined or {})}
    problem = commented(_fitted(sections, texts), meanings, "(:init")
    domain = draft or _with_predicates(arities, texts)
    errors = diagnose(domain.text(), problem).errors
    if not errors:
        return ProblemReading(problem)
    mismatch = draft is not None and any(e.code is Code.TYPE_MISMATCH for e in errors)
    misfits = tuple(dict.fromkeys(_misfits(sections, texts, domain))) if mismatch else ()
    return ProblemReading(None, Diagnosis(errors).render(), misfits=misfits)


def read_problem_completion(
    completion: Completion,
    texts: WorldTexts,
    draft: DomainDraft | None = None,
    defined: Mapping[str, str] | None = None,
) -> ProblemReading:
    """As `read_problem_reply`; without a problem and not `answered` if the completion is no whole answer."""
    if unanswered := why_unanswered(completion):
        return ProblemReading(None, unanswered, answered=False)
    return read_problem_reply(completion.text, texts, draft, defined)


def _misfits(sections: list[Group], texts: WorldTexts, draft: DomainDraft) -> Iterator[Misfit]:
    """Every argument of an initial fact or of the goal whose type the predicate does not take."""
    vocabulary = read_vocabulary(draft.text())
    for atom in _atoms(sections):
        declared = vocabulary.predicates.get(str(atom.head), ())
        for argument, (_, wanted) in zip(map(str, atom.items[1:]), declared, strict=False):
            kind = texts.objects.get(argument)
            if kind is not None and not vocabulary.types.is_subtype(kind, wanted):
                yield Misfit(argument, str(atom), wanted, kind)


def _why_none(found: Extraction) -> str:
    if found.too_large:
        return f"the reply was not read: it is longer than {MAX_CHARACTERS:,} characters"
    if found.unbalanced:
        return "the parentheses of the reply's (define ...) do not balance"
    return "the reply holds no whole (define (problem ...) ...)"


def _sections(problem: str) -> list[Group]:
    """The sections of a problem that are the reply's own to write."""
    return [part for part in _groups(problem) if part.head not in _GIVEN]


def _groups(problem: str) -> Iterator[Group]:
    """The parts of a problem that stand in parentheses."""
    forms = (node for node in read_sexprs(Source(problem, "problem")) if isinstance(node, Group))
    return (item for form in forms for item in form.items if isinstance(item, Group))


def _fitted(sections: list[Group], texts: WorldTexts) -> str:
    """The problem with the names and objects of the environment's template, one fact a line."""
    given = [part for part in _groups(texts.problem_template) if part.head in _GIVEN]
    name, *rest = map(_section_text, [*given, *sections])
    return "\n  ".join([f"(define {name}", *rest]) + ")\n"


def _section_text(section: Group) -> str:
    if section.head != ":init":
        return str(section)
    return "(:init" + "".join(f"\n    {fact}" for fact in section.items[1:]) + ")"


def _arities(sections: list[Group]) -> dict[str, int]:
    """The predicates of a problem with their numbers of arguments, as each is first used."""
    arities: dict[str, int] = {}
    for atom in _atoms(sections):
        arities.setdefault(atom.head, len(atom.items) - 1)
    return arities


def _with_predicates(arities: Mapping[str, int], texts: WorldTexts) -> DomainDraft:
    """A domain without conditions that declares these predicates."""
    declared = tuple(
        (name, f"({name}{''.join(f' ?x{i} - object' for i in range(arity))})")
        for name, arity in arities.items()
        if name and name[0] != "?"
    )
    return replace(texts.draft, predicates=declared)


def _atoms(sections: list[Group], *heads: str) -> Iterator[Group]:
    """The atoms of the initial state and the goal, or of the one that is named, in the order of the text."""
    chosen = [section for section in sections if section.head in (heads or (":init", ":goal"))]
    return chain.from_iterable(_atoms_in(section.items[1:]) for section in chosen)


def _atoms_in(nodes: list[Node]) -> Iterator[Group]:
    for node in nodes:
        if not isinstance(node, Group) or node.head == "=":
            continue
        if node.head in ("forall", "exists"):
            yield from _atoms_in(node.items[2:])
        elif node.head in _CONNECTIVES:
            yield from _atoms_in(node.items[1:])
        else:
            yield node


#: Longer definitions are cut, and no more than these characters of them are kept in all.
MAX_DEFINITION, MAX_DEFINITIONS = 200, 4000

#: What may stand before a definition: marks of comments, quotes, lists and emphasis.
_MARKS = " \t>;-*+•_`0123456789.)"
_LINE = re.compile(
    r"(?:\(\s*(?P<atom>[a-z][\w-]*)(?P<typed>(?:\s[^()]*)?)\)|(?P<call>[a-z][\w-]*)\((?P<called>[^()]*)\))"
    r"[\s*_`]*(?::|=|–|—|-(?=\s)|→|means\b|is true (?=if|when|iff)|holds (?=if|when|iff))"
    r"[\s*_]*(?P<meaning>\S.*)",
    re.IGNORECASE,
)


def definitions(reply: str, arities: Mapping[str, int], actions: Collection[str] = ()) -> dict[str, str]:
    """The lines of `reply` that define predicates, by name, in their order: those in `arities`, and others.

    The others hold of nothing yet, such as what a hand holds that is empty; they have variables, and are
    neither words of PDDL nor one of `actions`.
    """
    found: dict[str, str] = {}
    for line in reply.splitlines():
        made = _LINE.match(line.lstrip(_MARKS))
        if made is None:
            continue
        name = (made["atom"] or made["call"]).lower()
        parameters = " ".join((made["typed"] or made["called"] or "").split())
        variables = parameters.count("?")
        # a predicate that holds of nothing yet, or one of the problem's with as many arguments
        new = variables > 0 and name not in {*_CONNECTIVES, "define"} and name not in actions
        if arities.get(name, variables if new else -1) == variables:
            meaning = made["meaning"].replace("`", "").strip(" *_")
            found.setdefault(name, f"({f'{name} {parameters}'.strip()}): {meaning}"[:MAX_DEFINITION])
    return found


def commented(pddl: str, meanings: Mapping[str, str], before: str) -> str:
    """`pddl` with a comment line for each meaning, above the line that starts with `before`.

    Without such a line it stays as it is.
    """
    lines = pddl.splitlines(keepends=True)
    place = next((i for i, line in enumerate(lines) if line.lstrip().startswith(before)), None)
    if place is None or not meanings:
        return pddl
    indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
    comments, left = [], MAX_DEFINITIONS
    for meaning in meanings.values():
        left -= len(meaning)
        if left >= 0:
            comments.append(f"{indent}; {meaning}\n")
    return "".join([*lines[:place], *comments, *lines[place:]])


def declared_arities(domain: str) -> dict[str, int]:
    """The predicates that a domain's text declares, with their numbers of parameters; none if there are none.

    The text is a reply's and may be wrong anywhere, so it is searched and not read.
    """
    section = domain.partition("(:predicates")[2]
    section = re.split(r"\(\s*:", section, maxsplit=1)[0]
    found = re.findall(r"\(\s*([a-z][\w-]*)([^()]*)\)", section, re.IGNORECASE)
    return {name.lower(): parameters.count("?") for name, parameters in found}
