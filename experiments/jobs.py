"""The registry of jobs: what may stand in the place of the first flag of `python -m experiments.run`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points

#: The entry points in which packages name jobs of theirs.
GROUP = "groundwalk.jobs"
#: The entry point of each job: it does it by its `arguments` and returns the exit code. Imported on use.
JOBS: Mapping[str, str] = {
    "table2": "experiments.studies.comparisons:table2",
    "budgets": "experiments.studies.comparisons:budgets",
    "replay": "experiments.studies.replay:main",
    "planetarium": "experiments.studies.planetarium.study:main",
    "planetarium-data": "experiments.studies.planetarium.data:main",
    "repair": "experiments.studies.repair.job:main",
    "study-ablation": "experiments.studies.comparisons:ablation",
    "study-detection": "experiments.studies.detection:main",
    "amlgym": "experiments.studies.amlgym.study:main",
    "learn": "experiments.studies.learn:main",
    "minecraft-plans": "experiments.studies.goals.tasks:main",
    "operators": "experiments.studies.operators.study:main",
    "goals": "experiments.studies.goals.study:main",
    "study-hidden": "experiments.studies.hidden_rules:main",
    "study-removal": "experiments.studies.removal.study:main",
    "study-repair": "experiments.studies.repair.study:main",
    "study-completion": "experiments.studies.goal_completion:main",
    "study-foreign": "experiments.studies.foreign_problems:main",
    "tic": "experiments.studies.tic:main",
    "worldmodel": "experiments.studies.worldmodel:main",
}


def jobs() -> Mapping[str, EntryPoint]:
    """Every job by name: ours, then those of installed packages."""
    ours = {name: EntryPoint(name, point, GROUP) for name, point in JOBS.items()}
    return ours | {entry.name: entry for entry in entry_points(group=GROUP) if entry.name not in ours}
