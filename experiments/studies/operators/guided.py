"""The guided methods of the operators study: what a language model makes of what was learned by name.

The methods differ in what they do with a first reply, so they ask for the same one. Examples are a few true
operators, drawn for each repeat, each beside what was learned of it; an operator that
is itself an example is completed from the others. A unit's record is like those of
`experiments.studies.operators.units`, so that one table holds all methods; there is no EW, since the
parameters of such operators are not the world's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

from agents.llm.interface import LanguageModel
from agents.operators.guided import Completed, Shot, complete, completed_from
from agents.operators.lifted import Operator
from agents.operators.reading import NoOperator
from agents.operators.symbolic import learn_symbolically
from envs.tasks import shuffled
from experiments.runs.seeds import derived_seed, stream
from experiments.studies.operators.demonstrations import minecraft, traces_of
from experiments.studies.operators.true_operators import true_operators
from experiments.studies.operators.units import LearnUnit, drawn, the_test
from experiments.studies.study import Record

#: Guided method to how often it asks again.
TRIES: Mapping[str, int] = MappingProxyType({"guided": 0, "guided-resampled": 5})
#: True operators that the model is shown.
SHOTS = 3


def ask(unit: LearnUnit, model: LanguageModel, at_once: int) -> Record:
    """The record of one unit; `at_once` operators are completed at a time. Raises what the model raises."""
    traces = traces_of(drawn(unit.seed, unit.repeat)[: unit.count])
    learned = learn_symbolically(traces)
    shots = shots_of(learned, unit)
    seed = derived_seed(unit.seed, "guided", unit.count, unit.repeat)

    def completed(operator: Operator) -> Completed:
        others = [shot for shot in shots if shot.learned.action != operator.action]
        tries = TRIES[unit.method]
        return complete(model, operator, others, traces, tries=tries, seed=seed, plain=unit.plain)

    with ThreadPoolExecutor(at_once) as pool:
        done = list(pool.map(completed, learned))
    verdicts = the_test(unit.states).judge([d.operator for d in done])
    return {
        "method": unit.method,
        "count": unit.count,
        "repeat": unit.repeat,
        "steps": traces.steps,
        "operators": len(done),
        "actions": len(verdicts),
        "recovered": sum(v.recovered for v in verdicts),
        "unseen": sum(not v.learned for v in verdicts),
        "unjudged": sum(not v.judged for v in verdicts),
        "wrong_effects": [v.action for v in verdicts if v.learned and not v.same_effects],
        "wrong_conditions": [v.action for v in verdicts if v.same_effects and not v.same_conditions],
        "undetermined": 0,
        "ew": [],
        "directions": [],
        "asked": sum(d.asked for d in done),
        "kept": sum(not d.taken for d in done),
        "tokens": sum(d.usage.prompt_tokens + d.usage.completion_tokens for d in done),
    }


def shots_of(learned: Sequence[Operator], unit: LearnUnit) -> tuple[Shot, ...]:
    """Examples of one repeat: actions of which one operator was learned that the true one completes.

    As far as possible they change different things, so that they are not three of one sort.
    """
    true = {operator.name: operator for operator in true_operators(minecraft())}
    fitting = [o for o in learned if o.name in true and _completes(true[o.name], o)]
    mixed = shuffled(stream(unit.seed, "guided-shots", unit.repeat), fitting)
    kinds: dict[tuple[tuple[str, bool], ...], Operator] = {}
    for operator in mixed:
        kinds.setdefault(tuple(sorted((e.predicate, e.positive) for e in operator.effects)), operator)
    chosen = list(dict.fromkeys([*kinds.values(), *mixed]))[:SHOTS]
    return tuple(Shot(operator, true[operator.name]) for operator in chosen)


def _completes(true: Operator, learned: Operator) -> bool:
    try:
        completed_from(true, learned)
    except NoOperator:
        return False
    return True
