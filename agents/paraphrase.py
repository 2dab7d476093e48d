"""A task's text in other words, by a language model, and back-translation as the check of it.

A paraphrase is drawn at the temperature of several samples. Its check translates it back into the
intermediate representation of TIC, which is inferred and compiled with the world's rules, and compares the
problem with the task's own: as written, where objects that the original text names keep their names. One that
fails is not sent back; another one is drawn. The reader may be at fault as well, so the check turns down more
than it would have to.

Source: the varied texts of Agarwal and Sreepathy 2024, section 5; the check is ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from agents.describe import holds_pddl, mentions
from agents.llm.interface import LanguageModel
from agents.prompts import request
from agents.sampling import derived_seed, resample
from agents.tic.translate import Translator, block_of
from envs.pddl.equivalence.as_written import same_as_written
from envs.pddl.equivalence.compare import Verdict
from envs.pddl.language.domain import Problem, read_domain, read_problem

#: What is wrong with a text, in words; empty if nothing is. The number is the seed of what has to be asked.
Check = Callable[[str, int], str]


@dataclass(frozen=True)
class Paraphrase:
    """A text that passed its check, or none, and what was wrong with those that did not."""

    text: str | None
    faults: tuple[str, ...]  #: one for each answer before the text, or for all answers without one


def paraphrase(model: LanguageModel, task: str, check: Check, seed: int, tries: int = 3) -> Paraphrase:
    """The first of up to `tries` answers that is another text than the task's and passes the check.

    Raises what the model and the check raise.
    """
    question = request("paraphrase/system.md", "paraphrase/task.md", task=task.strip())
    faults: list[str] = []
    for number in range(tries):
        own = derived_seed(seed, "paraphrase", number)
        text = block_of(resample(model, question, own))
        fault = (_of_form(text, task) or check(text, own)) if isinstance(text, str) else text.fault
        if isinstance(text, str) and not fault:
            return Paraphrase(text, tuple(faults))
        faults.append(fault)
    return Paraphrase(None, tuple(faults))


def _of_form(text: str, task: str) -> str:
    """What is wrong with a text before it is read back."""
    if not text:
        return "the answer's last block is empty"
    if text.split() == task.split():
        return "the text is the original, word for word"
    return "the text holds PDDL" if holds_pddl(text) else ""


def back_translation(translator: Translator, original: str, problem: str) -> Check:
    """The check of paraphrases of a text whose task is `problem` (PDDL without errors), by reading them back.

    The check raises what the translator raises, and LabellingFailed.
    """
    truth = read_problem(problem, read_domain(translator.knowledge.domain))

    def check(text: str, seed: int) -> str:
        found = translator.translate(text, derived_seed(seed, "back-translation"))
        if found.problem is None:
            return f"read back, it is no problem ({found.ending}): {found.fault}"
        return difference(read_problem(found.problem, truth.domain), truth, original)

    return check


def difference(found: Problem, truth: Problem, original: str) -> str:
    """How a problem that was read back differs from the task, in words; empty if it does not.

    Both are of one domain object. Objects that the text `original` mentions must come back under their names,
    all others up to names. Raises LabellingFailed.
    """
    named = {name: kind for name, kind in truth.objects.items() if mentions(original, name)}
    lost = [name for name, kind in named.items() if found.objects.get(name) != kind]
    if lost:
        return f"read back, it has no object, or one of another type, named {', '.join(lost)}"
    # a constant of the domain is itself and no other object
    domain = replace(truth.domain, constants={**truth.domain.constants, **named})
    compared = same_as_written(replace(found, domain=domain), replace(truth, domain=domain))
    if compared.verdict is Verdict.EQUIVALENT:
        return ""
    where = f" in {compared.part}" if compared.part else ""
    return f"read back, it differs{where} (first: the paraphrase, second: the task): {compared.witness}"
