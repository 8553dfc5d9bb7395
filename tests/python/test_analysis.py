"""Analysis, linearisation, gradients and fits."""

import unittest

import numpy as np

import saltus as sl


def pendulum():
    m = sl.Model("pendulum")
    x, y = m.state("x", 1.0), m.state("y", 0.0)
    vx, vy, f = m.state("vx", 0.0), m.state("vy", 0.0), m.algebraic("f")
    m.equation(sl.der(x) == vx, sl.der(y) == vy, sl.der(vx) == -f * x, sl.der(vy) == -f * y - 9.81)
    m.equation(x * x + y * y == 1.0)
    return m


class Analyses(unittest.TestCase):
    def test_index(self):
        found = sl.analyze(pendulum())
        self.assertEqual(found.index, 3)
        self.assertTrue(found.regular)
        self.assertIn("pendulum", str(found))

    def test_options_are_checked(self):
        with self.assertRaisesRegex(TypeError, "max_levle.*did you mean 'max_level'"):
            sl.analyze(pendulum(), max_levle=3)

    def test_linearization(self):
        m = sl.Model("oscillator")
        x, v = m.state("x", 0.0), m.state("v", 0.0)
        m.equation(sl.der(x) == v, sl.der(v) == -4.0 * x)
        near = sl.linearize(m)
        np.testing.assert_allclose(sorted(near.eigenvalues.imag), [-2.0, 2.0], rtol=1e-12)
        np.testing.assert_array_equal(near.E, np.eye(2))
        at = sl.linearize(m, sl.simulate(m, 1.0), 0.5)
        self.assertEqual(at.t, 0.5)

    def test_gradient(self):
        m = sl.Model("decay")
        x, k = m.state("x", 1.0), m.parameter("k", 2.0)
        m.equation(sl.der(x) == -k * x)
        value, slopes = sl.gradient(m, x, [k, x], 1.0, rtol=1e-10, atol=1e-10)
        self.assertAlmostEqual(value, np.exp(-2.0), delta=1e-8)
        self.assertAlmostEqual(slopes["k"], -np.exp(-2.0), delta=1e-8)
        self.assertAlmostEqual(slopes["x"], np.exp(-2.0), delta=1e-8)


class Fits(unittest.TestCase):
    def setUp(self):
        self.m = sl.Model("decay")
        x, k = self.m.state("x", 1.0), self.m.parameter("k", 1.0)
        self.m.equation(sl.der(x) == -k * x)
        self.t = np.linspace(0.1, 2.0, 20)
        self.exact = np.exp(-2.5 * self.t)

    def test_a_rate(self):
        found = sl.fit(self.m, {"k": 1.0}, {"x": (self.t, self.exact, 1e-3)}, rtol=1e-9, atol=1e-9)
        self.assertTrue(found.success, found.message)
        # The fit ends within 0.01 standard errors.
        self.assertAlmostEqual(found["k"], 2.5, delta=0.02 * found.standard_errors["k"])

    def test_residuals_that_do_not_match_their_deviations_are_told(self):
        noise = 1e-2 * np.cos(37 * np.arange(20))
        data = lambda sigma: {"x": (self.t, self.exact + noise, sigma)}
        self.assertEqual(sl.fit(self.m, {"k": 1.0}, data(7e-3)).warnings, [])
        self.assertEqual(len(sl.fit(self.m, {"k": 1.0}, data(1e-4)).warnings), 1)

    def test_bounds(self):
        found = sl.fit(self.m, {"k": (1.0, 0.5, 2.0)}, {"x": (self.t, self.exact)}, rtol=1e-9, atol=1e-9)
        self.assertEqual(found["k"], 2.0)

    def test_residuals_for_scipy(self):
        from scipy.optimize import least_squares

        data = {"x": (self.t, self.exact, 1.0)}
        found = least_squares(
            lambda p: sl.residuals(self.m, {"k": 1.0}, data, p, rtol=1e-9)[0],
            [1.0],
            jac=lambda p: sl.residuals(self.m, {"k": 1.0}, data, p, rtol=1e-9)[1],
        )
        self.assertAlmostEqual(found.x[0], 2.5, delta=1e-6)


if __name__ == "__main__":
    unittest.main()
