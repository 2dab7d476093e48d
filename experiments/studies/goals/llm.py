"""The guesses that a language model makes in the goals study."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial

from agents.goals.asking import predict
from agents.llm.errors import LLMError
from agents.llm.interface import LanguageModel
from experiments.runs.directory import RunDirectory
from experiments.runs.records import Event
from experiments.runs.seeds import derived_seed
from experiments.studies.asking import Answering, AskingConfig, asked_record, is_left_out, written_records
from experiments.studies.goals.tasks import space_of
from experiments.studies.goals.units import VIEWS, GuessUnit, judged
from experiments.studies.study import Record


def ask_units(
    units: Sequence[GuessUnit],
    model: LanguageModel,
    who: Answering,
    directory: RunDirectory,
    config: AskingConfig,
) -> list[Record]:
    """The record of every unit that is answered, in order; what is written already is not asked again.

    Raises what the model raises at the first unit that it cannot answer, after all that are under way.
    """
    known = written_records(directory, config)
    missing = [unit for unit in units if unit.key not in known]
    with ThreadPoolExecutor(config.concurrency) as pool:
        futures = {pool.submit(asked_record, unit, model, partial(ask, unit)): unit for unit in missing}
        try:
            for future in as_completed(futures):
                error = future.exception()
                if not (isinstance(error, LLMError) and is_left_out(error, who)):
                    record = future.result()
                    directory.append(Event.UNIT, record)
                    known[record["key"]] = record
        finally:
            for future in futures:
                future.cancel()
    return [known[unit.key] for unit in units if unit.key in known]


def ask(unit: GuessUnit, model: LanguageModel) -> Record:
    """The record of one unit. Raises what the model raises.

    The seed does not depend on the method: methods that ask the same are answered the same.
    """
    guesses = predict(
        model,
        unit.observed,
        space_of(unit.task.kind),
        VIEWS[unit.method],
        whole=unit.whole,
        examples=unit.examples,
        seed=derived_seed(unit.seed, "goals", unit.task.kind, unit.task.number),
        presentation=unit.presentation,
    )
    tokens = guesses.usage.prompt_tokens + guesses.usage.completion_tokens
    return judged(unit, guesses.goals, guesses.fault, tokens)
