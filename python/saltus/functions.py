"""Functions of expressions, with their names in NumPy."""

from __future__ import annotations

from typing import Any, Callable, Dict, Sequence

import numpy as np

from .expressions import (
    Condition,
    Expression,
    Operand,
    _lanes,
    _model_of,
    _size,
    _taken,
    array_functions,
    binary,
    compare,
    condition_of,
    node_of,
    operations,
    select,
    ufuncs,
    unary,
)


def _elementary(name: str, of_numbers: Any) -> Callable[[Operand], Any]:
    def function(x: Operand) -> Any:
        return unary(name, x) if isinstance(x, Expression) else of_numbers(x)

    function.__name__ = of_numbers.__name__
    function.__doc__ = f"Applies numpy.{of_numbers.__name__}, also to expressions."
    return function


sqrt = _elementary("sqrt", np.sqrt)
exp = _elementary("exp", np.exp)
log = _elementary("log", np.log)
sin = _elementary("sin", np.sin)
cos = _elementary("cos", np.cos)
tan = _elementary("tan", np.tan)
arcsin = _elementary("asin", np.arcsin)
arccos = _elementary("acos", np.arccos)
arctan = _elementary("atan", np.arctan)
sinh = _elementary("sinh", np.sinh)
cosh = _elementary("cosh", np.cosh)
tanh = _elementary("tanh", np.tanh)


def sign(x: Operand) -> Any:
    """Returns +1 where x > 0, -1 elsewhere. Where x passes zero there is an event, or the solution slides."""
    return unary("sign", x) if isinstance(x, Expression) else np.sign(x)  # type: ignore[arg-type]


def _either(name: str, of_numbers: Any) -> Callable[[Operand, Operand], Any]:
    def function(a: Operand, b: Operand) -> Any:
        if isinstance(a, Expression) or isinstance(b, Expression):
            return binary(name, a, b)
        return of_numbers(a, b)

    function.__name__ = of_numbers.__name__
    function.__doc__ = f"Applies numpy.{of_numbers.__name__}, also to expressions."
    return function


arctan2 = _either("atan2", np.arctan2)
minimum = _either("min", np.minimum)
maximum = _either("max", np.maximum)
power = _either("pow", np.power)


def where(condition: Any, a: Operand, b: Operand) -> Expression:
    """Returns a where the condition holds, b elsewhere.

    The solver locates the times at which the condition changes, and never evaluates the branch that is not taken, so
    where(x > 0, sqrt(x), 0) is safe.
    """
    return select(condition, a, b)


def der(x: Expression, order: int = 1) -> Expression:
    """Returns the time derivative of a variable, or of each element of an array of variables."""
    if not isinstance(x, Expression):
        raise TypeError(f"der: {x!r} is not a variable of a model")
    if order < 1:
        raise ValueError(f"der: the order is {order}, it must be at least 1")
    return Expression(x.model, x.model._core.der(x._node, order), x.shape)


def pre(x: Expression) -> Expression:
    """Returns the value of a variable before the event."""
    if not isinstance(x, Expression):
        raise TypeError(f"pre: {x!r} is not a variable of a model")
    return unary("pre", x)


def change(x: Expression) -> Condition:
    """Returns the condition that a discrete variable has just changed, for a when-clause."""
    return x != pre(x)  # type: ignore[return-value]


def stack(parts: Sequence[Operand]) -> Expression:
    """Stacks expressions and numbers of one shape into an array with one more axis, as numpy.stack."""
    joined = [part[None] if isinstance(part, Expression) and part.shape else part for part in parts]
    if any(np.shape(p) if not isinstance(p, Expression) else p.shape for p in joined):
        return concatenate(joined)
    model = _model_of(joined, "stack")
    nodes = [node_of(model, part, "stack")[0] for part in joined]
    return Expression(model, model._core.concatenate(nodes), (len(nodes),))


def concatenate(parts: Sequence[Operand], axis: int = 0) -> Expression:
    """Joins arrays along their first axis. (Elements are written out: slices are cheaper.)"""
    if axis != 0:
        raise ValueError("concatenate: expressions can be joined along axis 0 only")
    model = _model_of(parts, "concatenate")
    nodes = [node_of(model, part, "concatenate") for part in parts]
    inner = {shape[1:] for _, shape in nodes}
    if len(inner) != 1 or any(not shape for _, shape in nodes):
        raise ValueError(f"concatenate: shapes {[shape for _, shape in nodes]} do not fit together")
    rows = sum(shape[0] for _, shape in nodes)
    return Expression(model, model._core.concatenate([node for node, _ in nodes]), (rows,) + inner.pop())


def roll(x: Expression, shift: Any, axis: Any = None) -> Expression:
    """Rolls elements along an axis, as numpy.roll: gives neighbours on a ring."""
    return _taken(x, np.roll(_lanes(x.shape), shift, axis))


def _sum(x: Expression, axis: Any = None) -> Expression:
    return x.sum(axis)


def _dot(a: Any, b: Any) -> Expression:
    product: Expression = operations["matmul"](a, b)
    return product


def _diff(x: Expression, n: int = 1, axis: int = -1) -> Expression:
    for _ in range(n):
        lanes = np.moveaxis(_lanes(x.shape), axis, 0)
        x = _taken(x, np.moveaxis(lanes[1:], 0, axis)) - _taken(x, np.moveaxis(lanes[:-1], 0, axis))
    return x


def _clip(x: Operand, low: Any, high: Any) -> Any:
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)


def _square(x: Expression) -> Expression:
    return x * x


_ufuncs: Dict[str, Callable[..., Any]] = {
    "add": lambda a, b: binary("add", a, b),
    "subtract": lambda a, b: binary("sub", a, b),
    "multiply": lambda a, b: binary("mul", a, b),
    "divide": lambda a, b: binary("div", a, b),
    "power": power,
    "float_power": power,
    "negative": lambda a: -a,
    "positive": lambda a: a,
    "absolute": lambda a: unary("abs", a),
    "fabs": lambda a: unary("abs", a),
    "sign": sign,
    "square": _square,
    "reciprocal": lambda a: 1.0 / a,
    "sqrt": sqrt,
    "exp": exp,
    "log": log,
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "arcsin": arcsin,
    "arccos": arccos,
    "arctan": arctan,
    "arctan2": arctan2,
    "sinh": sinh,
    "cosh": cosh,
    "tanh": tanh,
    "hypot": lambda a, b: sqrt(a * a + b * b),
    "deg2rad": lambda a: a * (np.pi / 180.0),
    "radians": lambda a: a * (np.pi / 180.0),
    "minimum": minimum,
    "maximum": maximum,
    "fmin": minimum,
    "fmax": maximum,
    "greater": lambda a, b: compare("greater", a, b),
    "greater_equal": lambda a, b: compare("greater_equal", a, b),
    "less": lambda a, b: compare("less", a, b),
    "less_equal": lambda a, b: compare("less_equal", a, b),
    "not_equal": lambda a, b: compare("not_equal", a, b),
    "equal": lambda a, b: b == a if isinstance(b, Expression) else a == b,
}

_array_functions: Dict[Any, Callable[..., Any]] = {
    np.where: where,
    np.sum: _sum,
    np.roll: roll,
    np.diff: _diff,
    np.clip: _clip,
    np.dot: _dot,
    np.stack: stack,
    np.concatenate: concatenate,
    np.hstack: concatenate,
    np.reshape: lambda a, shape: a.reshape(shape),
    np.ravel: lambda a: a.ravel(),
    np.transpose: lambda a: a.T,
    np.shape: lambda a: a.shape,
    np.size: lambda a: a.size,
    np.ndim: lambda a: a.ndim,
}

ufuncs.update(_ufuncs)
array_functions.update(_array_functions)
