"""Finds the line of the user's program that called the package."""

from __future__ import annotations

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))


def place_of_caller() -> str:
    """Returns 'model.py:12' of the innermost frame outside this package, or ''."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if os.path.dirname(os.path.abspath(name)) != _here:
            return f"{_short(name)}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return ""


def _short(name: str) -> str:
    # Cells of notebooks are files in temporary folders with meaningless names.
    if "ipykernel" in name or name.startswith("<"):
        return "cell" if "ipykernel" in name else name
    relative = os.path.relpath(name)
    return name if relative.startswith("..") else relative
