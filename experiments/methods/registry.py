"""The methods, by the names they have on the command line: where each is, and its settings.

The published ones come first. Source of theirs: Mahdavi et al. 2024, section 5. The baselines after them are
for comparisons at equal budgets (`experiments.studies.budgets`): without one, `best-of-n` makes as many
candidates as the tree, `restarts` up to four fifths and `repair` up to a fifth of them. `llm-once+repair` and
`refine+repair` are partnerships: what walks can settle is settled by a repair (`agents.repair`), and the
language model is asked for the rest. The baseline `repair` is another thing: a chain with many turns.

`learn` and `learn-partial` ask no language model: they learn operators from walks whose states they see.
`plan-alone`, `plan-advised`, `plan-shown`, `plan-shown-advised` and `plan-by-model` carry out instructions,
all but the first with a model that is written action by action.

The last ones, `llm+p`, `tic-ic`, `tic-g3`, `tic-g1` and `zero-shot`, make no model: the domain is given, and
tasks are translated.

A method is imported when it is first looked up: `METHODS["tree"]` loads what the tree needs, its names load
nothing. To add one: write a subclass of `Method`, and give it a name here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any

from experiments.config import SizeFlag
from experiments.methods.base import Method

#: What the published table compares.
PUBLISHED = ("intrinsic", "intrinsic-cot", "chain", "tree", "tree-domprop")

#: What a method that does not branch takes of the flags on the size of a search.
TURNS: frozenset[SizeFlag] = frozenset({"turns"})


class Methods(Mapping[str, Method]):
    """Methods by name, each made on the first look-up from its entry point and its settings.

    An entry point, `module:name`, is a class or what else makes a method of the settings.
    """

    def __init__(self, entries: Mapping[str, tuple[str, Mapping[str, Any]]]):
        self._entries = dict(entries)
        self._made = cache(self._make)

    def __getitem__(self, name: str) -> Method:
        """The method of that name. Raises KeyError if there is none."""
        return self._made(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def _make(self, name: str) -> Method:
        point, settings = self._entries[name]
        module, _, attribute = point.partition(":")
        made: Method = attrgetter(attribute)(import_module(module))(**settings)
        return made


_REFINE = "experiments.methods.refine:RefineMethod"
_TREE = "experiments.methods.refinement:RefinementMethod"
_TRANSLATION = "experiments.methods.tic:TranslationMethod.of"
_MODEL = "experiments.methods.worldmodel:WorldModelMethod.of"

METHODS = Methods(
    {
        "intrinsic": ("experiments.methods.intrinsic:IntrinsicMethod", {"reasons": False}),
        "intrinsic-cot": ("experiments.methods.intrinsic:IntrinsicMethod", {"reasons": True}),
        "chain": (_TREE, {"np": 1, "nd": 1, "takes": TURNS}),
        "tree": (_TREE, {"np": 5, "nd": 10}),
        "tree-domprop": (_TREE, {"np": 5, "nd": 10, "proposes_domain": True}),
        "refine": (_REFINE, {}),
        "llm-once+repair": (_TREE, {"np": 1, "nd": 1, "turns": 1, "takes": frozenset(), "repairs": True}),
        "refine+repair": (_REFINE, {"repairs": True}),
        "best-of-n": ("experiments.methods.refinement:SamplingMethod", {"np": 5, "nd": 10}),
        "repair": (_TREE, {"np": 1, "nd": 1, "turns": 40, "takes": TURNS}),
        "restarts": ("experiments.methods.refinement:RestartingMethod", {"np": 40, "nd": 1, "takes": TURNS}),
        "learn": ("experiments.methods.learn:LearnMethod", {}),
        "learn-partial": ("experiments.methods.learn:LearnMethod.partial", {"observed": 0.5}),
        "llm+p": (_TRANSLATION, {"style": "llm+p"}),
        "tic-ic": (_TRANSLATION, {"style": "tic-ic"}),
        "tic-g3": (_TRANSLATION, {"style": "tic-g3"}),
        "tic-g1": (_TRANSLATION, {"style": "tic-g1"}),
        "plan-alone": (_MODEL, {"use": "plan-alone"}),
        "plan-advised": (_MODEL, {"use": "plan-advised", "takes": TURNS}),
        "plan-shown": (_MODEL, {"use": "plan-shown"}),
        "plan-shown-advised": (_MODEL, {"use": "plan-shown-advised", "takes": TURNS}),
        "plan-by-model": (_MODEL, {"use": "plan-by-model"}),
        "zero-shot": ("experiments.methods.zero_shot:ZeroShotMethod", {}),
    }
)

#: `refine` with one of its parts switched off or exchanged: the conditions of `study-ablation`. They are not
#: offered as methods, but a recording or a run directory may hold them.
ABLATIONS = Methods(
    {
        "refine-no-problems": (_REFINE, {"mends_problems": False}),
        "refine-no-plans": (_REFINE, {"tells_plans": False}),
        "refine-no-diagnosis": (_REFINE, {"feedback": "paper"}),
        "refine-no-memory": (_REFINE, {"remembers": False}),
        "refine-one-task": (_REFINE, {"feedback_tasks": 1}),
        "refine-beam": (_REFINE, {"policy": "beam"}),
        "refine-algorithm1": (_REFINE, {"policy": "algorithm1"}),
    }
)

#: All of them in the order of tables: conditions stand behind the method whose parts they leave out.
IN_ORDER = tuple(n for name in METHODS for n in ((name, *ABLATIONS) if name == "refine" else (name,)))

#: Methods whose requests another one's recording answers, as far as both have the same problem and predicates
#: in the end: their first requests are the same, and they end sooner.
ANSWERED_BY: Mapping[str, str] = {"llm-once+repair": "chain"}

#: Who answers in the episodes of methods that ask no language model (`Unit.answers`).
NOBODY = "nobody"
#: Methods that can begin with a domain that is there already (--seed-domain).
SEEDED: frozenset[str] = frozenset({"chain", "tree", "tree-domprop", "llm-once+repair"})


def method_named(name: str) -> Method:
    """The method or the condition of a study that a unit, a recording or a record names. Raises KeyError."""
    return METHODS[name] if name in METHODS else ABLATIONS[name]


def is_method(name: str) -> bool:
    """Whether `method_named` knows it; a method that is no longer there may be named in old records."""
    return name in METHODS or name in ABLATIONS
