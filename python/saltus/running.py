"""Running models: in one call, or step by step."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

import numpy as np

from . import _core
from ._arguments import flat_options, values_of, with_span
from .model import Model
from .solution import Solution


def options() -> List[Dict[str, str]]:
    """Returns all options of a run: name, type, default, unit, bounds, help.

    Write 'events.surface' as events={"surface": ...}.
    """
    keys = ("name", "type", "default", "unit", "bounds", "help")
    return [dict(zip(keys, row)) for row in _core.run_options()]


class Run:
    """A run that advances in steps.

    >>> import saltus
    >>> m = saltus.Model("decay")
    >>> x = m.state("x", 1.0)
    >>> m.equation(saltus.der(x) == -x)
    >>> run = saltus.Run(m, 1.0)
    >>> while run.advance():
    ...     pass
    >>> run.finish().success
    True
    """

    def __init__(self, model: Model, t_span: Any, *, values: Optional[Mapping[Any, float]] = None, **options: Any) -> None:
        given = with_span(flat_options(options), t_span)
        self.model = model
        with model._explained():
            self._core = _core.SteppedRun(model._core, given, values_of(values, model))

    def advance(self, until: Optional[float] = None) -> bool:
        """Takes one accepted step, or steps until a time is reached or passed. Returns False if the run has ended."""
        return bool(self._core.advance(None if until is None else float(until)))

    def advance_to(self, t: float) -> bool:
        """Goes on to a time, and returns True there.

        A step that leads beyond it stays open: values are those of that time, and what happens later has not happened
        yet. Looking on the way changes no bit of the solution. Returns False if the run ends before, or waits for a decision.
        """
        with self.model._explained():
            return bool(self._core.advance_to(float(t)))

    def set_input(self, name: str, value: Any) -> None:
        """Sets an input that was declared by `Model.outside_input`, from the time on that the run has reached.

        A sequence is the value and its derivatives. A change is an instant, at which events may follow; the same value
        again costs nothing.
        """
        with self.model._explained():
            self._core.set_input(name, [float(u) for u in np.atleast_1d(value)])

    def value(self, name: str) -> float:
        """Returns a recorded variable at the time that the run has reached; nan where it does not exist."""
        with self.model._explained():
            return float(self._core.value(name))

    def save(self) -> str:
        """Returns the run so far as a text: what was done with it, and a checksum of where that led."""
        return str(self._core.save())

    def restore(self, saved: str) -> None:
        """Takes a run that has just been started to where another one of the same model and options was saved.

        It goes on as that one would have, bit by bit. This repeats the run, so it takes as long as the run took.
        """
        with self.model._explained():
            self._core.restore(saved)

    def __iter__(self) -> Iterator[Run]:
        while self.advance():
            yield self

    @property
    def t(self) -> float:
        """The time that the run has reached."""
        return float(self._core.t())

    @property
    def x(self) -> Dict[str, float]:
        """Values of the unknowns of the current mode by name."""
        return dict(zip(self._core.unknowns(), self._core.x()))

    @property
    def xdot(self) -> Dict[str, float]:
        """Time derivatives of the unknowns of the current mode by name."""
        return dict(zip(self._core.unknowns(), self._core.xdot()))

    @property
    def ended(self) -> bool:
        """True if the run has ended."""
        return bool(self._core.ended())

    @property
    def outcome(self) -> str:
        return str(self._core.outcome())

    @property
    def message(self) -> str:
        return str(self._core.message())

    @property
    def ways(self) -> List[Tuple[str, bool, str]]:
        """Ways to continue from a surface at which the run stopped: (text, whether it is consistent, verdict)."""
        return list(self._core.ways())

    def choose(self, way: int) -> None:
        """Continues with one of the ways, by its number."""
        self._core.choose(way)

    def finish(self) -> Solution:
        """Ends the run, if it has not ended, and returns its solution."""
        return Solution(self._core.finish(), self.model)


# ---- arguments -----------------------------------------------------------------------------------------------------
