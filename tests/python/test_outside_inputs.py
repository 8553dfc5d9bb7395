"""Inputs that are set while a run goes on, looks, and runs that are saved."""

import unittest

import numpy as np
import saltus as sl
from saltus import der


def lag():
    m = sl.Model("lag")
    x, u = m.state("x", 0.0), m.outside_input("u", 0.0)
    m.equation(der(x) == u - x)
    return m


class OutsideInputs(unittest.TestCase):
    def test_an_input_is_set_between_looks(self):
        run = sl.Run(lag(), 3.0, rtol=1e-9, atol=1e-9)
        self.assertTrue(run.advance_to(1.0))
        self.assertEqual(run.t, 1.0)
        run.set_input("u", 1.0)
        self.assertTrue(run.advance_to(2.0))
        self.assertAlmostEqual(run.value("x"), 1 - np.exp(-1), places=7)
        run.set_input("u", [2.0, 3.0])  # 2 + 3 (t - 2)
        self.assertTrue(run.advance_to(3.0))
        # x = -1 + 3 s + c e^-s with s = t - 2
        self.assertAlmostEqual(run.value("x"), 2 + (2 - np.exp(-1)) * np.exp(-1), places=7)
        self.assertFalse(run.advance_to(4.0))

    def test_mistakes_are_named(self):
        run = sl.Run(lag(), 3.0)
        with self.assertRaisesRegex(sl.Error, "'v' is not an input that is set from outside"):
            run.set_input("v", 1.0)
        run.advance_to(1.0)
        with self.assertRaisesRegex(sl.Error, "cannot go back"):
            run.advance_to(0.5)

    def test_a_saved_run_goes_on_bit_by_bit(self):
        m = lag()
        first = sl.Run(m, 3.0)
        first.advance_to(0.5)
        first.set_input("u", 1.0)
        first.advance_to(0.7)
        second = sl.Run(m, 3.0)
        second.restore(first.save())
        self.assertEqual(second.t, 0.7)
        for run in (first, second):
            run.advance_to(3.0)
        self.assertEqual(first.value("x"), second.value("x"))
        with self.assertRaisesRegex(sl.Error, "is of a run with"):
            sl.Run(m, 4.0).restore(first.save())


if __name__ == "__main__":
    unittest.main()
