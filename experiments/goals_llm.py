"""The goals study's language model: who answers, and the guesses that it makes.

Answers come from a live server, from a recording, or from nobody. All go through the study's journal, so a
study that was stopped asks nothing twice, and its directory can be made a recording:

    python -m experiments.recordings export runs/goals experiments/recordings/goals.jsonl.gz
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from agents.goals.asking import predict
from agents.llm.client import OpenAIModel
from agents.llm.interface import DescribedModel, LanguageModel
from agents.llm.journal import Journal
from agents.llm.journaled import JournaledModel
from agents.llm.recording import RecordedModel, load_recording
from experiments.config import ConfigError, RunConfig
from experiments.goals_tasks import space_of
from experiments.goals_units import VIEWS, GuessUnit, judged
from experiments.models import endpoint_of, with_model
from experiments.recordings import shelf
from experiments.records import Event
from experiments.rundir import RunDirectory
from experiments.streams import derived_seed
from experiments.study import Record

#: The packaged recording of this study.
RECORDING = "goals"


def answering(
    live: RunConfig, recording: str | None, packaged: str = RECORDING
) -> tuple[str, DescribedModel | None]:
    """Who answers, by a name that stays the same when a study goes on; None if nobody does.

    Without a model and a recording it is the `packaged` recording of that name, if there is one. Raises
    ConfigError, LLMError.
    """
    if live.model or live.base_url:
        if recording:
            raise ConfigError("--recording is for recorded answers; leave it out, or --model and --base-url")
        asked = with_model(live)
        model = OpenAIModel(endpoint_of(asked))
        model.check()
        return f"{asked.model} at {asked.base_url or 'the default server'}", model
    found = shelf(recording) if recording else [s for s in shelf(None) if s.name == packaged]
    if not found:
        return "nobody", None
    return found[0].label, RecordedModel(load_recording(Path(found[0].path)))


def ask_units(
    units: Sequence[GuessUnit], model: DescribedModel, directory: RunDirectory, at_once: int
) -> list[Record]:
    """The record of every unit, in order; what is written already is not asked again.

    Raises LLMError at the first unit that cannot be answered, after all that are under way.
    """
    known = {event["key"]: event for event in directory.events() if event["event"] == Event.UNIT}
    missing = [unit for unit in units if unit.key not in known]
    with Journal(directory.journal_path) as journal, ThreadPoolExecutor(at_once) as pool:
        asked = JournaledModel(model, journal)
        futures = {pool.submit(ask, unit, asked): unit for unit in missing}
        try:
            for future in as_completed(futures):
                _keep(directory, known, futures[future], future.result())
        finally:
            for future in futures:
                future.cancel()
    return [known[unit.key] for unit in units]


def _keep(directory: RunDirectory, known: dict[str, Record], unit: GuessUnit, found: Record) -> None:
    record = {"key": unit.key, **found}
    directory.append(Event.UNIT, record)
    known[unit.key] = record


def ask(unit: GuessUnit, model: LanguageModel) -> Record:
    """The record of one unit. Raises what the model raises."""
    guesses = predict(
        model,
        unit.observed,
        space_of(unit.task.kind),
        VIEWS[unit.method],
        whole=unit.whole,
        examples=unit.examples,
        seed=derived_seed(unit.seed, "goals", unit.task.kind, unit.task.number),
    )
    tokens = guesses.usage.prompt_tokens + guesses.usage.completion_tokens
    return judged(unit, guesses.goals, guesses.fault, tokens)


def origin(answers: str) -> Mapping[str, object]:
    """What a directory says of its calls, so that they can be exported: they cover no episode."""
    return {"covers": [], "answers": answers}
