"""What a run could not look at closely, or does and is seldom meant, is in its warnings."""

import unittest

import numpy as np

import saltus as sl
from saltus import der, pre

SEED = 20260120
G = 9.81


class Stops(unittest.TestCase):
    def test_a_solution_that_moves_on_after_a_stop_is_told(self):
        rng = np.random.default_rng(SEED)
        for engine in ("dopri5", "dop853", "radau", "ida"):
            for _ in range(5):
                m = sl.Model("plastic")
                h, v = m.state("h", rng.uniform(0.5, 2.0)), m.state("v", rng.uniform(-1.0, 1.0))
                m.equation(der(h) == v, der(v) == -G)
                m.when(h <= 0, {v: 0.0}, name="stop")
                s = sl.simulate(m, 3.0, engine=engine)
                told = [w for w in s.warnings if "'stop' brings 'h <= 0' to rest" in w]
                self.assertEqual(len(told), 1, (engine, s.warnings))
                self.assertIn("unilateral", told[0])

    def test_what_bounces_slows_down_or_sets_something_else_is_not(self):
        for action in (lambda v, w: {v: -0.5 * pre(v)}, lambda v, w: {v: 0.5 * pre(v)}, lambda v, w: {w: 0.0}):
            m = sl.Model("other")
            h, v, w = m.state("h", 1.0), m.state("v", 0.0), m.state("w", 1.0)
            m.equation(der(h) == v, der(v) == -G, der(w) == 1.0)
            m.when(h <= 0, action(v, w), name="stop")
            self.assertEqual([x for x in sl.simulate(m, 0.6).warnings if "to rest" in x], [])

    def test_what_stays_at_rest_is_not(self):
        m = sl.Model("rest")
        h, v = m.state("h", 1.0), m.state("v", -1.0)
        m.equation(der(h) == v, der(v) == 0.0)
        m.when(h <= 0, {v: 0.0}, name="stop")
        s = sl.simulate(m, 3.0)
        self.assertEqual(s.warnings, [])
        self.assertAlmostEqual(s["h"][-1], 0.0, delta=1e-6)


class Samples(unittest.TestCase):
    def relation(self, by_code, **options):
        m = sl.Model("waves")
        x, n = m.state("x", 0.0), m.discrete("n", 0.0)
        wave = m.input("wave", lambda t: np.sin(10 * t)) if by_code else sl.sin(10 * m.time)
        m.equation(der(x) == 1.0)
        m.when(wave > 0.5, {n: pre(n) + 1}, name="count")
        return [w for w in sl.simulate(m, 6.0, **options).warnings if "samples" in w]

    def test_a_relation_of_code_is_told(self):
        told = self.relation(True)
        self.assertEqual(len(told), 1, told)
        self.assertIn("wave > 0.5", told[0])
        self.assertIn("max_step", told[0])

    def test_an_expression_is_not(self):
        self.assertEqual(self.relation(False), [])


if __name__ == "__main__":
    unittest.main()
