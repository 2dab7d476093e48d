"""What a simulator did stands beside the world queries: it is all that the simulator counted itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import pytest
from sample_records import EPISODE, NODE, REPAIRED, TASK
from simulator_models import TAXI, problem_of

from agents.draft import DomainDraft
from agents.llm.interface import Message
from agents.proposal import Proposal
from envs.pddl.planning.planner import Planner
from envs.world import open_world
from ew.score.config import EWConfig
from ew.walks.budget import SimulatorCost, total_cost
from experiments.evaluation import evaluate, solve
from experiments.evaluation.evaluate import TasksEvaluator
from experiments.evaluation.judge import Judge
from experiments.evaluation.solve import ModelSolver
from experiments.reporting.comparison import Cells, methods_table
from experiments.reporting.results import cost_table, results_csv, summarise
from experiments.runs.details import Repair
from experiments.runs.frames import RunFrames
from experiments.runs.records import EpisodeRecord, NodeRecord, TaskRecord

WORLD, JUDGE = "toytext:Taxi", Judge(EWConfig(40, 10), Planner())
#: Northwards from anywhere to anywhere.
WRONG = TAXI.replace(" (north ?from ?to)", "")
DID = SimulatorCost(20, 3, 1)


@dataclass(frozen=True)
class Written(DomainDraft):
    """A domain as it was written."""

    written: str = ""

    def text(self) -> str:
        return self.written


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list:
    """Every world that is opened for an evaluation."""
    worlds: list = []

    def opening(*arguments):
        worlds.append(open_world(*arguments))
        return worlds[-1]

    for module in (evaluate, solve):
        monkeypatch.setattr(module, "open_world", opening)
    return worlds


@pytest.mark.parametrize("domain", [TAXI, WRONG])
def test_a_candidate_bears_all_that_its_worlds_did(opened, domain):
    problems = [problem_of(WORLD, task) for task in ("f01", "f02")]
    said = (Message("user", "model it"), Message("assistant", domain))
    draft = Written("taxi", (), (), written=domain)
    proposal = Proposal(problems[0], draft, said, edits=1, further=(problems[1],))
    found = TasksEvaluator(WORLD, ("f01", "f02"), 0, JUDGE)(proposal)
    assert len(opened) == (2 if found.solved else 1) and found.solved == (domain == TAXI)
    assert found.score.simulator.steps == sum(world.simulator_steps for world in opened) > 0
    assert found.score.world_queries > 40


@pytest.mark.parametrize("domain", [TAXI, WRONG])
def test_a_task_bears_all_that_its_world_did(opened, domain):
    solver = ModelSolver(WORLD, 0, JUDGE, explains=True)
    attempt = solver(2, domain, problem_of(WORLD, 2))
    assert attempt.score.simulator.steps == opened[0].simulator_steps > 0
    assert attempt.solved == (domain == TAXI)


def records(simulator):
    node = replace(NODE, score=replace(NODE.score, simulator=simulator))
    repair = replace(REPAIRED.added(Repair), simulator=simulator)
    task = replace(TASK, score=replace(TASK.score, simulator=simulator))
    return node, replace(REPAIRED, details=(repair,)), task, replace(EPISODE, simulator=simulator)


@pytest.mark.parametrize("simulator", [None, DID])
def test_records_keep_it_and_do_not_speak_of_simulators_without_one(simulator):
    for kind, record in zip(
        (NodeRecord, NodeRecord, TaskRecord, EpisodeRecord), records(simulator), strict=True
    ):
        written = msgspec.json.encode(record.to_json())
        assert kind.from_json(msgspec.json.decode(written)) == record
        assert (b"simulator" in written) == (simulator is not None)


def test_costs_add_up_and_nothing_is_no_zero():
    assert total_cost([None, None]) is None and total_cost([]) is None
    assert total_cost([DID, None, DID]) == DID + DID
    assert NODE.score.with_cost(5) == replace(NODE.score, world_queries=17)
    assert NODE.score.with_cost(0, DID).with_cost(0, DID).simulator == DID + DID


def test_tables_have_columns_of_simulators_where_one_was_walked_in():
    _, _, task, episode = records(DID)
    other = replace(EPISODE, method="chain", unit="v")
    here = RunFrames([episode, other], [task, replace(TASK, unit="v", method="chain")])
    batched = RunFrames([EPISODE], [TASK])
    summaries = summarise(here)
    titles = ("simulator steps", "resets", "refused attempts")
    for table in (cost_table(summaries), methods_table(Cells.of(summaries))):
        places = [table.columns.index(title) for title in titles]
        by_method = {row[table.columns.index("method")]: [row[i] for i in places] for row in table.rows}
        assert by_method == {"tree": ["20", "3", "1"], "chain": ["–"] * 3}
    header, *rows = (line.split(",") for line in results_csv(here.tasks).splitlines())
    place = header.index("world_queries")
    assert header[place + 1 : place + 4] == ["simulator_steps", "simulator_resets", "simulator_refused"]
    assert {tuple(row[place + 1 : place + 4]) for row in rows} == {("20", "3", "1"), ("", "", "")}
    assert "simulator" not in results_csv(batched.tasks)
    assert not {*titles} & {*cost_table(summarise(batched)).columns}
    assert batched.episodes.simulator_steps.isna().all() and here.episodes.simulator_steps.tolist()[0] == 20
