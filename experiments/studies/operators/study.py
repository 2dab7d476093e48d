"""`python -m experiments.run operators`: how many of Mini-Minecraft's operators demonstrations teach.

Demonstrations teach operators by name alone (`symbolic`) or with arguments known (`known`); what was learned
by name alone a language model completes, once (`guided`) or with proposals that a demonstration refutes asked
for again (`guided-resampled`). Without a language model, guided methods are left out and listed:

    operators                                     what is recorded, and the methods without a language model
    operators --model NAME --base-url URL         a live server

A method is a learner of traces, by its name in `LEARNERS`, or a guided one. In each repeat the demonstrations
are drawn in an order of the repeat's own, and a unit takes the first of them, so its traces hold those of
every smaller one. The guided methods differ in what they do with a first reply, so they ask for the same one.
Examples are a few true operators, drawn for each repeat, each beside what was learned of it; an operator that
is itself an example is completed from the others. There is no EW of what they learn, since the parameters of
such operators are not the world's.

Writes `operators.csv` (one row a unit), `table.md`, `table.tex` (the share recovered against the number of
demonstrations, EW with the true domain, what was not recovered and why) and the figure `operators` as PNG and
SVG. Records and calls are kept as they come; all else is made from them.
Source of the comparison: Siegel et al. 2024, section 6 and Figure 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

from agents.llm.interface import LanguageModel
from agents.operators.guided import Completed, NoOperator, Shot, complete, completed_from
from agents.operators.learner import learn_operators
from agents.operators.lifted import Operator, domain_of
from agents.operators.reading import operators_of
from agents.operators.symbolic import learn_symbolically
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.traces.trace import Traces
from envs.source import read_texts
from envs.tasks import shuffled
from envs.world import open_world
from ew.score.config import EWConfig
from ew.score.score import EWScore, EWVerdict, ew_score
from ew.walks.adapter import transitions_of
from experiments.config import EXIT_UNANSWERED, ConfigError, Count, parse_job, shared
from experiments.runs.records import content_key
from experiments.runs.seeds import derived_seed, stream
from experiments.runs.units import WorkUnit
from experiments.studies.candidates import model_of
from experiments.studies.operators.accuracy import Recovery, Test
from experiments.studies.operators.demonstrations import WORLD, drawn, minecraft, test_states, traces_of
from experiments.studies.operators.report import Recovering, draw_operators, operator_tables, operators_csv
from experiments.studies.study import (
    AskingConfig,
    Record,
    Study,
    answering_methods,
    left_out,
    scored,
    unanswered_tables,
)

Method = Literal["symbolic", "guided", "guided-resampled", "known"]
METHODS: tuple[Method, ...] = get_args(Method)
#: The packaged recording of this study.
RECORDING = "guided"
#: Method to what it makes of traces. Guided methods are not here: they are given what these have learned.
LEARNERS: Mapping[str, Callable[[Traces], tuple[Operator, ...]]] = MappingProxyType(
    {"symbolic": learn_symbolically, "known": learn_operators}
)
#: Of the records: 2 holds both directions of each EW.
_FORM = 2
#: Lengths of the random walks that lead away from each state of the test.
ASTRAY = (1, 2, 4, 8)
#: Guided method to how often it asks again.
TRIES: Mapping[str, int] = MappingProxyType({"guided": 0, "guided-resampled": 5})
#: True operators that the model is shown.
SHOTS = 3


@dataclass(frozen=True)
class OperatorsConfig(AskingConfig):
    """Learn operators from demonstrations and compare them with the true ones. --env is minecraft alone."""

    env: tuple[str, ...] = ("minecraft",)
    """Where the demonstrations are from."""
    methods: tuple[Method, ...] = ()
    """How operators are learned; default: all, the guided ones if somebody answers."""
    counts: tuple[int, ...] = (1, 10, 100)
    """Numbers of demonstrations."""
    repeats: Count = 1
    """Times that demonstrations are drawn."""
    published: bool = False
    """Take the documented numbers, 1, 2, 5, 10, 20, 50 and 100, drawn five times: four minutes on 2 cores."""
    guided_counts: tuple[int, ...] = (100,)
    """Numbers of demonstrations of the guided methods."""
    guided_repeats: Count = 1
    """Times that demonstrations are drawn for the guided methods, the first draws of all."""
    resampling: Literal["reasoned", "plain"] = "reasoned"
    """After a refuted proposal: ask with the reason (ours), or, as published, sample the request again."""
    tasks: tuple[int, ...] = (1, 4)
    """The world's tasks that EW is taken in."""
    walks: int = 200
    """Fresh walks of one EW score."""
    states: Count = 4
    """Of each action, states of held-out demonstrations that learned operators are tried in."""
    out: Path = Path("runs/operators")
    """Where everything is written."""

    def units_of(self, method: Method) -> list[LearnUnit]:
        """All units of a method."""
        guided = method in TRIES
        counts, repeats = self.counts, self.repeats
        plain = guided and self.resampling == "plain"
        if guided:
            counts, repeats = self.guided_counts, self.guided_repeats
        return [
            LearnUnit(**shared(self, LearnUnit), method=method, count=count, repeat=repeat, plain=plain)
            for count in counts
            for repeat in range(repeats)
        ]


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code. Raises ConfigError, LLMError and more."""
    config = parse_job(OperatorsConfig, "operators", arguments)
    if config.published:
        config = replace(config, counts=(1, 2, 5, 10, 20, 50, 100), repeats=5)
    _check(config)
    who, methods = answering_methods(config, RECORDING, METHODS, config.methods, TRIES)
    with Study.open(config, who, methods=list(methods)) as study:
        units = {method: config.units_of(method) for method in methods}
        records = study.of_methods(units, TRIES, work, partial(ask, at_once=config.concurrency), 1)
        found, silent = Recovering(scored(records)), unanswered_tables(records)
        study.report(
            (*operator_tables(found), *silent),
            {"operators.csv": operators_csv(found)},
            (lambda folder: draw_operators(found, folder / "operators")) if found.records else None,
            lines=left_out(METHODS, config.methods, units, records, "units"),
        )
    return EXIT_UNANSWERED if silent else 0


def _check(config: OperatorsConfig) -> None:
    """Raises ConfigError for what cannot be meant."""
    if config.env != ("minecraft",):
        raise ConfigError("--env: demonstrations are there for minecraft alone")
    counts = (*config.counts, *config.guided_counts)
    if not (config.counts and config.guided_counts) or min(counts) < 1:
        raise ConfigError("--counts and --guided-counts must be positive")
    if config.walks < 2 or config.seed < 0:
        raise ConfigError("--walks must be 2 or more, and --seed must not be negative")
    there = len(drawn(config.seed, 0))
    if max(counts) > there:
        raise ConfigError(f"--counts: there are {there} demonstrations to learn from, not {max(counts)}")


@dataclass(frozen=True)
class LearnUnit(WorkUnit):
    """One method, number of demonstrations and repeat."""

    method: str
    count: int
    repeat: int
    tasks: tuple[int, ...]  #: the world's tasks that EW is taken in
    walks: int
    states: int  #: of the test, for each action
    seed: int
    plain: bool = False  #: refuted proposals are sampled again as published, without the reason

    @property
    def key(self) -> str:
        """Content hash, which a record in another form does not have: such a unit is done again."""
        return content_key({"unit": super().key, "form": _FORM})


def work(unit: LearnUnit) -> Record:
    """The record of one unit; runs in a worker."""
    traces = traces_of(drawn(unit.seed, unit.repeat)[: unit.count])
    learned = LEARNERS[unit.method](traces)
    verdicts = the_test(unit.states).judge(learned, named=unit.method == "known")
    scores = [_ew(learned, task, unit) for task in unit.tasks]
    return {
        **_record(unit, traces, verdicts),
        "undetermined": sum(len(operator.undetermined) for operator in learned),
        "ew": [None if score is None else score.score for score in scores],
        "directions": [None if score is None else [score.forward, score.backward] for score in scores],
    }


def _record(unit: LearnUnit, traces: Traces, verdicts: Sequence[Recovery]) -> Record:
    """What the records of all methods have."""
    return {
        "method": unit.method,
        "count": unit.count,
        "repeat": unit.repeat,
        "steps": traces.steps,
        "operators": sum(v.learned for v in verdicts),
        "actions": len(verdicts),
        "recovered": sum(v.recovered for v in verdicts),
        "unseen": sum(not v.learned for v in verdicts),
        "unjudged": sum(not v.judged for v in verdicts),
        "wrong_effects": [v.action for v in verdicts if v.learned and not v.same_effects],
        "wrong_conditions": [v.action for v in verdicts if v.same_effects and not v.same_conditions],
    }


@lru_cache(maxsize=1)
def the_test(each: int) -> Test:
    """What learned operators are compared with: `each` states of each action, and those not far away."""
    return Test(minecraft(), test_states(each, ASTRAY))


def _ew(learned: tuple[Operator, ...], number: int, unit: LearnUnit) -> EWScore | None:
    """EW of the learned domain in a task; None if its operators are none of the world's, or too many."""
    world = open_world(WORLD, number)
    arities = {action.name: len(action.parameters) for action in world.actions}
    if any(arities.get(o.name) != len(o.parameters) for o in learned):
        return None
    domain = read_domain(domain_of(minecraft().vocabulary, learned))
    model = model_of(read_problem(read_texts(WORLD, number).problem, domain), world)
    if model is None:
        return None
    config = EWConfig(walks=unit.walks, estimator="survival")
    rng = stream(unit.seed, "operators-ew", unit.repeat, number)
    found = ew_score(transitions_of(world), model, rng, config)
    return found if found.verdict is EWVerdict.SCORED else None


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
        **_record(unit, traces, verdicts),
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
    true = {operator.name: operator for operator in operators_of(minecraft())}
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
