"""What a person says of a model that is written action by action: part of what a run's results depend on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Person:
    """The texts of a person's files, so that another text is another run, wherever the files are."""

    remarks: str = ""  #: as `agents.worldmodel.remarks.read_remarks` reads it; empty for none
    plan: str = ""  #: as `agents.worldmodel.plan_source.read_plan` reads it; empty for none
    plan_task: int | str = ""  #: the task that the plan is for; empty without a plan
    alone: bool = False  #: whether the environment's walks tell nothing
