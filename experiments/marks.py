"""The mark of simulated results: who answered, in every title of what was made with a simulated language model.

One place decides: `label_of` reads a run's records, `title` writes the mark. A result of a simulated language model
says nothing about one that exists, so none may stand beside another model's in one table, plot or page; `one_label`
refuses that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

#: What the names of simulated language models begin with.
SIMULATED = "simulated:"


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


def models_behind(profiles: Mapping[str, Mapping[str, Any]], nobody: str) -> tuple[str, ...]:
    """The models named in a run's profiles (`experiments.models.profiles_of`) but `nobody`, sorted."""
    return tuple(sorted({str(p.get("model")) for p in profiles.values()} - {nobody}))
