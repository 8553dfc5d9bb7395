"""Indices of Sobol and effects of Morris, of functions for which they are known."""

import unittest

import numpy as np

import saltus as sl

ANGLES = {f"x{i}": sl.uniform(-np.pi, np.pi) for i in (1, 2, 3)}


def function_of(names, formula):
    """A model whose output f is a formula of its parameters."""
    m = sl.Model("function")
    rest = m.state("rest", 0.0)
    m.equation(sl.der(rest) == 0)
    m.output("f", formula(*[m.parameter(name, 0.5) for name in names]))
    return m


def ishigami():
    return function_of(
        ANGLES, lambda x1, x2, x3: np.sin(x1) + 7 * np.sin(x2) ** 2 + 0.1 * x3**4 * np.sin(x1)
    )


# Ishigami and Homma (1990), with a = 7 and b = 0.1.
V1, V2, V13 = 0.5 * (1 + 0.1 * np.pi**4 / 5) ** 2, 49 / 8, 0.01 * np.pi**8 * 8 / 225
V = V1 + V2 + V13
FIRST = {"x1": V1 / V, "x2": V2 / V, "x3": 0.0}
TOTAL = {"x1": (V1 + V13) / V, "x2": V2 / V, "x3": V13 / V}


class Sobol(unittest.TestCase):
    def test_of_ishigami(self):
        found = sl.sobol_indices(ishigami(), ANGLES, ["f"], samples=1024, t_end=1.0)
        self.assertEqual((len(found.table), found.n_used), (5 * 1024, {"f(end)": 1024}))
        for name in ANGLES:
            # 4 standard errors, as they are told; these are small enough to tell the indices apart.
            for estimate, exact in ((found.first["f(end)"][name], FIRST[name]), (found.total["f(end)"][name], TOTAL[name])):
                self.assertLess(abs(estimate.value - exact), 4 * estimate.error + 1e-12)
                self.assertLess(estimate.error, 0.06)
        # The twin: x3 matters only together with x1, so one index is not the other.
        first, total = found.first["f(end)"]["x3"], found.total["f(end)"]["x3"]
        self.assertGreater(total.value - first.value, 4 * (first.error + total.error) / 2)

    def test_runs_that_fail_are_left_out_and_counted(self):
        m = ishigami()
        m.assert_always(m["x1"] > -3.0, "too small")
        found = sl.sobol_indices(m, ANGLES, ["f"], samples=256, t_end=1.0)
        self.assertGreater(len(found.table.failures), 0)
        self.assertLess(found.n_used["f(end)"], 256)
        self.assertGreater(found.n_used["f(end)"], 200)
        self.assertFalse(np.isnan(found.first["f(end)"]["x1"].value))

    def test_what_does_not_vary_has_none(self):
        found = sl.sobol_indices(ishigami(), ANGLES, ["rest"], samples=16, t_end=1.0)
        self.assertTrue(np.isnan(found.first["rest(end)"]["x1"].value))

    def test_lists_are_refused(self):
        with self.assertRaisesRegex(sl.OptionError, "'x3' is a list"):
            sl.sobol_indices(ishigami(), {**ANGLES, "x3": [1.0, 2.0]}, ["f"], samples=16, t_end=1.0)
        one = {"x1": ANGLES["x1"], "x2": ANGLES["x2"], "x3": 0.0}
        found = sl.sobol_indices(ishigami(), one, ["f"], samples=256, t_end=1.0)
        # Nothing acts together any more.
        sums = sum(estimate.value for estimate in found.first["f(end)"].values())
        self.assertLess(abs(sums - 1), 4 * max(e.error for e in found.first["f(end)"].values()))


class Morris(unittest.TestCase):
    def test_of_a_sum(self):
        """Effects of a linear function are its coefficients times ranges, exactly but for rounding."""
        m = function_of("abc", lambda a, b, c: 3 * a - 2 * b + 0 * c)
        space = {"a": sl.uniform(0, 2), "b": sl.uniform(1, 4), "c": sl.uniform(0, 1)}
        found = sl.morris(m, space, ["f"], paths=10, t_end=1.0)
        self.assertEqual(len(found.table), 40)
        for name, exact in (("a", 6.0), ("b", -6.0), ("c", 0.0)):
            self.assertAlmostEqual(found.mean["f(end)"][name], exact, delta=1e-12)
            self.assertAlmostEqual(found.mean_size["f(end)"][name], abs(exact), delta=1e-12)
            self.assertLess(found.deviation["f(end)"][name], 1e-12)

    def test_no_path_at_all_is_refused(self):
        with self.assertRaisesRegex(sl.OptionError, "paths.*at least one"):
            sl.morris(function_of("ab", lambda a, b: a * b), {"a": sl.uniform(0, 1), "b": 1.0}, ["f"], paths=0, t_end=1.0)

    def test_what_is_not_linear_deviates(self):
        m = function_of("ab", lambda a, b: a * b)
        found = sl.morris(m, {"a": sl.uniform(-1, 1), "b": sl.normal(0, 1)}, ["f"], paths=40, t_end=1.0)
        for name in "ab":
            self.assertGreater(found.deviation["f(end)"][name], abs(found.mean["f(end)"][name]))
            self.assertGreater(found.mean_size["f(end)"][name], 0.1)


if __name__ == "__main__":
    unittest.main()
