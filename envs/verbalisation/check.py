"""Whether the words of a world are complete, well formed and can be read back without doubt.

A sentence can be read back if no other predicate's phrase could have made it. Two phrases are confusable if
they are equal word by word, a slot being equal to a slot only: that a name in a slot is not also a word of
another phrase cannot be judged without the task, and is judged when a task's text is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from envs.pddl.language.domain import read_vocabulary
from envs.pddl.language.vocabulary import OBJECT, Vocabulary
from envs.verbalisation.words import SLOT, PredicateWords, Words, read_words

_NAME_NEXT_TO_SLOT = re.compile(r"[\w-]\{\d+\}|\{\d+\}[\w-]")
#: Words that start a sentence with a capital; a capital in front of any other word is that of a proper name.
_OPENERS = frozenset(
    ("a", "all", "an", "any", "each", "every", "it", "no", "nobody", "nothing", "one", "some", "the", "there")
)
_NEIGHBOURS = re.compile(r"\{\d+\}[\s,]*\{\d+\}")


def check_words(folder: str | Path) -> list[str]:
    """Everything wrong with `words.json` in a world's folder, in words; empty if nothing is.

    Raises PDDLError if `domain.pddl` cannot be read, OSError if a file is missing.
    """
    domain = read_vocabulary((Path(folder) / "domain.pddl").read_text(encoding="utf-8"))
    try:
        words = read_words((Path(folder) / "words.json").read_text(encoding="utf-8"))
    except ValueError as fault:
        return [str(fault)]
    return complaints(words, domain)


def complaints(words: Words, domain: Vocabulary) -> list[str]:
    """Everything wrong with the words of a domain, in words."""
    found = [*_names(words, domain), *_types(words)]
    for name, parameters in domain.predicates.items():
        if name in words.predicates:
            found += _predicate(name, words.predicates[name], len(parameters))
    for name, clause in words.actions.items():
        found += [f"action {name!r}: {fault}" for fault in _clause(clause)]
    return [*found, *_confusable(words)]


def _names(words: Words, domain: Vocabulary) -> Iterator[str]:
    """Names without words, and words without a name."""
    if not words.about:
        yield '"about" is missing'
    types = list(domain.types.parents) or [OBJECT]
    for kind, wanted, there in (
        ("type", types, words.types),
        ("predicate", list(domain.predicates), words.predicates),
        ("action", list(domain.actions), words.actions),
    ):
        yield from (f"{kind} {name!r} has no words" for name in wanted if name not in there)
        extra = [name for name in there if name not in wanted and name != OBJECT]
        yield from (f"{kind} {name!r} has words, but the domain has no such {kind}" for name in extra)


def _types(words: Words) -> Iterator[str]:
    for name, noun in words.types.items():
        if not noun.one or not noun.many or noun.one == noun.many:
            yield f'type {name!r}: "one" and "many" must be two different nouns'
        if not noun.about:
            yield f'type {name!r}: "about" is missing'
    for (first, a), (second, b) in combinations(words.types.items(), 2):
        if a.one == b.one or a.many == b.many:
            yield f"types {first!r} and {second!r} have the same noun"


def _predicate(name: str, words: PredicateWords, arity: int) -> Iterator[str]:
    slotted = {"positive": words.positive, "negative": words.negative}
    slotted |= {"many": words.many} if words.many is not None else {}
    slotted |= {f"narrative {place}": text for place, text in enumerate(words.narrative, start=1)}
    for key, template in slotted.items():
        yield from (f"predicate {name!r}, {key}: {fault}" for fault in _template(template, arity))
    if words.many is not None and arity == 0:
        yield f"predicate {name!r}: it has no arguments, so it has no plural"
    if words.none is not None:
        yield from (f"predicate {name!r}, none: {fault}" for fault in _template(words.none, 0))


def _template(template: str, arity: int) -> Iterator[str]:
    """What is wrong with a clause that must hold each of `arity` arguments once."""
    yield from _clause(template)
    slots = sorted(int(slot) for slot in SLOT.findall(template))
    if slots != list(range(arity)):
        wanted = ", ".join(f"{{{i}}}" for i in range(arity)) or "no slot"
        yield f"{template!r} must hold {wanted}{', each once' if arity else ''}"
    if _NEIGHBOURS.search(template):
        yield f"{template!r} needs a word between neighbouring slots"
    if _NAME_NEXT_TO_SLOT.search(template):
        yield f"{template!r} glues a slot to a word; put a blank between them"


def _clause(text: str) -> Iterator[str]:
    if not text.strip() or text != " ".join(text.split()):
        yield f"{text!r} is empty, or has a blank or a line break too many"
    if text[:1].isupper() and text.split()[0].lower() in _OPENERS:
        yield f"{text!r} must start in lower case, as a clause does"
    if text.endswith((".", "!", "?", ":", ";")):
        yield f"{text!r} must not end with a stop"


def _confusable(words: Words) -> Iterator[str]:
    """Pairs of phrases that could make the same sentence."""
    shapes: dict[str, str] = {}
    for name, templates in words.predicates.items():
        for key in ("positive", "negative", "none"):
            template = getattr(templates, key)
            shape = SLOT.sub("{}", template or "").lower()
            if not shape or (key == "none" and not SLOT.search(templates.positive)):
                continue
            if shape in shapes:
                yield f"predicate {name!r}, {key}: {template!r} reads like {shapes[shape]}"
            shapes.setdefault(shape, f"predicate {name!r}, {key}")
