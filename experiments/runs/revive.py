"""Records back from JSON, checked against the types that their dataclasses declare.

What is written by this version reads back as an equal record. Keys that are no field are left out, at every
depth, and fields with a default may be missing, so that many records of other versions can be read; what
else is missing or of another type is an error that names the field.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
_PLAIN: Mapping[Any, tuple[type, ...]] = {str: (str,), bool: (bool,), int: (int,), float: (float, int)}


class RecordUnreadable(ValueError):
    """Plain data lacks a field of a record, or holds there what no record holds; the message names it."""


def revived(kind: type[T], data: Any, at: str = "") -> T:
    """The dataclass `kind` of plain data, with all that is nested in it.

    `at` is the path of `data` in the record. Raises RecordUnreadable.
    """
    if not isinstance(data, Mapping):
        raise RecordUnreadable(f"{_field(at)} holds {_shown(data)}, not a {kind.__name__}")
    record: type = kind
    values = {}
    for name, hint, needed in _fields(record):
        inner = f"{at}.{name}" if at else name
        if name in data:
            values[name] = _value(hint, data[name], inner)
        elif needed:
            raise RecordUnreadable(f"there is no {_field(inner)}")
    return kind(**values)


def require(data: Mapping[str, Any], *names: str) -> None:
    """Raises RecordUnreadable if one of these texts is missing."""
    for name in names:
        if name not in data:
            raise RecordUnreadable(f"there is no {_field(name)}")
        _value(str, data[name], name)


@cache
def _fields(kind: type) -> tuple[tuple[str, Any, bool], ...]:
    """Name, type and whether it must be there, of each field."""
    hints = get_type_hints(kind)
    found: tuple[Field[Any], ...] = fields(kind)
    return tuple(
        (f.name, hints[f.name], f.default is MISSING and f.default_factory is MISSING) for f in found
    )


def _value(hint: Any, value: Any, at: str) -> Any:
    """`value` as the type `hint`: plain data, an enumeration, a dataclass, or a tuple or mapping of these."""
    if plain := _PLAIN.get(hint):
        if isinstance(value, plain) and (hint is bool or not isinstance(value, bool)):
            return value
    elif isinstance(hint, type) and issubclass(hint, StrEnum):
        if value in hint.__members__.values():
            return hint(value)
    elif isinstance(hint, type) and is_dataclass(hint):
        return revived(hint, value, at)
    elif get_origin(hint) in (Union, types.UnionType):
        (some,) = (option for option in get_args(hint) if option is not type(None))
        return None if value is None else _value(some, value, at)
    elif get_origin(hint) is tuple and isinstance(value, list | tuple):
        return tuple(_value(get_args(hint)[0], item, f"{at}[{i}]") for i, item in enumerate(value))
    elif get_origin(hint) is Mapping and isinstance(value, Mapping):
        return {key: _value(get_args(hint)[1], item, f"{at}.{key}") for key, item in value.items()}
    wanted = hint.__name__ if isinstance(hint, type) else str(hint)
    raise RecordUnreadable(f"{_field(at)} holds {_shown(value)}, not a value of {wanted}")


def _field(at: str) -> str:
    return f"field `{at}`" if at else "the record"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
