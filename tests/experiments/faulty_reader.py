"""Folders in which one task's text is wrong, and a reader who writes down honestly what texts say.

The reader knows the words of a world (`words.json`) and nothing of its PDDL tasks: a problem is what the
sentences of the text say. Its first domain lacks one effect; asked again, it writes the right one. Where
facts of the initial state are named as possible faults, it changes these and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from agents.llm.interface import Message
from envs.pddl.language.domain import read_domain
from envs.pddl.language.terms import Part, show, tree_of

FOLDERS = Path(__file__).parents[1] / "data" / "faulty_texts"


@dataclass(frozen=True)
class Faulty:
    """A folder, and what is wrong in it: the task, and what a doubt about its text may name."""

    name: str
    task: int
    kind: str
    subjects: frozenset[str]

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return FOLDERS / self.name


FAULTY = (
    Faulty("static_fact", 2, "fact", frozenset({"(cable gorge summit)", "(cable gorge meadow)"})),
    Faulty("fluent_fact", 3, "fact", frozenset({"(potted ivy bench1)", "(potted ivy bench3)"})),
    Faulty("goal", 3, "goal", frozenset({"(rung maria)"})),
    Faulty("object_type", 3, "object", frozenset({"swan"})),
    Faulty("missing_fact", 2, "fact", frozenset({"(charged flare)"})),
)
_ORDER = re.compile(r"^- initial state: (add|drop) the fact (\(.*\))$", re.MULTILINE)
_MISFIT = re.compile(r"argument \d+ of (\(.*?\)) must be of type")
_GROUP = re.compile(
    r"^(?:These changes of the initial state|Explains \d+ of \d+).*\n((?:- .*(?:\n|$))+)", re.M
)


class Reader:
    """Answers every request about one folder. Stateless but for the folder's files."""

    def __init__(self, folder: Path):
        self._folder = folder

    def __call__(self, messages: Sequence[Message], index: int, seed: int) -> str:
        """The reply to a conversation."""
        asked = messages[-1].content
        if "def modify_action" in asked:
            return self._calls(whole=False)
        if "Only the domain is written again here" in asked:
            return self._calls(whole=True)
        if "The fault is in the domain, in the problem" in asked:
            return f"{self._calls(whole=True)}\n{_problem(*self._fixed(messages))}"
        if "Then write the whole problem again" in asked:
            return _problem(*self._fixed(messages))
        return _problem(*self.read(asked))

    @cached_property
    def _patterns(self) -> list[tuple[str, re.Pattern[str], list[int]]]:
        words = json.loads((self._folder / "words.json").read_text(encoding="utf-8"))
        found = []
        for name, templates in words["predicates"].items():
            slots = [int(n) for n in re.findall(r"\{(\d)\}", templates["positive"])]
            pattern = re.sub(r"\{\d\}", r"(\\S+)", templates["positive"])
            found.append((name, re.compile(f"- {pattern}"), slots))
        return sorted(found, key=lambda entry: entry[1].pattern.count("S"), reverse=True)

    def read(self, asked: str) -> tuple[list[str], list[str]]:
        """The facts and the goal of the last task's text."""
        text = asked[asked.rindex("At the start:") :].partition("\n## ")[0]
        start, _, goal = text.partition("The goal is that:")
        kinds = {
            n: t
            for names, t in re.findall(r"^\s*(\S[^()\n]*?) - (\w+)\)?", asked, re.M)
            for n in names.split()
        }
        return list(self._atoms(start, kinds)), list(self._atoms(goal, kinds))

    def _atoms(self, text: str, kinds: dict[str, str]) -> Iterator[str]:
        for line in text.splitlines():
            fits = [
                f"({' '.join((name, *(match[slots.index(i) + 1] for i in range(len(slots)))))})"
                for name, pattern, slots in self._patterns
                if (match := pattern.fullmatch(line))
            ]
            if fits:
                yield self._fitting(fits, kinds)

    def _fitting(self, fits: list[str], kinds: dict[str, str]) -> str:
        """Of atoms that one sentence may stand for, one whose types fit, if there is any."""
        vocabulary = read_domain(self._text("domain.pddl")).vocabulary
        for atom in fits:
            name, *arguments = atom[1:-1].split()
            wanted = [kind for _, kind in vocabulary.predicates[name]]
            given = [kinds.get(a, "object") for a in arguments]
            if all(map(vocabulary.types.is_subtype, given, wanted)):
                return atom
        return fits[0]

    def _fixed(self, messages: Sequence[Message]) -> tuple[list[str], list[str]]:
        """The problem of the last text, with every fact changed that was named since."""
        begun = max(n for n, m in enumerate(messages) if m.role == "user" and "At the start:" in m.content)
        facts, goal = self.read(messages[begun].content)
        for message in messages[begun:]:
            if message.role != "user":
                continue
            groups = _GROUP.findall(message.content)
            for change, atom in _ORDER.findall(groups[0]) if groups else ():
                facts = [fact for fact in facts if fact != atom] + ([atom] if change == "add" else [])
            facts = [fact for fact in facts if fact not in _MISFIT.findall(message.content)]
        return facts, goal

    def _calls(self, whole: bool) -> str:
        """The domain as calls; not `whole`: without the last effect of its first action."""
        domain = read_domain(self._text("domain.pddl"))
        tree = tree_of(domain)
        declared = [
            f"({' '.join((n, *(f'{v} - {t}' for v, t in p)))})"
            for n, p in domain.vocabulary.predicates.items()
        ]
        lines = [f"add_or_update_predicates({declared!r})"]
        for number, name in enumerate(domain.actions):
            before, after = (_conjuncts(tree.part(name, part)) for part in Part)
            kept = after if whole or number else after[:-1]
            lines.append(f"modify_action({name!r}, {before!r}, {kept!r})")
        return "```python\n" + "\n".join(lines) + "\n```"

    def _text(self, name: str) -> str:
        return (self._folder / name).read_text(encoding="utf-8")


def literals(domain: str) -> dict[tuple[str, str], frozenset[str]]:
    """What each action of a domain needs and changes, whatever the order."""
    read = read_domain(domain)
    tree = tree_of(read)
    return {(n, part.value): frozenset(_conjuncts(tree.part(n, part))) for n in read.actions for part in Part}


def _conjuncts(whole) -> list[str]:  # type: ignore[no-untyped-def]
    return [show(part) for part in (whole[1:] if whole[:1] == ("and",) else (whole,))]


def _problem(facts: Sequence[str], goal: Sequence[str]) -> str:
    return (
        f"```pddl\n(define (problem read) (:domain read) (:init {' '.join(facts)}) "
        f"(:goal (and {' '.join(goal)})))\n```"
    )
