"""What a run returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._explain import with_places
from .errors import Error, UnknownNameError
from .event_table import EventTable
from .expressions import Expression

if TYPE_CHECKING:
    from .model import Model

# Larger models are reported without an analysis, which would take longer than their run.
_most_variables_analysed = 300


class Stay(NamedTuple):
    """A stretch without an event."""

    mode: str
    t_begin: float
    t_end: float
    sliding: List[str]  # relations on whose surfaces the solution stays
    first_row: int
    n_rows: int


class EventTimeDerivative(NamedTuple):
    """How the time of an event depends on parameters."""

    t: float
    name: str
    derivatives: Dict[str, float]


class Solution:
    """What a run came to: t and y as in SciPy, any time by sol(t), variables by name, events, derivatives.

    Arrays look into the solution and cannot be written to: copy them to change them. At an event t has the same time
    twice, with both limits. Variables that do not exist in some mode are masked there.
    """

    def __init__(self, core: Any, model: Optional[Model]) -> None:
        self._core = core
        self._model = model
        self._mask: Any = False  # not asked for yet
        self._events: Optional[EventTable] = None

    # ---- how it ended ------------------------------------------------------------------------------------------

    @property
    def outcome(self) -> str:
        """finished, terminal_event, stopped, failed, accumulation, …"""
        return str(self._core.outcome())

    @property
    def success(self) -> bool:
        """The end asked for was reached, or one that the model asks for."""
        return bool(self._core.ok())

    @property
    def status(self) -> int:
        """As in SciPy: 0 the end was reached, 1 an event ended the run, -1 it stopped before."""
        return {"finished": 0, "terminal_event": 1}.get(self.outcome.replace(" ", "_"), -1)

    @property
    def message(self) -> str:
        text = str(self._core.message())
        if self._model is not None and not self.success:
            text = with_places(text, self._model._places)
        return text or f"{self.outcome} at t = {self._core.t_end():g}"

    @property
    def warnings(self) -> List[str]:
        return list(self._core.warnings())

    @property
    def statistics(self) -> Dict[str, float]:
        """Steps, evaluations, factorisations, events, restarts, time."""
        return dict(self._core.statistics())

    # ---- values ------------------------------------------------------------------------------------------------

    @property
    def t(self) -> np.ndarray:
        return self._core.times()  # type: ignore[no-any-return]

    @property
    def y(self) -> np.ndarray:
        """One line per variable, one column per time."""
        values = self._core.values()
        if self._mask is False:
            self._mask = self._core.absent()
        return values if self._mask is None else np.ma.MaskedArray(values, self._mask)

    @property
    def names(self) -> List[str]:
        """Of the lines of y."""
        return [name for name, _, _ in self._core.variables()]

    @property
    def units(self) -> Dict[str, str]:
        return {name: unit for name, unit, _ in self._core.variables()}

    def __getitem__(self, variable: Any) -> np.ndarray:
        """A variable or output over t; of an array, all its elements, times last."""
        which, shape = self._lines(variable)
        values = self.y[which]
        if isinstance(values, np.ma.MaskedArray) and not values.mask.any():
            values = values.data
        return values if shape is None else values.reshape(shape + (-1,))

    def __call__(self, t: Any, variable: Any = None, *, side: str = "right") -> np.ndarray:
        """All variables, or one, at any time; at events the limit of that side, left or right."""
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
        """The time derivative of a variable, of the polynomials of the steps."""
        times = self._times(t, side)
        return self._core.derivative_at(self._name(variable), times.ravel(), side).reshape(times.shape)

    # ---- events ------------------------------------------------------------------------------------------------

    @property
    def events(self) -> EventTable:
        """What happened, in the order of the run."""
        if self._events is None:
            self._events = EventTable(self._core)
        return self._events

    @property
    def modes(self) -> List[Stay]:
        """Stretches without an event, and what they slide on."""
        return [Stay(*one) for one in self._core.segments()]

    def explain(self, event: int) -> str:
        """Why an event fired and what it led to."""
        return str(self._core.explain(range(len(self.events))[event]))

    # ---- derivatives -------------------------------------------------------------------------------------------

    def sensitivity(self, variable: Any, parameter: Any, t: Any = None, *, side: str = "right") -> np.ndarray:
        """d variable / d parameter, through events: over t of the solution, or at other times."""
        names = self._name(variable), self._name(parameter)
        if t is None:
            return self._core.sensitivity_in_rows(*names)  # type: ignore[no-any-return]
        times = self._times(t, side)
        return self._core.sensitivity(*names, times.ravel(), side).reshape(times.shape)

    @property
    def event_time_derivatives(self) -> List[EventTimeDerivative]:
        parameters = self._core.sensitivity_parameters()
        return [
            EventTimeDerivative(t, name, dict(zip(parameters, values)))
            for t, name, values in self._core.event_time_derivatives()
        ]

    def gradient(self, functional: Any) -> Tuple[float, Dict[str, float]]:
        """The value of a variable or output at the end of the run, and its derivatives (needs sensitivities)."""
        value, derivatives = self._core.gradient(self._name(functional))
        return value, derivatives

    # ---- files -------------------------------------------------------------------------------------------------

    def save(self, path: Any, *, n_rows: int = 0) -> None:
        """As .h5, .mat or .csv; with n_rows, rows are added until curves look smooth."""
        self._core.save(str(path), self._parameters(), n_rows)

    def report(self, path: Any, *, show: Sequence[str] = ()) -> None:
        """One HTML page: plots that can be zoomed, events with their reasons, statistics, what can be said of the model."""
        text, data = "", ""
        if self._model is not None and len(self._core.variables()) <= _most_variables_analysed:
            text, data, _ = _core.analyze(self._model._core, {"t": self._core.t_begin()}, [])
        self._core.save_report(str(path), self._parameters(), list(show), text, data)

    # ---- tables and pictures -----------------------------------------------------------------------------------

    def to_pandas(self, *, limits: str = "after") -> Any:
        """A data frame by time. At events what comes after; limits="both" has both rows."""
        from .tables import to_pandas

        return to_pandas(self, limits)

    def to_xarray(self, *, limits: str = "after") -> Any:
        """A dataset by time; arrays keep their axes. At events what comes after; limits="both" has both."""
        from .tables import to_xarray

        return to_xarray(self, limits)

    def plot(
        self, variables: Any = None, *, phase: Any = None, axes: Any = None, events: bool = True, modes: bool = True
    ) -> Any:
        """With matplotlib: variables over time with bands of modes and lines at events, or phase=(x, y)."""
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
        from .running import name_of

        return name_of(variable)

    def _lines(self, variable: Any) -> Tuple[Any, Optional[Tuple[int, ...]]]:
        """Where a variable is in y: a line, or several and their shape."""
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
