"""The methods, by the names they have on the command line: where each is, and its settings.

The published ones come first. Source of theirs: Mahdavi et al. 2024, section 5. The baselines after them are
for comparisons at equal budgets (`experiments.studies.comparisons`): without one, `best-of-n` makes as many
candidates as the tree, `restarts` up to four fifths and `repair` up to a fifth of them. `llm-once+repair` and
`refine+repair` are partnerships: what walks can settle is settled by a repair (`agents.repair`), and the
language model is asked for the rest. The baseline `repair` is another thing: a chain with many turns.

`learn` and `learn-partial` ask no language model: they learn operators from walks whose states they see.
`plan-alone`, `plan-advised`, `plan-shown`, `plan-shown-advised` and `plan-by-model` carry out instructions,
all but the first with a model that is written action by action.

The last ones, `llm+p`, `tic-ic`, `tic-g3`, `tic-g1` and `zero-shot`, make no model: the domain is given, and
tasks are translated.

A method is imported when it is first looked up: `METHODS["tree"]` loads what the tree needs, its names load
nothing. To add one: write a subclass of `Method`, and give it a name here; or name it in the `pyproject.toml`
of a package of your own, which is found once it is installed:

    [project.entry-points."groundwalk.methods"]
    mine = "my_package.mine:MyMethod"

Behind a method's name may stand a prompt set, `chain+prompts-terse-1a2b3c4d`: the condition of a comparison
in which the method asks with these prompts (`--prompts`, see `agents.prompts`).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

from agents import prompts
from ew.score.registry import Registry
from experiments.config import ConfigError, SizeFlag

if TYPE_CHECKING:
    from experiments.methods.base import Method

#: What the published table compares.
PUBLISHED = ("intrinsic", "intrinsic-cot", "chain", "tree", "tree-domprop")

#: What a method that does not branch takes of the flags on the size of a search.
TURNS: frozenset[SizeFlag] = frozenset({"turns"})


class Methods(Registry["Method"]):
    """Methods by name."""

    def made(self, entry: EntryPoint, settings: Mapping[str, Any]) -> Method:
        """The method that an entry point makes of its settings. Raises ConfigError if it makes none."""
        from experiments.methods.base import Method  # now, as the names alone are read by the help

        try:
            made: object = super().made(entry, settings)
        except (ImportError, AttributeError, TypeError) as error:
            raise ConfigError(f"method {entry.name!r} ({entry.value}) cannot be loaded: {error}") from error
        if not isinstance(made, Method):
            raise ConfigError(f"method {entry.name!r} ({entry.value}) is no experiments.methods.base.Method")
        return made


_REFINE = "experiments.methods.refine:RefineMethod"
_TREE = "experiments.methods.refinement:RefinementMethod"
_TRANSLATION = "experiments.methods.translation:TranslationMethod.of"
_INTRINSIC = "experiments.methods.one_by_one:IntrinsicMethod"
_MODEL = "experiments.methods.worldmodel:WorldModelMethod"

METHODS = Methods(
    {
        "intrinsic": (_INTRINSIC, {"reasons": False}),
        "intrinsic-cot": (_INTRINSIC, {"reasons": True}),
        "chain": (_TREE, {"np": 1, "nd": 1, "takes": TURNS}),
        "tree": (_TREE, {"np": 5, "nd": 10}),
        "tree-domprop": (_TREE, {"np": 5, "nd": 10, "proposes_domain": True}),
        "refine": (_REFINE, {}),
        "llm-once+repair": (
            _TREE,
            {"np": 1, "nd": 1, "turns": 1, "takes": frozenset(), "repairs": True, "answered_by": "chain"},
        ),
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
        "plan-alone": (_MODEL, {"makes_model": False}),
        "plan-advised": (_MODEL, {"advises": True, "takes": TURNS}),
        "plan-shown": (_MODEL, {"shows_model": True}),
        "plan-shown-advised": (_MODEL, {"shows_model": True, "advises": True, "takes": TURNS}),
        "plan-by-model": (_MODEL, {"uses_planner": True}),
        "zero-shot": (
            _TRANSLATION,
            {"style": "llm+p", "has_example": False, "takes": frozenset(), "feedback_tasks": 0},
        ),
    },
    group="groundwalk.methods",
)

#: `refine` with one of its parts switched off or exchanged: the conditions of `study-ablation`. They are not
#: offered as methods, but a recording or a run directory may hold them.
ABLATIONS = Methods(
    {
        "refine-no-problems": (_REFINE, {"corrects_problems": False}),
        "refine-no-plans": (_REFINE, {"tells_plans": False}),
        "refine-no-probes": (_REFINE, {"looks_further": False}),
        "refine-no-diagnosis": (_REFINE, {"feedback": "paper"}),
        "refine-no-memory": (_REFINE, {"remembers": False}),
        "refine-one-task": (_REFINE, {"feedback_tasks": 1}),
        "refine-beam": (_REFINE, {"policy": "beam"}),
        "refine-algorithm1": (_REFINE, {"policy": "algorithm1"}),
    }
)

#: All of them in the order of tables: conditions stand behind the method whose parts they leave out.
IN_ORDER = tuple(n for name in METHODS for n in ((name, *ABLATIONS) if name == "refine" else (name,)))

#: Who answers in the episodes of methods that ask no language model (`Unit.answers`).
NOBODY = "nobody"
#: Methods that can begin with a domain that is there already (--seed-domain).
SEEDED: frozenset[str] = frozenset({"chain", "tree", "tree-domprop", "llm-once+repair"})


#: What stands between a method's name and the label of a prompt set.
PROMPTS = "+prompts-"


def without_prompts(name: str) -> str:
    """The name of a method without the prompt set behind it."""
    return name.partition(PROMPTS)[0]


def with_prompts(name: str) -> str:
    """The name of a method with the prompt set that is in use behind it, if it is not the packaged one."""
    label = prompts.active().label
    return without_prompts(name) + (f"{PROMPTS}{label}" if label else "")


def method_named(name: str) -> Method:
    """The method or the condition of a study that a unit, a recording or a record names. Raises KeyError."""
    name = without_prompts(name)
    return ABLATIONS[name] if name in ABLATIONS else METHODS[name]


def is_method(name: str) -> bool:
    """Whether `method_named` knows it; a method that is no longer there may be named in old records."""
    name = without_prompts(name)
    return name in ABLATIONS or name in METHODS
