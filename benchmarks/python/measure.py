"""Measures the Python package: one line per item, `N: figure (bound) ok|short`. See tools/topics/python.

Times are those of the processor, not of the clock on the wall: others may use the machine meanwhile. Throughput of
threads is of the clock.
"""

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

root = Path(__file__).resolve().parents[2]
sys.path += [str(root / "tests/python"), str(Path(__file__).parent)]

import problems  # noqa: E402
import saltus as sl  # noqa: E402
import twins  # noqa: E402
from saltus import der  # noqa: E402


def say(item, figure, bound, ok):
    print(f"{item}: {figure} ({bound}) {'ok' if ok else 'short'}", flush=True)


def lines_of_user_code():
    """Item 1: problems against their references, and how many lines they take."""
    import closed_problems
    import test_problems
    import written

    wrong = []
    checks = [(test_problems.check, one) for one in problems.references]
    checks += [(test_problems.check_closed, one) for one in closed_problems.solutions]
    checks += [(test_problems.check_fit, one) for one in closed_problems.fits]
    checks.append((test_problems.check_rest, closed_problems.brick_pile))
    checks.append((lambda problem: test_problems.check_optimum(), closed_problems.switched_lq))
    for check, problem in checks:
        try:
            check(problem)
        except AssertionError as error:
            wrong.append(f"{problem.__name__}: {error}")
    for problem, scipy in problems.lines_with_scipy.items():
        print(f"   {problem.__name__:22} {problems.lines(problem):3} lines, SciPy {scipy}")
    for line in wrong:
        print("   " + line)
    fewer = sum(problems.lines(p) < n for p, n in problems.lines_with_scipy.items())
    n_files = len(written.written) + len(written.missing)
    if written.missing:
        print(f"   not written: {', '.join(written.missing)}; no problems of their own: "
              f"{len(written.studies + written.analysed + written.others)} files (tests/python/written.py)")
    say(
        1,
        f"{len(written.written)} of {n_files} files with named problems written, {len(checks) - len(wrong)} of {len(checks)} "
        f"problems right, {fewer} of {len(problems.lines_with_scipy)} shorter than for SciPy; leaves out: "
        "further problems of a file, the pile of ten bricks (three are written)",
        "all, all, all eight",
        not wrong and not written.missing and fewer == len(problems.lines_with_scipy),
    )


# ---- item 2 ------------------------------------------------------------------------------------------------------

lengths = {"belt": 2400.0, "relay": 240.0, "pendulum": 60.0, "ball": 12000.0}  # above 50 ms each
tolerance = 1e-9


def beside_cpp(program):
    """(bitwise equal, median ratio of times) of each twin, runs of both in turn."""
    out = {}
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as cpp:
        for name, t_end in lengths.items():
            ratios, equal, shortest = [], True, np.inf
            for _ in range(11):
                cpp.stdin.write(f"{name} {t_end!r} {tolerance!r}\n")
                cpp.stdin.flush()
                seconds, bits, rows = cpp.stdout.readline().split()
                model = twins.written(getattr(twins, name))
                begin = time.process_time()
                solution = sl.simulate(model, t_end, rtol=tolerance, atol=tolerance)
                took = time.process_time() - begin
                if not ratios:
                    equal = len(solution.t) == int(rows) and twins.hash_of(solution) == int(bits)
                ratios.append(took / float(seconds))
                shortest = min(shortest, float(seconds))
            out[name] = equal, statistics.median(ratios), shortest
        cpp.stdin.close()
    return out


def call_overhead():
    """Seconds of a simulate call beyond the time of the run it reports, best of many."""
    model = twins.written(twins.ball)
    best = np.inf
    for _ in range(300):
        begin = time.perf_counter()
        solution = sl.simulate(model, 0.1)
        best = min(best, time.perf_counter() - begin - solution.statistics["wall_time_s"])
    return best


def best_times(calls, seconds):
    """Of each call, called in turn: the processor may be faster at one time than at another."""
    best, end = [np.inf] * len(calls), time.perf_counter() + seconds
    while time.perf_counter() < end:
        for k, call in enumerate(calls):
            begin = time.process_time()
            call()
            best[k] = min(best[k], time.process_time() - begin)
    return best


def written_model(problem):
    """The model that a problem's function writes before it runs it, and its end."""
    caught = []
    original = sl.Model.simulate
    sl.Model.simulate = lambda model, t_span, **options: caught.append((model, t_span))
    try:
        problem()
    finally:
        sl.Model.simulate = original
    return caught[0]


def pendulum_as_scipy_gets_it():
    """solve_ivp takes no constraints: somebody has reduced these equations by hand."""
    m = sl.Model("pendulum, reduced by hand")
    q, v = m.state("q", [1.0, 0.0]), m.state("v", [0.0, 0.0])
    force = (v @ v - 9.81 * q[1]) / (q @ q)
    m.equation(der(q) == v, der(v) == -force * q - [0, 9.81])
    return m.simulate(10)


def beside_scipy():
    """Times of SciPy over those of Saltus at 1e-6: (at the same tolerance, at the error that Saltus makes).

    At the same tolerance: the fastest of RK45, DOP853 and LSODA, whatever comes out. At the same error: the cheapest
    of all methods and tolerances that finds all events and errs no more at the end than Saltus does.
    """
    import warnings

    import test_problems
    import with_scipy

    warnings.simplefilter("ignore")
    methods, ladder = ("RK45", "DOP853", "LSODA"), (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
    out = {}
    for problem in problems.lines_with_scipy:
        data, states, final = test_problems.reference(problem)
        stated = getattr(with_scipy, problem.__name__)()
        n = len(stated[0])
        true = np.array([float(value) for value in final[:n]])
        events = [event for event in data.get("events", []) if float(event["t"]) < stated[2]]
        forms = {problem.__name__: problem}
        if problem is problems.pendulum:
            forms = {"pendulum, reduced": pendulum_as_scipy_gets_it, "pendulum, as a DAE": problem}
        tried = []
        for method in methods:
            for tolerance in ladder:
                begin = time.process_time()
                y, n_events = with_scipy.run(stated, method, tolerance)
                error = np.max(np.abs(y - true)) if n_events == len(events) else np.inf
                tried.append((time.process_time() - begin, error, method, tolerance))
        by_scipy = lambda method, tolerance: lambda: with_scipy.run(stated, method, tolerance)
        for name, write in forms.items():
            model, t_span = written_model(write)
            run = lambda: sl.simulate(model, t_span, rtol=1e-6, atol=1e-6)
            solution = run()
            error = max(abs(solution[state][-1] - value) for state, value in zip(states, true))
            able = sorted(one for one in tried if one[1] <= error)[:5]
            calls = [run] * 5 + [by_scipy(method, 1e-6) for method in methods] + [by_scipy(*one[2:]) for one in able]
            times = best_times(calls, 2.0)
            own, same, equal = min(times[:5]), min(times[5:8]), min(times[8:], default=np.inf)
            if name != "pendulum, as a DAE":
                out[name] = same / own, equal / own
            print(
                f"   {name:22} Saltus {1e3 * own:6.3f} ms; SciPy {1e3 * same:6.2f} ms, {same / own:5.1f} times; with an error"
                f" of {error:.0e} {1e3 * equal:6.2f} ms, {equal / own:5.1f} times"
                + (f" ({able[0][2]} {able[0][3]:g})" if able else " (none)")
            )
    return out


def speed(program):
    twins_found = beside_cpp(program)
    for name, (equal, ratio, shortest) in twins_found.items():
        print(f"   {name:10} bitwise {'equal' if equal else 'DIFFERENT'}, {ratio:.3f} of C++ ({1e3 * shortest:.0f} ms)")
    overhead = call_overhead()
    same, equal_error = zip(*beside_scipy().values())
    geometric = lambda ratios: float(np.exp(np.mean(np.log(ratios))))
    worst = max(ratio for _, ratio, _ in twins_found.values())
    equal = all(equal for equal, _, _ in twins_found.values())
    say(
        2,
        f"bitwise {'equal' if equal else 'different'}, {worst:.2f} of C++, a call {1e6 * overhead:.0f} us; for the same error, "
        f"from the same equations, SciPy takes {geometric(equal_error):.1f} times as long, at least {min(equal_error):.1f} "
        f"(at the same tolerance {geometric(same):.1f}, at least {min(same):.1f}); leaves out: constraints, the pendulum "
        f"is reduced by hand as SciPy needs it",
        "equal, 1.1, 300 us, 20, 8; no frame of Python inside the loop: python.running",
        equal and worst <= 1.1 and overhead <= 300e-6 and geometric(equal_error) >= 20 and min(equal_error) >= 8,
    )


# ---- the others ----------------------------------------------------------------------------------------------------


def large_model():
    """Item 3: u' = D u_xx + u (1 - u), and v, on 50,000 points each."""

    def build(n):
        begin = time.process_time()
        m = sl.Model("reaction-diffusion")
        x = np.linspace(0, 1, n)
        u, v = m.state("u", np.exp(-100 * x**2)), m.state("v", np.zeros(n))
        d, k = m.parameter("D", 1e-6), m.parameter("k", 0.05)
        left, right = np.arange(n) - 1, np.arange(n) + 1
        left[0], right[-1] = 0, n - 1  # no flux at the ends
        laplace = lambda w: (w[left] - 2 * w + w[right]) * float(n) ** 2
        m.equation(sl.der(u) == d * laplace(u) + u * (1 - u) - v, sl.der(v) == 0.5 * d * laplace(v) + k * (u - v))
        written = time.process_time() - begin
        m.build()
        return written, time.process_time() - begin, m

    written, whole = (min(times) for times in zip(*[build(50_000)[:2] for _ in range(5)]))
    # Some of it runs, so that what was built is known to be a model.
    success = sl.simulate(build(500)[2], 0.1).success
    say(
        3,
        f"100000 equations written in {written:.2f} s, checked and frozen in {whole:.2f} s",
        "0.5 s",
        whole <= 0.5 and success,
    )


def wheel():
    """Item 4: tests/package/python_wheel.py builds, installs and tests it."""
    done = subprocess.run([sys.executable, "-B", root / "tests/package/python_wheel.py"], capture_output=True, text=True)
    last = (done.stdout.strip().splitlines() or ["nothing"])[-1]
    if done.returncode:
        print(done.stdout[-3000:], done.stderr[-3000:])
    say(4, f"{last}; leaves out: NumPy of its own, it is Debian's", "builds, installs into an environment without Saltus, its tests pass",
        done.returncode == 0)


def memory_in_use():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def memory_and_threads():
    model = twins.written(twins.ball)
    for _ in range(1000):
        sl.simulate(model, 3.0)
    gc.collect()
    before = memory_in_use()
    for _ in range(10_000):
        sl.simulate(model, 3.0)
    gc.collect()
    growth = (memory_in_use() - before) / 1e6

    relay = twins.written(twins.relay)
    one = lambda _: sl.simulate(relay, 60.0, rtol=tolerance, atol=tolerance)
    gains, equal = [], True
    for _ in range(5):
        begin = time.perf_counter()
        alone = [one(i) for i in range(4)]
        serial = time.perf_counter() - begin
        begin = time.perf_counter()
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(one, range(4)))
        gains.append(serial / (time.perf_counter() - begin))
        equal = equal and all(np.array_equal(a.y, b.y) for a, b in zip(alone, together))
    say(
        5,
        f"{growth:.1f} MB more after 10000 calls, four at once {max(gains):.2f} times the throughput, "
        f"{'equal' if equal else 'different'} bits",
        "2 MB, 1.6 times, equal",
        growth <= 2.0 and max(gains) >= 1.6 and equal,
    )


def passed(done):
    """What a program of unittest says; a case that was skipped has not passed."""
    if done.returncode != 0:
        return "fail"
    return "pass" if done.stderr.rstrip().endswith("\nOK") else "skipped"


def tutorials():
    """Item 6: the tutorials run as they are printed."""
    done = subprocess.run([sys.executable, "-B", root / "tests/python/test_tutorials.py"], capture_output=True, text=True)
    n = len(list((root / "docs/tutorials").glob("[0-9]*.md")))
    say(
        6,
        f"{n} tutorials, their tests {passed(done)}; the first one as a notebook is one of them",
        "8 tutorials, all pass, none skipped",
        passed(done) == "pass" and n >= 8,
    )


def mistakes():
    done = subprocess.run([sys.executable, "-B", root / "tests/python/test_mistakes.py"], capture_output=True, text=True)
    n = (root / "tests/python/test_mistakes.py").read_text().count("    def test_")
    say(7, f"{n} kinds of mistakes, tests {passed(done)}", "10, all pass, none skipped", passed(done) == "pass" and n >= 10)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--twins", required=True)
    parser.add_argument("items", type=int, nargs="*", default=[])
    given = parser.parse_args()
    items = {
        1: lines_of_user_code,
        2: lambda: speed(given.twins),
        3: large_model,
        4: wheel,
        5: memory_and_threads,
        6: tutorials,
        7: mistakes,
    }
    for item in given.items or items:
        items[item]()
