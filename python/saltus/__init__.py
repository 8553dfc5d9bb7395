"""Saltus: simulation of differential-algebraic systems that switch.

>>> import saltus as sl
>>> m = sl.Model("ball")
>>> h, v = m.state("h", 1.0), m.state("v", 0.0)
>>> m.equation(sl.der(h) == v, sl.der(v) == -9.81)
>>> m.when(h <= 0, {v: -0.5 * sl.pre(v)}, name="bounce")
>>> sol = sl.simulate(m, 1.0)
>>> len(sol.events["bounce"])
2
"""

from ._core import version as __version__
from ._simulating import simulate
from .analysis import Analysis, FitResult, Linearization, analyze, fit, gradient, linearize, residuals
from .designs import Distribution, log_uniform, normal, uniform
from .errors import (
    Error,
    FileError,
    InternalError,
    ModelError,
    OptionError,
    UnknownNameError,
    UnknownOptionError,
)
from .expressions import Condition, Equation, Expression
from .functions import (
    arccos,
    arcsin,
    arctan,
    arctan2,
    change,
    concatenate,
    cos,
    cosh,
    der,
    exp,
    log,
    maximum,
    minimum,
    power,
    pre,
    roll,
    sign,
    sin,
    sinh,
    sqrt,
    stack,
    tan,
    tanh,
    where,
)
from .indices import MorrisEffects, SobolIndices, morris, sobol_indices
from .linear import product as matmul
from .model import Mode, Model
from .modelica import read_modelica
from .running import Run, options
from .solution import Solution
from .sweep_table import SweepTable
from .sweeps import IncompleteSweep, sweep
from .systems import Action, System
