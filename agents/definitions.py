"""What a reply says its predicates mean: gathered from its lines, and written into its PDDL as comments.

A problem is written before its domain, and the author of the domain has to know which argument of a
predicate plays which part. A definition is a line of the reply, or a comment in its PDDL, such as

    - `(on ?x - block ?y - block)`: x stands directly on y

with as many variables as the predicate has arguments. The first of each predicate counts: what comes after it
mostly says of which objects it holds. A comment changes nothing of what the PDDL means.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

#: Longer definitions are cut, and no more than these characters of them are kept in all.
MAX_DEFINITION, MAX_DEFINITIONS = 200, 4000

#: Words of PDDL, which stand where a predicate could.
_WORDS = frozenset({"and", "or", "not", "imply", "forall", "exists", "when", "define"})
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
        new = variables > 0 and name not in _WORDS and name not in actions
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
