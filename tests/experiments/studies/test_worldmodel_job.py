"""World models as a job: written with a fault, corrected by the world, used in three ways, and replayed."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from true_answers import Knowing

from agents.llm.interface import Completion, Message, Usage
from agents.llm.journal import Journal
from agents.llm.stub import StubServer
from envs.instructions import Instruction, make_instruction
from envs.pddl.language.domain import read_domain
from envs.pddl.language.terms import same_rules
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.grounding import Limits
from envs.source import read_texts
from envs.tasks import Literal
from ew.score.config import EWConfig
from experiments.config import RunConfig
from experiments.driver.models import model_names, prices_of
from experiments.evaluation.instructed import InstructionSolver, Ready
from experiments.evaluation.judge import Judge
from experiments.recordings import main as recordings
from experiments.reporting.tables import rows_of
from experiments.reporting.worldmodel_tables import METHOD_NAMES, models_of
from experiments.run import main
from experiments.runs import load
from experiments.runs.details import Built
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.runs.records import EpisodeRecord
from experiments.spending.capped import spent_before
from experiments.spending.caps import Prices
from experiments.spending.dry_run import upper_bounds
from experiments.studies.worldmodel import (
    OUTLINED,
    SEEDS,
    SHOWN,
    SHOWN_TASKS,
    WORLDS,
    WorldModelConfig,
    cells_of,
)

SMALL = ("worldmodel", "--executor", "serial", "--env", "logistics", "--seeds", "0", "--tasks", "2")
#: Walks of a run that is not about what they cost.
FEW = ("--walks", "20")
JUDGE = Judge(EWConfig(), Planner(), Limits())
TRUE = read_texts("logistics", 1).domain
FAULTY = TRUE.replace(" (not (package-at ?p ?l))", "", 1)


def goals(made: Instruction) -> list[str]:
    """The goals of an instruction, in stages if it has an order."""
    parts = [*((literal,) for literal in made.order), made.goal]
    return [f"(:goal (and {' '.join(map(literal_text, part))}))" for part in parts]


def literal_text(literal: Literal) -> str:
    holds, atom = literal
    return f"({' '.join(atom)})" if holds else f"(not ({' '.join(atom)}))"


@cache
def known() -> dict[str, Instruction]:
    return {made.start: made for made in (make_instruction("logistics", n) for n in range(1, 5))}


@cache
def stages(number: int) -> tuple[str, ...]:
    """The problems of an instruction, as the world has them."""
    made = make_instruction("logistics", number)
    problem = read_texts("logistics", made.task).problem
    return tuple(f"{problem[: problem.index('(:goal')]}{goal})" for goal in goals(made))


@cache
def plan(number: int) -> tuple[str, ...]:
    found = InstructionSolver("logistics", JUDGE)._planned(Ready(domain=TRUE, stages=stages(number)))
    assert isinstance(found, tuple)
    return found


KNOWING = Knowing(
    read_domain(FAULTY),
    read_domain(TRUE),
    {read_texts("logistics", f"f0{n}").task: read_texts("logistics", f"f0{n}").problem for n in (1, 2)},
)


def answer(messages: Sequence[Message], index: int, seed: int) -> Completion:
    """Right answers, but a domain with a fault until that is remarked, and plans without their first step."""
    first = messages[1].content
    made = next((made for start, made in known().items() if start in first), None)
    if made is None:
        text = KNOWING.reply(messages, index, seed)
    elif first.startswith("Translate what a person asks for"):
        problem = read_texts("logistics", made.task).problem
        text = "\n".join(["```pddl", problem[: problem.index("(:goal")], *goals(made), ")", "```"])
    else:
        steps = plan(made.number)[0 if len(messages) > 2 else 1 :]
        shown = first.startswith("Carry out what is asked for")
        text = thought(steps) if shown else "```\n" + "\n".join(steps) + "\n```"
    return Completion(text, usage=Usage(len(first) // 4, len(text) // 4), model="hand")


def thought(steps: Sequence[str]) -> str:
    """A plan as it is asked for where the model is shown."""
    return "\n".join(f"Step {i}:\nthink: This is next.\naction: {step}" for i, step in enumerate(steps, 1))


def outcomes(out: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in csv.DictReader((out / "worldmodel.csv").open(encoding="utf-8")):
        found.setdefault(row["method"], []).append(row["outcome"])
    return found


#: What becomes of both instructions by each use; every use but the first builds the model anew.
WANTED = {
    "plan-alone": ["step_rejected"] * 2,
    "plan-advised": ["solved"] * 2,
    "plan-shown": ["step_rejected"] * 2,
    "plan-shown-advised": ["solved"] * 2,
    "plan-by-model": ["solved"] * 2,
}


@pytest.fixture(scope="module", params=[2, pytest.param(5, marks=pytest.mark.slow)])
def live(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A live run of the first uses or of all, to be read only."""
    out = tmp_path_factory.mktemp("worldmodel") / "live"
    methods = list(WANTED)[: request.param]
    with StubServer(answer) as server:
        where = ["--base-url", server.url, "--out", str(out)]
        assert main([*SMALL, *FEW, *where, "--method", *methods]) == 0
    return out


def test_all_uses_run_live(live: Path) -> None:
    episodes = {episode.method: episode for episode in Ledger(RunDirectory(live)).episodes}
    assert outcomes(live) == {name: WANTED[name] for name in episodes} and set(WANTED) == set(METHOD_NAMES)
    built = episodes["plan-advised"].added(Built)
    assert built is not None
    assert all(episode.details == (built,) for name, episode in episodes.items() if name != "plan-alone")
    assert (
        episodes["plan-alone"].details == ()
        and EpisodeRecord.from_json(episodes["plan-advised"].to_json()) == episodes["plan-advised"]
    )
    assert dict(built.before) == {"missing effect": 1} and built.after == {} and built.exact
    assert built.ew_before is not None and built.ew_before < 1 == built.ew_after
    assert built.remarks >= 1 and built.ending == "content"
    said = (live / "models" / "logistics-plan-advised-0.words.txt").read_text(encoding="utf-8")
    assert (
        said.startswith("load-truck: A package is loaded into a truck at a location.") and said == built.said
    )
    written = (live / "models" / "logistics-plan-advised-0.written.pddl").read_text(encoding="utf-8")
    assert not same_rules(read_domain(written), read_domain(TRUE))
    tables = (live / "tables.md").read_text(encoding="utf-8")
    assert (
        "| missing effect | 1 | 0 |" in tables
        and tables.count("2 unmet precondition") == len({"plan-alone", "plan-shown"} & episodes.keys())
        and "1.00 [0.34, 1.00]" in tables
    )


@pytest.mark.slow
@pytest.mark.parametrize("live", [len(WANTED)], indirect=True)
def test_a_live_run_is_recorded_and_replayed(live: Path, tmp_path: Path) -> None:
    again, file = tmp_path / "again", tmp_path / "wm.jsonl.gz"
    assert recordings(["export", str(live), str(file)]) == 0
    methods = outcomes(live)
    replay = ["worldmodel", "--executor", "serial", *FEW, "--method", *methods, "--recording", str(file)]
    replay += ["--out", str(again)]
    assert main(replay) == 0
    assert (again / "worldmodel.csv").read_bytes() == (live / "worldmodel.csv").read_bytes()
    events = (again / "events.jsonl").read_bytes()
    assert main(replay) == 0 and (again / "events.jsonl").read_bytes() == events


def test_without_flags_it_is_twenty_instructions_of_three_worlds() -> None:
    plan_ = cells_of(RunConfig.of(WorldModelConfig(model="m")), ())
    assert len(plan_.units) == len(WORLDS) * len(METHOD_NAMES) * len(SEEDS)
    assert {unit.tasks for unit in plan_.units} == {20} and {unit.turns for unit in plan_.units} == {4}
    assert plan_.units[0].refined_on == tuple(f"f{n:02}" for n in range(1, 11))


@pytest.mark.slow
def test_of_what_is_recorded_every_model_comes_to_agree_and_instructions_are_carried_out(
    tmp_path: Path,
) -> None:
    """The recorded models of nine worlds; of five only a sentence an action was known."""
    command = ["worldmodel", "--executor", "serial", "--out"]
    assert main([*command, str(tmp_path), "--method", "plan-by-model"]) == 0
    built = {(b.world, b.seed): b for b in rows_of(models_of(load(tmp_path)))}
    assert {world for world, _ in built} == {*WORLDS, *OUTLINED, *SHOWN}
    assert all(b.ew_after == 1.0 and b.ending == "content" for b in built.values())
    corrected = {world for (world, _), b in built.items() if b.remarks}
    assert corrected == {
        f"{w}+outlined" for w in ("blocksworld_ood", "grippers_ood", "logistics", "miconic_ood", "tyreworld")
    }
    assert {world for (world, _), b in built.items() if b.unmet} == {"household"}
    assert all((b.ew_before or 0) < 1 for (world, _), b in built.items() if world in corrected)
    rows = carried_out(tmp_path)
    assert rows == Counter(
        {(world, "plan-by-model"): 20 for world in WORLDS}
        | {(world, "plan-by-model"): 5 for world in OUTLINED}
        | {(world, "plan-by-model"): SHOWN_TASKS for world in SHOWN}
    )


@pytest.mark.slow  # test_worldmodel_shown replays the plans that were made with the model in words
def test_of_what_is_recorded_instructions_are_carried_out_without_the_model_and_with_its_advice(
    tmp_path: Path,
) -> None:
    ways = [(["household", "logistics"], "plan-alone"), (["logistics"], "plan-advised")]
    for number, (worlds, method) in enumerate(ways):
        out = tmp_path / str(number)
        flags = ["--env", *worlds, "--method", method, "--executor", "serial", "--out", str(out)]
        assert main(["worldmodel", *flags]) == 0
        assert carried_out(out) == {(world, method): 20 for world in worlds}


def carried_out(out: Path) -> Counter[tuple[str, str]]:
    """How many instructions, by world and method."""
    with (out / "worldmodel.csv").open(encoding="utf-8") as file:
        return Counter((row["world"], row["method"]) for row in csv.DictReader(file))


def test_no_run_takes_more_than_its_bound(live: Path) -> None:
    plan_ = cells_of(
        RunConfig.of(WorldModelConfig(model="m", env=("logistics",), tasks=2, seeds=(0,), walks=20)), ()
    )
    most = {
        method: b.bound
        for (_, method), b in upper_bounds(plan_, prices_of(plan_.config, model_names(plan_))[1]).items()
    }
    for episode in Ledger(RunDirectory(live)).episodes:
        assert episode.spent.completions <= most[episode.method].calls
        assert episode.world_queries <= most[episode.method].world_queries or not episode.details


def test_a_world_whose_actions_are_not_described_one_by_one_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["worldmodel", "--env", "logistics+undocumented", "--model", "m"]) == 2
    assert "cannot be modelled action by action" in capsys.readouterr().err


@pytest.mark.slow
def test_the_walks_of_a_correction_count_against_the_cap_of_world_queries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--method", "plan-by-model", "--tasks", "1", "--out", str(tmp_path)]
    with StubServer(answer) as server:
        command = [*SMALL, *flags, "--base-url", server.url, "--max-world-queries"]
        assert main([*command, "9000"]) == 3
        assert "--max-world-queries is reached" in capsys.readouterr().err
        assert not Ledger(RunDirectory(tmp_path)).episodes
        assert main([*command, "90000"]) == 0
        (episode,) = Ledger(RunDirectory(tmp_path)).episodes
        assert 0 < episode.world_queries <= 90000
    plan_ = cells_of(
        RunConfig.of(WorldModelConfig(model="m", env=("logistics",), method=("plan-by-model",))), ()
    )
    with Journal(RunDirectory(tmp_path).journal_path, read_only=True) as journal:
        spent = spent_before(plan_.units, Ledger(RunDirectory(tmp_path)), journal, Prices({}))
    assert spent.queries == episode.world_queries


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--translator", "tic-ic"), "--translator means nothing"),
        (("--feedback", "paper"), "--feedback means nothing"),
        (("--budget-queries", "9"), "--budget-queries means nothing"),
        (("--method", "tree"), "tree is not compared here"),
    ],
)
def test_flags_of_other_methods_are_refused(
    flags: tuple[str, str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["worldmodel", "--model", "m", *flags]) == 2
    assert says in capsys.readouterr().err
