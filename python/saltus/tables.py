"""Converts solutions to tables of pandas and xarray, which are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List

import numpy as np

if TYPE_CHECKING:
    from .solution import Solution


def last_of_each_time(t: np.ndarray) -> np.ndarray:
    """Returns the rows of a unique time axis: at an event, the limit after it."""
    if len(t) == 0:
        return np.zeros(0, dtype=int)
    return np.flatnonzero(np.append(t[1:] != t[:-1], True))


def _rows(solution: Solution, limits: str) -> np.ndarray:
    if limits not in ("after", "both"):
        raise ValueError(f"limits is '{limits}', it must be 'after' or 'both'")
    return last_of_each_time(solution.t) if limits == "after" else np.arange(len(solution.t))


def _filled(solution: Solution, rows: np.ndarray) -> np.ndarray:
    """Returns values with NaN for missing ones, as these libraries expect."""
    values = solution.y[:, rows]
    return np.ma.filled(values, np.nan)


def modes_of_rows(solution: Solution) -> List[str]:
    names = []
    for stay in solution.modes:
        names += [stay.mode] * stay.n_rows
    return names


def to_pandas(solution: Solution, limits: str) -> Any:
    import pandas

    rows = _rows(solution, limits)
    index = pandas.Index(np.array(solution.t[rows]), name="time")
    frame = pandas.DataFrame(_filled(solution, rows).T, columns=solution.names, index=index)
    modes = modes_of_rows(solution)
    if len(set(modes)) > 1:
        frame["mode"] = [modes[i] for i in rows]
    return frame


def to_xarray(solution: Solution, limits: str) -> Any:
    import xarray

    rows = _rows(solution, limits)
    values = _filled(solution, rows)
    names = solution.names
    variables: Dict[str, Any] = {}
    taken = set()
    shapes = solution._model._shapes if solution._model is not None else {}
    for name, shape in shapes.items():
        elements = [f"{name}[{i}]" for i in range(int(np.prod(shape)))] if shape else []
        if not elements or elements[0] not in names:
            continue
        first = names.index(elements[0])
        axes = [f"{name}_{i}" for i in range(len(shape))] + ["time"]
        variables[name] = (axes, values[first : first + len(elements)].reshape(shape + (-1,)))
        taken.update(elements)
    units = solution.units
    for i, name in enumerate(names):
        if name not in taken:
            variables[name] = (["time"], values[i], {"units": units[name]} if units[name] else {})
    data = xarray.Dataset(variables, coords={"time": np.array(solution.t[rows])})
    modes = modes_of_rows(solution)
    if len(set(modes)) > 1:
        data["mode"] = (["time"], [modes[i] for i in rows])
    data.attrs["model"] = solution._core.model()
    return data
