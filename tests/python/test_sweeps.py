"""Sweeps: the same bits by whomever runs are done, whatever happens on the way."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np

import saltus as sl
from sweep_models import KEEP, OPTIONS, SLOW, SLOW_OPTIONS, SPACE, another_each_time, ball, slow

HERE = os.path.dirname(os.path.abspath(__file__))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [HERE, os.environ.get("PYTHONPATH", "")]))

TEXT = """model Decay
  parameter Real a = 1;
  parameter Real b = 2 * a;
  Real x(start = b, fixed = true);
equation
  der(x) = -b * x;
  annotation(experiment(StopTime = 1, Tolerance = 1e-9));
end Decay;
"""


def written(folder):
    return sum(file.stat().st_size for file in Path(folder).glob("*"))


def killed_soon(folder, pids):
    """Kills one of the processes as soon as somebody has written runs; returns the thread that does. It knows how many bytes
    there were then."""

    def kill():
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if written(folder) > 1000 and pids():
                os.kill(pids()[0], signal.SIGKILL)
                thread.written = written(folder)
                return
            time.sleep(0.002)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


class Case(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folder = os.path.join(self.place.name, "study.sweep")

    def assert_same(self, table, other):
        self.assertEqual(table.columns, other.columns)
        self.assertEqual(table.failures, other.failures)
        for column in table.columns:
            np.testing.assert_array_equal(table[column], other[column])


class Tables(Case):
    @classmethod
    def setUpClass(cls):
        cls.table = sl.sweep(ball(), SPACE, KEEP, threads=1, **OPTIONS)

    def test_runs_are_those_of_simulate(self):
        table, m = self.table, ball()
        self.assertEqual(len(table), 80)
        self.assertTrue(table.complete)
        kept = ["h(end)", "v(0.2)", "v(5)", "count(bounce)", "first(bounce)"]
        self.assertEqual(table.columns, [*table.names, *kept])
        self.assertEqual(sorted(table.names), ["c", "e", "h"])
        checked = 0
        for run in range(0, 80, 7):
            values = {name: table[name][run] for name in ("e", "c", "h")}
            sol = sl.simulate(m, 1.0, values=values, rtol=1e-7, atol=1e-9)
            self.assertEqual(run in table.failures, not sol.success)
            if not sol.success:
                continue
            checked += 1
            self.assertEqual(table["h(end)"][run], sol(1.0, "h").item())
            self.assertEqual(table["v(0.2)"][run], sol(0.2, "v").item())
            self.assertTrue(np.isnan(table["v(5)"][run]))  # no run is that long
            self.assertEqual(table["count(bounce)"][run], len(sol.events["bounce"]))
            self.assertEqual(table["first(bounce)"][run], sol.events.times("bounce")[0])
        self.assertGreater(checked, 6)

    def test_failures_are_rows(self):
        table = self.table
        negative = np.flatnonzero(table["c"] < 0)
        self.assertGreater(len(negative), 0)
        self.assertEqual(sorted(table.failures), negative.tolist())
        self.assertIn("no drag is negative", table.failures[negative[0]])
        self.assertTrue(np.isnan(table["h(end)"][negative]).all())
        self.assertFalse(np.isnan(np.delete(table["h(end)"], negative)).any())

    def test_the_space(self):
        table = self.table
        self.assertEqual(set(table["h"]), {0.5, 1.0})
        self.assertTrue(((table["e"] > 0.6) & (table["e"] < 0.9)).all())
        # every grid point sees the same samples
        np.testing.assert_array_equal(table["e"][table["h"] == 0.5], table["e"][table["h"] == 1.0])
        other = sl.sweep(ball(), SPACE, KEEP, **{**OPTIONS, "seed": 4})
        self.assertFalse(np.array_equal(other["e"], table["e"]))

    def test_rows_of_values_that_belong_together(self):
        table = sl.sweep(ball(), {("e", "c"): [[0.7, 0.0], [0.8, 0.5]], "h": [1.0, 2.0]}, ["h"], t_end=0.1)
        self.assertEqual(list(zip(table["e"], table["c"], table["h"])),
                         [(0.7, 0.0, 1.0), (0.8, 0.5, 1.0), (0.7, 0.0, 2.0), (0.8, 0.5, 2.0)])

    def test_correlated(self):
        space = {"e": sl.normal(0.7, 0.01), "c": sl.log_uniform(0.1, 1.0)}
        options = {"samples": 200, "t_end": 0.1}
        table = sl.sweep(ball(), space, ["h"], correlation={("e", "c"): 0.99}, **options)
        self.assertGreater(np.corrcoef(table["e"], np.log(table["c"]))[0, 1], 0.9)
        free = sl.sweep(ball(), space, ["h"], **options)
        self.assertLess(abs(np.corrcoef(free["e"], np.log(free["c"]))[0, 1]), 0.5)

    def test_slopes(self):
        table = sl.sweep(ball(), {"c": [0.0, 0.1], "e": [0.7, 0.8]}, {"slope": [("v", "e")]}, t_end=0.6, rtol=1e-8)
        sol = sl.simulate(ball(), 0.6, values={"c": 0.1, "e": 0.7}, sensitivities=["e"], rtol=1e-8)
        run = np.flatnonzero((table["c"] == 0.1) & (table["e"] == 0.7))[0]
        column = table.columns[-1]
        self.assertEqual(table[column][run], sol.sensitivity("v", "e", 0.6).item())

    def test_read_when_asked_for(self):
        table = sl.sweep(ball(), SPACE, KEEP, folder=self.folder, **OPTIONS)
        shutil.rmtree(self.folder)  # nothing has been read yet
        self.assertFalse(table.complete)
        table = sl.sweep(ball(), SPACE, KEEP, folder=self.folder, **OPTIONS)
        ends = table["h(end)"]
        shutil.rmtree(self.folder)
        self.assertTrue(table.complete)
        np.testing.assert_array_equal(table["h(end)"], ends)
        table.refresh()
        self.assertEqual(len(table.missing), 80)

    def test_a_folder_of_its_own_goes_with_the_table(self):
        table = sl.sweep(ball(), {"e": [0.7]}, ["h"], t_end=0.1)
        folder = table.folder
        self.assertTrue(os.path.isdir(folder))
        del table
        self.assertFalse(os.path.exists(folder))

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_pandas(self):
        frame = self.table.to_pandas()
        self.assertEqual(list(frame.columns), [*self.table.columns, "outcome"])
        self.assertEqual(frame.index.name, "run")
        complete = frame[frame.outcome == "complete"]
        self.assertEqual(len(complete), 80 - len(self.table.failures))


class Workers(Case):
    def test_threads_processes_and_one_after_another_agree(self):
        one = sl.sweep(ball(), SPACE, KEEP, threads=1, **OPTIONS)
        self.assert_same(sl.sweep(ball(), SPACE, KEEP, threads=3, **OPTIONS), one)
        with ThreadPoolExecutor(2) as pool:
            self.assert_same(sl.sweep(ball(), SPACE, KEEP, executor=pool, **OPTIONS), one)
        with ProcessPoolExecutor(2) as pool:
            table = sl.sweep(ball, SPACE, KEEP, executor=pool, folder=self.folder, **OPTIONS)
            self.assert_same(table, one)
            # chunks of one worker share a segment
            self.assertLessEqual(len(os.listdir(self.folder)), 2)
            # The same pool again, with the folder gone: workers must not write where nothing is any more.
            shutil.rmtree(self.folder)
            self.assert_same(sl.sweep(ball, SPACE, KEEP, executor=pool, folder=self.folder, **OPTIONS), one)

    def test_text(self):
        """Start values follow from parameters; what is built cannot know that, so the text is read again."""
        path = os.path.join(self.place.name, "decay.mo")
        Path(path).write_text(TEXT)
        space, keep = {"a": [0.5, 1.0, 2.0]}, ["x"]
        table = sl.sweep(path, space, keep)
        exact = 2 * table["a"] * np.exp(-2 * table["a"])
        np.testing.assert_allclose(table["x(end)"], exact, atol=1e-7)  # 100 times the tolerance of the text
        with ProcessPoolExecutor(2) as pool:
            self.assert_same(sl.sweep(path, space, keep, executor=pool), table)
        with self.assertRaisesRegex(sl.ModelError, "'a'.*build the model again"):
            sl.sweep(sl.read_modelica(path), space, keep, t_end=1.0)

    def test_where_is_made_of_a_whole_run(self):
        where = {"peak": "max(h, from = first(v > 0))", "low": "min(v)", "range": "max(h) - min(h)", "late": "first(h > 9)"}
        space, options = {"e": [0.6, 0.8]}, {"t_end": 1.0, "rtol": 1e-7, "atol": 1e-7}
        plain = sl.sweep(ball(), space, {"end": ["h", "v"]}, **options)
        table = sl.sweep(ball, space, {"end": ["h", "v"], "where": where}, folder=self.folder, **options)
        self.assertEqual(table.columns[-4:], list(where))
        for column in plain.columns:  # the runs are the same
            np.testing.assert_array_equal(table[column], plain[column])
        np.testing.assert_allclose(table["peak"], table["e"] ** 2, atol=1e-5)  # 100 times the tolerance
        self.assertTrue(np.isnan(table["late"]).all())
        with ProcessPoolExecutor(2) as pool:
            self.assert_same(sl.sweep(ball, space, {"end": ["h", "v"], "where": where}, executor=pool, **options), table)
        # another expression under the same name is another sweep
        other = sl.sweep(ball, space, {"end": ["h", "v"], "where": {**where, "peak": "max(h)"}}, folder=self.folder, **options)
        self.assertFalse((other["peak"] == table["peak"]).any())

    def test_slopes_of_times_of_events(self):
        table = sl.sweep(ball(), {"h": [0.5, 1.0]}, {"first": ["bounce"], "slope": [("first(bounce)", "h")]},
                         t_end=1.0, rtol=1e-7, atol=1e-7)
        # t = sqrt(2 h / g); 100 times the tolerance
        np.testing.assert_allclose(table["d(first(bounce))/d(h)"], table["first(bounce)"] / (2 * table["h"]), atol=1e-5)

    def test_where_of_a_text(self):
        """Read again with it, where parameters decide sizes."""
        path = os.path.join(self.place.name, "many.mo")
        Path(path).write_text(TEXT.replace("Real x(start = b", "parameter Integer n = 1;\n  Real x[n](each start = b")
                              .replace("each start = b, fixed", "each start = b, each fixed")
                              .replace("der(x) = -b * x;", "for i in 1:n loop der(x[i]) = -b * x[i]; end for;"))
        table = sl.sweep(path, {"n": [1, 3], "a": [1.0, 2.0]}, {"where": {"most": "max(sum(x))", "area": "integral(x[1])"}})
        np.testing.assert_array_equal(table["most"], 2 * table["a"] * table["n"])
        np.testing.assert_allclose(table["area"], 1 - np.exp(-2 * table["a"]), atol=1e-7)

    def test_names_that_some_runs_have(self):
        """Sizes follow from a parameter, so what the first run lacks is no mistake."""
        path = os.path.join(self.place.name, "many.mo")
        Path(path).write_text(TEXT.replace("Real x(start = b", "parameter Integer n = 1;\n  Real x[n](each start = b")
                              .replace("each start = b, fixed", "each start = b, each fixed")
                              .replace("der(x) = -b * x;", "for i in 1:n loop der(x[i]) = -b * x[i]; end for;"))
        table = sl.sweep(path, {"n": [1, 3]}, ["x[3]"])
        self.assertIn("'x[3]'", table.failures[0])
        self.assertAlmostEqual(table["x[3](end)"][1], 2 * np.exp(-2), delta=1e-7)

    def test_what_cannot_be_sent(self):
        with ProcessPoolExecutor(1) as pool:
            with self.assertRaisesRegex(TypeError, "'ball' cannot be sent.*def make_model"):
                sl.sweep(ball(), SPACE, KEEP, executor=pool, **OPTIONS)
            with self.assertRaisesRegex(TypeError, "function of a module"):
                sl.sweep(lambda: ball(), SPACE, KEEP, executor=pool, **OPTIONS)
            with self.assertRaisesRegex(sl.ModelError, "another model in a worker"):
                sl.sweep(another_each_time, {"x": [1.0, 2.0]}, ["x"], executor=pool, t_end=1.0)
        with self.assertRaisesRegex(TypeError, "made 1, which is not a Model"):
            sl.sweep(lambda: 1, SPACE, KEEP, **OPTIONS)

    def test_a_killed_process_loses_nothing(self):
        whole = sl.sweep(slow(), SLOW, ["x"], **SLOW_OPTIONS)
        with ProcessPoolExecutor(2) as pool:
            killer = killed_soon(self.folder, lambda: list(pool._processes))
            with self.assertRaisesRegex(sl.IncompleteSweep, "of 300 runs are missing.*the same call") as caught:
                sl.sweep(slow, SLOW, ["x"], executor=pool, folder=self.folder, **SLOW_OPTIONS)
            killer.join()
        table = caught.exception.table
        self.assertFalse(table.complete)
        self.assertLess(len(table.missing), 300)
        known = np.setdiff1d(np.arange(300), table.missing)
        np.testing.assert_array_equal(table["x(end)"][known], whole["x(end)"][known])
        done = {file: file.stat().st_size for file in Path(self.folder).iterdir()}
        with ProcessPoolExecutor(2) as pool:
            self.assert_same(sl.sweep(slow, SLOW, ["x"], executor=pool, folder=self.folder, **SLOW_OPTIONS), whole)
        # what was there is not done again
        new = sum(file.stat().st_size for file in Path(self.folder).iterdir() if file not in done)
        self.assertLess(new, sum(file.stat().st_size for file in Path(self.folder).iterdir()))
        self.assertEqual({file: file.stat().st_size for file in done}, done)

    @unittest.skipUnless(importlib.util.find_spec("distributed"), "Dask (python3-distributed) is not installed")
    def test_dask(self):
        import distributed

        whole = sl.sweep(slow(), SLOW, ["x"], **SLOW_OPTIONS)
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=self.place.name,
            silence_logs=50,
        ) as cluster, distributed.Client(cluster) as client:
            pids = list(client.run(os.getpid).values())
            killer = killed_soon(self.folder, lambda: pids)
            table = sl.sweep(slow, SLOW, ["x"], executor=client, folder=self.folder, **SLOW_OPTIONS)
            killer.join()
            # The cluster starts a worker anew and gives its work to others.
            self.assertFalse(Path(f"/proc/{pids[0]}").exists())
            self.assertLess(killer.written, written(self.folder))  # it was not over by then
            self.assert_same(table, whole)

    @unittest.skipUnless(
        importlib.util.find_spec("mpi4py") and shutil.which("mpirun"), "mpi4py (python3-mpi4py) or mpirun is missing"
    )
    def test_mpi(self):
        script = os.path.join(self.place.name, "study.py")
        Path(script).write_text(textwrap.dedent(f"""
            import saltus as sl
            from mpi4py.futures import MPIPoolExecutor
            from sweep_models import SLOW, SLOW_OPTIONS, slow

            if __name__ == "__main__":
                with MPIPoolExecutor() as pool:
                    table = sl.sweep(slow, SLOW, ["x"], executor=pool, folder={self.folder!r}, **SLOW_OPTIONS)
                    print(table.complete, flush=True)
        """))
        pids = Path(self.place.name, "pids")
        pids.mkdir()

        def job(kill):
            command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", sys.executable, "-m",
                       "mpi4py.futures", script]
            environment = {**os.environ, "SALTUS_TEST_PIDS": str(pids)}
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=environment) as process:
                if kill:
                    # The first makes it as well, to know it.
                    killed_soon(self.folder, lambda: sorted(int(one) for one in os.listdir(pids))[-1:]).join()
                said, complaints = process.communicate(timeout=100)
            return process.returncode, said, complaints

        whole = sl.sweep(slow(), SLOW, ["x"], **SLOW_OPTIONS)
        code, said, _ = job(kill=True)
        self.assertNotEqual((code, said.strip()), (0, "True"))
        code, said, complaints = job(kill=False)
        self.assertEqual((code, said.strip()), (0, "True"), complaints)
        # reads what the ranks have done
        table = sl.sweep(slow(), SLOW, ["x"], folder=self.folder, **SLOW_OPTIONS)
        self.assert_same(table, whole)


class Resumed(Case):
    def segments(self):
        return sorted(os.listdir(self.folder))

    def test_what_is_done_is_not_done_again(self):
        first = sl.sweep(ball(), SPACE, KEEP, folder=self.folder, threads=1, **OPTIONS)
        sizes = [os.path.getsize(os.path.join(self.folder, one)) for one in self.segments()]
        again = sl.sweep(ball(), SPACE, KEEP, folder=self.folder, threads=1, **OPTIONS)
        self.assert_same(again, first)
        kept = [os.path.getsize(os.path.join(self.folder, one)) for one in self.segments()]
        self.assertEqual(max(kept), max(sizes))
        self.assertLess(sorted(kept)[0], 100)  # the second has nothing but a head

    def test_another_model_is_another_sweep(self):
        first = sl.sweep(ball(), {"e": [0.7, 0.8]}, ["h"], folder=self.folder, t_end=1.0)

        def changed(**change):
            m = sl.Model("ball")
            h, v = m.state("h", change.get("start", 1.0)), m.state("v", 0.0)
            e, c = m.parameter("e", 0.8), m.parameter("c", change.get("c", 0.0))
            m.equation(sl.der(h) == v, sl.der(v) == -change.get("g", 9.81) - c * v)
            m.when(h <= 0, {v: -e * sl.pre(v)}, name="bounce")
            m.assert_always((m.time < 0.1) | (c >= 0), "no drag is negative")
            return m

        def fingerprint(m, **options):
            return sl.sweep(m, {"e": [0.7, 0.8]}, ["h"], folder=self.folder, **{"t_end": 1.0, **options})._plan.fingerprint()

        same = first._plan.fingerprint()
        m = changed()
        self.assertEqual(fingerprint(m), same)
        m["h"] + 17 * m["v"]  # written, not used
        self.assertEqual(fingerprint(m), same)
        others = [fingerprint(changed(start=1.1)), fingerprint(changed(c=0.1)), fingerprint(changed(g=9.8)),
                  fingerprint(changed(), rtol=1e-9), fingerprint(changed(), t_end=2.0)]
        self.assertEqual(len({same, *others}), 6)
        table = sl.sweep(changed(g=1.6), {"e": [0.7, 0.8]}, ["h"], folder=self.folder, t_end=1.0)
        self.assertTrue((table["h(end)"] != first["h(end)"]).all())

    def test_whatever_decides_a_run_is_seen(self):
        def fingerprint(m):
            kept = sl.designs.kept_of(["x"])
            return sl.sweeps._core.SweepPlan(m._core, None, {"t_end": 1.0}, [(["x"], [[0.0]])], None, kept, "").fingerprint()

        def with_modes(edge=0.5, priority=0, gain=2, lane=1, guard=3.0, step=0.0, first=False, name="go", clock=0.25, knee=1.0):
            m = sl.Model("modes")
            x, u, d = m.state("x", 0.0), m.state("u", np.array([1.0, 2.0, 3.0])), m.discrete("d", 0.0)
            m.equation(sl.der(u) == -(u**gain))
            m.output("f", u[lane] + sl.where(x > knee, d, 0))
            m.when(x > edge, {d: 1.0}, name="edge", priority=priority)
            m.when(m.every(clock), {d: sl.pre(d) + 1}, name="tick", priority=-1)
            stay, go = m.mode("stay", sl.der(x) == 1), m.mode(name, sl.der(x) == 2, start=first)
            m.transition(stay, go, x > guard, maps={x: step + sl.pre(x)})
            return fingerprint(m)

        def with_contact(law="all_at_once", restitution=0.5, rest_velocity=0.0, mu=0.1):
            m = sl.Model("contact")
            x, v, z, w = m.state("x", 1.0), m.state("v", 0.0), m.state("z", 0.0), m.state("w", 1.0)
            force = m.unilateral("floor", x, restitution, rest_velocity)
            m.equation(sl.der(x) == v, sl.der(v) == force - 1, sl.der(z) == w, sl.der(w) == m.friction("drag", w, force, mu))
            m.simultaneous_impacts(law)
            return fingerprint(m)

        for made, changes in (
            (with_modes, {"edge": 0.6, "priority": 1, "gain": 3, "lane": 2, "guard": 4.0, "step": 0.1, "first": True,
                          "name": "gone", "clock": 0.5, "knee": 2.0}),
            (with_contact, {"law": "one_by_one", "restitution": 0.6, "rest_velocity": 0.1, "mu": 0.2}),
        ):
            self.assertEqual(made(), made())
            found = {made(), *(made(**{key: value}) for key, value in changes.items())}
            self.assertEqual(len(found), 1 + len(changes))

    def test_functions_need_a_name(self):
        def driven(slope):
            m = sl.Model("driven")
            x = m.state("x", 0.0)
            m.equation(sl.der(x) == m.input("u", lambda t: slope * t))
            return m

        space = {"x": [0.0, 1.0]}
        with self.assertRaisesRegex(sl.OptionError, "Python functions drive inputs.*name="):
            sl.sweep(driven(2.0), space, ["x"], folder=self.folder, t_end=1.0)
        np.testing.assert_allclose(sl.sweep(driven(2.0), space, ["x"], t_end=1.0)["x(end)"], [1.0, 2.0], atol=1e-5)
        named = sl.sweep(driven(2.0), space, ["x"], folder=self.folder, name="2 t", t_end=1.0)
        other = sl.sweep(driven(4.0), space, ["x"], folder=self.folder, name="4 t", t_end=1.0)
        np.testing.assert_allclose(other["x(end)"] - named["x(end)"], 1.0, atol=1e-5)

    def test_samples_of_inputs_count(self):
        def driven(top):
            m = sl.Model("driven")
            x = m.state("x", 0.0)
            m.equation(sl.der(x) == m.input("u", [0.0, 1.0], [0.0, top]))
            return m

        ends = [
            sl.sweep(driven(top), {"x": [0.0]}, ["x"], folder=self.folder, t_end=1.0)["x(end)"][0] for top in (1.0, 2.0)
        ]
        np.testing.assert_allclose(ends, [0.5, 1.0], atol=1e-5)

    def test_ctrl_c_keeps_what_is_done(self):
        options = {**SLOW_OPTIONS, "samples": 20000}
        for executor in (None, ThreadPoolExecutor(2), ProcessPoolExecutor(2)):
            folder = f"{self.folder}.{type(executor).__name__}"
            with self.subTest(type(executor).__name__):
                threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
                model = slow if isinstance(executor, ProcessPoolExecutor) else slow()
                begin = time.monotonic()
                with self.assertRaises(KeyboardInterrupt) as caught:
                    sl.sweep(model, SLOW, ["x"], folder=folder, executor=executor, **options)
                self.assertLess(time.monotonic() - begin, 20.0)
                if executor is not None:
                    executor.shutdown(cancel_futures=True)
                missing = len(caught.exception.table.missing)
                self.assertGreater(missing, 0)
                self.assertLess(missing, 20000)

    def test_progress(self):
        for executor in (None, ThreadPoolExecutor(2)):
            told = []
            sl.sweep(slow(), SLOW, ["x"], executor=executor, progress=lambda *p: told.append(p), **SLOW_OPTIONS)
            self.assertEqual(told[-1], (300, 300, 0))
            self.assertEqual(told, sorted(told))

    def test_what_progress_raises_ends_it(self):
        def refuse(*_):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            sl.sweep(slow(), SLOW, ["x"], progress=refuse, **SLOW_OPTIONS)


class Mistakes(Case):
    def refused(self, kind, message, space=None, keep="h", **options):
        with self.assertRaisesRegex(kind, message):
            sl.sweep(ball(), space or {"e": [0.7]}, keep, **{"t_end": 1.0, **options})

    def test_names(self):
        self.refused(sl.ModelError, "'ee'.*nearest is 'e'", {"ee": [1.0]})
        self.refused(sl.Error, "'hh'", keep={"end": ["hh"]})
        self.refused(sl.Error, "'bonce'; did you mean 'bounce'", keep={"count": ["bonce"]})
        self.refused(sl.OptionError, "'ends'; did you mean 'end'", keep={"ends": ["h"]})
        self.refused(sl.OptionError, "keep: it is empty", keep={})
        self.refused(sl.ModelError, r"did you mean 'h'\?\n  max\(hh\)\n      \^~", keep={"where": {"peak": "max(hh)"}})
        self.refused(TypeError, "not an expression as text", keep={"where": {"peak": 3}})
        self.refused(sl.OptionError, "another column has that name", keep={"where": {"e": "max(h)"}})
        self.refused(sl.UnknownOptionError, "rtoll", rtoll=1e-3)
        table = sl.sweep(ball(), {"e": [0.7]}, ["h"], t_end=0.1)
        with self.assertRaisesRegex(sl.UnknownNameError, r"'h\(ende\)'; did you mean 'h\(end\)'"):
            table["h(ende)"]

    def test_spaces(self):
        self.refused(TypeError, "neither a list of numbers nor a distribution", {"e": "much"})
        self.refused(sl.OptionError, "samples: give the number", {"e": sl.uniform(0.6, 0.9)})
        self.refused(sl.OptionError, "nothing has a distribution", samples=10)
        self.refused(sl.OptionError, "'sobel'.*did you mean 'sobol'", {"e": sl.uniform(0.6, 0.9)}, samples=1, sampler="sobel")
        self.refused(sl.OptionError, "", {"e": sl.uniform(0.9, 0.6)}, samples=1)
        self.refused(sl.OptionError, "'f' has no distribution", {"e": sl.uniform(0.6, 0.9)}, samples=1,
                     correlation={("e", "f"): 0.5})
        self.refused(sl.OptionError, r"rows of e, c have shape \(2, 1\)", {("e", "c"): [[0.7], [0.8]]})
        self.refused(sl.OptionError, "threads", threads=0)
        with self.assertRaisesRegex(sl.OptionError, "t_end: it is missing"):
            sl.sweep(ball(), {"e": [0.7]}, ["h"])

    def test_models_and_folders(self):
        with self.assertRaisesRegex(TypeError, "neither a Model"):
            sl.sweep(3, {"e": [0.7]}, ["h"], t_end=1.0)
        with self.assertRaisesRegex(sl.FileError, "nowhere.mo"):
            sl.sweep("nowhere.mo", {"e": [0.7]}, ["h"], t_end=1.0)
        Path(self.folder).write_text("a file")
        self.refused(sl.FileError, "study.sweep", folder=self.folder)


if __name__ == "__main__":
    unittest.main()
