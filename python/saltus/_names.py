"""Suggests known names for unknown ones."""

from __future__ import annotations

import difflib
from typing import Iterable

from .errors import UnknownNameError


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns "; did you mean 'x'?", or an empty text."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean '{found[0]}'?" if found else ""


def unknown(kind: str, name: str, known: Iterable[str], owner: str) -> UnknownNameError:
    names = list(known)
    offer = nearest(name, names)
    if not offer and 0 < len(names) <= 12:
        offer = "; it has " + ", ".join(names)
    return UnknownNameError(f"{owner} has no {kind} '{name}'{offer}")
