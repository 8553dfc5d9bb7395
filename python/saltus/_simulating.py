"""One run from beginning to end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Union

import numpy as np

from ._arguments import flat_options, names_of, refuse_twice, with_span
from .progress import progress_bar
from .solution import Solution

if TYPE_CHECKING:
    from .model import Model
    from .systems import System


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
    if not hasattr(model, "_run"):
        hint = "; a function f(t, x) becomes one: System({name: start}, derivative=f)" if callable(model) else ""
        raise TypeError(f"simulate: {model!r} is neither a Model nor a System{hint}")
    solution: Solution = model._run(given, values, show)
    return solution
