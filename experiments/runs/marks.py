"""The mark of simulated results: the name of the simulated language model in every title of what it made.

One place decides: `label_of` reads a run's profiles, `title` writes the mark. A result of a simulated
language model says nothing about one that exists, so none may stand beside another model's in one table, plot
or page; `one_label` refuses that.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

#: What the names of simulated language models begin with.
SIMULATED = "simulated:"
#: The field of records, and the column of files, that names the simulated model.
SIMULATED_BY = "simulated"
#: The endpoint in the profile of what asks no language model.
NO_ENDPOINT = "none"


class MixedResults(ValueError):
    """Results of a simulated language model would stand beside those of another one; one line."""


def is_simulated(model: str | None) -> bool:
    """Whether that is the name of a simulated language model."""
    return bool(model) and str(model).startswith(SIMULATED)


def one_label(models: Iterable[str]) -> str:
    """The simulated model among the models of some results; empty if there is none.

    Raises MixedResults if there is another model beside it, simulated or not.
    """
    names = sorted(set(models))
    simulated = [name for name in names if is_simulated(name)]
    if simulated and len(names) > 1:
        raise MixedResults(
            f"results of {simulated[0]} cannot stand beside those of "
            f"{', '.join(n for n in names if n != simulated[0])}: a simulated language model only compares "
            "searches with each other; make two runs"
        )
    return simulated[0] if simulated else ""


def title(text: str, label: str) -> str:
    """A title with the mark of the simulated model `label`, or as it is if that is empty.

    `Cost` becomes `Simulated weak – Cost`. Marking twice is marking once.
    """
    mark = f"Simulated {label.removeprefix(SIMULATED)} – " if label else ""
    return text if text.startswith(mark) else mark + text


def file_name(name: str, label: str) -> str:
    """A file's name with the mark of the simulated model `label`, or as it is if that is empty."""
    return f"{label.replace(':', '-')}-{name}" if label else name


def csv_text(text: str, label: str) -> str:
    """Comma-separated values with the mark `label` as a last column, or as they are if that is empty."""
    if not label:
        return text
    head, *rows = csv.reader(io.StringIO(text))
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(
        [[*head, SIMULATED_BY], *([*row, label] for row in rows)]
    )
    return buffer.getvalue()


def label_of(profiles: Mapping[str, Mapping[str, Any]]) -> str:
    """The simulated model among the profiles of a run (`profiles` of its provenance); empty if there is none.

    Raises MixedResults as `one_label`; where no language model is asked, none is counted.
    """
    return one_label(str(p.get("model")) for p in profiles.values() if p.get("endpoint") != NO_ENDPOINT)
