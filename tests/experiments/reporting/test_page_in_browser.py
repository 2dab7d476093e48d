"""The page in a headless Chromium, opened from disk: what a reader sees and what keys do."""

from __future__ import annotations

import struct
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sample_records import EPISODE, NODE

from agents.repair.proposals import HEADER
from experiments.reporting.charts import Chart, Point, Series
from experiments.reporting.html.page import page
from experiments.runs.details import Repair
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.runs.records import Score, Story, StoryStep

if sys.platform == "win32":
    pytest.skip("the browser is driven over descriptors that Windows has none of", allow_module_level=True)

from browser import Browser, find_browser

FOUND = find_browser()
pytestmark = pytest.mark.skipif(FOUND is None, reason="no Chromium is installed (apt-get install chromium)")

HOSTILE = "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">"
FOCUSED = "document.activeElement.querySelector('.number')?.textContent"
DESK = (1280, 900)
SHOWN = "document.getElementById('details').dataset.node"
ROWS = "[...document.querySelectorAll('[role=treeitem] > .row')].map(r => r.textContent)"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    assert FOUND is not None
    with Browser(FOUND, tmp_path_factory.mktemp("profile")) as opened:
        opened.size(*DESK)
        yield opened


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of a few candidates whose texts would like to be a page."""
    folder = tmp_path_factory.mktemp("small")
    run = RunDirectory.open(folder, {"said": HOSTILE}, {})
    ledger = Ledger(run)
    ledger.begin("u", HOSTILE)
    steps = (
        StoryStep("(pick a)", True, True, ("a is held.",), ("a lies.",), ("(held a)",), ()),
        StoryStep("(drop a)", True, False, (HOSTILE,)),
    )
    story = Story("forward", ("a lies.", HOSTILE), steps)
    said = {"problem": HOSTILE, "reply": HOSTILE, "feedback": HOSTILE}
    before, after = "(a)\n(b)\n(c)", f"(a)\n{HOSTILE}\n(c)"
    ledger.add_node(replace(NODE, id="1", key="1", domain=None, reply=None, outcome="NO_EDIT", score=Score()))
    ledger.add_node(replace(NODE, id="1.1", key="2", domain=before, story=story))
    ledger.add_node(replace(NODE, id="1.1.1", key="3", domain=after, score=Score(0.9), **said))
    evidence = (("pick", "effect", HOSTILE, "added", "12", "0", "needed", "After (pick a)."),)
    made = Repair(True, ("add (free) to the effect of pick", HOSTILE), 1812, evidence, left_out=2)
    ledger.add_node(replace(NODE, id="1.1.2", key="4", domain=before, score=Score(0.95), details=(made,)))
    ledger.add_episode(replace(EPISODE, env=HOSTILE, best="1.1.2"))
    run.close()
    chart = Chart("a", HOSTILE, "turn", HOSTILE, (Series(HOSTILE, (Point(1, 0.5), Point(2, 0.75))),))
    return run.write("report.html", page(run, ledger, (), [chart] * 2))


def shown(browser: Browser, node: str) -> None:
    browser.until(f"{SHOWN} === {node!r}")


def rows(browser: Browser) -> list[str]:
    return list(browser.run(ROWS))


def test_the_page_opens_on_the_best_candidate_and_asks_for_nothing(browser: Browser, small: Path) -> None:
    browser.open(small)
    shown(browser, "1.1.2")
    assert browser.messages == [] and browser.requests == [small.resolve().as_uri()]


def test_hostile_texts_stay_texts_everywhere(browser: Browser, small: Path) -> None:
    for node in ("1.1", "1.1.1"):
        browser.open(small, f"#candidate=0/{node}")
        shown(browser, node)
        browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        browser.until("document.querySelectorAll('#details details > :nth-child(2)').length >= 2")
        assert browser.run("document.body.innerText").count("onerror") >= 3
        assert "broken" not in browser.run("document.title")
        assert browser.run("document.querySelectorAll('img, script:not(.texts, #index)').length") == 1
        assert browser.messages == []


def test_a_figure_takes_the_colours_of_the_theme(browser: Browser, small: Path) -> None:
    browser.open(small)
    line = "getComputedStyle(document.querySelector('figure [id$=line-0] path')).stroke"
    browser.scheme("light")
    assert browser.run(line) == "rgb(11, 95, 165)"
    browser.scheme("dark")
    assert browser.run(line) == "rgb(108, 182, 255)"
    browser.scheme("light")
    assert browser.run("document.querySelectorAll('figure svg use title').length") == 4


def test_the_policy_stops_what_is_not_ours(browser: Browser, small: Path) -> None:
    browser.open(small)
    browser.run("{ const s = document.createElement('script'); s.textContent = 'window.ran = 1'; "
                "document.body.append(s); }")  # fmt: skip
    assert browser.run("window.ran") is None
    browser.until("true")
    assert any("Content Security Policy" in message for message in browser.messages)


def test_a_change_is_shown_as_a_difference_to_the_parent(browser: Browser, small: Path) -> None:
    browser.open(small, "#candidate=0/1.1.1")
    shown(browser, "1.1.1")
    (domain, *_) = browser.run("[...document.querySelectorAll('.diff')].map(d => d.textContent)")
    assert domain == f"  (a)\n- (b)\n+ {HOSTILE}\n  (c)\n"


def test_the_walk_says_what_ran_and_what_changed_on_both_sides(browser: Browser, small: Path) -> None:
    browser.open(small, "#candidate=0/1.1")
    shown(browser, "1.1")
    cells = browser.run(
        "[...document.querySelectorAll('.story tbody tr')].map(r => [...r.children].map(c => c.textContent))"
    )
    assert cells[0] == ["1 (pick a)", "✓ ran", "✓ ran", "+ a is held.− a lies.", "+ (held a)"]
    assert cells[1][:3] == ["2 (drop a)", "✓ ran", "✗ refused"]
    assert browser.run("document.querySelectorAll('.story .parting').length") == 1


def test_a_repair_says_what_it_changed_and_its_evidence_opens_as_a_table(
    browser: Browser, small: Path
) -> None:
    browser.open(small, "#candidate=0/1.1.2")
    shown(browser, "1.1.2")
    told = browser.run("document.getElementById('details').innerText")
    assert "Repaired from 1.1, without a language model" in told and "1,812 world queries" in told
    assert "add (free) to the effect of pick" in told and "After (pick a)." not in told
    browser.run("document.querySelectorAll('#details details').forEach(d => { d.open = true; })")
    browser.until("document.querySelectorAll('.ledger tbody tr').length === 1")
    head, cells = (
        browser.run(f"[...document.querySelectorAll('.ledger {part}')].map(c => c.textContent)")
        for part in ("th", "td")
    )
    assert head == list(HEADER) and cells[2] == HOSTILE and cells[-1] == "After (pick a)."
    assert "and 2 lines that were not kept" in browser.run("document.getElementById('details').innerText")
    assert browser.messages == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("a", "a"),
        ("a", ""),
        ("", "a"),
        ("a\nb\nc", "a\nc\nd"),
        ("x\ny", "y\nx"),
        ("a\na", "a"),
        ("a\n", "a"),
    ],
)
def test_a_difference_holds_both_texts(browser: Browser, small: Path, before: str, after: str) -> None:
    browser.open(small)
    found: list[list[str]] = browser.run(f"difference({before!r}, {after!r})")
    assert [line for sign, line in found if sign != "+"] == before.splitlines()
    assert [line for sign, line in found if sign != "-"] == after.splitlines()


def test_arrow_keys_walk_the_tree(browser: Browser, small: Path) -> None:
    browser.open(small)
    browser.press("Escape", "Home")
    assert browser.run(FOCUSED) == "1"
    browser.press("ArrowLeft", "ArrowRight")
    assert len(rows(browser)) == 2
    browser.press("ArrowRight", "ArrowRight", "ArrowRight")
    assert browser.run(FOCUSED) == "1.1.1"
    browser.press("ArrowDown")
    shown(browser, "1.1.2")
    browser.press("ArrowLeft", "ArrowLeft", "ArrowLeft")
    assert browser.run(FOCUSED) == "1"
    browser.press("End", "ArrowUp", "Enter")
    assert browser.run("document.activeElement.id") == "details"
    browser.press("Escape")
    assert browser.run("document.activeElement.getAttribute('role')") == "treeitem"


def test_the_tree_keeps_the_aria_pattern(browser: Browser, small: Path) -> None:
    browser.open(small)
    items = browser.run(
        "[...document.querySelectorAll('[role=treeitem]')].map(i => [i.tabIndex, ...['level', 'posinset',"
        " 'setsize', 'expanded', 'selected'].map(a => i.getAttribute('aria-' + a))])"
    )
    assert [i[0] for i in items].count(0) == 1
    assert [i[1:] for i in items] == [
        ["1", "1", "1", "true", "false"],
        ["2", "1", "1", "true", "false"],
        ["3", "1", "2", None, "false"],
        ["3", "2", "2", None, "true"],
    ]
    groups = "[...document.querySelectorAll('[role=tree] ul')].map(group => group.getAttribute('role'))"
    assert browser.run(groups) == ["group", "group"]


def test_the_search_finds_numbers_and_texts_and_escape_ends_it(browser: Browser, small: Path) -> None:
    browser.open(small)
    browser.press("/")
    assert browser.run("document.activeElement.id") == "search"
    browser.press(*"ONERR")
    browser.until("document.getElementById('found').textContent === '1 of 4 candidates'")
    shown(browser, "1.1.1")
    browser.press("Escape")
    browser.until("document.getElementById('found').textContent === '4 candidates'")
    assert browser.run(FOCUSED) == "1.1.1" and len(rows(browser)) == 4


def choose(browser: Browser, control: str, value: str) -> None:
    browser.run(
        f"{{ const c = document.getElementById({control!r}); c.value = {value!r}; "
        "c.dispatchEvent(new Event('change')); }"
    )


def test_candidates_can_be_filtered_by_outcome_and_ordered_by_ew(browser: Browser, small: Path) -> None:
    browser.open(small)
    choose(browser, "outcome", "WALKED")
    browser.until("document.getElementById('found').textContent === '3 of 4 candidates'")
    choose(browser, "order", "ew")
    browser.until(f"{ROWS}[0].includes('0.95')")
    assert [row[:5] for row in rows(browser)] == ["1.1.2", "1.1.1", "1.1◐ "]


def test_the_theme_follows_the_system_until_it_is_chosen(browser: Browser, small: Path) -> None:
    def paper() -> Any:
        return browser.run("getComputedStyle(document.body).backgroundColor")

    browser.open(small)
    browser.scheme("light")
    light = paper()
    browser.scheme("dark")
    dark = paper()
    assert light != dark
    browser.run("document.getElementById('theme').click()")
    assert paper() == light
    browser.run("document.getElementById('theme').click()")
    browser.scheme("light")
    assert paper() == dark
    browser.run("document.getElementById('theme').click()")
    assert paper() == light


def test_print_shows_no_controls(browser: Browser, small: Path) -> None:
    browser.open(small)
    browser.scheme("dark", media="print")
    assert browser.run("getComputedStyle(document.querySelector('.tools')).display") == "none"
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    browser.scheme("light")


def test_a_phone_shows_one_column_and_never_scrolls_sideways(browser: Browser, small: Path) -> None:
    browser.size(360, 780, phone=True)
    for node in ("1.1", "1.1.1"):
        browser.open(small, f"#candidate=0/{node}")
        shown(browser, node)
        assert browser.run("document.documentElement.scrollWidth") == 360
    tree, details = browser.run(
        "['tree', 'details'].map(id => document.getElementById(id).getBoundingClientRect().y)"
    )
    assert tree < details
    browser.size(*DESK)


def test_of_many_candidates_only_the_open_ones_are_in_the_document(
    browser: Browser, large_page: tuple[Path, int]
) -> None:
    browser.open(large_page[0])
    shown(browser, "1.7.3")
    assert browser.messages == []
    assert len(rows(browser)) < 40 and "188 more" in rows(browser)


def test_wide_fan_out_opens_bit_by_bit_and_any_candidate_can_be_reached(
    browser: Browser, large_page: tuple[Path, int]
) -> None:
    browser.open(large_page[0])
    shown(browser, "1.7.3")
    browser.run(
        "[...document.querySelectorAll('.more > .row')].find(r => r.textContent === '188 more').click()"
    )
    assert browser.run(FOCUSED) == "1.13" and "88 more" in rows(browser)
    browser.run("location.hash = '#candidate=0/1.200'")
    shown(browser, "1.200")
    assert not any("more" in row for row in rows(browser) if not row.startswith("1."))


def test_all_texts_of_a_large_run_can_be_searched(browser: Browser, large_page: tuple[Path, int]) -> None:
    all_of_them = f"of {large_page[1]:,} candidates"
    browser.open(large_page[0])
    shown(browser, "1.7.3")
    words = browser.run("document.querySelector('#details pre').textContent.slice(20, 70)")
    browser.run(f"document.getElementById('search').value = {words!r}")
    browser.run("document.getElementById('search').dispatchEvent(new Event('input'))")
    browser.until(f"document.getElementById('found').textContent.endsWith(' {all_of_them}')")
    assert browser.run("document.getElementById('found').textContent") == f"1 {all_of_them}"


def test_a_picture_of_the_page_is_not_blank(browser: Browser, small: Path, tmp_path: Path) -> None:
    browser.open(small)
    shown(browser, "1.1.2")
    time.sleep(0.1)  # a frame is drawn after the script that made it
    data = browser.picture(tmp_path / "page.png").read_bytes()
    assert struct.unpack(">II", data[16:24]) == DESK and len(data) > 20_000
