"""Systems of Python functions."""

import unittest

import numpy as np

import saltus as sl


class Systems(unittest.TestCase):
    def test_derivative(self):
        s = sl.System({"x": 1.0, "v": 0.0}, derivative=lambda t, x: [x[1], -x[0]])
        sol = sl.simulate(s, 1.0, rtol=1e-9, atol=1e-9)
        # 100 times what was asked for per step.
        self.assertAlmostEqual(sol["x"][-1], np.cos(1.0), delta=1e-7)

    def test_residual(self):
        s = sl.System({"x": 1.0, "y": 0.5}, residual=lambda t, x, xdot: [xdot[0] + x[1], x[1] - x[0]], algebraic=["y"])
        sol = sl.simulate(s, 1.0, rtol=1e-8, atol=1e-8)
        self.assertAlmostEqual(sol["y"][-1], np.exp(-1.0), delta=1e-6)

    def test_jacobian(self):
        asked = []

        def jacobian(t, x):
            asked.append(t)
            return [[-1e4, 1e4], [0.0, -1.0]]

        f = lambda t, x: [1e4 * (x[1] - x[0]), -x[1]]
        given = sl.simulate(sl.System({"x": 1.0, "y": 1.0}, derivative=f, jacobian=jacobian), 1.0, engine="radau")
        without = sl.simulate(sl.System({"x": 1.0, "y": 1.0}, derivative=f), 1.0, engine="radau")
        self.assertAlmostEqual(given["y"][-1], np.exp(-1.0), delta=1e-4)
        self.assertGreater(len(asked), 0)
        # Of a linear system differences are as good, up to rounding: the same steps.
        self.assertEqual(given.statistics["n_steps"], without.statistics["n_steps"])
        wrong = sl.System({"x": 1.0, "y": 1.0}, derivative=f, jacobian=lambda t, x: [[1e4, 1e4], [0.0, 1.0]])
        self.assertNotEqual(sl.simulate(wrong, 1.0, engine="radau").statistics["n_steps"], given.statistics["n_steps"])

    def test_jacobian_of_a_residual(self):
        s = sl.System(
            {"x": 1.0, "y": 0.5},
            residual=lambda t, x, xdot: [xdot[0] + x[1], x[1] - x[0]],
            jacobian=lambda t, x, xdot: ([[0, 1], [-1, 1]], [[1, 0], [0, 0]]),
            algebraic=["y"],
        )
        self.assertAlmostEqual(sl.simulate(s, 1.0, rtol=1e-8, atol=1e-8)["y"][-1], np.exp(-1.0), delta=1e-6)
        small = sl.System({"x": 1.0}, derivative=lambda t, x: -x, jacobian=lambda t, x: [1.0, 2.0])
        with self.assertRaisesRegex(ValueError, r"'jacobian' returned an array of shape \(2,\), expected \(1, 1\)"):
            sl.simulate(small, 1.0, engine="radau")

    def test_actions(self):
        s = sl.System(
            {"h": 1.0, "v": 0.0},
            derivative=lambda t, x: [x[1], -9.81],
            switching={"height": lambda t, x: x[0]},
            only_actions=["height"],
            actions=[sl.Action("bounce", "height", lambda t, x: [x[0], -0.5 * x[1]], direction=-1)],
        )
        sol = sl.simulate(s, 1.0, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(sol.events.times("bounce"), np.sqrt(2 / 9.81) * np.array([1.0, 2.0]), atol=1e-7)

    def test_exceptions_come_through(self):
        def f(t, x):
            raise ZeroDivisionError("no more")

        with self.assertRaisesRegex(ZeroDivisionError, "no more"):
            sl.simulate(sl.System({"x": 1.0}, derivative=f), 1.0)
        with self.assertRaisesRegex(ValueError, "'derivative' returned 2 numbers, expected 1"):
            sl.simulate(sl.System({"x": 1.0}, derivative=lambda t, x: [1.0, 2.0]), 1.0)


if __name__ == "__main__":
    unittest.main()
