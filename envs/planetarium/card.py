"""The data card: what a data set is, for people, and where its splits are, for the `datasets` library.

Format of the head: https://huggingface.co/docs/hub/datasets-manual-configuration
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from envs.planetarium.collection import TEST_PERCENT
from envs.planetarium.files import Format
from envs.planetarium.pairs import SIZE_BOUNDS, Pair, Split, size_class

_COLUMNS = (
    ("id", "name of the pair"),
    ("world", "whose `domain.pddl` the problem belongs to"),
    ("text", "the task in words"),
    ("problem", "the task in PDDL: what the text should be translated into"),
    ("placeholder", "whether a translation may give the goal's objects other names than the initial state's"),
    ("init_abstract, goal_abstract", "whether the text sums that side up or tells it fact by fact"),
    ("init_layout, goal_layout", "what kind of arrangement each side is"),
    ("level", "for tasks of other worlds: how natural their text is"),
    ("size", "atoms of the initial state and the goal together"),
    ("objects", "number of objects"),
    ("certificate", "equal for equivalent pairs only, and where tasks are drawn as layouts for all of them"),
)
_SIZES = tuple(dict.fromkeys(size_class(bound + step) for bound in SIZE_BOUNDS for step in (0, 1)))


class Tally:
    """How many pairs there are of each kind."""

    def __init__(self) -> None:
        self._count: Counter[tuple[str, Split, str, str]] = Counter()

    def note(self, pair: Pair, split: Split) -> None:
        """Count a pair."""
        self._count[pair.world, split, pair.style, size_class(pair.size)] += 1

    def of(self, world: str, split: Split) -> int:
        """The pairs of a split."""
        return sum(n for key, n in self._count.items() if key[:2] == (world, split))

    def rows(self) -> list[tuple[str, ...]]:
        """World, split and style with the number of pairs, in all and by size; sorted."""
        found = sorted({key[:3] for key in self._count})
        return [(*key, *map(str, self._numbers(key))) for key in found]

    def _numbers(self, key: tuple[str, Split, str]) -> tuple[int, ...]:
        by_size = [self._count[(*key, size)] for size in _SIZES]
        return sum(by_size), *by_size


def card(
    worlds: Sequence[str],
    tally: Tally,
    form: Format,
    made_by: str,
    held_out: Sequence[str] = (),
    chat: bool = False,
) -> str:
    """The README.md of a data set; `made_by` is the command that makes it again, and what with.

    `held_out`: the layouts that the test split consists of, if there are any.
    """
    parted_by = (
        f"For testing are all pairs with one of the layouts {', '.join(held_out)}, and no others."
        if held_out
        else f"About {TEST_PERCENT} of 100 kinds of problems are for testing."
    )
    columns = "\n".join(f"- `{name}`: {what}" for name, what in _COLUMNS)
    header = ("world", "split", "text", "pairs", *_SIZES)
    lines = [header, ("---",) * len(header), *tally.rows()]
    counts = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    body = (
        "# Planning tasks in words and in PDDL\n\n"
        "Each pair is the text of a planning task and the PDDL problem that it should be translated into, "
        "given the domain (`WORLD/domain.pddl`). Tasks, texts and problems were made by a program; nothing "
        "in them is about people.\n\n"
        f"## Columns\n\n{columns}\n\n"
        "## Splits\n\n"
        "No two pairs of the test split are the same planning problem, not even when the objects of their "
        "goals are taken as placeholders, and no pair of the train split is the same as one of the test "
        f"split. {parted_by}\n\n"
        f"{counts}\n\n"
        f"## Made by\n\n```text\n{made_by}\n```\n\n"
        "The same command makes the same pairs. A translation is judged by "
        "`python -m experiments.run planetarium`, which tells whether it can be read, can be solved, and is "
        "correct.\n"
    )
    return f"---\n{_head(worlds, tally, form, chat)}---\n\n{body}"


def _head(worlds: Sequence[str], tally: Tally, form: Format, chat: bool) -> str:
    configs = "".join(
        _config(world, [s for s in Split if tally.of(world, s)], "", form, default=not place)
        for place, world in enumerate(worlds)
    )
    if chat:
        configs += "".join(_config(f"{world}-chat", [Split.TRAIN], ".chat", form) for world in worlds)
    return (
        "pretty_name: Planning tasks in words and in PDDL\nlanguage:\n- en\nlicense: apache-2.0\n"
        f"task_categories:\n- text-generation\ntags:\n- planning\n- pddl\nconfigs:\n{configs}"
    )


def _config(name: str, splits: Sequence[Split], kind: str, form: Format, default: bool = False) -> str:
    folder = name.removesuffix("-chat")
    files = "".join(f"  - split: {split}\n    path: {folder}/{split}{kind}.{form}\n" for split in splits)
    chosen = "  default: true\n" if default else ""
    return f"- config_name: {name}\n{chosen}  data_files:\n{files}"
