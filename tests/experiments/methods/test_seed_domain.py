"""`--seed-domain`: a domain that is there already takes the place of the model's first one."""

import csv
import json

import pytest
from gripper_answers import MENDED, answer

from agents.edits import read_edits
from agents.llm.stub import StubServer
from agents.refine import edit_calls
from agents.replies import call_blocks
from agents.texts import WorldTexts
from envs.pddl.language.domain import read_domain
from envs.pddl.language.terms import same_rules
from envs.source import read_texts
from envs.world import open_world
from experiments.config import RunConfig
from experiments.driver.plan import resolve
from experiments.run import main
from experiments.runs.units import Unit

TEXTS = WorldTexts.of(open_world("grippers", 1))


def hand_written():
    return TEXTS.draft.apply(read_edits(call_blocks(MENDED)).edits)[0].text()


@pytest.mark.parametrize("world", ["grippers", "termes", "miconic", "minecraft"])
def test_a_domain_in_the_words_of_a_reply_is_the_same_domain(world):
    text = read_texts(world, 1).domain
    texts = WorldTexts.of(open_world(world, 1))
    domain = read_domain(text)
    reading = read_edits(call_blocks(edit_calls(domain, texts)))
    assert not reading.refusals
    draft, misfits = texts.draft.apply(reading.edits)
    assert not misfits and same_rules(read_domain(draft.text()), domain)


def test_the_variables_of_the_domain_become_those_of_the_world():
    other = read_domain(hand_written().replace("?r", "?robby").replace("?from", "?x1"))
    draft, _ = TEXTS.draft.apply(read_edits(call_blocks(edit_calls(other, TEXTS))).edits)
    assert same_rules(read_domain(draft.text()), read_domain(hand_written()))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "asked"), [("chain", 0), ("tree", 1)])
def test_a_run_begins_with_the_domain_and_asks_for_the_other_candidates(method, asked, tmp_path):
    (tmp_path / "seed.pddl").write_text(hand_written(), encoding="utf-8")
    flags = ["--method", method, "--env", "grippers", "--tasks", "1", "--walks", "20", "--executor", "serial"]
    if method == "tree":
        flags += ["--np", "1", "--nd", "2", "--turns", "1"]
    with StubServer(answer) as server:
        live = ["--base-url", server.url, "--out", str(tmp_path / "run")]
        assert main([*live, *flags, "--seed-domain", str(tmp_path / "seed.pddl")]) == 0
        bodies = ["\n".join(m["content"] for m in body["messages"]) for body in server.seen.bodies]
    assert sum("def modify_action" in text for text in bodies) == asked
    (row,) = csv.DictReader((tmp_path / "run" / "results.csv").open(encoding="utf-8"))
    assert row["outcome"] == "solved"
    lines = [json.loads(line) for line in (tmp_path / "run" / "events.jsonl").read_text("utf-8").splitlines()]
    first = next(line for line in lines if line["event"] == "node" and line["id"] == "1.1")
    assert same_rules(read_domain(first["domain"]), read_domain(hand_written()))
    assert main(["replay", str(tmp_path / "run"), "--executor", "serial"]) == 0


def test_without_it_units_are_what_they_were():
    (unit,) = resolve(RunConfig(model="m", method=("chain",), env=("grippers",)), ()).units
    assert isinstance(unit, Unit) and "seed_domain" not in unit.as_data()


@pytest.mark.parametrize(
    "flags",
    [
        ["--seed-domain", "nowhere.pddl", "--model", "m", "--method", "chain"],
        ["--seed-domain", "nowhere.pddl"],
        ["--seed-domain", "nowhere.pddl", "--model", "m", "--method", "refine"],
    ],
)
def test_what_cannot_be_begun_with_is_refused_in_a_line(flags, capsys, tmp_path):
    assert main([*flags, "--env", "grippers", "--out", str(tmp_path)]) == 2
    assert "--seed-domain" in capsys.readouterr().err
