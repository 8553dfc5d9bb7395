"""Runs backward in time, where clauses and contacts may have set something."""

import unittest

import numpy as np

import saltus as sl
from saltus import der, pre

SEED = 20260120
G = 9.81


def ball(kind, h0, v0, restitution=0.5):
    m = sl.Model("ball")
    h, v = m.state("h", h0), m.state("v", v0)
    m.equation(der(h) == v)
    if kind == "clause":
        m.equation(der(v) == -G)
        m.when(h <= 0, {v: -restitution * pre(v)}, name="floor")
    else:
        force = m.unilateral("floor", h, restitution=restitution)
        m.equation(der(v) == -G + force)
    return m


class Backward(unittest.TestCase):
    def test_a_bounce_is_not_passed(self):
        rng = np.random.default_rng(SEED)
        for kind in ("clause", "contact"):
            for case in range(10):
                # Some time after a bounce, on the way up or down.
                h0, v0 = rng.uniform(0.1, 1.0), rng.uniform(-2.0, 2.0)
                since = (-v0 + np.sqrt(v0**2 + 2 * G * h0)) / G  # h0 - v0 s - g/2 s^2 = 0
                s = sl.simulate(ball(kind, h0, v0), (3.0, 3.0 - 2 * since), rtol=1e-8, atol=1e-8)
                what = f"{kind}, case {case}, seed {SEED}: {s.message}"
                self.assertEqual(s.outcome, "failed", what)
                self.assertIn("a run backward in time cannot pass '", what)
                self.assertIn("floor", s.message, what)
                # Parabolas are exact: what is left are the roundings of times and their offset, 1e-3 tolerances.
                self.assertAlmostEqual(s.t[-1], 3.0 - since, delta=1e-8, msg=what)
                self.assertGreaterEqual(s["h"].min(), -1e-8, what)

    def test_a_clause_that_sets_no_unknown_is_passed_where_its_condition_ended(self):
        m = sl.Model("count")
        x, n = m.state("x", 2.0), m.discrete("n", 0.0)
        m.equation(der(x) == 1.0)
        m.when(x < 1.0, {n: pre(n) + 1})
        s = sl.simulate(m, (2.0, 0.0))
        self.assertTrue(s.success, s.message)
        self.assertEqual(s["n"][-1], 0.0)


if __name__ == "__main__":
    unittest.main()
