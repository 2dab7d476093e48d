"""Laws of records and names: what is written is read again, and names hold what they are made of."""

from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import fields, replace
from pathlib import Path

import pytest
from sample_records import EPISODE, NODE

from envs.hidden_rules.cases import CaseName, HiddenCase
from envs.hidden_rules.rules import RuleKind
from envs.registry import WORLDS
from envs.variants import SUFFIXES
from ew.score.exercised import ActionCount
from experiments.runs.details import JudgedTranslation
from experiments.runs.directory import RunDirectory
from experiments.runs.records import EpisodeRecord, Event, NodeRecord, Score, content_key, name_of
from experiments.runs.units import BUNDLED_TASKS, EvaluationTask, Unit, counted_task

UNIT = Unit(
    env="grippers", method="tree", seed=0, np=2, nd=2, turns=3, tasks=14, walks=10, t_max=20,
    planner_wall_s=1.0, planner_memory_mb=100, answers="script",
)  # fmt: skip
TEXTS = {
    "plain": "plain",
    "letters": "ü – Ω",
    "lines": "two\nlines",
    "quotes": 'a "quoted" \\ one',
    "separators": "\u2028 and \x85",
    "signs": "日本",
}
every_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


@every_text
def test_an_event_is_one_line_that_people_can_read_and_that_is_read_again(tmp_path: Path, text: str) -> None:
    with RunDirectory.open(tmp_path, {}, {}) as run:
        run.append(Event.NODE, {text: [text]})
        assert list(run.events()) == [{"event": "node", text: [text]}]
        (line,) = run.events_path.read_bytes().splitlines()
    shown = line.decode("utf-8")
    assert all(c in shown for c in text if c.isprintable() and c not in '"\\')


@every_text
def test_a_content_key_is_that_of_ascii_json_whatever_the_order(text: str) -> None:
    data = {"b": text, "a": {text: [1, None, 0.5]}}
    quoted = json.dumps(text).encode("ascii")
    plain = b'{"a":{' + quoted + b':[1,null,0.5]},"b":' + quoted + b"}"
    assert content_key(data) == hashlib.sha256(plain).hexdigest()
    assert content_key(dict(reversed(data.items()))) == content_key(data)


COUNTS = (ActionCount("drop", 0, 2, 3, 0), ActionCount("pick", 4, 0, 4, 1))


@pytest.mark.parametrize("actions", [None, (), COUNTS])
def test_counts_of_actions_are_read_again_and_older_records_have_none(
    actions: tuple[ActionCount, ...] | None,
) -> None:
    record = replace(NODE, score=replace(NODE.score, actions=actions))
    written = json.loads(json.dumps(record.to_json()))
    assert NodeRecord.from_json(written) == record
    assert ("actions" in written["score"]) == (actions is not None)
    assert written == json.loads(json.dumps(NODE.to_json())) or actions is not None
    assert record.score.not_exercised == (None if actions is None else ("drop",) if actions else ())


def test_an_action_is_exercised_if_it_was_in_one_of_several_tasks() -> None:
    first, second = Score(actions=COUNTS), Score(actions=(ActionCount("drop", 1), ActionCount("walk")))
    both = second.after(first)
    assert both.actions == (ActionCount("drop", 1, 2, 3, 0), COUNTS[1], ActionCount("walk"))
    assert both.actions == first.after(second).actions and both.not_exercised == ("walk",)
    assert Score().after(first).actions == COUNTS and Score().after(Score()).actions is None
    assert first.with_actions(["pick", "stack"]).not_exercised == ("drop", "stack")


def test_a_model_agrees_as_far_as_seen_if_its_ew_is_1_and_actions_were_not_executed() -> None:
    agreeing = replace(EPISODE, ew=1.0, not_exercised=("drop", "walk"))
    assert agreeing.limits_of_agreement.endswith("in the environment: drop, walk")
    assert EpisodeRecord.from_json(json.loads(json.dumps(agreeing.to_json()))) == agreeing
    for other in (replace(agreeing, ew=0.5), replace(agreeing, not_exercised=()), replace(EPISODE, ew=1.0)):
        assert not other.limits_of_agreement


def test_another_verdict_of_a_translation_is_another_judgement() -> None:
    """Of one that is right only whether its names were not kept is told besides."""
    right = JudgedTranslation("materialised", problem="(p)", equality="equivalent", names_kept=True)
    plain = right.judgement
    renamed = replace(right, names_kept=False).judgement
    assert renamed != plain and renamed.startswith(plain) and "names" in renamed and "names" not in plain
    assert replace(right, names_kept=None).judgement == plain
    wrong = [replace(right, equality="different", part=p) for p in ("objects", "init", "goal")]
    assert len({t.judgement for t in [right, *wrong, replace(right, names_kept=False)]}) == 5


@pytest.mark.parametrize("tasks", [1, 3, 14])
def test_an_episode_has_exactly_its_tasks_in_order(tasks: int) -> None:
    counted = replace(UNIT, tasks=tasks).evaluation_tasks
    assert [task.number for task in counted] == list(range(1, tasks + 1))
    assert len({task.name for task in counted}) == tasks
    assert all(task == EvaluationTask(task.number, counted_task(UNIT.env, task.number)) for task in counted)


@pytest.mark.parametrize("suffix", ["", *(f"+{suffix}" for suffix in sorted(SUFFIXES))])
def test_tasks_beyond_the_files_of_a_bundled_world_are_made_whatever_its_variant(suffix: str) -> None:
    for world in WORLDS:
        names = [counted_task(world + suffix, number) for number in range(1, 2 * BUNDLED_TASKS + 1)]
        own = list(range(1, BUNDLED_TASKS + 1))
        assert names == [*own, *(f"g{number}" for number in own)]
    assert counted_task("my/folder" + suffix, 2 * BUNDLED_TASKS) == 2 * BUNDLED_TASKS


def test_where_a_rule_is_hidden_no_task_to_be_seen_is_counted_and_its_cases_have_names_of_their_own() -> None:
    world = CaseName("grippers", RuleKind.LITERAL, 0).world
    assert tuple(counted_task(world, number) for number in (1, 2, 3)) == HiddenCase.unseen
    names = {name_of(CaseName("grippers", kind, 0).world, "refine", 0) for kind in RuleKind}
    assert len(names) == len(RuleKind) and not any("/" in name for name in names)


def test_an_episodes_name_is_taken_apart_again() -> None:
    budgets = (None, 7, 30000)
    for method, seed, tokens, queries in itertools.product(("tree", "repair"), (0, 12), budgets, budgets):
        unit = replace(UNIT, method=method, seed=seed, budget_tokens=tokens, budget_queries=queries)
        head, number = unit.name.rsplit("-", 1)
        assert int(number) == seed and head == f"{unit.env}-{unit.condition}"
        name, *limits = unit.condition.split("@")
        found = {what: int(n) for n, what in (limit.split("-") for limit in limits)}
        given = {"tokens": tokens, "queries": queries}
        assert name == method and found == {k: v for k, v in given.items() if v is not None}


def test_a_unit_with_any_other_value_has_another_key() -> None:
    others = {f.name: replace(UNIT, **{f.name: "other"}) for f in fields(UNIT)}
    assert len({UNIT.key, *(other.key for other in others.values())}) == len(others) + 1
