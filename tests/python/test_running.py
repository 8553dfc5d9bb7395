"""Runs: options, values, sensitivities, threads, Ctrl-C, callbacks."""

import io
import os
import signal
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from unittest import mock

import numpy as np

import saltus as sl


def decay(rate=1.0):
    m = sl.Model("decay")
    x = m.state("x", 1.0)
    k = m.parameter("k", rate)
    m.equation(sl.der(x) == -k * x)
    return m


def ball(restitution=0.5):
    m = sl.Model("ball")
    h, v = m.state("h", 1.0), m.state("v", 0.0)
    m.equation(sl.der(h) == v, sl.der(v) == -9.81)
    m.when(h <= 0, {v: -restitution * sl.pre(v)}, name="bounce")
    return m


def endless():
    """Takes minutes; stiff enough to make many steps."""
    m = sl.Model("endless")
    x, y = m.state("x", 1.0), m.state("y", 0.0)
    m.equation(sl.der(x) == y, sl.der(y) == -x)
    return m


class SaidTwice(unittest.TestCase):
    """What an argument says is not overwritten by it where an option says it, too."""

    def test_a_begin_beside_an_end(self):
        for span, options in ((3.0, {"t_begin": 1.0}), ((1.0, 3.0), {})):
            sol = sl.simulate(decay(), span, rtol=1e-10, atol=1e-10, **options)
            self.assertEqual((sol.t[0], sol.t[-1]), (1.0, 3.0))
            self.assertAlmostEqual(sol["x"][-1], np.exp(-2.0), delta=1e-8)
        run = sl.Run(decay(), 3.0, t_begin=1.0)
        self.assertEqual(run.t, 1.0)

    def test_backward(self):
        sol = sl.simulate(decay(), 1.0, t_begin=3.0, rtol=1e-10, atol=1e-10)
        self.assertEqual((sol.t[0], sol.t[-1]), (3.0, 1.0))

    def test_both_are_refused(self):
        for span, options in (((0.0, 3.0), {"t_begin": 1.0}), (3.0, {"t_end": 2.0}), ((0.0, 3.0), {"t_end": 3.0})):
            with self.assertRaisesRegex(sl.OptionError, f"{next(iter(options))}: t_span sets it already"):
                sl.simulate(decay(), span, **options)
        with self.assertRaisesRegex(sl.OptionError, "output.interval: t_eval sets it already"):
            sl.simulate(decay(), 3.0, t_eval=[1.0], output={"interval": 0.5})


class Values(unittest.TestCase):
    def test_other_values_of_parameters_and_starts(self):
        sol = sl.simulate(decay(), 1.0, values={"k": 2.0, "x": 3.0}, rtol=1e-10, atol=1e-10)
        # 100 times what was asked for: the error of one run over its whole length.
        self.assertAlmostEqual(sol["x"][-1], 3.0 * np.exp(-2.0), delta=1e-8)

    def test_by_variable(self):
        m = decay()
        sol = sl.simulate(m, 1.0, values={m["k"]: 2.0}, rtol=1e-10, atol=1e-10)
        self.assertAlmostEqual(sol[m["x"]][-1], np.exp(-2.0), delta=1e-8)

    def test_of_an_array(self):
        m = sl.Model("two")
        x, k = m.state("x", [1.0, 1.0]), m.parameter("k", [1.0, 1.0])
        m.equation(sl.der(x) == -k * x)
        sol = sl.simulate(m, 1.0, values={"k": np.array([0.5, 2.0])}, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(sol["x"][:, -1], np.exp([-0.5, -2.0]), atol=1e-8)

    def test_a_model_can_grow_after_a_run(self):
        m = decay()
        sl.simulate(m, 1.0)
        y = m.state("y", 0.0)
        m.equation(sl.der(y) == m["x"])
        self.assertIn("y", sl.simulate(m, 1.0).names)


class Options(unittest.TestCase):
    def test_groups_are_dicts(self):
        sol = sl.simulate(decay(), 1.0, output={"points": "grid", "interval": 0.25})
        np.testing.assert_array_equal(sol.t, [0.0, 0.25, 0.5, 0.75, 1.0])

    def test_t_eval(self):
        np.testing.assert_array_equal(sl.simulate(decay(), 1.0, t_eval=[0.1, 0.7]).t, [0.1, 0.7])

    def test_backward(self):
        sol = sl.simulate(decay(), (1.0, 0.0), rtol=1e-10, atol=1e-10)
        self.assertAlmostEqual(sol["x"][-1], np.e, delta=1e-8)

    def test_limits_end_a_run_honestly(self):
        sol = sl.simulate(decay(), 100.0, limits={"max_steps": 3})
        self.assertEqual((sol.status, sol.success, sol.outcome), (-1, False, "step_limit"))

    def test_every_option_is_listed(self):
        names = [one["name"] for one in sl.options()]
        self.assertIn("events.surface", names)
        self.assertIn("rtol", names)


class Derivatives(unittest.TestCase):
    def test_through_events(self):
        m = sl.Model("ball")
        h, v = m.state("h", 1.0), m.state("v", 0.0)
        e = m.parameter("e", 0.5)
        m.equation(sl.der(h) == v, sl.der(v) == -9.81)
        m.when(h <= 0, {v: -e * sl.pre(v)}, name="bounce")
        sol = sl.simulate(m, 0.6, sensitivities=["e"], rtol=1e-10, atol=1e-10)
        t_hit = np.sqrt(2 / 9.81)
        # v(t) = e g t_hit - g (t - t_hit) after the impact.
        self.assertAlmostEqual(sol.sensitivity("v", "e", 0.6).item(), 9.81 * t_hit, delta=1e-8)
        self.assertEqual(sol.sensitivity("v", "e", 0.2).item(), 0.0)
        value, slopes = sol.gradient("v")
        self.assertEqual(value, sol["v"][-1])
        self.assertAlmostEqual(slopes["e"], 9.81 * t_hit, delta=1e-8)
        rows = sol.sensitivity("v", "e")
        self.assertEqual(rows.shape, sol.t.shape)
        self.assertEqual(rows[0], 0.0)

    def test_without_sensitivities_they_are_refused(self):
        with self.assertRaises(sl.Error):
            sl.simulate(decay(), 1.0).sensitivity("x", "k", 0.5)


class Stepping(unittest.TestCase):
    def test_steps_are_those_of_a_run(self):
        run = sl.Run(ball(), 1.0)
        n = 0
        while run.advance():
            n += 1
        sol = run.finish()
        whole = sl.simulate(ball(), 1.0)
        self.assertEqual(n, whole.statistics["n_steps"])
        np.testing.assert_array_equal(sol.y, whole.y)

    def test_until(self):
        run = sl.Run(endless(), 100.0)
        self.assertTrue(run.advance(until=10.0))
        self.assertGreaterEqual(run.t, 10.0)
        self.assertLess(run.t, 100.0)
        self.assertEqual(sorted(run.x), ["x", "y"])
        self.assertFalse(run.ended)
        self.assertEqual(run.finish().outcome, "stopped")


class Threads(unittest.TestCase):
    def test_runs_at_once_agree_bitwise(self):
        m = ball()
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda _: sl.simulate(m, 1.0), range(8)))
        alone = sl.simulate(m, 1.0)
        for sol in together:
            np.testing.assert_array_equal(sol.y, alone.y)
            np.testing.assert_array_equal(sol.t, alone.t)

    def test_other_threads_run_meanwhile(self):
        """The interpreter is unlocked: another thread counts while a long run goes on."""
        counted, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        try:
            sl.simulate(endless(), 1e9, limits={"max_wall_time_s": 0.5})
        finally:
            stop.set()
            thread.join()
        # A thread that has to wait for the run counts once before and once after it.
        self.assertGreater(counted[0], 4)


class Loop(unittest.TestCase):
    def test_no_frame_of_python_is_entered_inside_a_run(self):
        from saltus import _core

        m = ball()
        sl.simulate(m, 1.0)
        entered = []
        calls = [0]

        def profile(frame, event, argument):
            if event == "c_call" and getattr(argument, "__name__", "") == "run_model":
                calls[0] += 1
                entered.append([])
            elif event == "call" and entered:
                entered[-1].append(frame.f_code.co_name)
            elif event == "c_return" and getattr(argument, "__name__", "") == "run_model":
                sys.setprofile(None)

        sys.setprofile(profile)
        try:
            sl.simulate(m, 1.0)
        finally:
            sys.setprofile(None)
        self.assertEqual(calls[0], 1)
        self.assertEqual(entered, [[]])

        # The twin: a progress function is seen.
        entered.clear()
        sys.setprofile(profile)
        try:
            sl.simulate(endless(), 1e9, limits={"max_wall_time_s": 0.2}, progress=lambda t, f, n: None)
        finally:
            sys.setprofile(None)
        self.assertIn("<lambda>", entered[0])


class Lifetimes(unittest.TestCase):
    def test_a_model_is_gone_with_its_last_expression(self):
        import gc
        import weakref

        gc.disable()  # what is in no cycle does not wait for it
        try:
            m = ball()
            sol = sl.simulate(m, 1.0)
            gone = weakref.ref(m)
            h = m["h"]
            del m, sol
            self.assertIsNotNone(gone())
            self.assertEqual(repr(h), "<expression h>")
            del h
            self.assertIsNone(gone())
        finally:
            gc.enable()


class Interrupts(unittest.TestCase):
    def test_ctrl_c_ends_a_run_and_keeps_what_was_computed(self):
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt) as caught:
            sl.simulate(endless(), 1e9, output={"points": "grid", "interval": 1e6, "dense": False})
        self.assertLess(time.monotonic() - begin, 5.0)
        self.assertEqual(caught.exception.solution.outcome, "stopped")

    def test_progress_is_told(self):
        told = []
        sol = sl.simulate(
            endless(), 1e9, limits={"max_wall_time_s": 0.4}, output={"dense": False},
            progress=lambda t, fraction, n: told.append((t, fraction, n)),
        )
        self.assertEqual(sol.outcome, "wall_time_limit")
        self.assertGreater(len(told), 2)
        self.assertEqual(told, sorted(told))

    def test_progress_is_shown_with_and_without_tqdm(self):
        def shown(**hidden):
            with mock.patch.dict(sys.modules, hidden), redirect_stderr(io.StringIO()) as text:
                sl.simulate(endless(), 1e9, limits={"max_wall_time_s": 0.3}, output={"dense": False}, progress=True)
            return text.getvalue()

        self.assertRegex(shown(**{"tqdm.auto": None}), r"%  t = .* s  \d+ steps")
        self.assertRegex(shown(), r"\d+ steps")
        # The twin: nobody asked.
        with redirect_stderr(io.StringIO()) as text:
            sl.simulate(endless(), 1e9, limits={"max_wall_time_s": 0.3}, output={"dense": False})
        self.assertEqual(text.getvalue(), "")


class Callbacks(unittest.TestCase):
    def test_an_input_from_python(self):
        m = sl.Model("driven")
        x = m.state("x", 0.0)
        u = m.input("u", lambda t: 2.0 * t)
        m.equation(sl.der(x) == u)
        sol = sl.simulate(m, 1.0, rtol=1e-10, atol=1e-10)
        self.assertAlmostEqual(sol["x"][-1], 1.0, delta=1e-8)

    def test_an_input_from_samples(self):
        for interpolation, area in (("linear", 0.5), ("step", 0.0)):
            m = sl.Model("driven")
            x = m.state("x", 0.0)
            u = m.input("u", np.array([0.0, 1.0]), np.array([0.0, 1.0]), interpolation=interpolation)
            m.equation(sl.der(x) == u)
            sol = sl.simulate(m, 1.0, rtol=1e-10, atol=1e-10)
            self.assertAlmostEqual(sol["x"][-1], area, delta=1e-8)


if __name__ == "__main__":
    unittest.main()
