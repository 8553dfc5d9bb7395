"""Tables of pandas and xarray, pictures."""

import unittest
import xml.dom.minidom

import numpy as np

import saltus as sl
from test_running import ball
from test_solution import ball_that_rests


class Tables(unittest.TestCase):
    def test_pandas_has_a_unique_time_axis(self):
        sol = sl.simulate(ball(), 1.0)
        frame = sol.to_pandas()
        self.assertTrue(frame.index.is_unique)
        hit = sol.events["bounce"][0].t
        self.assertEqual(frame["v"][hit], sol(hit, "v", side="right"))
        both = sol.to_pandas(limits="both")
        self.assertEqual(len(both), len(sol.t))
        self.assertFalse(both.index.is_unique)

    def test_absent_values_are_missing(self):
        frame = sl.simulate(ball_that_rests(), 1.0).to_pandas()
        self.assertTrue(np.isnan(frame["v"].iloc[-1]))
        self.assertEqual(list(frame["mode"].unique()), ["flying", "lying"])

    def test_events(self):
        frame = sl.simulate(ball(), 1.0).events.to_pandas()
        self.assertEqual(list(frame["name"]), ["h <= 0", "bounce", "h <= 0", "bounce"])

    def test_xarray_keeps_axes(self):
        m = sl.Model("plate")
        u = m.state("u", np.arange(6.0).reshape(2, 3))
        m.equation(sl.der(u) == -u)
        data = sl.simulate(m, 1.0).to_xarray()
        self.assertEqual(data["u"].dims, ("u_0", "u_1", "time"))
        # It can interpolate: the time axis is unique.
        self.assertAlmostEqual(float(data["u"].interp(time=0.5)[1, 2]), 5.0 * np.exp(-0.5), delta=0.2)


class Pictures(unittest.TestCase):
    def test_svg_is_well_formed_and_breaks_at_jumps(self):
        sol = sl.simulate(ball(), 1.0)
        page = sol._repr_html_()
        picture = page[page.index("<svg") : page.index("</svg>") + 6]
        document = xml.dom.minidom.parseString(picture)
        paths = [p.getAttribute("d") for p in document.getElementsByTagName("path")]
        self.assertEqual([path.count("M") for path in paths], [3, 3])  # three stretches
        self.assertIn("4 events", page)

    def test_plot(self):
        import matplotlib

        matplotlib.use("Agg")
        sol = sl.simulate(ball_that_rests(), 1.0)
        axes = sol.plot()
        self.assertEqual(axes.get_xlabel(), "t [s]")
        self.assertIn("lying", [text.get_text() for text in axes.get_legend().get_texts()])
        self.assertEqual(sol.plot("v").get_lines()[0].get_label(), "v [m/s]")
        self.assertEqual(sol.plot(phase=("h", "v"), events=False).get_ylabel(), "v")

    def test_sliding_is_tinted_though_it_comes_first(self):
        import matplotlib

        matplotlib.use("Agg")
        m = sl.Model("pulled mass")
        x, v = m.state("x", 0.0), m.state("v", 0.0)
        pad = m.friction("pad", v, 9.81, 0.3, mu_static=0.4)
        m.equation(sl.der(x) == v, sl.der(v) == 4 * (0.5 * m.time - x) + pad)
        sol = sl.simulate(m, 4.0)
        self.assertTrue(sol.modes[0].sliding)
        tints = [band.get_facecolor()[:3] for band in sol.plot("v").patches]
        self.assertEqual([tint == (1.0, 1.0, 1.0) for tint in tints], [not stay.sliding for stay in sol.modes])


if __name__ == "__main__":
    unittest.main()
