"""The data card: what a data set is, for people, and where its splits are, for the `datasets` library.

Format of the head: https://huggingface.co/docs/hub/datasets-manual-configuration
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from string import Template

from envs.planetarium.collection import TEST_PERCENT
from envs.planetarium.files import Format
from envs.planetarium.pairs import SIZE_BOUNDS, Pair, Split, size_class

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
        by_size = [[self._count[(*key, size)] for size in _SIZES] for key in found]
        return [(*key, *map(str, (sum(row), *row))) for key, row in zip(found, by_size, strict=True)]


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
    header = ("world", "split", "text", "pairs", *_SIZES)
    lines = [header, ("---",) * len(header), *tally.rows()]
    counts = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    template = Template((Path(__file__).parent / "card.md").read_text(encoding="utf-8"))
    return template.substitute(
        configs=_configs(worlds, tally, form, chat), parted_by=parted_by, counts=counts, made_by=made_by
    )


def _configs(worlds: Sequence[str], tally: Tally, form: Format, chat: bool) -> str:
    configs = "".join(
        _config(world, [s for s in Split if tally.of(world, s)], "", form, default=not place)
        for place, world in enumerate(worlds)
    )
    if chat:
        configs += "".join(_config(f"{world}-chat", [Split.TRAIN], ".chat", form) for world in worlds)
    return configs


def _config(name: str, splits: Sequence[Split], kind: str, form: Format, default: bool = False) -> str:
    folder = name.removesuffix("-chat")
    files = "".join(f"  - split: {split}\n    path: {folder}/{split}{kind}.{form}\n" for split in splits)
    chosen = "  default: true\n" if default else ""
    return f"- config_name: {name}\n{chosen}  data_files:\n{files}"
