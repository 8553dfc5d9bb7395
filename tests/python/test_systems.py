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
        with self.assertRaisesRegex(ValueError, "'derivative' returned 2 numbers, expected are 1"):
            sl.simulate(sl.System({"x": 1.0}, derivative=lambda t, x: [1.0, 2.0]), 1.0)


if __name__ == "__main__":
    unittest.main()
