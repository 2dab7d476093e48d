"""A world model, written action by action with a list of predicates that grows.

Each action has a dialogue of its own, which knows the predicates that the actions before it brought. There
are at least two passes over the actions, so that early ones can use predicates that later ones brought; a
further pass writes each action anew, and if that fails the earlier version stays. Predicates that no action
uses in the end are left out.

Source: Guan et al. 2023, section 4.1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.llm.interface import LanguageModel, Usage
from agents.sampling import derived_seed
from agents.worldmodel.brief import Brief
from agents.worldmodel.check import FaultKind
from agents.worldmodel.dialogue import Dialogue, Settings, converse
from agents.worldmodel.model import WorldModel
from agents.worldmodel.requests import action_request

#: Fewer would leave early actions without the predicates that later ones bring.
FEWEST_PASSES = 2


@dataclass(frozen=True)
class Construction:
    """A world model and how it came about."""

    model: WorldModel
    dialogues: Mapping[str, Dialogue]  #: by action: the last one about it
    counts: Mapping[FaultKind, int]  #: faults of all replies of all passes
    usage: Usage
    unwritten: tuple[str, ...] = ()  #: actions that no reply without fault was given for


@dataclass(frozen=True)
class Constructor:
    """The language model at work. Stateless; raises what it raises (LLMError)."""

    llm: LanguageModel
    passes: int = FEWEST_PASSES
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        if self.passes < FEWEST_PASSES:
            raise ValueError(f"{self.passes} passes are too few; at least {FEWEST_PASSES} are needed")

    def construct(self, brief: Brief, seed: int) -> Construction:
        """The model of an environment. Bad replies are no error: they are counted, and end their dialogue."""
        model, dialogues = WorldModel(brief), dict[str, Dialogue]()
        counts, usage = Counter[FaultKind](), Usage()
        for number in range(self.passes):
            for action in brief.actions:
                asked = action_request(brief, action, model, self.settings.forbidden)
                own = derived_seed(seed, "pass", number)
                dialogue = converse(self.llm, asked, action.name, model, self.settings, own)
                dialogues[action.name], model = dialogue, dialogue.model
                counts.update(dialogue.counts)
                usage += dialogue.usage
        return Construction(model.pruned(), dialogues, dict(counts), usage, model.unwritten)
