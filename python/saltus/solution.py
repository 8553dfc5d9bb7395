"""Solutions of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._arguments import name_of
from ._explain import with_places
from .errors import Error, UnknownNameError
from .event_table import EventTable
from .expressions import Expression

if TYPE_CHECKING:
    from .model import Model

# Reports of larger models contain no analysis, which would take longer than their run.
_most_variables_analysed = 300


class Stay(NamedTuple):
    """A piece of the solution in one mode, without an event."""

    mode: str
    t_begin: float
    t_end: float
    sliding: List[str]  # relations on whose surfaces the solution stays
    first_row: int
    n_rows: int


class EventTimeDerivative(NamedTuple):
    """Derivatives of the time of an event by parameters."""

    t: float
    name: str
    derivatives: Dict[str, float]


class Solution:
    """The solution of a run: t and y as in SciPy, any time by sol(t), variables by name, events, derivatives.

    Arrays are read-only views of the solution: copy them to change them. At an event t has the same time twice, with
    both limits. Variables that do not exist in some mode are masked there.
    """

    def __init__(self, core: Any, model: Optional[Model]) -> None:
        self._core = core
        self._model = model
        self._mask: Any = False  # not computed yet
        self._events: Optional[EventTable] = None

    # ---- how it ended ------------------------------------------------------------------------------------------

    @property
    def outcome(self) -> str:
        """How the run ended: finished, terminal_event, stopped, failed, accumulation, …"""
        return str(self._core.outcome())

    @property
    def success(self) -> bool:
        """True if the run reached the requested end or a terminal event."""
        return bool(self._core.ok())

    @property
    def status(self) -> int:
        """As in SciPy: 0 if the end was reached, 1 if an event ended the run, -1 if it stopped before."""
        return {"finished": 0, "terminal_event": 1}.get(self.outcome.replace(" ", "_"), -1)

    @property
    def message(self) -> str:
        """How and why the run ended, in words."""
        text = str(self._core.message())
        if self._model is not None and not self.success:
            text = with_places(text, self._model._places)
        return text or f"{self.outcome} at t = {self._core.t_end():g}"

    @property
    def warnings(self) -> List[str]:
        """Warnings of the run."""
        return list(self._core.warnings())

    @property
    def statistics(self) -> Dict[str, float]:
        """Counts of steps, evaluations, factorisations, events and restarts, and the time taken."""
        return dict(self._core.statistics())

    # ---- values ------------------------------------------------------------------------------------------------

    @property
    def t(self) -> np.ndarray:
        """Times of the rows."""
        return self._core.times()  # type: ignore[no-any-return]

    @property
    def y(self) -> np.ndarray:
        """Values, with one row per variable and one column per time."""
        values = self._core.values()
        if self._mask is False:
            self._mask = self._core.absent()
        return values if self._mask is None else np.ma.MaskedArray(values, self._mask)

    @property
    def names(self) -> List[str]:
        """Names of the rows of y."""
        return [name for name, _, _ in self._core.variables()]

    @property
    def units(self) -> Dict[str, str]:
        """Units of the variables by name."""
        return {name: unit for name, unit, _ in self._core.variables()}

    def __getitem__(self, variable: Any) -> np.ndarray:
        """Returns a variable or output over t; for an array, all its elements, with times as the last axis."""
        which, shape = self._lines(variable)
        values = self.y[which]
        if isinstance(values, np.ma.MaskedArray) and not values.mask.any():
            values = values.data
        return values if shape is None else values.reshape(shape + (-1,))

    def __call__(self, t: Any, variable: Any = None, *, side: str = "right") -> np.ndarray:
        """Returns all variables, or one, at any time; at events the limit from `side`, left or right."""
        if isinstance(t, str):
            raise TypeError(f"the time comes first: sol(t, {t!r})")
        times = self._times(t, side)
        which: Any = None
        shape: Optional[Tuple[int, ...]] = None
        if variable is not None:
            which, shape = self._lines(variable)
        one = which if isinstance(which, int) else None
        values, mask = self._core.at(times.ravel(), one, side)
        if mask is not None:
            values = np.ma.MaskedArray(values, mask)
        if variable is not None:
            values = values[which] if shape is not None else values[0]
        leading = values.shape[:-1] if shape is None else shape
        return values.reshape(leading + times.shape)

    def derivative(self, variable: Any, t: Any, *, side: str = "right") -> np.ndarray:
        """Returns the time derivative of a variable, from the polynomials of the steps."""
        times = self._times(t, side)
        return self._core.derivative_at(self._name(variable), times.ravel(), side).reshape(times.shape)

    # ---- events ------------------------------------------------------------------------------------------------

    @property
    def events(self) -> EventTable:
        """The events, in the order of the run."""
        if self._events is None:
            self._events = EventTable(self._core)
        return self._events

    @property
    def modes(self) -> List[Stay]:
        """The pieces of the solution between events, with their modes and sliding surfaces."""
        return [Stay(*one) for one in self._core.segments()]

    def explain(self, event: int) -> str:
        """Explains why an event fired and what it led to."""
        return str(self._core.explain(range(len(self.events))[event]))

    # ---- derivatives -------------------------------------------------------------------------------------------

    def sensitivity(self, variable: Any, parameter: Any, t: Any = None, *, side: str = "right") -> np.ndarray:
        """Returns d variable / d parameter, across events: over t of the solution, or at other times."""
        names = self._name(variable), self._name(parameter)
        if t is None:
            return self._core.sensitivity_in_rows(*names)  # type: ignore[no-any-return]
        times = self._times(t, side)
        return self._core.sensitivity(*names, times.ravel(), side).reshape(times.shape)

    @property
    def event_time_derivatives(self) -> List[EventTimeDerivative]:
        """Derivatives of the times of events by parameters (needs sensitivities)."""
        parameters = self._core.sensitivity_parameters()
        return [
            EventTimeDerivative(t, name, dict(zip(parameters, values)))
            for t, name, values in self._core.event_time_derivatives()
        ]

    def gradient(self, functional: Any) -> Tuple[float, Dict[str, float]]:
        """Returns a variable or output at the end of the run, and its derivatives (needs sensitivities)."""
        value, derivatives = self._core.gradient(self._name(functional))
        return value, derivatives

    # ---- files -------------------------------------------------------------------------------------------------

    def save(self, path: Any, *, n_rows: int = 0) -> None:
        """Saves the solution as .h5, .mat or .csv; n_rows adds rows until curves look smooth."""
        self._core.save(str(path), self._parameters(), n_rows)

    def report(self, path: Any, *, show: Sequence[str] = ()) -> None:
        """Writes one HTML page: zoomable plots, events with their reasons, statistics, an analysis of the model."""
        text, data = "", ""
        if self._model is not None and len(self._core.variables()) <= _most_variables_analysed:
            text, data, _ = _core.analyze(self._model._core, {"t": self._core.t_begin()}, [])
        self._core.save_report(str(path), self._parameters(), list(show), text, data)

    # ---- tables and pictures -----------------------------------------------------------------------------------

    def to_pandas(self, *, limits: str = "after") -> Any:
        """Returns a pandas data frame by time. At events it has the values after; limits="both" gives both rows."""
        from .tables import to_pandas

        return to_pandas(self, limits)

    def to_xarray(self, *, limits: str = "after") -> Any:
        """Returns an xarray dataset by time; arrays keep their axes. limits is as for to_pandas()."""
        from .tables import to_xarray

        return to_xarray(self, limits)

    def plot(
        self, variables: Any = None, *, phase: Any = None, axes: Any = None, events: bool = True, modes: bool = True
    ) -> Any:
        """Plots variables over time by matplotlib, with bands of modes and lines at events, or phase=(x, y)."""
        from .pictures import plot

        return plot(self, variables, phase, axes, events, modes)

    def _repr_html_(self) -> str:
        from .pictures import repr_html

        return repr_html(self)

    def __repr__(self) -> str:
        return (
            f"<solution of {self._core.model()}: {self.outcome} at t = {self._core.t_end():g}, "
            f"{len(self.t)} rows, {len(self.events)} events>"
        )

    def __str__(self) -> str:
        return str(self._core.report_text())

    # ---- inside ------------------------------------------------------------------------------------------------

    def _parameters(self) -> List[Tuple[str, float, str, str]]:
        out = []
        for name, (values, unit, description) in (self._model._parameters if self._model else {}).items():
            if np.ndim(values) == 0:
                out.append((name, float(values), unit, description))
            else:
                out += [(f"{name}[{i}]", float(v), unit, description) for i, v in enumerate(np.ravel(values))]
        return out

    def _name(self, variable: Any) -> str:
        return name_of(variable)

    def _lines(self, variable: Any) -> Tuple[Any, Optional[Tuple[int, ...]]]:
        """Returns where a variable is in y: a row, or several rows and their shape."""
        if isinstance(variable, Expression) and self._model is not None and variable.model is not self._model:
            raise UnknownNameError(
                f"'{self._name(variable)}' belongs to model '{variable.model.name}', not to '{self._model.name}'"
            )
        name = self._name(variable)
        shape = self._model._shapes.get(name, ()) if self._model is not None else ()
        try:
            if not shape:
                return int(self._core.index_of(name)), None
            first = int(self._core.index_of(name + "[0]"))
        except Error as error:
            raise UnknownNameError(str(error)) from None
        return slice(first, first + int(np.prod(shape))), shape

    def _times(self, t: Any, side: str) -> np.ndarray:
        if side not in ("left", "right"):
            raise ValueError(f"side is '{side}', it must be 'left' or 'right'")
        return np.asarray(t, dtype=float)
