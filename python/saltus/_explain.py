"""Errors of the library, with the line where what they are about was written."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Dict, Iterator, List

from .errors import ModelError, OptionError, UnknownOptionError

_quoted = re.compile(r"'((?:[^']|'(?=[\w]))+)'")


def places_in(message: str, places: Dict[str, str]) -> List[str]:
    """'x' was written at model.py:3, for everything that a message names in quotes."""
    found = []
    for name in places:
        if places[name] and f"'{name}'" in message:
            found.append(f"'{name}' was written at {places[name]}")
    return found


def with_places(message: str, places: Dict[str, str]) -> str:
    return "\n  ".join([message, *places_in(message, places)])


@contextmanager
def explained(places: Dict[str, str]) -> Iterator[None]:
    """A ModelError or OptionError raised inside says where the things it names were written."""
    try:
        yield
    except ModelError as error:
        found = places_in(str(error), places)
        if not found:
            raise
        better = ModelError(with_places(str(error), places))
        better.subject = error.subject
        better.place = found[0].rsplit(" ", 1)[-1]
        raise better from None
    except OptionError as error:
        if "unknown option" in str(error) or "no such option" in str(error):
            unknown = UnknownOptionError(str(error))
            unknown.field = error.field
            raise unknown from None
        raise
