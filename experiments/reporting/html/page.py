"""A run as one HTML file: its head, tables and charts at once, its search trees as they are opened.

The file carries everything: style, scripts, the index of all candidates and their texts, compressed. It asks
for nothing from anywhere and a security policy holds it to that: only our own scripts run, known by their
hashes, so that a reply that looks like a page stays a text. `templates/page.html` escapes every value. The
same records give the same bytes.

Figures are SVG inside the page: its colours and no style of their own, so that they follow light and dark.
The policy allows the one style sheet that it names, so every `style` of a figure becomes a class, and its
rule a part of that sheet.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from itertools import groupby
from typing import Any
from xml.etree import ElementTree

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ew.score.shown import shown
from experiments.reporting.charts import COLOURS, Chart, Point
from experiments.reporting.display import marked
from experiments.reporting.faults import InternalError, internal_errors, is_internal
from experiments.reporting.html.nodes import Texts, index, outcomes, packed
from experiments.reporting.tables import Columns, Table
from experiments.runs import marks
from experiments.runs.directory import RunDirectory, RunUnreadable
from experiments.runs.ledger import Ledger
from experiments.runs.records import EpisodeRecord, TaskRecord, world_label

#: Bytes of a page are kept under 20 MB: what its texts may come to, with room for the index.
TEXT_LIMIT = 16_000_000
#: One script, in this order.
_SCRIPTS = ("dom.js", "store.js", "diff.js", "tree.js", "filter.js", "details.js", "report.js")
#: The parts that a page may have, by id.
_HEADINGS = {
    "results": "Results",
    "charts": "Charts",
    "tasks": "Tasks",
    "internal-errors": "Internal errors",
    "given-up": "Episodes given up",
    "candidates": "Candidates",
}
#: More episodes than this are folded by environment.
_SHOWN_EPISODES = 12
#: What it means that an action was never executed.
_NEVER = (
    "By all scores of the episodes together. Neither an EW nor that a model agrees says anything of an "
    "action that the environment has not executed."
)
_NUMBER = re.compile(r"[-+–]?[\d.,]+.*")
_TASK: Columns = {
    "task": "task",
    "outcome": lambda t: f"{'✓' if t.solved else '?' if t.undecided else '✗'} {t.outcome.replace('_', ' ')}",
    "EW": lambda t: shown(t.score.ew, 3),
    "plan": lambda t: None if t.plan_length is None else f"{t.plan_length} steps",
    "attempts": "attempts",
    "tokens": lambda t: f"{t.spent.tokens:,}",
    "seconds": lambda t: f"{t.wall_s:.1f}",
    "detail": lambda t: ("" if t.failed_step is None else f"step {t.failed_step} refused. ") + t.detail[:500],
}


def page(
    run: RunDirectory, ledger: Ledger, tables: Iterable[Table], charts: Iterable[Chart] = (),
    text_limit: int = TEXT_LIMIT,
) -> str:  # fmt: skip
    """The whole file. `text_limit` bounds its texts in bytes; prompts are the first to be left out."""
    texts, figures = Texts(text_limit), InlineFigures()
    episodes = index(ledger, run.journal_path, texts)
    drawn = [{"title": chart.title, "svg": Markup(figures.add(chart))} for chart in charts]
    style = _read("report.css") + figures.style
    script = '"use strict";\n' + "".join(map(_read, _SCRIPTS))
    errors, given_up = internal_errors(ledger), [f for f in ledger.faults if not is_internal(f["kind"])]
    return _environment().get_template("page.html").render(
        title=marks.title(run.path.resolve().name, run.simulated),
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        headings={name: words for name, words in _HEADINGS.items() if name != "given-up" or given_up},
        verdict=_verdict(ledger, errors),
        facts=_facts(run),
        tables=[table for table in (*tables, _never_table(ledger)) if table.rows],
        charts=drawn,
        envs=_worlds(ledger),
        folded=len(ledger.episodes) > _SHOWN_EPISODES,
        errors=errors,
        given_up=given_up,
        contents=packed({"episodes": episodes, "outcomes": outcomes(), "left_out": texts.left_out}),
        chunks=texts.chunks(),
    )  # fmt: skip


def _environment() -> Environment:
    loader = PackageLoader("experiments.reporting.html")
    made = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    made.tests["number_text"] = _NUMBER.fullmatch
    return made


def _verdict(ledger: Ledger, errors: Sequence[InternalError]) -> list[str]:
    """The run in a few words."""
    done, undecided = len(ledger.episodes), sum(t.undecided for t in ledger.tasks)
    unfinished = len(ledger.begun) - done
    return [
        f"{sum(t.solved for t in ledger.tasks)} of {len(ledger.tasks)} tasks solved",
        *([f"{undecided} undecided by the planner"] if undecided else []),
        f"{done} episode{'' if done == 1 else 's'} finished",
        *([f"{unfinished} not finished"] if unfinished > 0 else []),
        f"{len(errors) or 'no'} internal error{'' if len(errors) == 1 else 's'}",
    ]


def _facts(run: RunDirectory) -> dict[str, dict[str, str]]:
    """Configuration and versions as texts; a run that was begun by other means may have neither."""
    try:
        found: Mapping[str, Mapping[str, Any]] = {"Configuration": run.config(), "Versions": run.provenance()}
    except (FileNotFoundError, RunUnreadable):
        return {}
    return {
        heading: {
            key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
            for key, value in values.items()
        }
        for heading, values in found.items()
    }


def _worlds(ledger: Ledger) -> list[dict[str, Any]]:
    """Every episode with its tasks, by environment."""
    tasks = sorted(ledger.tasks, key=lambda t: (t.unit, t.task))
    of_unit = {unit: list(group) for unit, group in groupby(tasks, key=lambda t: t.unit)}
    never = _never_executed(ledger)
    worlds = []
    ordered = sorted(ledger.episodes, key=lambda e: (e.env, e.condition, e.seed))
    for env, group in groupby(ordered, key=_world):
        found = list(group)
        solved, of = sum(e.solved for e in found), sum(e.tasks for e in found)
        summary = f"{env}: {len(found)} episodes, solved {solved} of {of}"
        episodes = [_episode(e, of_unit.get(e.unit, []), never.get(e.unit), ledger.simulated) for e in found]
        worlds.append({"summary": summary, "episodes": episodes})
    return worlds


def _world(episode: EpisodeRecord) -> str:
    return world_label(episode.env)


def _episode(
    episode: EpisodeRecord, tasks: Sequence[TaskRecord], never: frozenset[str] | None, label: str
) -> dict[str, Any]:
    """`never` are the actions that were not executed, None if that is not known; `label` is the mark of
    simulated results, see `experiments.runs.marks`."""
    name = f"{_world(episode)} · {episode.condition} · seed {episode.seed}"
    best = "" if episode.ew is None else f", best candidate {episode.best} with EW {shown(episode.ew, 3)}"
    summary = f"{name}: solved {episode.solved} of {episode.tasks}{best}"
    notes = [f"No walk executed in the environment: {', '.join(sorted(never))}."] if never else []
    notes += [f"{words[0].upper()}{words[1:]}." for words in [episode.limits_of_agreement] if words]
    return {"summary": summary, "tasks": marked(Table.of(name, tasks, _TASK, notes), label)}


def _never_table(ledger: Ledger) -> Table:
    """The actions of each environment that no walk of any score executed in it, by condition."""
    never, rows = _never_executed(ledger), []
    episodes = sorted(ledger.episodes, key=lambda e: (_world(e), e.condition))
    for place, group in groupby(episodes, key=lambda e: (_world(e), e.condition)):
        found = [never[e.unit] for e in group if e.unit in never]
        if found and (left := frozenset.intersection(*found)):
            rows.append((*place, str(len(found)), ", ".join(sorted(left))))
    columns = ("env", "method", "episodes", "never executed in the environment")
    return marked(Table("Actions that no walk executed", columns, tuple(rows), (_NEVER,)), ledger.simulated)


def _never_executed(ledger: Ledger) -> dict[str, frozenset[str]]:
    """By unit, the actions that no walk of any of its scores executed; only where that is known."""
    found: dict[str, frozenset[str]] = {}
    scores = [(node.unit, node.score) for e in ledger.episodes for node in ledger.nodes(e.unit)]
    for unit, score in (*scores, *((task.unit, task.score) for task in ledger.tasks)):
        if score.not_exercised is not None:
            missing = frozenset(score.not_exercised)
            found[unit] = found.get(unit, missing) & missing
    return found


def _policy(style: str, script: str) -> str:
    allowed = f"script-src {_hash(script)}; style-src {_hash(style)}"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(source: str) -> str:
    """As a security policy names a source."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode('utf-8')).digest()).decode('ascii')}'"


def _read(name: str) -> str:
    return (resources.files("experiments.reporting.html") / name).read_text(encoding="utf-8")


_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
#: What stands for a figure's colours on the page: those of series, of its ground, of lines and letters.
_THEMED = {colour: f"var(--s{place})" for place, colour in enumerate(COLOURS)} | {
    "#ffffff": "var(--paper)", "#000000": "var(--quiet)", "#cccccc": "var(--rule)",
}  # fmt: skip


class InlineFigures:
    """Figures on their way into one page, and the style rules that they share."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = {}
        self._made = 0
        for prefix, uri in (("", _SVG), ("xlink", _XLINK)):
            ElementTree.register_namespace(prefix, uri)

    @property
    def style(self) -> str:
        """The rules of all figures so far."""
        rules = (f".{name} {{ {_themed(rule)} }}\n" for rule, name in self._rules.items())
        return "figure svg * { stroke-linejoin: round; stroke-linecap: butt }\n" + "".join(rules)

    def add(self, chart: Chart) -> str:
        """The figure as an element of the page: named in words, each point with its values."""
        root = ElementTree.fromstring(chart.svg)
        prefix, self._made = f"f{self._made}-", self._made + 1
        for parent in list(root.iter()):
            for child in list(parent):
                if child.tag.rpartition("}")[2] in ("metadata", "style") or child.get("id") == "title":
                    parent.remove(child)
        for number, series in enumerate(chart.series):
            _titled(root, f"line-{number}", series.line)
            _titled(root, f"dots-{number}", series.dots)
        for element in root.iter():
            for name, value in list(element.attrib.items()):
                if name == "style":
                    del element.attrib[name]
                    element.set("class", self._rules.setdefault(value, f"m{len(self._rules)}"))
                elif name == "id":
                    element.set(name, prefix + value)
                else:
                    element.set(name, re.sub(r"^#|(?<=url\(#)", lambda at: at[0] + prefix, value))
        root.set("role", "img")
        root.set("aria-label", in_words(chart))
        return ElementTree.tostring(root, encoding="unicode")


def _titled(root: ElementTree.Element, group: str, points: Sequence[Point]) -> None:
    """Give the markers of a group the values of their points."""
    markers = root.findall(f".//{{{_SVG}}}g[@id='{group}']//{{{_SVG}}}use")
    for marker, point in zip(markers, points, strict=False):
        ElementTree.SubElement(marker, f"{{{_SVG}}}title").text = f"{short(point.x)}: {shown(point.y)}"


def _themed(rule: str) -> str:
    return re.sub(r"#[0-9a-f]{6}", lambda colour: _THEMED.get(colour[0], colour[0]), rule)


def in_words(chart: Chart) -> str:
    """The chart for readers who cannot see it: where each series ends."""
    ends = [f"{s.label} ends at {shown(s.line[-1].y)}" for s in chart.series if s.line]
    return f"{chart.title}: {chart.y_label} over {chart.x_label}. " + "; ".join(ends)


def short(x: float) -> str:
    """12000 as 12k."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(x) >= size:
            return f"{x / size:.3g}{letter}"
    return f"{x:.4g}"
