"""Models: variables, equations, events and modes."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._arguments import values_of
from ._explain import explained
from ._places import place_of_caller
from ._simulating import simulate
from .errors import ModelError
from .expressions import Condition, Equation, Expression, Operand, Shape, _size, condition_of, node_of
from .solution import Solution

Conditions = Union[Condition, Equation, Sequence[Union[Condition, Equation]]]
_attributes = (
    "start guess derivative_start derivative_guess nominal min max unit description".split()
)


class Mode:
    """A mode: a set of equations that hold together; see Model.mode()."""

    def __init__(self, model: Model, number: int, name: str) -> None:
        self.model = model
        self.name = name
        self._number = number

    def equation(self, *sides: Equation, name: str = "") -> None:
        """Adds equations that hold in this mode only."""
        self.model._add_equations(sides, name, self)

    def require(self, condition: Any) -> None:
        """Makes the mode possible only where the condition holds."""
        given = self.model._condition(condition, f"require of mode '{self.name}'")
        self.model._core.require(self._number, given)

    def __repr__(self) -> str:
        return f"<mode {self.name}>"


class Model:
    """A model: variables, equations, events, modes.

    >>> import saltus
    >>> m = saltus.Model("decay")
    >>> x = m.state("x", 1.0)
    >>> m.equation(saltus.der(x) == -x)
    >>> sol = m.simulate(1.0, rtol=1e-10, atol=1e-10)
    >>> bool(abs(sol["x"][-1] - 2.718281828459045**-1) < 1e-9)
    True
    """

    def __init__(self, name: str, _builder: Any = None) -> None:
        self.name = name
        self._core = _core.ModelBuilder(name) if _builder is None else _builder
        self._places: Dict[str, str] = {}
        self._shapes: Dict[str, Shape] = {}
        # Nodes, not expressions, which would refer back to the model and keep it alive.
        self._variables: Dict[str, int] = {}
        self._parameters: Dict[str, Tuple[Any, str, str]] = {}
        self._numbers: Dict[str, int] = {}
        # Identity of inputs: a digest of samples, or None for functions, which cannot be compared.
        self._inputs: Dict[str, Optional[str]] = {}
        self._settable: List[str] = []  # parameters of a text that can be set
        self.experiment: Dict[str, float] = {}
        self.description = ""

    def __repr__(self) -> str:
        return f"<model {self.name}>"

    # ---- variables ---------------------------------------------------------------------------------------------

    def state(self, name: str, start: Any = None, *, shape: Any = None, **attributes: Any) -> Expression:
        """Declares an unknown that starts from a value; an array if the value is one, or if a shape is given.

        Attributes: guess, derivative_start, derivative_guess, nominal, min, max, unit, description.
        """
        given = self._declared(name, attributes)
        if start is None:
            if shape is None:
                return self._variable(name, self._core.state(name, given), ())
            wanted = _shape(shape)
            return self._variable(name, self._core.states_without_start(name, _size(wanted), given), wanted)
        starts = self._numbers_of(name, start, shape)
        if starts.shape:
            return self._variable(name, self._core.states(name, starts.ravel(), given), starts.shape)
        return self._variable(name, self._core.state(name, {**given, "start": float(starts)}), ())

    def algebraic(self, name: str, guess: Optional[float] = None, *, shape: Any = None, **attributes: Any) -> Expression:
        """Declares an unknown that follows from the others."""
        given = self._declared(name, attributes)
        if guess is not None:
            given["guess"] = float(guess)
        if shape is None:
            return self._variable(name, self._core.algebraic(name, given), ())
        wanted = _shape(shape)
        return self._variable(name, self._core.algebraics(name, _size(wanted), given), wanted)

    def parameter(self, name: str, value: Any, **attributes: Any) -> Expression:
        """Declares a number, or an array of numbers, that is constant during a run."""
        given = self._declared(name, attributes)
        values = self._numbers_of(name, value, None)
        self._parameters[name] = (values, given.get("unit", ""), given.get("description", ""))
        if values.shape:
            return self._variable(name, self._core.parameters(name, values.ravel(), given), values.shape)
        return self._variable(name, self._core.parameter(name, float(values), given), ())

    def discrete(self, name: str, start: float, **attributes: Any) -> Expression:
        """Declares a variable that changes at events only."""
        given = self._declared(name, attributes)
        return self._variable(name, self._core.discrete(name, float(start), given), ())

    def input(
        self,
        name: str,
        times: Any,
        values: Any = None,
        *,
        interpolation: str = "linear",
        derivatives: int = 0,
        breakpoints: Sequence[float] = (),
        **attributes: Any,
    ) -> Expression:
        """Declares an input of the model: samples at times, or a Python function of time.

        `interpolation` between samples is step, linear or spline. A function is called as f(t), or as f(t, order) if
        it has `derivatives`; it may jump at `breakpoints` only. Every evaluation calls the Python function, so use it
        for experiments only. An expression of model.time is fast and needs no declaration.
        """
        given = self._declared(name, attributes)
        if callable(times):
            if values is not None:
                raise TypeError(f"input '{name}': a function takes no values")
            self._inputs[name] = None
            node = self._core.input_function(name, times, derivatives, [float(t) for t in breakpoints], given)
            return self._variable(name, node, ())
        _check_choice(f"input '{name}': interpolation", interpolation, ("step", "linear", "spline"))
        if values is None:
            raise TypeError(f"input '{name}': give times and values, or a function of time")
        t, u = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
        if t.ndim != 1 or t.shape != u.shape:
            raise ValueError(f"input '{name}': times have shape {t.shape} and values {u.shape}; both must be equally long")
        self._inputs[name] = sha256(t.tobytes() + u.tobytes() + interpolation.encode()).hexdigest()
        return self._variable(name, self._core.input_table(name, t, u, interpolation, given), ())

    def outside_input(self, name: str, start: float, **attributes: Any) -> Expression:
        """Declares an input that is set while a run goes on (`Run.set_input`). It has its start value until then."""
        given = self._declared(name, attributes)
        self._inputs[name] = None
        return self._variable(name, self._core.outside_input(name, float(start), given), ())

    @property
    def time(self) -> Expression:
        """The time as an expression."""
        return Expression(self, self._core.time())

    def hide(self, *variables: Expression) -> None:
        """Hides variables: results have no columns for them."""
        for variable in variables:
            self._core.hide(node_of(self, variable, "hide")[0])

    def __getitem__(self, name: str) -> Expression:
        """Returns a variable or parameter by its name."""
        if name not in self._variables:
            from ._names import unknown

            raise unknown("variable", name, self._variables, f"model '{self.name}'")
        return Expression(self, self._variables[name], self._shapes[name])

    # ---- equations ---------------------------------------------------------------------------------------------

    def equation(self, *sides: Equation, name: str = "") -> None:
        """Adds one or several equations, each written left == right; between arrays, one for each element."""
        self._add_equations(sides, name, None)

    def output(self, name: str, value: Operand, unit: str = "", description: str = "") -> None:
        """Adds a named expression that is computed along with the solution."""
        self._core.output(name, self._named_value(name, value, "output"), unit, description)

    def invariant(self, name: str, value: Operand, unit: str = "", description: str = "") -> None:
        """Adds an output that should stay constant; a run reports its largest deviation."""
        self._core.invariant(name, self._named_value(name, value, "invariant"), unit, description)

    def integral(self, name: str, integrand: Operand) -> Expression:
        """Declares a state: the integral of an expression since the beginning of the run."""
        node, shape = node_of(self, integrand, f"integral '{name}'")
        if shape:
            raise ValueError(f"integral '{name}': its integrand has shape {shape}, it must be a scalar")
        self._written(name)
        return self._variable(name, self._core.integral(name, node), ())

    def allow_unequal_counts(self) -> None:
        """Allows more equations than unknowns, or fewer, for analysis or for reduction by ranks."""
        self._core.allow_unequal_counts()

    # ---- events ------------------------------------------------------------------------------------------------

    def when(
        self, condition: Conditions, sets: Mapping[Expression, Operand], *, name: str = "", priority: int = 0
    ) -> None:
        """Sets variables where the condition (or any of several) becomes true: {v: -0.8 * pre(v)}."""
        several = list(condition) if isinstance(condition, (list, tuple)) else [condition]
        literals = [self._condition(one, f"when '{name}'" if name else "when") for one in several]
        title = self._title(name, "when", several)
        self._core.when_any(title, literals, self._sets(sets, title), priority)

    def terminate_when(self, condition: Any, message: str = "", *, name: str = "") -> None:
        """Ends the run where the condition becomes true; the run counts as successful."""
        literal = self._condition(condition, "terminate_when")
        self._core.terminate_when(self._title(name, "end", [condition]), literal, message)

    def at_start(self, sets: Mapping[Expression, Operand], *, name: str = "at start") -> None:
        """Sets variables at the very beginning of a run."""
        self._written(name)
        self._core.at_start(name, self._sets(sets, name))

    def assert_always(self, condition: Any, message: str, *, name: str = "") -> None:
        """Makes the run fail with the message where the condition does not hold."""
        literal = self._condition(condition, "assert_always")
        self._core.assert_always(self._title(name, "assert", [condition]), literal, message)

    def every(self, interval: float, start: float = 0.0, *, name: str = "") -> Condition:
        """Returns a condition for when() that becomes true at start, start + interval, …"""
        if isinstance(start, Expression) or isinstance(interval, Expression):
            raise TypeError(
                "every: interval and start are numbers. For an instant within each period that depends on the model, "
                "note the begin: m.when(m.every(period), {since: m.time}), and compare m.time - since"
            )
        title = name or self._numbered("clock")
        self._written(title)
        return Condition(self, self._core.every(title, float(start), float(interval)))

    def named(self, name: str, condition: Any) -> Condition:
        """Names a comparison: it appears under this name among the events."""
        literal = self._condition(condition, f"named '{name}'")
        self._written(name)
        return Condition(self, self._core.named(name, literal), condition_of(condition, "named").shape)

    # ---- modes -------------------------------------------------------------------------------------------------

    def mode(self, name: str, *sides: Equation, start: bool = False) -> Mode:
        """Declares a mode with equations of its own, beside those without a mode. A run begins in the first mode."""
        self._written(name)
        mode = Mode(self, self._core.mode(name), name)
        if start:
            self._core.start_in(mode._number)
        if sides:
            self._add_equations(sides, "", mode)
        return mode

    def transition(
        self,
        source: Mode,
        target: Union[Mode, Sequence[Mode]],
        guard: Any,
        *,
        name: str = "",
        maps: Optional[Mapping[Expression, Operand]] = None,
        free: Iterable[Expression] = (),
        equations: Iterable[Equation] = (),
        conserved: Sequence[str] = (),
        priority: int = 0,
        restart: str = "",
        at_accumulation: bool = False,
        at_sliding: bool = False,
    ) -> None:
        """Adds a transition from a mode to another, or to the first possible of several, as soon as the guard holds.

        Unknowns of the new mode keep their values as far as its equations allow. Exceptions are those that start from
        expressions (`maps`), and those that its equations determine (`free`), together with `equations` between both
        limits (x after, pre(x) before).
        """
        targets = list(target) if isinstance(target, (list, tuple)) else [target]
        for mode in [source, *targets]:
            if not isinstance(mode, Mode) or mode.model is not self:
                raise TypeError(f"transition: {mode!r} is not a mode of model '{self.name}'")
        title = name or f"{source.name} -> {' or '.join(one.name for one in targets)}"
        self._written(title)
        if restart:
            _check_choice(f"transition '{title}': restart", restart, self._core.restart_policies())
        between = [self._pair(one, f"transition '{title}'") for one in equations]
        self._core.transition(
            title,
            source._number,
            [one._number for one in targets],
            self._condition(guard, f"guard of transition '{title}'"),
            self._sets(maps or {}, title),
            [node_of(self, one, title)[0] for one in free],
            between,
            list(conserved),
            priority,
            restart,
            at_accumulation,
            at_sliding,
        )

    # ---- parts that switch ---------------------------------------------------------------------------------------

    def unilateral(self, name: str, gap: Operand, restitution: Operand = 0.0, rest_velocity: float = 0.0) -> Expression:
        """Returns the force of a contact: it pushes where the gap is closed, and is zero elsewhere."""
        nodes = self._scalars(name, gap=gap, restitution=restitution)
        return self._variable(name, self._core.unilateral(name, *nodes, rest_velocity), ())

    def joint(self, name: str, gap: Operand) -> Expression:
        """Returns the force that keeps the gap at zero, pushing or pulling."""
        return self._variable(name, self._core.joint(name, *self._scalars(name, gap=gap)), ())

    def friction(
        self, name: str, slip: Operand, normal_force: Operand, mu: Operand, mu_static: Optional[Operand] = None
    ) -> Expression:
        """Returns the force of Coulomb friction against a slip velocity, under a normal force."""
        nodes = self._scalars(name, slip=slip, normal_force=normal_force, mu=mu)
        sticking = None if mu_static is None else self._scalars(name, mu_static=mu_static)[0]
        return self._variable(name, self._core.friction(name, *nodes, sticking), ())

    def simultaneous_impacts(self, law: str) -> None:
        """Chooses the law for several impacts at one instant: refuse_ambiguous, all_at_once or one_by_one."""
        _check_choice("simultaneous_impacts", law, ("refuse_ambiguous", "all_at_once", "one_by_one"))
        self._core.simultaneous_impacts(law)

    def diode(self, name: str, voltage: Operand, current: Operand) -> None:
        """Adds an ideal diode by voltage and current in the direction in which it conducts; it is one equation."""
        self._core.diode(name, *self._scalars(name, voltage=voltage, current=current))

    def ideal_switch(self, name: str, voltage: Operand, current: Operand, closed: Any) -> None:
        """Adds a switch: voltage == 0 while the condition holds, else current == 0; it is one equation."""
        nodes = self._scalars(name, voltage=voltage, current=current)
        self._core.ideal_switch(name, *nodes, self._condition(closed, f"switch '{name}'"))

    def thyristor(self, name: str, voltage: Operand, current: Operand, gate: Any) -> None:
        """Adds a thyristor, a diode that blocks until its gate is on; it is one equation."""
        nodes = self._scalars(name, voltage=voltage, current=current)
        self._core.thyristor(name, *nodes, self._condition(gate, f"thyristor '{name}'"))

    # ---- building and running -------------------------------------------------------------------------------------

    def build(self) -> None:
        """Checks the whole model. Running it does the same; call this to find mistakes earlier."""
        with self._explained():
            self._core.build()

    def simulate(self, t_span: Any, **options: Any) -> Any:
        """Runs the model: the same as saltus.simulate(model, t_span, ...)."""
        return simulate(self, t_span, **options)

    def _run(self, given: Dict[str, Any], values: Optional[Mapping[Any, float]], show: Any) -> Solution:
        with self._explained():
            try:
                return Solution(_core.run_model(self._core, given, values_of(values, self), show), self)
            except KeyboardInterrupt as interrupt:
                if hasattr(interrupt, "solution"):
                    interrupt.solution = Solution(interrupt.solution, self)
                raise

    # ---- inside --------------------------------------------------------------------------------------------------

    def _explained(self) -> Any:
        return explained(self._places)

    def _written(self, name: str) -> None:
        self._places.setdefault(name, place_of_caller())

    def _numbered(self, word: str) -> str:
        self._numbers[word] = self._numbers.get(word, 0) + 1
        return f"{word} {self._numbers[word]}"

    def _title(self, name: str, word: str, conditions: Sequence[Any]) -> str:
        title = name or f"{word} {conditions[0]}"
        if not name and title in self._places:
            title = self._numbered(title + ",")
        self._written(title)
        return title

    def _declared(self, name: str, attributes: Dict[str, Any]) -> Dict[str, Any]:
        for key in attributes:
            if key not in _attributes:
                from ._names import nearest

                raise TypeError(f"variable '{name}': there is no attribute '{key}'{nearest(key, _attributes)}")
        self._written(name)
        return {key: value for key, value in attributes.items() if value is not None}

    def _numbers_of(self, name: str, value: Any, shape: Any) -> np.ndarray:
        if isinstance(value, Expression):
            raise TypeError(f"variable '{name}': its value is an expression, it must be a number or an array of numbers")
        try:
            numbers = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise TypeError(f"variable '{name}': {value!r} is not a number or an array of numbers") from None
        if shape is None:
            return numbers
        try:
            return np.array(np.broadcast_to(numbers, _shape(shape)))
        except ValueError:
            raise ValueError(
                f"variable '{name}': start values of shape {numbers.shape} do not fit the shape {_shape(shape)}"
            ) from None

    def _variable(self, name: str, node: int, shape: Shape) -> Expression:
        self._variables[name] = node
        self._shapes[name] = tuple(shape)
        return Expression(self, node, tuple(shape))

    def _condition(self, value: Any, what: str) -> int:
        condition = condition_of(value, what)
        if condition.model is not self:
            raise ModelError(f"{what}: '{condition}' belongs to model '{condition.model.name}', not to '{self.name}'")
        if condition.shape:
            raise ValueError(f"{what}: the condition has shape {condition.shape}; write one for each element")
        return condition._literal

    def _pair(self, sides: Any, what: str) -> Tuple[int, int]:
        if not isinstance(sides, Equation):
            if isinstance(sides, (bool, np.bool_)):
                raise TypeError(f"{what}: got {sides}: both sides of == are plain numbers, there is no variable in it")
            raise TypeError(f"{what}: {sides!r} is not an equation; write left == right")
        (left, a), (right, b) = node_of(self, sides.left, what), node_of(self, sides.right, what)
        if a == b or not a or not b:
            return left, right
        raise ValueError(f"{what}: the left side of '{sides}' has shape {a}, the right side {b}")

    def _add_equations(self, sides: Sequence[Equation], name: str, mode: Optional[Mode]) -> None:
        if name and len(sides) != 1:
            raise TypeError(f"equation '{name}': a name is for one equation, {len(sides)} were given")
        if not sides:
            raise TypeError("equation: none was given; write equation(left == right)")
        place = place_of_caller()
        for one in sides:
            left, right = self._pair(one, f"equation '{name}'" if name else "equation")
            title = self._core.equation(name, left, right, None if mode is None else mode._number)
            self._places.setdefault(title, place)

    def _sets(self, sets: Mapping[Expression, Operand], what: str) -> List[Tuple[int, int]]:
        if not isinstance(sets, Mapping):
            raise TypeError(f"{what}: new values are a dict, {{variable: value}}")
        out = []
        for variable, value in sets.items():
            if not isinstance(variable, Expression):
                hint = f"; write the variable itself, m[{variable!r}]" if isinstance(variable, str) else ""
                raise TypeError(f"{what}: {variable!r} is not a variable of the model{hint}")
            out.append((node_of(self, variable, what)[0], node_of(self, value, what)[0]))
        return out

    def _named_value(self, name: str, value: Operand, what: str) -> int:
        self._written(name)
        node, shape = node_of(self, value, f"{what} '{name}'")
        self._shapes[name] = shape
        return node

    def _scalars(self, name: str, **values: Operand) -> List[int]:
        self._written(name)
        nodes = []
        for key, value in values.items():
            node, shape = node_of(self, value, f"'{name}': {key}")
            if shape:
                raise ValueError(f"'{name}': {key} has shape {shape}, it must be a scalar")
            nodes.append(node)
        return nodes


def _shape(shape: Any) -> Shape:
    return (int(shape),) if np.ndim(shape) == 0 else tuple(int(n) for n in shape)


def _check_choice(what: str, given: str, known: Sequence[str]) -> None:
    if given not in known:
        from ._names import nearest

        raise ValueError(f"{what} '{given}' is not one of {', '.join(known)}{nearest(given, known)}")
