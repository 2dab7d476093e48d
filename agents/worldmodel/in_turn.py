"""Several sources of remarks as one: the first that is not content has its say.

A model is worth the number of sources that are content before that one, and then what it is worth to that
one. So two reviews are compared by a source's own worth only if the same source made both, and a model that
more sources are content with is better, whatever the later ones think. A correction for a later source that
an earlier one objects to makes the model worse, and the earlier one has its say again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.worldmodel.model import WorldModel
from agents.worldmodel.remarks import Opinion, Remark, RemarkSource, Review


@dataclass(frozen=True)
class InTurn:
    """Sources in the order in which they are heard. Each is told the remarks of all.

    Raises ValueError if there are none.
    """

    sources: tuple[RemarkSource, ...]

    def __post_init__(self) -> None:
        if not self.sources:
            raise ValueError("there is no source of remarks; name one")

    def review(self, model: WorldModel, made: Sequence[Remark]) -> Review:
        """The review of the first source that objects or cannot judge; the last one's if all are content."""
        queries, last = 0, len(self.sources) - 1
        for content, source in enumerate(self.sources):
            found = source.review(model, made)
            queries += found.world_queries
            if found.opinion is not Opinion.CONTENT or content == last:
                break
        content += found.opinion is Opinion.CONTENT
        return replace(found, worth=(float(content), *found.worth), world_queries=queries)
