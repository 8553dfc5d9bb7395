"""Arguments that users write in several ways: names, spans of time, values, options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

import numpy as np

from . import _core
from .errors import OptionError
from .expressions import Expression

if TYPE_CHECKING:
    from .model import Model


def span_of(t_span: Any) -> Tuple[float, float]:
    if type(t_span) in (int, float) and t_span >= 0:
        return 0.0, float(t_span)
    numbers = np.asarray(t_span, dtype=float) if not isinstance(t_span, Expression) else None
    if numbers is None or numbers.shape not in ((), (2,)):
        raise TypeError(f"t_span: {t_span!r} is neither an end nor a pair (begin, end)")
    if numbers.shape == (2,):
        return float(numbers[0]), float(numbers[1])
    end = float(numbers)
    if end < 0:
        raise OptionError(
            f"t_span: the end {end:g} lies before the begin 0; a run backward in time is written ({0}, {end:g})"
        )
    return 0.0, end


def with_span(given: Dict[str, Any], t_span: Any) -> Dict[str, Any]:
    """Returns options with begin and end of the run. A begin may also be an option, as in simulate(m, 5, t_begin=1)."""
    if "t_begin" in given and np.ndim(t_span) == 0 and not isinstance(t_span, Expression):
        t_span = (given.pop("t_begin"), t_span)
    refuse_twice(given, ("t_begin", "t_end"), "t_span")
    begin, end = span_of(t_span)
    return {**given, "t_begin": begin, "t_end": end}


def refuse_twice(given: Mapping[str, Any], names: Tuple[str, ...], argument: str) -> None:
    """Raises OptionError for an option that an argument sets as well."""
    for name in names:
        if name in given:
            raise OptionError(f"{name}: {argument} sets it already; leave out one of the two")


def names_of(what: Any) -> List[str]:
    """Returns names, from names or variables, one or several."""
    several = what if isinstance(what, (list, tuple)) else [what]
    return [name_of(one) for one in several]


def name_of(one: Any) -> str:
    return str(one.model._core.text(one._node)) if isinstance(one, Expression) and not one.shape else _array_name(one)


def _array_name(one: Any) -> str:
    if isinstance(one, Expression):
        for name, node in one.model._variables.items():
            if node == one._node:
                return name
        raise TypeError(f"{one!r} is not a variable")
    if not isinstance(one, str):
        raise TypeError(f"{one!r} is neither a name nor a variable")
    return one


def values_of(values: Optional[Mapping[Any, float]], model: Model) -> List[Tuple[str, float]]:
    """Returns names and numbers; those of arrays element by element."""
    out: List[Tuple[str, float]] = []
    for key, value in (values or {}).items():
        name = name_of(key)
        if np.ndim(value) == 0:
            out.append((name, float(value)))
            continue
        numbers = np.asarray(value, dtype=float)
        if numbers.shape != model._shapes.get(name):
            raise ValueError(
                f"values: '{name}' has shape {model._shapes.get(name, ())}, its new values {numbers.shape}"
            )
        out.extend((f"{name}[{i}]", float(one)) for i, one in enumerate(numbers.ravel()))
    return out


def flat_options(options: Mapping[str, Any], prefix: str = "") -> Dict[str, Any]:
    """Returns {"events": {"surface": "stop"}} as {"events.surface": "stop"}."""
    out: Dict[str, Any] = {}
    for key, value in options.items():
        if type(value) in (float, int, str, bool):
            out[prefix + key] = value
        elif isinstance(value, Mapping) and prefix + key in _groups():
            out.update(flat_options(value, f"{prefix}{key}."))
        else:
            out[prefix + key] = value.tolist() if isinstance(value, np.ndarray) else value
    return out


def _groups() -> List[str]:
    return sorted({name.rsplit(".", 1)[0] for name, *_ in _core.run_options() if "." in name})
