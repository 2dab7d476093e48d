"""The further jobs of `python -m experiments.run`, by the name that stands in the place of its first flag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType

from experiments.config import fail
from experiments.driver.interrupt import EXIT_INTERRUPTED

#: Job to the module whose `main(arguments)` does it and gives the exit code. Imported on use.
JOBS: Mapping[str, str] = MappingProxyType(
    {
        "table2": "experiments.studies.table2",
        "budgets": "experiments.studies.budgets",
        "replay": "experiments.studies.replay",
        "planetarium": "experiments.studies.planetarium.study",
        "planetarium-data": "experiments.studies.planetarium.data",
        "repair": "experiments.studies.repair.job",
        "study-detection": "experiments.studies.detection",
        "learn": "experiments.studies.learn",
        "operators": "experiments.studies.operators.study",
        "goals": "experiments.studies.goals.study",
        "study-removal": "experiments.studies.removal.study",
        "study-repair": "experiments.studies.repair.study",
        "tic": "experiments.studies.tic",
        "worldmodel": "experiments.studies.worldmodel",
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
