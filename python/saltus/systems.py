"""Systems written as Python functions, for experiments.

Every evaluation enters the interpreter: a harmonic oscillator takes 6 times as long as one written with expressions,
functions that compute more take more, and threads wait for each other. Events of switching functions are searched in
samples; Saltus cannot prove that it missed none.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._explain import explained
from .solution import Solution

Function = Callable[..., Any]


class Action(NamedTuple):
    """An action where a switching function passes zero: x := set(t, x), or the run ends."""

    name: str
    trigger: str  # the name of a switching function
    set: Optional[Function] = None
    direction: int = 1  # +1 where it rises, -1 where it falls, 0 both
    terminal: bool = False


class System:
    """A system x' = derivative(t, x), or 0 = residual(t, x, x').

    >>> import saltus
    >>> decay = saltus.System({"x": 1.0}, derivative=lambda t, x: -x)
    >>> saltus.simulate(decay, 1.0).success
    True

    start: names and start values of the unknowns.
    jacobian: df/dx of the derivative as jacobian(t, x), or (dF/dx, dF/dx') of the residual as jacobian(t, x, x').
    Without it differences are used.
    switching: functions g(t, x) by name. The equations differ on both sides of g = 0, except for the names in
    only_actions.
    algebraic: unknowns whose derivative occurs in no equation; their start values are guesses.
    """

    def __init__(
        self,
        start: Mapping[str, float],
        *,
        derivative: Optional[Function] = None,
        residual: Optional[Function] = None,
        jacobian: Optional[Function] = None,
        switching: Optional[Mapping[str, Function]] = None,
        actions: Sequence[Action] = (),
        only_actions: Sequence[str] = (),
        algebraic: Sequence[str] = (),
        nominal: Optional[Mapping[str, float]] = None,
    ) -> None:
        self.names = list(start)
        scales = nominal or {}
        unknowns = [
            (name, float(value), name not in algebraic, float(scales.get(name, 1.0)), "")
            for name, value in start.items()
        ]
        functions = dict(switching or {})

        def all_functions(t: float, x: np.ndarray) -> np.ndarray:
            return np.array([g(t, x) for g in functions.values()], dtype=float)

        def both_jacobians(t: float, x: np.ndarray, xdot: np.ndarray) -> np.ndarray:
            assert jacobian is not None
            if residual is None:  # of F = x' - f(t, x)
                pair = -_square(jacobian(t, x), len(unknowns)), np.eye(len(unknowns))
            else:
                of_x, of_xdot = jacobian(t, x, xdot)
                pair = _square(of_x, len(unknowns)), _square(of_xdot, len(unknowns))
            return np.concatenate([one.ravel(order="F") for one in pair])

        self._core = _core.make_system(
            unknowns,
            residual,
            derivative,
            None if jacobian is None else both_jacobians,
            all_functions if functions else None,
            [(name, name not in only_actions) for name in functions],
            [(one.name, one.trigger, one.direction, one.set, one.terminal) for one in actions],
        )

    def _run(self, given: Dict[str, Any], values: Optional[Mapping[Any, float]], show: Any) -> Solution:
        if values:
            raise TypeError("values: a System has no parameters or start values by name; make another System")
        with explained():
            return Solution(_core.run_system(self._core, given, show), None)


def _square(matrix: Any, n: int) -> np.ndarray:
    dense = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=float)
    if dense.shape != (n, n):
        raise ValueError(f"the function 'jacobian' returned an array of shape {dense.shape}, expected {(n, n)}")
    return dense
