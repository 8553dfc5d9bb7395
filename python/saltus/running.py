"""Running models: in one call, or step by step."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np

from . import _core
from ._explain import explained
from .errors import OptionError
from .expressions import Expression
from .model import Model
from .progress import progress_bar
from .solution import Solution
from .systems import System


def options() -> List[Dict[str, str]]:
    """Returns all options of a run: name, type, default, unit, bounds, help.

    Write 'events.surface' as events={"surface": ...}.
    """
    keys = ("name", "type", "default", "unit", "bounds", "help")
    return [dict(zip(keys, row)) for row in _core.run_options()]


def simulate(
    model: Union[Model, System],
    t_span: Any,
    *,
    values: Optional[Mapping[Any, float]] = None,
    sensitivities: Any = (),
    t_eval: Any = None,
    progress: Any = None,
    **options: Any,
) -> Solution:
    """Runs a model and returns its solution, complete or up to the time in its message.

    t_span: the end of the run, which begins at 0 or at t_begin, or (begin, end); end < begin runs backward in time.
    values: other values of parameters and start values, by name, for this run.
    sensitivities: parameters, and states for their start values, to differentiate with respect to.
    t_eval: the times of t and y (default: every step).
    progress: True for a progress bar (with tqdm, if it is installed), or a function of (t, fraction, n_steps).
    All other keywords are options: see saltus.options(). Give those of a group as a dict, events={"surface": "cross"}.

    Mistakes in model or options raise an exception; failures during the run do not: check success, status and message
    of the solution. Ctrl-C raises KeyboardInterrupt, whose attribute `solution` holds the part computed so far.
    """
    given = with_span(flat_options(options), t_span)
    if not (isinstance(sensitivities, (list, tuple)) and not sensitivities):
        given["sensitivities"] = names_of(sensitivities)
    if t_eval is not None:
        refuse_twice(given, ("output.points", "output.times", "output.interval"), "t_eval")
        given["output.points"] = "times"
        given["output.times"] = np.asarray(t_eval, dtype=float).ravel().tolist()
    if not progress:
        return _run(model, given, values, None)
    with progress_bar(progress, given["t_end"]) as show:
        return _run(model, given, values, show)


def _run(model: Any, given: Dict[str, Any], values: Optional[Mapping[Any, float]], show: Any) -> Solution:
    if isinstance(model, Model):
        with explained(model._places):
            try:
                return Solution(_core.run_model(model._core, given, values_of(values, model), show), model)
            except KeyboardInterrupt as interrupt:
                if hasattr(interrupt, "solution"):
                    interrupt.solution = Solution(interrupt.solution, model)
                raise
    if not isinstance(model, System):
        hint = "; a function f(t, x) becomes one: System({name: start}, derivative=f)" if callable(model) else ""
        raise TypeError(f"simulate: {model!r} is neither a Model nor a System{hint}")
    with explained():
        return Solution(_core.run_system(model._core, given, show), None)


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
