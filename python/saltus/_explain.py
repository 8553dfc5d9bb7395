"""Adds to errors of the library the line of the user's program that they concern."""

from __future__ import annotations

import re
from typing import Any, Dict, List

from . import _core
from .errors import ModelError, OptionError, UnknownOptionError

_quoted = re.compile(r"'((?:[^']|'(?=[\w]))+)'")


def places_in(message: str, places: Dict[str, str]) -> List[str]:
    """Returns "'x' was written at model.py:3" for each name that a message quotes."""
    found = []
    for name in places:
        if places[name] and f"'{name}'" in message:
            found.append(f"'{name}' was written at {places[name]}")
    return found


def with_places(message: str, places: Dict[str, str]) -> str:
    return "\n  ".join([message, *places_in(message, places)])


class explained:
    """Improves errors raised inside, for users of Python.

    A ModelError names the lines where its variables and equations were written. An OptionError for an unknown option
    becomes an UnknownOptionError that says how to write an option of a group.
    """

    __slots__ = ("places",)

    def __init__(self, places: Dict[str, str] = {}) -> None:
        self.places = places

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is None:
            return
        if isinstance(error, ModelError):
            found = places_in(str(error), self.places)
            if not found:
                return
            better = ModelError(with_places(str(error), self.places))
            better.subject = error.subject
            better.place = found[0].rsplit(" ", 1)[-1]
            raise better from None
        if isinstance(error, OptionError) and "no such option" in str(error):
            unknown = UnknownOptionError(_how_to_write(error))
            unknown.field = error.field
            raise unknown from None


def _how_to_write(error: OptionError) -> str:
    inside = [name for name, *_ in _core.run_options() if "." in name and name.rsplit(".", 1)[-1] == error.field]
    if not inside:
        return str(error)
    group, leaf = inside[0].rsplit(".", 1)
    return f"option '{error.field}': no such option, write {group}={{'{leaf}': ...}}"
