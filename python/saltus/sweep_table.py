"""The table of a sweep: a row per run, read from its journal on first use."""

from __future__ import annotations

import shutil
import weakref
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np

from ._names import unknown


class _Read(NamedTuple):
    values: np.ndarray
    known: np.ndarray
    failures: Dict[int, str]
    damage: List[str]


class SweepTable:
    """The table of a sweep. table["e"] and table["h(end)"] are arrays with a value per run, NaN where there is none."""

    def __init__(self, plan: Any, folder: str, is_temporary: bool = False) -> None:
        self.folder = folder
        self.is_temporary = is_temporary
        if is_temporary:
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._plan = plan
        self._varied: Optional[np.ndarray] = None
        self._found: Optional[_Read] = None

    @property
    def names(self) -> List[str]:
        """Names of the varied values."""
        return list(self._plan.names())

    @property
    def columns(self) -> List[str]:
        """Names of the varied values and of the kept results."""
        return self.names + list(self._plan.columns())

    def __len__(self) -> int:
        """Returns the number of runs, done or not."""
        return int(self._plan.n_runs())

    def __getitem__(self, column: str) -> np.ndarray:
        names, kept = self.names, list(self._plan.columns())
        if column in names:
            if self._varied is None:
                self._varied = self._plan.varied()
                self._varied.flags.writeable = False
            return self._varied[:, names.index(column)]
        if column in kept:
            return self._read().values[:, kept.index(column)]
        raise unknown("column", column, names + kept, "the table")

    @property
    def complete(self) -> bool:
        """True if every run is done; failed runs count as done."""
        return bool(self._read().known.all())

    @property
    def missing(self) -> np.ndarray:
        """Numbers of the runs that are not done."""
        return np.flatnonzero(~self._read().known)

    @property
    def failures(self) -> Dict[int, str]:
        """Reasons of failed runs, by the numbers of the runs."""
        return dict(self._read().failures)

    @property
    def damage(self) -> List[str]:
        """Damaged files of the journal. Runs that they lost are missing, or were done again."""
        return list(self._read().damage)

    def refresh(self) -> None:
        """Reads the journal again on next use: other processes may have added runs."""
        self._found = None

    def to_pandas(self) -> Any:
        """Returns a pandas data frame by run, with the outcome of each: complete, missing, or why it failed."""
        import pandas

        found = self._read()
        outcome = np.where(found.known, "complete", "missing").astype(object)
        for run, reason in found.failures.items():
            outcome[run] = reason
        columns = {name: self[name] for name in self.columns}
        return pandas.DataFrame({**columns, "outcome": outcome}, index=pandas.RangeIndex(len(self), name="run"))

    def _read(self) -> _Read:
        if self._found is None:
            self._found = _Read(*self._plan.read(self.folder))
            self._found.values.flags.writeable = False
        return self._found

    def __repr__(self) -> str:
        return f"<table of {len(self)} runs: {', '.join(self.columns)}>"
