"""The further jobs of `python -m experiments.run`, by the name that stands in the place of its first flag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType

from experiments.config import fail
from experiments.interrupt import EXIT_INTERRUPTED

#: Job to the module whose `main(arguments)` does it and gives the exit code. Imported on use.
JOBS: Mapping[str, str] = MappingProxyType(
    {
        "table2": "experiments.table2",
        "budgets": "experiments.budgets",
        "replay": "experiments.replay",
        "planetarium": "experiments.planetarium_job",
        "planetarium-data": "experiments.planetarium_data",
        "repair": "experiments.repair_job",
        "study-detection": "experiments.study_detection",
        "learn": "experiments.learn_job",
        "operators": "experiments.operators_job",
        "goals": "experiments.goals_job",
        "study-removal": "experiments.study_removal",
        "study-repair": "experiments.study_repair",
        "tic": "experiments.tic_job",
        "worldmodel": "experiments.worldmodel_job",
    }
)


def run_job(name: str, arguments: Sequence[str]) -> int:
    """Do a job of `JOBS`; its errors are those of the main job. Raises KeyError for any other name."""
    module = import_module(JOBS[name])
    try:
        code: int = module.main(arguments)
    except KeyboardInterrupt:
        return fail("stopped; the same command goes on where this stopped", EXIT_INTERRUPTED)
    return code
