"""The methods, by the names they have on the command line: their settings are the data of this table.

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

To add one: write a class with the surface of `Method`, and give it a name here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from agents.tic.translate import Style
from experiments.config import SizeFlag
from experiments.methods.base import Method
from experiments.methods.baselines import RestartingMethod, SamplingMethod
from experiments.methods.intrinsic import IntrinsicMethod
from experiments.methods.learn import LearnMethod, partly
from experiments.methods.refine import RefineMethod
from experiments.methods.refinement import RefinementMethod
from experiments.methods.tic import TranslationMethod
from experiments.methods.worldmodel import Use, WorldModelMethod
from experiments.methods.zero_shot import ZeroShotMethod

#: What the published table compares.
PUBLISHED = ("intrinsic", "intrinsic-cot", "chain", "tree", "tree-domprop")

#: What a method that does not branch takes of the flags on the size of a search.
TURNS: frozenset[SizeFlag] = frozenset({"turns"})

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "intrinsic": IntrinsicMethod(reasons=False),
        "intrinsic-cot": IntrinsicMethod(reasons=True),
        "chain": RefinementMethod(np=1, nd=1, takes=TURNS),
        "tree": RefinementMethod(np=5, nd=10),
        "tree-domprop": RefinementMethod(np=5, nd=10, proposes_domain=True),
        "refine": RefineMethod(),
        "refine-no-problems": RefineMethod(mends_problems=False),
        "refine-no-plans": RefineMethod(tells_plans=False),
        "refine-no-diagnosis": RefineMethod(feedback="paper"),
        "refine-no-memory": RefineMethod(remembers=False),
        "refine-one-task": RefineMethod(feedback_tasks=1),
        "refine-beam": RefineMethod(policy="beam"),
        "refine-algorithm1": RefineMethod(policy="algorithm1"),
        "llm-once+repair": RefinementMethod(np=1, nd=1, turns=1, takes=frozenset(), repairs=True),
        "refine+repair": RefineMethod(repairs=True),
        "best-of-n": SamplingMethod(np=5, nd=10),
        "repair": RefinementMethod(np=1, nd=1, turns=40, takes=TURNS),
        "restarts": RestartingMethod(np=40, nd=1, takes=TURNS),
        "learn": LearnMethod(),
        "learn-partial": partly(LearnMethod(), 0.5),
        **{style.value: TranslationMethod(style) for style in Style},
        Use.ALONE.value: WorldModelMethod(Use.ALONE),
        Use.ADVISED.value: WorldModelMethod(Use.ADVISED, takes=TURNS),
        Use.SHOWN.value: WorldModelMethod(Use.SHOWN),
        Use.SHOWN_ADVISED.value: WorldModelMethod(Use.SHOWN_ADVISED, takes=TURNS),
        Use.BY_MODEL.value: WorldModelMethod(Use.BY_MODEL),
        "zero-shot": ZeroShotMethod(),
    }
)

#: Methods whose requests another one's recording answers, as far as both have the same problem and predicates
#: in the end: their first requests are the same, and they end sooner.
ANSWERED_BY: Mapping[str, str] = MappingProxyType({"llm-once+repair": "chain"})

#: Methods whose feedback is the published one under the published protocol, where no flag says otherwise:
#: those of the published table and what they are compared with.
TOLD_AS_PUBLISHED = frozenset(
    [*PUBLISHED, *(name for name, made in METHODS.items() if isinstance(made, RefinementMethod))]
)

#: Methods that ask no language model, so that they need neither an endpoint nor a recording.
UNASKED: frozenset[str] = frozenset({"learn", "learn-partial"})
#: Who answers in their episodes (`Unit.answers`).
NOBODY = "nobody"
#: Methods that can begin with a domain that is there already (--seed-domain).
SEEDED: frozenset[str] = frozenset({"chain", "tree", "tree-domprop", "llm-once+repair"})
