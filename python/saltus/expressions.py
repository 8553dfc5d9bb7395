"""Expressions, conditions and equations: the results of operators on variables.

An expression is a node of its model's graph and a shape. In the graph an array of any shape is a row of lanes, and
an operation on an array is one node for any number of elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, Optional, Sequence, Tuple, Union

import numpy as np

from .errors import ModelError

if TYPE_CHECKING:
    from .model import Model

Shape = Tuple[int, ...]
Operand = Union["Expression", float, int, np.ndarray, Sequence[Any]]

# What modules above this one add: functions by their names in NumPy, those of arrays, and products of matrices.
ufuncs: Dict[str, Callable[..., Any]] = {}
array_functions: Dict[Any, Callable[..., Any]] = {}
operations: Dict[str, Callable[..., Any]] = {}


class Expression:
    """A value that a model computes: a variable, or a result of operators and functions."""

    __slots__ = ("model", "_node", "shape")
    # NumPy leaves operators with arrays to us.
    __array_priority__ = 1000

    def __init__(self, model: Model, node: int, shape: Shape = ()) -> None:
        self.model = model
        self._node = node
        self.shape = shape

    # ---- the interface of NumPy arrays

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return _size(self.shape)

    @property
    def T(self) -> Expression:
        return _taken(self, _lanes(self.shape).T)

    def reshape(self, *shape: Any) -> Expression:
        return _taken(self, _lanes(self.shape).reshape(*shape))

    def ravel(self) -> Expression:
        return self.reshape(-1)

    def sum(self, axis: Optional[int] = None) -> Expression:
        """Returns the sum of all elements, or along an axis."""
        if axis is None:
            return Expression(self.model, self.model._core.sum(self._node)) if self.shape else self
        total: Optional[Expression] = None
        for i in range(self.shape[axis]):
            part = self[(slice(None),) * (axis % self.ndim) + (i,)]
            total = part if total is None else total + part
        if total is None:
            raise ValueError(f"sum over axis {axis}, which has no elements")
        return total

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a scalar expression has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Expression]:
        if not self.shape:
            raise TypeError("a scalar expression cannot be iterated over")
        return (self[i] for i in range(self.shape[0]))

    def __getitem__(self, key: Any) -> Expression:
        if not self.shape:
            raise IndexError("a scalar expression has no elements")
        return _taken(self, _lanes(self.shape)[key])

    def __repr__(self) -> str:
        text = self.model._core.text(self._node)
        return f"<expression {text}>" if not self.shape else f"<array {self.shape} of {text}, …>"

    # ---- operators

    def __add__(self, other: Operand) -> Expression:
        return binary("add", self, other)

    def __radd__(self, other: Operand) -> Expression:
        return binary("add", other, self)

    def __sub__(self, other: Operand) -> Expression:
        return binary("sub", self, other)

    def __rsub__(self, other: Operand) -> Expression:
        return binary("sub", other, self)

    def __mul__(self, other: Operand) -> Expression:
        return binary("mul", self, other)

    def __rmul__(self, other: Operand) -> Expression:
        return binary("mul", other, self)

    def __truediv__(self, other: Operand) -> Expression:
        return binary("div", self, other)

    def __rtruediv__(self, other: Operand) -> Expression:
        return binary("div", other, self)

    def __pow__(self, other: Operand) -> Expression:
        return binary("pow", self, other)

    def __rpow__(self, other: Operand) -> Expression:
        return binary("pow", other, self)

    def __neg__(self) -> Expression:
        return unary("neg", self)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return unary("abs", self)

    def __matmul__(self, other: Any) -> Expression:
        return operations["matmul"](self, other)

    def __rmatmul__(self, other: Any) -> Expression:
        return operations["matmul"](other, self)

    def __gt__(self, other: Operand) -> Condition:
        return compare("greater", self, other)

    def __ge__(self, other: Operand) -> Condition:
        return compare("greater_equal", self, other)

    def __lt__(self, other: Operand) -> Condition:
        return compare("less", self, other)

    def __le__(self, other: Operand) -> Condition:
        return compare("less_equal", self, other)

    def __eq__(self, other: object) -> Equation:  # type: ignore[override]
        if not _is_operand(other):
            return NotImplemented
        return Equation(self, other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        if not _is_operand(other):
            return NotImplemented
        return compare("not_equal", self, other)  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        raise TypeError(
            f"'{self.model._core.text(self._node)}' is an expression, not a number: it has no truth value while the "
            "model is written. Write where(condition, a, b) instead of if"
        )

    def __float__(self) -> float:
        raise TypeError(
            f"'{self.model._core.text(self._node)}' is an expression, not a number. Functions of the module math "
            "take numbers only: use those of numpy or saltus (numpy.sin, not math.sin)"
        )

    def __array__(self, dtype: Any = None) -> Any:
        raise TypeError(
            f"'{self.model._core.text(self._node)}' is an expression and cannot become an array of numbers; "
            "saltus.stack([a, b]) makes an array of expressions, saltus.matmul(A, x) takes sparse matrices"
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__" and not kwargs and ufunc.__name__ in ufuncs:
            return ufuncs[ufunc.__name__](*inputs)
        if ufunc.__name__ == "matmul" and method == "__call__" and not kwargs:
            return operations["matmul"](*inputs)
        raise TypeError(f"numpy.{ufunc.__name__} does not work on expressions{_instead(ufunc.__name__)}")

    def __mod__(self, other: Any) -> Any:
        raise TypeError(f"% does not work on expressions{_instead('remainder')}")

    def __floordiv__(self, other: Any) -> Any:
        raise TypeError(f"// does not work on expressions{_instead('floor')}")

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in array_functions:
            return array_functions[func](*args, **kwargs)
        raise TypeError(f"numpy.{func.__name__} does not work on expressions")


def _instead(name: str) -> str:
    """What to write for functions of time that jump."""
    if name not in ("remainder", "fmod", "mod", "floor", "ceil", "rint", "trunc", "floor_divide"):
        return ""
    return (
        "; for a function that begins anew each period, note its begin: since = m.discrete('since', 0), "
        "m.when(m.every(period), {since: m.time}), then m.time - since"
    )


_no_truth = (
    "The model must know both branches: write where(condition, a, b) instead of if, & | ~ instead of and, or, not, "
    "and (a < x) & (x < b) instead of a < x < b"
)


class Condition:
    """A condition: comparisons, combined by & | ~."""

    __slots__ = ("model", "_literal", "shape")
    __array_priority__ = 1000
    __array_ufunc__ = None

    def __init__(self, model: Model, literal: int, shape: Shape = ()) -> None:
        self.model = model
        self._literal = literal
        self.shape = shape

    def __and__(self, other: Any) -> Condition:
        b = condition_of(other, "&")
        model = _same_model(self, b)
        shape = _common_shape(self.shape, b.shape, "&")
        return Condition(model, model._core.conjunction(self._literal, b._literal), shape)

    def __invert__(self) -> Condition:
        return Condition(self.model, self.model._core.negate(self._literal), self.shape)

    def __or__(self, other: Any) -> Condition:
        return ~(~self & ~condition_of(other, "|"))

    def __bool__(self) -> bool:
        raise TypeError(f"'{self}' is a condition of a model, not true or false now. {_no_truth}")

    __array_function__ = Expression.__array_function__

    def __str__(self) -> str:
        return str(self.model._core.condition_text(self._literal))

    def __repr__(self) -> str:
        return f"<condition {self}>"


class Equation:
    """left == right: an equation of a model or, between held values, a condition."""

    __slots__ = ("left", "right")
    __array_ufunc__ = None

    def __init__(self, left: Operand, right: Operand) -> None:
        self.left = left
        self.right = right

    def __bool__(self) -> bool:
        raise TypeError(f"'{self}' is an equation, not true or false now. {_no_truth}")

    def __invert__(self) -> Condition:
        return ~condition_of(self, "~")

    def __and__(self, other: Any) -> Condition:
        return condition_of(self, "&") & other

    def __or__(self, other: Any) -> Condition:
        return condition_of(self, "|") | other

    def __str__(self) -> str:
        return f"{_text(self.left)} == {_text(self.right)}"

    def __repr__(self) -> str:
        return f"<equation {self}>"


def _text(value: Any) -> str:
    return str(value.model._core.text(value._node)) if isinstance(value, Expression) else str(value)


# ---- how they are built ------------------------------------------------------------------------------------------


def _size(shape: Shape) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _lanes(shape: Shape) -> np.ndarray:
    return np.arange(_size(shape), dtype=np.uint32).reshape(shape)


def _taken(a: Expression, lanes: Any) -> Expression:
    """Returns the expression of these lanes of an array, in the shape of `lanes`."""
    core = a.model._core
    if np.ndim(lanes) == 0:
        return Expression(a.model, core.lane(a._node, int(lanes)))
    if lanes.size == 0:
        raise IndexError(f"no element of an array of shape {a.shape} is left")
    flat = np.ascontiguousarray(lanes).ravel()
    same = flat.size == a.size and bool(np.array_equal(flat, np.arange(a.size, dtype=flat.dtype)))
    return Expression(a.model, a._node if same else core.take(a._node, flat), lanes.shape)


def _is_operand(value: Any) -> bool:
    return isinstance(value, (Expression, int, float, np.ndarray, np.number, list, tuple))


def _same_model(a: Any, b: Any) -> Model:
    if a.model is not b.model:
        raise ModelError(
            f"'{_name_of(a)}' belongs to model '{a.model.name}' and '{_name_of(b)}' to model '{b.model.name}': "
            "an expression cannot mix two models"
        )
    return a.model  # type: ignore[no-any-return]


def _name_of(a: Any) -> str:
    return str(a) if isinstance(a, Condition) else _text(a)


def _common_shape(a: Shape, b: Shape, what: str) -> Shape:
    if a == b:
        return a
    try:
        return tuple(np.broadcast_shapes(a, b))
    except ValueError:
        raise ValueError(f"shapes {a} and {b} do not fit together in '{what}'") from None


def _number_array(value: Any, what: str) -> np.ndarray:
    if isinstance(value, (list, tuple)) and any(isinstance(one, Expression) for one in value):
        raise TypeError(f"{what}: a list of expressions is not an array; write saltus.stack([...])")
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{what}: {value!r} is neither an expression nor a number") from None


def node_of(model: Model, value: Operand, what: str = "expression") -> Tuple[int, Shape]:
    """Returns the node of a value in a model, and its shape. Numbers become constants."""
    if isinstance(value, Expression):
        if value.model is not model:
            raise ModelError(
                f"{what}: '{_text(value)}' belongs to model '{value.model.name}', not to '{model.name}'"
            )
        return value._node, value.shape
    if isinstance(value, (Condition, Equation, bool, np.bool_)):
        raise TypeError(f"{what}: a condition is not a number: write where({value}, 1, 0)")
    if isinstance(value, (int, float, np.number)):
        return model._core.constant(float(value)), ()
    numbers = _number_array(value, what)
    if not numbers.shape:
        return model._core.constant(float(numbers)), ()
    return model._core.constants(numbers.ravel()), numbers.shape


def _fitted(model: Model, node: int, shape: Shape, to: Shape) -> int:
    """Returns the node repeated to a larger shape. A scalar stays a scalar: the graph repeats it."""
    if shape == to or not shape:
        return node
    return int(model._core.take(node, np.broadcast_to(_lanes(shape), to).ravel()))


def _model_of(values: Sequence[Any], what: str) -> Model:
    found: Optional[Any] = None
    for value in values:
        if isinstance(value, (Expression, Condition)):
            if found is not None:
                _same_model(found, value)
            found = value
    if found is None:
        raise TypeError(f"{what} needs at least one expression of a model")
    return found.model  # type: ignore[no-any-return]


def _together(model: Model, values: Sequence[Operand], what: str, shape: Shape = ()) -> Tuple[list, Shape]:
    """Returns nodes of one shape, or scalars among them, and that shape."""
    nodes = [node_of(model, value, what) for value in values]
    for _, own in nodes:
        shape = _common_shape(shape, own, what)
    return [_fitted(model, node, own, shape) for node, own in nodes], shape


def _shaped(model: Model, node: int, shape: Shape) -> Expression:
    """Returns a result as an array if it must be one: simplification may have left a scalar."""
    if shape and not model._core.is_array(node):
        node = model._core.broadcast(node, _size(shape))
    return Expression(model, node, shape)


def unary(name: str, a: Expression) -> Expression:
    return Expression(a.model, getattr(a.model._core, name)(a._node), a.shape)


def binary(name: str, a: Any, b: Any) -> Any:
    if not (_is_operand(a) and _is_operand(b)):
        return NotImplemented
    model = _model_of((a, b), name)
    (left, right), shape = _together(model, (a, b), name)
    return _shaped(model, getattr(model._core, name)(left, right), shape)


def compare(name: str, a: Any, b: Any) -> Any:
    if not (_is_operand(a) and _is_operand(b)):
        return NotImplemented
    model = _model_of((a, b), name)
    (left, right), shape = _together(model, (a, b), name)
    return Condition(model, getattr(model._core, name)(left, right), shape)


def select(condition: Any, a: Operand, b: Operand) -> Expression:
    """Returns a where the condition holds, b elsewhere."""
    chosen = condition_of(condition, "where")
    model = _model_of((chosen, a, b), "where")
    (yes, no), shape = _together(model, (a, b), "where", chosen.shape)
    if chosen.shape not in ((), shape):
        raise ValueError(f"where: a condition of shape {chosen.shape} does not fit values of shape {shape}")
    return _shaped(model, model._core.where(chosen._literal, yes, no), shape)


def condition_of(value: Any, what: str) -> Condition:
    """Returns a condition, also from an equation between held values. Raises TypeError for anything else."""
    if isinstance(value, Condition):
        return value
    if isinstance(value, Equation):
        return compare("equal", value.left, value.right)  # type: ignore[no-any-return]
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(
            f"{what}: got {value}, a plain truth value, not a condition of the model. A comparison of two numbers is "
            "decided when Python reads it: compare variables or parameters"
        )
    raise TypeError(f"{what}: {value!r} is not a condition; write a comparison such as x > 0")
