"""The table of events of a run."""

from __future__ import annotations

import html
from typing import Any, Dict, Iterator, List, NamedTuple, Union, overload

import numpy as np

from .errors import Error, UnknownNameError


class EventRow(NamedTuple):
    """One event of an instant."""

    t: float
    name: str
    kind: str
    direction: int  # +1 rising, -1 falling, 0 neither
    mode_before: str
    mode_after: str
    guarantee: str
    terminal: bool
    instant: int  # events of one instant were handled together
    micro_step: int
    cause: str
    text: str
    note: str


class EventTable:
    """The events of a run: a sequence of rows. events["name"] are the rows of that name."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._rows = [EventRow(*row) for row in core.events()]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[EventRow]:
        return iter(self._rows)

    @overload
    def __getitem__(self, which: int) -> EventRow: ...

    @overload
    def __getitem__(self, which: Union[str, slice]) -> List[EventRow]: ...

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, str):
            self.times(which)  # refuses a name that the run does not know
            return [row for row in self._rows if row.name == which]
        return self._rows[which]

    @property
    def t(self) -> np.ndarray:
        """Times of all events."""
        return np.array([row.t for row in self._rows])

    def times(self, name: str) -> np.ndarray:
        """Returns the times of events of that name; empty if none happened."""
        try:
            return np.array(self._core.event_times(name))
        except Error as error:
            raise UnknownNameError(str(error)) from None

    def x_minus(self, which: int) -> Dict[str, float]:
        """Returns all variables just before the instant of an event, by name."""
        return self._limits(which, False)

    def x_plus(self, which: int) -> Dict[str, float]:
        """Returns all variables just after the instant of an event, by name."""
        return self._limits(which, True)

    def changes(self, which: int) -> str:
        """Returns what an event changed, in a few words."""
        return str(self._core.changes(range(len(self))[which]))

    def explain(self, which: int) -> str:
        """Explains why an event fired and what it led to."""
        return str(self._core.explain(range(len(self))[which]))

    def to_pandas(self) -> Any:
        """Returns a pandas data frame with a row per event."""
        import pandas

        frame = pandas.DataFrame(self._rows, columns=EventRow._fields)
        frame["changes"] = [self.changes(i) for i in range(len(self))]
        return frame

    def __repr__(self) -> str:
        return str(self._core.events_text(50)).rstrip("\n") if self._rows else "no events"

    def _repr_html_(self) -> str:
        columns = ("t", "kind", "name", "direction", "changes")
        head = "".join(f"<th>{c}</th>" for c in columns)
        body = []
        for i, row in enumerate(self._rows[:50]):
            cells = (f"{row.t:.6g}", row.kind, row.name, f"{row.direction:+d}" if row.direction else "", self.changes(i))
            body.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
        more = f"<p>and {len(self) - 50} more</p>" if len(self) > 50 else ""
        return f"<table><tr>{head}</tr>{''.join(body)}</table>{more}"

    def _limits(self, which: int, after: bool) -> Dict[str, float]:
        values, present = self._core.limits(range(len(self))[which], after)
        names = [name for name, _, _ in self._core.variables()]
        return {
            name: float(value)
            for i, (name, value) in enumerate(zip(names, values))
            if present is None or present[i]
        }
