"""What can go wrong, by who can repair it."""

from __future__ import annotations


class Error(Exception):
    """Base of everything that a user can repair."""


class ModelError(Error, ValueError):
    """A model is wrong. `subject` is what to look at, if one thing is; `place` the line where it was written."""

    subject: str = ""
    place: str = ""


class OptionError(Error, ValueError):
    """A value of an option is refused. `field` is its full name."""

    field: str = ""


class UnknownOptionError(OptionError, TypeError):
    """There is no option of that name; the message offers the nearest one."""


class UnknownNameError(Error, KeyError):
    """There is no variable, event or parameter of that name; the message offers the nearest one."""

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0]) if self.args else ""


class FileError(Error, OSError):
    """A file cannot be read or written."""

    path: str = ""


class InternalError(RuntimeError):
    """A mistake of Saltus itself. Please report it with the model."""
