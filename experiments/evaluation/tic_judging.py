"""A translated problem beside the ground truth.

It is *right* if both are the same as they are written, up to the names of objects: the published measure.
It is *correct* if both are the same planning problem, goals with all that they imply; that may be undecided.
"""

from __future__ import annotations

from dataclasses import replace

from envs.pddl.equivalence.as_written import same_as_written
from envs.pddl.equivalence.compare import compare
from envs.pddl.equivalence.goals.derive import Means
from envs.pddl.language.domain import Problem
from experiments.runs.records import Translated


def judged(translated: Translated, problem: Problem, truth: Problem, invariants: str = "") -> Translated:
    """The translation whose problem was read as `problem`, with how it compares with the truth.

    `invariants` are the world's own. Raises LabellingFailed, BadRules.
    """
    written = same_as_written(problem, truth)
    if not isinstance(written.witness, str):
        kept = all(name == image for name, image in written.witness.items())
        verdict = written.verdict.value
        return replace(translated, equality=verdict, meaning=verdict, names_kept=kept)
    return replace(
        translated,
        equality=written.verdict.value,
        part=written.part.value if written.part else "",
        difference=written.witness,
        meaning=compare(problem, truth, means=Means(invariants=invariants)).verdict.value,
    )
