"""Designs of sweeps: varied values, and the results to keep of each run."""

from __future__ import annotations

from hashlib import sha256
from statistics import NormalDist
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._arguments import name_of, names_of
from ._names import nearest
from .errors import OptionError

Axis = Tuple[List[str], np.ndarray]  # names, rows of values that belong together
Samples = Tuple[int, int, str, List[Tuple[str, str, float, float]], List[List[float]]]


class Distribution(NamedTuple):
    """Distribution of a value, made by uniform(), log_uniform() or normal()."""

    kind: str
    a: float
    b: float

    def quantile(self, part: float) -> float:
        """Returns the value below which this fraction of all values lies."""
        if self.kind == "normal":
            return NormalDist(self.a, self.b).inv_cdf(part)
        if self.kind == "log_uniform":
            return float(self.a * (self.b / self.a) ** part)
        return self.a + (self.b - self.a) * part


def uniform(lower: float, upper: float) -> Distribution:
    """Returns a uniform distribution between lower and upper."""
    return Distribution("uniform", float(lower), float(upper))


def log_uniform(lower: float, upper: float) -> Distribution:
    """Returns a distribution between lower and upper whose logarithm is uniform."""
    return Distribution("log_uniform", float(lower), float(upper))


def normal(mean: float, deviation: float) -> Distribution:
    """Returns a normal distribution with this mean and standard deviation."""
    return Distribution("normal", float(mean), float(deviation))


class Design(NamedTuple):
    """Combines every value of every axis with every sample."""

    axes: List[Axis]
    samples: Optional[Samples]

    def listed(self) -> List[Tuple[List[str], List[List[float]]]]:
        return [(names, rows.tolist()) for names, rows in self.axes]

    def identity(self) -> str:
        return repr(([(names, sha256(rows.tobytes()).hexdigest()) for names, rows in self.axes], self.samples))


def design_of(
    space: Mapping[Any, Any],
    samples: Optional[int],
    seed: int,
    sampler: str,
    correlation: Optional[Mapping[Tuple[Any, Any], float]],
) -> Design:
    axes: List[Axis] = []
    sampled: List[Tuple[str, str, float, float]] = []
    for key, values in space.items():
        if isinstance(key, tuple):
            axes.append(_rows(names_of(key), values))
            continue
        name = name_of(key)
        if isinstance(values, Distribution):
            sampled.append((name, *values))
        else:
            axes.append(([name], _axis(name, values)))
    if not sampled:
        if samples is not None or correlation:
            raise refused("samples", "nothing has a distribution such as saltus.uniform(0, 1)")
        return Design(axes, None)
    if samples is None:
        raise refused("samples", "give the number of samples of the distributions")
    known = ("random", "latin-hypercube", "sobol")
    if sampler not in known:
        raise refused("sampler", f"'{sampler}' is not one of {', '.join(known)}{nearest(sampler, known)}")
    numbers = _whole("samples", samples), _whole("seed", seed)
    return Design(axes, (*numbers, sampler, sampled, _matrix([one[0] for one in sampled], correlation)))


def _rows(names: List[str], values: Any) -> Axis:
    rows = np.asarray(values, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != len(names):
        raise refused("space", f"rows of {', '.join(names)} have shape {rows.shape}, but need {len(names)} columns")
    return names, rows


def _axis(name: str, values: Any) -> np.ndarray:
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        numbers = np.zeros((0, 0))
    if numbers.ndim > 1:
        raise TypeError(f"'{name}': {values!r} is neither a list of numbers nor a distribution such as uniform(0, 1)")
    return numbers.reshape(-1, 1)


def _whole(field: str, value: Any) -> int:
    if isinstance(value, bool) or value != int(value) or value < 0:
        raise refused(field, f"{value!r} is not a whole number")
    return int(value)


def _matrix(names: Sequence[str], correlation: Optional[Mapping[Tuple[Any, Any], float]]) -> List[List[float]]:
    if not correlation:
        return []
    out = np.eye(len(names))
    for pair, value in correlation.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"correlation: {pair!r} is not a pair of names such as {{('a', 'b'): 0.5}}")
        places = []
        for name in names_of(pair):
            if name not in names:
                raise refused("correlation", f"'{name}' has no distribution{nearest(name, names)}")
            places.append(names.index(name))
        out[places[0], places[1]] = out[places[1], places[0]] = float(value)
    return [[float(v) for v in row] for row in out]


# ---- kept results --------------------------------------------------------------------------------------------------

_kinds = ("end", "at", "count", "first", "last", "slope", "where")


def kept_of(keep: Any) -> Dict[str, List[Any]]:
    """Returns the kept results by kind; a list is that of "end".

    {"end": ["x"], "at": {"x": [1, 2]}, "count": ["stop"], "slope": [("x", "k")], "where": {"peak": "max(x)"}}
    """
    given = keep if isinstance(keep, Mapping) else {"end": keep}
    out: Dict[str, List[Any]] = {kind: [] for kind in _kinds}
    for kind, what in given.items():
        if kind not in _kinds:
            offer = nearest(str(kind), _kinds) or "; there are " + ", ".join(_kinds)
            raise refused("keep", f"there is no '{kind}'{offer}")
        if kind == "at":
            for variable, times in what.items():
                out["at"] += [(name_of(variable), float(t)) for t in np.atleast_1d(times)]
        elif kind == "slope":
            out["slope"] += [(name_of(variable), name_of(parameter)) for variable, parameter in what]
        elif kind == "where":
            out["where"] += [(str(name), _measure(name, text)) for name, text in what.items()]
        else:
            out[kind] += names_of(what)
    if not any(out.values()):
        raise refused("keep", "it is empty: name the results to keep of each run, such as {'end': ['x']}")
    return out


def _measure(name: Any, text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError(f"keep: where '{name}' is {text!r}, not an expression as text, such as 'max(x) - min(x)'")
    return text


def refused(field: str, why: str) -> OptionError:
    error = OptionError(f"{field}: {why}")
    error.field = field
    return error
