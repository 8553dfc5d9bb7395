"""Typical mistakes: each raises the right exception, and its message names the place."""

import unittest

import numpy as np

import saltus as sl


def two():
    m = sl.Model("two")
    x, v = m.state("x", 1.0), m.state("v", 0.0)
    return m, x, v


class Mistakes(unittest.TestCase):
    def test_wrong_shape(self):
        m = sl.Model("rod")
        u = m.state("u", np.zeros(5))
        with self.assertRaisesRegex(ValueError, r"\(5,\) and \(4,\).*'sub'"):
            m.equation(sl.der(u) == u - np.ones(4))
        with self.assertRaisesRegex(ValueError, r"left side .* has shape \(5,\), the right side \(3,\)"):
            m.equation(sl.der(u) == u[:3])

    def test_unknown_variable(self):
        m, x, v = two()
        m.equation(sl.der(x) == v, sl.der(v) == -x)
        sol = sl.simulate(m, 1.0)
        with self.assertRaisesRegex(KeyError, "'vv'") as caught:
            sol["vv"]
        self.assertIsInstance(caught.exception, sl.UnknownNameError)
        with self.assertRaisesRegex(KeyError, "'speed'.*x, v"):
            m["speed"]

    def test_if_on_an_expression(self):
        m, x, v = two()
        with self.assertRaisesRegex(TypeError, r"'x > 0' is a condition.*where\(condition, a, b\) instead of if"):
            if x > 0:
                pass
        with self.assertRaisesRegex(TypeError, r"'x' is an expression.*where"):
            if x:
                pass
        with self.assertRaisesRegex(TypeError, r"\(a < x\) & \(x < b\)"):
            0 < x < 1
        with self.assertRaisesRegex(TypeError, r"math"):
            import math

            math.sin(x)

    def test_missing_equation(self):
        m, x, v = two()
        m.equation(sl.der(x) == v)
        with self.assertRaisesRegex(sl.ModelError, "model 'two' has 2 unknowns but 1 equation"):
            sl.simulate(m, 1.0)

    def test_a_variable_in_no_equation_is_named_with_its_line(self):
        m, x, v = two()
        m.state("w", 0.0)
        m.equation(sl.der(x) == v, sl.der(v) == -x)
        with self.assertRaisesRegex(sl.ModelError, r"'w' occurs in no equation\n  'w' was written at .*test_mistakes.py:\d+"):
            sl.simulate(m, 1.0)

    def test_an_equation_is_named_with_its_line(self):
        m, x, v = two()
        k = m.parameter("k", 1.0)
        m.equation(sl.der(x) == v, sl.der(v) == -x)
        m.equation(k == 2.0, name="constant")
        with self.assertRaises(sl.ModelError) as caught:
            m.build()
        self.assertRegex(str(caught.exception), r"'constant' contains no unknown\n  'constant' was written at .*test_mistakes.py:\d+")
        self.assertRegex(caught.exception.place, r"test_mistakes.py:\d+$")

    def test_bool_instead_of_condition(self):
        m, x, v = two()
        with self.assertRaisesRegex(TypeError, "when 'stop': got True, a plain truth value"):
            m.when(1 > 0, {v: 0.0}, name="stop")
        with self.assertRaisesRegex(TypeError, "equation 'sum': got False"):
            m.equation(1 + 1 == 3, name="sum")

    def test_variable_of_another_model(self):
        m, x, v = two()
        other, y, _ = (lambda o: (o, o.state("y", 0.0), None))(sl.Model("other"))
        with self.assertRaisesRegex(sl.ModelError, "'x' belongs to model 'two' and 'y' to model 'other'"):
            x + y
        with self.assertRaisesRegex(sl.ModelError, "'der\\(y\\)' belongs to model 'other', not to 'two'"):
            m.equation(sl.der(y) == 1.0)

    def test_misspelt_option(self):
        m, x, v = two()
        m.equation(sl.der(x) == v, sl.der(v) == -x)
        with self.assertRaisesRegex(TypeError, "rtoll.*did you mean 'rtol'") as caught:
            sl.simulate(m, 1.0, rtoll=1e-8)
        self.assertIsInstance(caught.exception, sl.OptionError)
        with self.assertRaisesRegex(TypeError, r"write events=\{'surface'"):
            sl.simulate(m, 1.0, surface="stop")
        with self.assertRaisesRegex(sl.OptionError, "rtol.*must be > 0"):
            sl.simulate(m, 1.0, rtol=-1.0)
        with self.assertRaisesRegex(sl.OptionError, "engine.*'raudau' is refused.*did you mean 'radau'"):
            sl.simulate(m, 1.0, engine="raudau")
        with self.assertRaisesRegex(sl.OptionError, "rtol.*'tight' is not a value of type real"):
            sl.simulate(m, 1.0, rtol="tight")
        with self.assertRaisesRegex(TypeError, "attribute 'untit'; did you mean 'unit'"):
            m.state("z", 0.0, untit="m")

    def test_names_of_other_programs(self):
        m = sl.Model("decay")
        x = m.state("x", 1.0)
        m.equation(sl.der(x) == -x)
        for said, option in [("engine", {"method": "RK45"}), ("m.parameter", {"args": (1,)}), ("m.state", {"y0": [1.0]}),
                             ("m.when", {"events": [lambda t, y: y[0]]}), (r"sol\(t\)", {"dense_output": True}),
                             ("initial_step=", {"first_step": 0.1}), ("rtol=", {"reltol": 1e-6})]:
            with self.subTest(option), self.assertRaisesRegex(sl.UnknownOptionError, f"'{next(iter(option))}'.*{said}"):
                sl.simulate(m, 1.0, **option)
        with self.assertRaisesRegex(sl.OptionError, "RK45 is engine='dopri5'"):
            sl.simulate(m, 1.0, engine="RK45")
        with self.assertRaisesRegex(TypeError, r"System\(.*derivative=f\)"):
            sl.simulate(lambda t, y: -y, (0, 1))

    def test_values_in_the_wrong_place(self):
        m = sl.Model("clock")
        x, duty = m.state("x", 1.0), m.parameter("duty", 0.3)
        m.equation(sl.der(x) == -x)
        with self.assertRaisesRegex(TypeError, "interval and start are numbers.*m.time - since"):
            m.every(0.1, start=0.1 * duty)
        for mistake in (lambda: m.time % 0.1, lambda: m.time // 0.1, lambda: np.floor(m.time), lambda: np.remainder(m.time, 0.1)):
            with self.assertRaisesRegex(TypeError, r"does not work on expressions; .*m.every\(period\)"):
                mistake()
        with self.assertRaisesRegex(TypeError, r"write the variable itself, m\['x'\]"):
            m.when(x < 0.5, {"x": 1.0})
        with self.assertRaisesRegex(TypeError, r"the time comes first: sol\(t, 'x'\)"):
            sl.simulate(m, 1.0)("x", 1.0)

    def test_inconsistent_start(self):
        m = sl.Model("circle")
        x, y = m.state("x", 1.0), m.state("y", 1.0)
        m.equation(sl.der(x) == -y)
        m.equation(x * x + y * y == 1.0, name="on the circle")
        sol = sl.simulate(m, 1.0, start="check")
        self.assertFalse(sol.success)
        self.assertEqual((sol.status, sol.outcome), (-1, "not_started"))
        self.assertRegex(sol.message, r"y")

    def test_callback_that_throws(self):
        m = sl.Model("driven")
        x = m.state("x", 0.0)

        def drive(t):
            return 1.0 if t < 0.5 else {}["torque"]

        m.equation(sl.der(x) == m.input("u", drive))
        with self.assertRaisesRegex(KeyError, "torque") as caught:
            sl.simulate(m, 1.0)
        self.assertRegex(caught.exception.__notes__[0], r"the function of input 'u' at t = 0\.\d+")

    def test_callback_that_returns_no_number(self):
        m = sl.Model("driven")
        x = m.state("x", 0.0)
        m.equation(sl.der(x) == m.input("u", lambda t: "fast"))
        with self.assertRaisesRegex(TypeError, "the function of input 'u' must return a number"):
            sl.simulate(m, 1.0)

    def test_negative_span(self):
        m, x, v = two()
        m.equation(sl.der(x) == v, sl.der(v) == -x)
        with self.assertRaisesRegex(ValueError, r"the end -1 lies before the begin 0; .* written \(0, -1\)"):
            sl.simulate(m, -1.0)
        self.assertTrue(sl.simulate(m, (0.0, -1.0)).success)
        with self.assertRaisesRegex(TypeError, "t_span"):
            sl.simulate(m, (0.0, 1.0, 2.0))

    def test_errors_of_text_have_their_place(self):
        with self.assertRaisesRegex(sl.ModelError, r"text:3:\d+: error: .*'y'"):
            sl.read_modelica("model M\n  Real x(start=1);\nequation der(x) = -y;\nend M;\n")
        with self.assertRaisesRegex(OSError, "nowhere.mo"):
            sl.read_modelica("nowhere.mo")


if __name__ == "__main__":
    unittest.main()
