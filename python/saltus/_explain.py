"""Adds to errors of the library the line of the user's program that they concern."""

from __future__ import annotations

import re
from typing import Any, Dict, List

from . import _core
from .errors import ModelError, OptionError, UnknownOptionError

# What solve_ivp of SciPy calls them.
_engines = {"rk23": "dopri5", "rk45": "dopri5", "dop853": "dop853", "radau": "radau", "bdf": "ida", "lsoda": "ida"}
_engine = "the method is the option engine ('dopri5', 'dop853', 'radau' or 'ida'); without it Saltus chooses"
_start = "write start values where variables are declared, m.state(name, start), or for one run as values={name: ...}"
# Arguments of other programs, and what to write here.
_elsewhere = {
    "method": _engine,
    "solver": _engine,
    "args": "write parameters into the model with m.parameter(name, value); values={name: ...} changes them for one run",
    "y0": _start,
    "u0": _start,
    "x0": _start,
    "events": "write conditions into the model: m.when(condition, ...), m.terminate_when(condition, why)",
    "dense_output": "leave it out, sol(t) works for every t of a run",
    "jac": "leave it out, Jacobians of models are exact",
    "vectorized": "leave it out, operations on arrays of a model are vectorized",
    "first_step": "write initial_step=",
    "dt": "write fixed_step= for the steps of the engine, or t_eval= for the times of the result",
    "saveat": "write t_eval=",
    "reltol": "write rtol=",
    "abstol": "write atol=",
    "tolerance": "write rtol= and atol=",
    "tol": "write rtol= and atol=",
}
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
    becomes an UnknownOptionError that says how to write it: options of a group, and what other programs call otherwise.
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
        if isinstance(error, UnknownOptionError):
            unknown = UnknownOptionError(_how_to_write(error))
            unknown.field = error.field
            raise unknown from None
        if isinstance(error, OptionError) and error.field == "engine":
            method = next((name for name in _engines if f"'{name}'" in str(error).lower()), None)
            if method:
                better_option = OptionError(f"{error}; the method {method.upper()} is engine='{_engines[method]}'")
                better_option.field = error.field
                raise better_option from None


def _how_to_write(error: OptionError) -> str:
    if error.field in _elsewhere:
        return f"option '{error.field}': no such option, {_elsewhere[error.field]}"
    inside = [name for name, *_ in _core.run_options() if "." in name and name.rsplit(".", 1)[-1] == error.field]
    if not inside:
        return str(error)
    group, leaf = inside[0].rsplit(".", 1)
    return f"option '{error.field}': no such option, write {group}={{'{leaf}': ...}}"
