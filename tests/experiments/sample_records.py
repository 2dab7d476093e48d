"""One record of each kind that a run writes down."""

from __future__ import annotations

from dataclasses import replace

from experiments.runs.details import Repair
from experiments.runs.records import EpisodeRecord, NodeRecord, Score, Spent, TaskOutcome, TaskRecord

NODE = NodeRecord(
    "u",
    "1.2",
    "k",
    "WALKED",
    Score(0.5, 0.4, 0.7, 0.1, 12, "scored"),
    None,
    "Disagreement",
    "text",
    "p",
    "d",
    "reply",
    0.1,
)
REPAIRED = replace(
    NODE, details=(Repair(True, ("add (a) to the effect of b",), 812, (("b", "effect", "(a)", "added"),), 3),)
)
TASK = TaskRecord(
    "u", "grippers", "tree", 0, 3, TaskOutcome.SOLVED, Score(), 5, None, "", Spent(1, 2, 3), 0.2
)
EPISODE = EpisodeRecord(
    "u", "grippers", "tree", 0, "1.2", "WALKED", 0.5, True, 6, 1, 1, Spent(4, 5, 6), 7, 0.3
)
