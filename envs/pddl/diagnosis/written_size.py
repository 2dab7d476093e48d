"""How long an effect becomes once every change in it carries its own conditions and variables.

Reading flattens effects: each added or deleted atom stands under all the `when` and `forall` around it, so a
text may stand for a product of its parts' sizes. The product is counted here before anything is built.
"""

from __future__ import annotations

from envs.pddl.language.sexpr import Group, Node, Word

#: Characters around a change or a list: parentheses, blanks and the word before them.
_FRAME = 3


def written_size(effect: Node) -> int:
    """About how many characters the effect has when it is written flat; linear in the size of the tree."""
    return _written(effect)[1]


def _written(node: Node) -> tuple[int, int]:
    """How many changes an effect has, and how many characters they have together."""
    if not isinstance(node, Group):
        return 0, 0
    if node.head == "and":
        found = [_written(part) for part in node.parts]
        return sum(changes for changes, _ in found), sum(size for _, size in found)
    if node.head in ("when", "forall") and len(node.items) == 3:
        changes, size = _written(node.items[2])
        return changes, size + changes * (_FRAME + _length(node.items[1]))
    return 1, _length(node)


def _length(node: Node) -> int:
    """The characters of a tree, one blank or parenthesis after each word."""
    length = 0
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Word):
            length += len(part.text) + 1
        else:
            length += _FRAME
            waiting.extend(part.items)
    return length
