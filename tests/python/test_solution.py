"""What a run returns."""

import os
import tempfile
import threading
import unittest

import numpy as np

import saltus as sl
from test_running import ball


def ball_that_rests():
    """Two modes: in the second one there is no velocity."""
    m = sl.Model("dropped")
    h, v = m.state("h", 1.0, unit="m"), m.state("v", 0.0, unit="m/s")
    flying = m.mode("flying", sl.der(h) == v, sl.der(v) == -9.81)
    lying = m.mode("lying", sl.der(h) == 0.0 * h)
    m.transition(flying, lying, h <= 0)
    return m


class Arrays(unittest.TestCase):
    def test_t_and_y_are_views_that_keep_the_solution_alive(self):
        sol = sl.simulate(ball(), 1.0)
        t, y, v = sol.t, sol.y, sol["v"]
        self.assertEqual(y.shape, (2, len(t)))
        self.assertFalse(t.flags.owndata or y.flags.owndata or v.flags.owndata)
        self.assertFalse(t.flags.writeable or y.flags.writeable)
        np.testing.assert_array_equal(y[sol.names.index("v")], v)
        copy = v.copy()
        del sol
        np.testing.assert_array_equal(v, copy)

    def test_any_time_with_both_limits(self):
        sol = sl.simulate(ball(), 1.0, rtol=1e-10, atol=1e-10)
        hit = sol.events["bounce"][0].t
        before, after = sol(hit, "v", side="left"), sol(hit, "v", side="right")
        self.assertEqual(before.shape, ())
        self.assertAlmostEqual(after / before, -0.5, delta=1e-9)
        np.testing.assert_array_equal(sol([0.1, 0.2]).shape, (2, 2))
        np.testing.assert_array_equal(sol([0.1, 0.2])[1], sol([0.1, 0.2], "v"))
        self.assertAlmostEqual(sol.derivative("h", 0.2).item(), sol(0.2, "v").item(), delta=1e-8)
        with self.assertRaises(sl.Error):
            sol(2.0)
        with self.assertRaisesRegex(ValueError, "side"):
            sol(0.5, side="up")

    def test_arrays_come_back_in_their_shape(self):
        m = sl.Model("plate")
        u = m.state("u", np.arange(6.0).reshape(2, 3))
        m.equation(sl.der(u) == -u)
        sol = sl.simulate(m, 1.0)
        self.assertEqual(sol["u"].shape, (2, 3, len(sol.t)))
        np.testing.assert_array_equal(sol["u"][..., 0], np.arange(6.0).reshape(2, 3))
        self.assertEqual(sol([0.5, 0.6], u).shape, (2, 3, 2))
        np.testing.assert_array_equal(sol["u[4]"], sol["u"][1, 1])

    def test_variables_that_do_not_exist_are_masked(self):
        sol = sl.simulate(ball_that_rests(), 1.0)
        v = sol["v"]
        self.assertIsInstance(v, np.ma.MaskedArray)
        self.assertTrue(v.mask[-1])
        self.assertFalse(v.mask[0])
        self.assertNotIsInstance(sol["h"], np.ma.MaskedArray)
        self.assertTrue(np.ma.is_masked(sol(0.9, "v")))


class Events(unittest.TestCase):
    def test_table(self):
        sol = sl.simulate(ball(), 1.0)
        self.assertEqual(len(sol.events), 4)
        first = sol.events[0]
        self.assertEqual((first.kind, first.name, first.direction), ("state", "h <= 0", -1))
        np.testing.assert_array_equal(sol.events.times("bounce"), [row.t for row in sol.events["bounce"]])
        self.assertAlmostEqual(sol.events.x_plus(1)["v"], -0.5 * sol.events.x_minus(1)["v"], delta=1e-9)
        self.assertIn("bounce", sol.events.explain(1))
        with self.assertRaisesRegex(KeyError, "did you mean 'bounce'"):
            sol.events["bouncee"]

    def test_modes(self):
        sol = sl.simulate(ball_that_rests(), 1.0)
        self.assertEqual([stay.mode for stay in sol.modes], ["flying", "lying"])
        structural = [row for row in sol.events if row.kind == "structural"]
        self.assertEqual((structural[0].mode_before, structural[0].mode_after), ("flying", "lying"))

    def test_terminal(self):
        m = ball()
        m.terminate_when(m["h"] < 0.5, "half way")
        sol = sl.simulate(m, 1.0)
        self.assertEqual((sol.status, sol.success), (1, True))
        self.assertIn("half way", sol.message)


class Files(unittest.TestCase):
    def test_result_files_and_page(self):
        sol = sl.simulate(ball(), 1.0)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("x.h5", "x.mat", "x.csv"):
                sol.save(os.path.join(folder, name))
                self.assertGreater(os.path.getsize(os.path.join(folder, name)), 100)
            page = os.path.join(folder, "x.html")
            sol.report(page)
            with open(page, encoding="utf-8") as file:
                shown = file.read()
            self.assertIn("bounce", shown)
            self.assertIn(sl.analyze(ball()).text.splitlines()[0], shown)
            with self.assertRaisesRegex(OSError, "x.doc"):
                sol.save(os.path.join(folder, "x.doc"))


class PointsOnConstraints(unittest.TestCase):
    """Points between rows are moved onto constraints when they are asked for: that calls the functions of inputs."""

    @staticmethod
    def driven(function):
        m = sl.Model("pendulum")
        x, y, u, v = m.state("x", 1.0), m.state("y", 0.0), m.state("u", 0.0), m.state("v", 0.0)
        force = m.algebraic("force")
        push = m.input("push", function, derivatives=3)
        m.equation(sl.der(x) == u, sl.der(y) == v, sl.der(u) == -force * x + push, sl.der(v) == -force * y - 9.81)
        m.equation(x * x + y * y == 1.0)
        return sl.simulate(m, 2.0)

    def test_threads_may_ask_at_once(self):
        sol = self.driven(lambda t, order: 0.1 if order == 1 else 0.1 * t if order == 0 else 0.0)
        times = np.linspace(0.0, 2.0, 500)
        found = {}

        def ask(who):
            found[who] = sol(times[::who], "x")

        threads = [threading.Thread(target=ask, args=(who,), daemon=True) for who in (1, -1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            self.assertFalse(thread.is_alive())
        np.testing.assert_allclose(found[1], found[-1][::-1], atol=1e-12)
        np.testing.assert_allclose(sol(times, "y") ** 2, 1 - found[1] ** 2, atol=1e-11)

    def test_what_the_function_raises_comes_through(self):
        said = []

        def push(t, order):
            if said:
                raise KeyError(said[0])
            return 0.0 if order else 0.1

        sol = self.driven(push)
        said.append("no torque")
        with self.assertRaisesRegex(KeyError, "no torque"):
            sol(0.123)


class Modelica(unittest.TestCase):
    text = """
    model Belt
      parameter Real k = 3;
      Real x(start = 0), v(start = 1);
    equation
      der(x) = v;
      der(v) = -k * x;
    end Belt;
    """

    def test_the_same_object(self):
        m = sl.read_modelica(self.text)
        self.assertEqual(m.name, "Belt")
        sol = sl.simulate(m, 1.0, rtol=1e-10, atol=1e-10)
        self.assertAlmostEqual(sol["v"][-1], np.cos(np.sqrt(3.0)), delta=1e-8)
        m.output("energy", m["v"] ** 2 + m["k"] * m["x"] ** 2)
        self.assertAlmostEqual(sl.simulate(m, 1.0)["energy"][-1], 1.0, delta=1e-4)

    def test_other_parameters(self):
        sol = sl.simulate(sl.read_modelica(self.text, parameters={"k": 1.0}), 1.0, rtol=1e-10, atol=1e-10)
        self.assertAlmostEqual(sol["v"][-1], np.cos(1.0), delta=1e-8)


if __name__ == "__main__":
    unittest.main()
