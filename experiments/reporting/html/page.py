"""A run as one HTML file: its head, tables and charts at once, its search trees as they are opened.

The file carries everything: style, scripts, the index of all candidates and their texts, compressed. It asks
for nothing from anywhere and a security policy holds it to that: only our own scripts run, known by their
hashes, so that a reply that looks like a page stays a text. The same records give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from typing import Any

from experiments.reporting.charts import charts_of
from experiments.reporting.faults import find_unexplained, is_explained
from experiments.reporting.html import sections
from experiments.reporting.html.markup import Markup, el, joined
from experiments.reporting.html.nodes import index, outcomes
from experiments.reporting.html.texts import Texts, packed
from experiments.reporting.tables import Table
from experiments.runs import marks
from experiments.runs.directory import RunDirectory, RunUnreadable
from experiments.runs.ledger import Ledger

#: Bytes of a page are kept under 20 MB: what its texts may come to, with room for the index.
TEXT_LIMIT = 16_000_000
#: One script, in this order.
_SCRIPTS = ("dom.js", "store.js", "diff.js", "tree.js", "filter.js", "details.js", "report.js")
#: The parts that a page may have, by id.
_HEADINGS = {
    "results": "Results",
    "charts": "Charts",
    "tasks": "Tasks",
    "unexplained": "Unexplained outcomes",
    "given-up": "Episodes given up",
    "candidates": "Candidates",
}


def page(run: RunDirectory, ledger: Ledger, tables: Sequence[Table], text_limit: int = TEXT_LIMIT) -> str:
    """The whole file. `text_limit` bounds its texts in bytes; prompts are the first to be left out."""
    title = marks.title(run.path.resolve().name, run.simulated)
    texts = Texts(text_limit)
    episodes = index(ledger, run.journal_path, texts)
    style = _read("report.css")
    script = '"use strict";\n' + "".join(map(_read, _SCRIPTS))
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", f"{title} · groundwalk"),
        Markup(f"<style>{style}</style>"),
    )
    contents = {"episodes": episodes, "outcomes": outcomes(), "left_out": texts.left_out}
    parts = _parts(ledger, tables)
    main = el("main", *_introduction(run, ledger), *(_section(name, part) for name, part in parts.items()))
    body = el("body", _top(title, parts), main, _data(contents, texts), _code(script))
    return f"<!DOCTYPE html>\n{el('html', head, body, lang='en').source}\n"


def _top(title: str, parts: Iterable[str]) -> Markup:
    links = (el("a", _HEADINGS[name], href=f"#{name}") for name in parts)
    theme = el("button", "Theme: as the system", type="button", id="theme")
    return el("header", el("h1", title), el("nav", *links, aria_label="Parts"), theme)


def _introduction(run: RunDirectory, ledger: Ledger) -> tuple[Markup, ...]:
    return sections.verdict(ledger, find_unexplained(ledger)), sections.configuration(*_told(run))


def _parts(ledger: Ledger, tables: Sequence[Table]) -> dict[str, Markup]:
    """What stands on the page, in order; the unexplained always do, even if there is none."""
    given_up = [f for f in ledger.faults if is_explained(f["kind"])]
    return {
        "results": joined(*map(sections.table, (t for t in tables if t.rows))),
        "charts": sections.charts(charts_of(ledger)),
        "tasks": sections.tasks(ledger),
        "unexplained": sections.unexplained(find_unexplained(ledger)),
        **({"given-up": sections.faults(given_up)} if given_up else {}),
        "candidates": Markup(_read("candidates.html")),
    }


def _section(name: str, part: Markup) -> Markup:
    return el("section", el("h2", _HEADINGS[name]), part, id=name)


def _told(run: RunDirectory) -> tuple[dict[str, Any], dict[str, Any]]:
    """Configuration and provenance; a run that was begun by other means may have neither."""
    try:
        return run.config(), run.provenance()
    except (FileNotFoundError, RunUnreadable):
        return {}, {}


def _data(contents: dict[str, Any], texts: Texts) -> Markup:
    """Base64 in elements that no browser runs; base64 cannot end an element."""
    return joined(*_blocks(contents, texts))


def _blocks(contents: dict[str, Any], texts: Texts) -> Iterator[Markup]:
    yield el("script", packed(contents), type="application/gzip", id="index")
    for start, chunk in texts.chunks():
        yield el("script", chunk, type="application/gzip", class_="texts", data_start=start)


def _code(script: str) -> Markup:
    return Markup(f"<script>{script}</script>")


def _policy(style: str, script: str) -> str:
    allowed = f"script-src {_hash(script)}; style-src {_hash(style)}"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(source: str) -> str:
    """As a security policy names a source."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode('utf-8')).digest()).decode('ascii')}'"


def _read(name: str) -> str:
    return (resources.files("experiments.reporting.html") / name).read_text(encoding="utf-8")
