"""Analysis, linearisation, gradients and fits of models."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._arguments import flat_options, name_of, names_of
from ._simulating import simulate
from .errors import OptionError
from .model import Model
from .solution import Solution


class Analysis:
    """Index, structure, hidden constraints, modes and transitions of a model. Print it, or read `data`."""

    def __init__(self, text: str, data: Dict[str, Any], dot: str) -> None:
        self.text = text
        self.data = data  # docs/reference/json.md describes the fields
        self.dot = dot  # the modes as a graph for Graphviz

    @property
    def regular(self) -> bool:
        """True if every mode has as many equations as unknowns, none redundant, none undetermined."""
        return bool(self.data["regular"])

    @property
    def index(self) -> int:
        """Largest differentiation index of a mode."""
        return int(self.data["largest_index"])

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def analyze(model: Model, *, modes: Sequence[str] = (), **options: Any) -> Analysis:
    """Analyses a model without running it. Options: t, numbers, max_level, max_expressions, max_length, max_modes."""
    with model._explained():
        text, data, dot = _core.analyze(model._core, dict(options), list(modes))
    return Analysis(text, json.loads(data), dot)


class Linearization:
    """Matrices of E x' = A x + B u, y = C x + D u near a point. Print it to see its modes."""

    def __init__(self, text: str, data: Dict[str, Any]) -> None:
        self.text = text
        self.data = data
        self.t: float = data["t"]
        self.unknowns: List[str] = data["unknowns"]
        self.inputs: List[str] = data["inputs"]
        self.outputs: List[str] = data["outputs"]
        n, m, k = len(data["equations"]), len(self.inputs), len(self.outputs)
        size = len(self.unknowns)
        self.E = np.array(data["E"], dtype=float).reshape(n, size)
        self.A = np.array(data["A"], dtype=float).reshape(n, size)
        self.B = np.array(data["B"], dtype=float).reshape(n, m)
        self.C = np.array(data["C"], dtype=float).reshape(k, size)
        self.D = np.array(data["D"], dtype=float).reshape(k, m)

    @property
    def eigenvalues(self) -> np.ndarray:
        """The finite eigenvalues."""
        modes = self.data["pencil"].get("modes", [])
        return np.array([complex(one["real"], one["imaginary"]) for one in modes])

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def linearize(
    model: Model, solution: Optional[Solution] = None, t: float = 0.0, *, side: str = "right"
) -> Linearization:
    """Linearises a model at the start of a run that begins at t, or at time t of a solution."""
    if side not in ("left", "right"):
        raise ValueError(f"side is '{side}', it must be 'left' or 'right'")
    with model._explained():
        text, data = _core.linearize(model._core, None if solution is None else solution._core, float(t), side)
    return Linearization(text, json.loads(data))


def gradient(
    model: Model, functional: Any, with_respect_to: Any, t_span: Any, **options: Any
) -> Tuple[float, Dict[str, float]]:
    """Runs a model; returns the value of a variable or output at the end and its derivatives across all events."""
    return simulate(model, t_span, sensitivities=names_of(with_respect_to), **options).gradient(functional)


class FitResult:
    """Parameters fitted to data. Print it for a table."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.success: bool = found["success"]
        self.status: str = found["status"]
        self.message: str = found["message"]
        self.values: Dict[str, float] = found["values"]
        self.standard_errors: Dict[str, Optional[float]] = found["standard_errors"]
        self.covariance: np.ndarray = found["covariance"]
        self.residuals = np.array(found["residuals"])
        self.sum_of_squares: float = found["sum_of_squares"]
        self.iterations: int = found["iterations"]
        self.evaluations: int = found["evaluations"]
        # Residuals that are much larger or smaller than the standard deviations given.
        self.warnings: List[str] = found["warnings"]
        self._text = found["text"]

    def __getitem__(self, parameter: Any) -> float:
        return self.values[name_of(parameter)]

    def __str__(self) -> str:
        return str(self._text)

    __repr__ = __str__


def fit(
    model: Model,
    parameters: Mapping[Any, Any],
    data: Mapping[Any, Any],
    *,
    max_iterations: Optional[int] = None,
    within: Optional[float] = None,
    **options: Any,
) -> FitResult:
    """Fits parameters, and start values of states, to measured trajectories by least squares.

    parameters: start values of the search by name, or (start, lower, upper).
    data: (times, values) or (times, values, sigma) by variable or output.
    All other keywords are options of the runs.
    """
    limits = {"max_iterations": max_iterations, "within": within}
    given = {key: value for key, value in limits.items() if value is not None}
    problem = _wanted(parameters), _measured(data), flat_options(options)
    with model._explained():
        return FitResult(_core.fit(model._core, *problem, given))


def residuals(
    model: Model, parameters: Mapping[Any, Any], data: Mapping[Any, Any], at: Sequence[float], **options: Any
) -> Tuple[np.ndarray, np.ndarray]:
    """Returns residuals and their Jacobian across all events at given values, for an optimiser of your own."""
    with model._explained():
        r, jacobian = _core.residuals(
            model._core, _wanted(parameters), _measured(data), flat_options(options), [float(p) for p in at]
        )
    return np.array(r), jacobian


def _wanted(parameters: Mapping[Any, Any]) -> List[Tuple[str, float, float, float]]:
    out = []
    for key, value in parameters.items():
        start, lower, upper = (value, -np.inf, np.inf) if np.ndim(value) == 0 else value
        out.append((name_of(key), float(start), float(lower), float(upper)))
    return out


def _measured(data: Mapping[Any, Any]) -> List[Tuple[str, List[float], List[float], List[float]]]:
    out = []
    for key, given in data.items():
        times, values, *rest = given
        sigma = np.atleast_1d(np.asarray(rest[0], dtype=float)).tolist() if rest else []
        out.append(
            (name_of(key), np.asarray(times, dtype=float).tolist(), np.asarray(values, dtype=float).tolist(), sigma)
        )
    return out
