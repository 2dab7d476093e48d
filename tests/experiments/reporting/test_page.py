"""The page as a file: whole, safe, within its size, and the same whenever it is made."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from gripper_answers import answer
from hypothesis import given
from hypothesis import strategies as st
from sample_records import EPISODE, NODE, TASK

from agents.llm.interface import Completion, Message
from agents.llm.journal import Journal
from agents.llm.keys import Profile, conversation_key
from agents.llm.stub import StubServer
from ew.score.exercised import ActionCount
from experiments.bench.runs import made_run
from experiments.report import main as report
from experiments.reporting.html.nodes import LEFT_OUT, MAX_CHARACTERS, Texts
from experiments.reporting.html.page import page
from experiments.reporting.tables import Table
from experiments.run import main
from experiments.runs.details import Repair
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.runs.records import Event, FaultKind, Score, Story, StoryStep

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&<!--]]>"


def block(packed: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def contents(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/gzip" id="index">([^<]*)</script>', text)
    assert found
    return dict(block(found[1]))


def texts_of(text: str) -> list[str]:
    chunks = re.findall(r'class="texts" data-start="(\d+)">([^<]*)</script>', text)
    unpacked = [(int(start), block(packed)) for start, packed in chunks]
    assert all(start + len(part) == following for (start, part), (following, _) in pairwise(unpacked))
    return [t for _, part in unpacked for t in part]


def small(folder: Path) -> tuple[RunDirectory, Ledger]:
    run = RunDirectory.open(folder, {"model": HOSTILE}, {"python": "3"})
    ledger = Ledger(run)
    ledger.begin("u", f"{HOSTILE}-tree-0")
    steps = (StoryStep(HOSTILE, True, False, (HOSTILE,), (), (), (HOSTILE,)),)
    story = Story("forward", (HOSTILE,), steps)
    for name in ("1", "1.1", "1.2"):
        ledger.add_node(
            replace(NODE, id=name, key=name, domain=HOSTILE, reply=HOSTILE, feedback=HOSTILE, story=story)
        )
    ledger.add_task(replace(TASK, env=HOSTILE, detail=HOSTILE))
    ledger.add_episode(replace(EPISODE, env=HOSTILE))
    run.close()
    return run, ledger


def test_a_run_ends_with_a_page_that_tells_what_was_asked_and_where_the_model_parts(tmp_path: Path) -> None:
    size = ["--np", "1", "--nd", "3", "--turns", "2", "--tasks", "1", "--walks", "40", "--t-max", "5"]
    with StubServer(answer) as stub:
        flags = ["--base-url", stub.url, "--executor", "serial", "--out", str(tmp_path), "--env", "grippers"]
        assert main([*flags, *size]) == 0
    made = (tmp_path / "report.html").read_text(encoding="utf-8")
    (episode,) = contents(made)["episodes"]
    texts = texts_of(made)
    nodes = [node for node in episode["nodes"] if "." in node["id"]]
    assert nodes and all(texts[node["prompt"][-1][1]] and texts[node["reply"]] for node in episode["nodes"])
    stories = [json.loads(texts[node["story"]]) for node in nodes if "story" in node]
    assert stories and all(s["steps"][-1]["world"] != s["steps"][-1]["model"] for s in stories)


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    run, ledger = small(tmp_path)
    assert page(run, ledger, ()) == page(run, Ledger(RunDirectory(tmp_path)), ())


def test_texts_of_a_language_model_stay_texts(tmp_path: Path) -> None:
    run, ledger = small(tmp_path)
    made = page(run, ledger, (Table(HOSTILE, (HOSTILE,), ((HOSTILE,),)),))
    assert HOSTILE not in made and "<img" not in made and "alert(1)</script>" not in made
    assert made.count("<script") == made.count("</script>") == 2 + made.count('class="texts"')
    assert HOSTILE in texts_of(made)


def test_the_policy_names_our_script_and_our_style_and_nothing_else(tmp_path: Path) -> None:
    made = page(*small(tmp_path), ())
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', made)
    for kind, tag in (("script-src", "script"), ("style-src", "style")):
        (source,) = re.findall(rf"<{tag}>(.*?)</{tag}>", made, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(source.encode("utf-8")).digest()).decode()
        assert f"{kind} &#39;sha256-{digest}&#39;" in policy
    assert policy.startswith("default-src &#39;none&#39;") and "unsafe" not in policy
    assert not re.search(r'(src|href)="(?!#)', made) and " style=" not in made


def test_actions_that_were_never_executed_are_named_by_episode_and_condition(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = RunDirectory.open(tmp_path, {}, {})
    ledger = Ledger(run)
    for seed, executed in enumerate((("pick",), ("drop",), None)):
        unit = f"u{seed}"
        ledger.begin(unit, f"grippers-tree-{seed}")
        actions = executed and tuple(ActionCount(a, int(a in executed)) for a in ("drop", "move", "pick"))
        ledger.add_task(replace(TASK, unit=unit, seed=seed, score=Score(actions=actions)))
        episode = replace(EPISODE, unit=unit, seed=seed, ew=1.0)
        ledger.add_episode(replace(episode, not_exercised=ledger.tasks[-1].score.not_exercised))
    run.close()
    made = page(run, ledger, ())
    for never in ("drop, move", "move, pick"):
        assert f"No walk executed in the environment: {never}." in made
        assert f"The model agrees as far as seen; no walk executed in the environment: {never}." in made
    assert made.count("No walk executed") == 2
    (row,) = re.findall(r"<tr><td>grippers</td>.*?</tr>", made)
    assert re.findall(r">([^<]+)<", row) == ["grippers", "tree", "2", "move"]
    assert report([str(tmp_path)]) == 0
    assert "grippers-tree-1: the model agrees as far as seen" in capsys.readouterr().out
    assert "Actions that no walk executed" not in page(*small(tmp_path / "old"), ())


def test_every_part_of_a_candidate_is_there(tmp_path: Path) -> None:
    run, ledger = small(tmp_path)
    made = page(run, ledger, ())
    (episode,) = contents(made)["episodes"]
    texts = texts_of(made)
    node = episode["nodes"][1]
    assert (episode["best"], node["id"], node["ew"], node["forward"]) == ("1.2", "1.1", 0.5, 0.4)
    assert {texts[node[part]] for part in ("domain", "reply", "feedback")} == {HOSTILE}
    assert json.loads(texts[node["story"]])["steps"][0]["operator"] == HOSTILE


def test_a_repaired_candidate_has_its_edits_and_its_ledger_and_many_of_them_stay_within_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("experiments.reporting.html.nodes._CHUNK", 20_000)
    run, ledger = small(tmp_path)
    row = ("pick", "precondition", HOSTILE, "added", "12", "0", "needed", "At the start.")
    for number in range(40):
        rows = (row, *(((*row[:6], "open", f"After {number} {i * 7919}.")) for i in range(59)))
        made = Repair(True, (HOSTILE,), 812, rows, left_out=3)
        ledger.add_node(replace(NODE, id=f"1.1.{number + 1}", key=f"r{number}", reply=None, details=(made,)))
    whole = page(run, Ledger(RunDirectory(tmp_path)), ())
    (episode,) = contents(whole)["episodes"]
    node = next(n for n in episode["nodes"] if n["id"] == "1.1.1")
    kept = json.loads(texts_of(whole)[node["repair"]])
    assert kept["edits"] == [HOSTILE] and kept["ledger"][0] == list(row) and kept["left_out"] == 3
    assert len(whole) < 40 * 60 * 60
    bounded = contents(page(run, ledger, (), text_limit=2000))
    left_out = [n for n in bounded["episodes"][0]["nodes"] if n.get("repair") == LEFT_OUT]
    assert left_out and bounded["left_out"] >= len(left_out)


def test_what_was_asked_is_found_in_the_journal(tmp_path: Path) -> None:
    run, ledger = small(tmp_path)
    asked = (Message("system", "be brief"), Message("user", "what?"))
    request = Profile("e", "m").request(asked, 0.5, 3)
    key = conversation_key(request["messages"], None)
    ledger.add_node(replace(NODE, id="1.3", key="x", asked=key))
    ledger.add_node(replace(NODE, id="1.4", key="y", asked="unknown"))
    with Journal(run.journal_path) as journal:
        journal.record(request, {0: Completion("that")})
    made = page(run, ledger, ())
    nodes = {n["id"]: n for n in contents(made)["episodes"][0]["nodes"]}
    texts = texts_of(made)
    assert [(role, texts[i]) for role, i in nodes["1.3"]["prompt"]] == [
        ("system", "be brief"),
        ("user", "what?"),
    ]
    assert "prompt" not in nodes["1.4"]


def test_a_journal_that_cannot_be_read_costs_the_prompts_alone(tmp_path: Path) -> None:
    run, ledger = small(tmp_path)
    ledger.add_node(replace(NODE, id="1.3", key="x", asked="k"))
    run.journal_path.write_bytes(b"no database")
    assert len(contents(page(run, ledger, ()))["episodes"][0]["nodes"]) == 4


def test_an_episode_that_was_not_finished_shows_its_candidates(tmp_path: Path) -> None:
    run = RunDirectory.open(tmp_path, {}, {})
    ledger = Ledger(run)
    ledger.begin("u", "cut short")
    ledger.add_node(NODE)
    made = page(run, ledger, ())
    assert contents(made)["episodes"][0]["name"] == "cut short" and "1 not finished" in made


def test_five_thousand_candidates_come_to_less_than_twenty_megabytes(large_page: tuple[Path, int]) -> None:
    """And fewer to less in proportion."""
    file, count = large_page
    made = file.read_text(encoding="utf-8")
    assert len(made.encode()) < 20e6 * count / 5000 and contents(made)["left_out"] == 0
    assert len(contents(made)["episodes"][0]["nodes"]) == count


def test_a_page_has_a_limit_and_prompts_are_left_out_first(tmp_path: Path) -> None:
    run, ledger = made_run(tmp_path, 250)
    whole = page(run, ledger, ())
    cut = page(run, ledger, (), text_limit=len(whole) // 4)
    assert len(cut) < len(whole) / 2 and contents(cut)["left_out"] > 0
    nodes = contents(cut)["episodes"][0]["nodes"]
    asked = [node for node in nodes if "prompt" in node]
    assert all(n == LEFT_OUT for node in asked[-5:] for _, n in node["prompt"])
    assert all(0 <= node["domain"] < len(texts_of(cut)) for node in nodes[5:20])


@given(st.lists(st.text(), max_size=8))
def test_texts_are_stored_once_and_found_by_their_number(given_texts: list[str]) -> None:
    texts = Texts(10**9)
    numbers = [texts.add(text) for text in given_texts]
    stored = [t for _, packed in texts.chunks() for t in block(packed)]
    assert [stored[n or 0] for n in numbers] == given_texts and len(stored) == len(set(given_texts))


def test_an_endless_reply_is_shown_at_its_start() -> None:
    texts = Texts(10**9)
    texts.add("(" * 10_000_000)
    ((_, packed),) = texts.chunks()
    (shown,) = block(packed)
    assert len(shown) < MAX_CHARACTERS + 50 and shown.endswith("… and 9,800,000 characters more")


def test_an_error_of_ours_is_in_its_section_and_the_others_are_not(tmp_path: Path) -> None:
    run = RunDirectory.open(tmp_path, {}, {})
    ledger = Ledger(run)
    for unit, kind in (("a", FaultKind.PROGRAM), ("b", FaultKind.MACHINE)):
        ledger.begin(unit, unit)
        ledger.add_fault(unit, unit, kind.value, f"{kind.value} failed")
    made = page(run, ledger, ())
    parts = dict(re.findall(r'<section id="([a-z-]+)">(.*?)</section>', made, re.DOTALL))
    assert "program failed" in parts["internal-errors"] and "machine failed" not in parts["internal-errors"]
    assert "machine failed" in parts["given-up"] and "1 internal error<" in made


def test_an_unknown_outcome_code_is_an_internal_error_and_changes_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, _ = small(tmp_path)
    assert report([str(tmp_path), "--no-plots"]) == 0
    run.append(Event.NODE, NODE.to_json() | {"outcome": "LOST", "id": "1.9"})
    assert report([str(tmp_path), "--no-plots"]) == 1
    assert "unknown outcome LOST" in capsys.readouterr().out
    assert "unknown outcome LOST" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_task_without_a_class_is_of_another_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, _ = small(tmp_path)
    run.append(Event.TASK, replace(TASK, task=9).to_json() | {"outcome": "LOST"})
    assert report([str(tmp_path), "--no-plots"]) == 2
    assert "Invalid enum value 'LOST' - at `$.outcome`" in capsys.readouterr().err


def test_a_run_without_internal_errors_says_so(tmp_path: Path) -> None:
    made = page(*small(tmp_path), ())
    assert '<section id="internal-errors"><h2>Internal errors</h2><p>none</p></section>' in made
    assert 'id="given-up"' not in made


def test_every_table_is_written_as_csv_too(tmp_path: Path) -> None:
    small(tmp_path)
    assert report([str(tmp_path), "--no-plots", "--no-html"]) == 0
    assert "results.csv" in {p.name for p in (tmp_path / "tables").iterdir()}
    assert not (tmp_path / "report.html").exists()


def luminance(colour: str) -> float:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1])
def test_every_text_has_the_contrast_that_wcag_aa_asks_for(theme: int) -> None:
    style = (Path(__file__).parents[3] / "experiments" / "reporting" / "html" / "report.css").read_text(
        encoding="utf-8"
    )
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", style)
    colours = {name: both[theme] for name, *both in pairs}
    ground = {"good": ["good-paper"], "bad": ["bad-paper"], "middle": ["middle-paper"], "ink": ["chosen"]}
    texts = [
        c
        for c in colours
        if c in ("ink", "quiet", "link", "good", "bad", "middle") or re.fullmatch(r"s\d", c)
    ]
    assert len(texts) == 14
    for text in texts:
        for paper in ("paper", "panel", *ground.get(text, [])):
            light, dark = sorted((luminance(colours[text]), luminance(colours[paper])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, f"{text} on {paper}"
