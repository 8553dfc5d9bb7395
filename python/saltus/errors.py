"""Exceptions, sorted by who can correct the cause."""

from __future__ import annotations


class Error(Exception):
    """Base of all errors that a user can correct."""


class ModelError(Error, ValueError):
    """A model is wrong. `subject` is the variable or equation concerned, if there is one; `place` is its line."""

    subject: str = ""
    place: str = ""


class OptionError(Error, ValueError):
    """A value of an option is refused. `field` is its full name."""

    field: str = ""


class UnknownOptionError(OptionError, TypeError):
    """There is no option of that name; the message suggests the nearest one."""


class UnknownNameError(Error, KeyError):
    """There is no variable, event or parameter of that name; the message suggests the nearest one."""

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0]) if self.args else ""


class FileError(Error, OSError):
    """A file cannot be read or written."""

    path: str = ""


class InternalError(RuntimeError):
    """A bug of Saltus itself. Please report it with the model."""
