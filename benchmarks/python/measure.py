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


def say(item, figure, bound, ok):
    print(f"{item}: {figure} ({bound}) {'ok' if ok else 'short'}", flush=True)


def lines_of_user_code():
    """Item 1: problems against their references, and how many lines they take."""
    import test_problems

    wrong = []
    for problem in problems.references:
        try:
            test_problems.check(problem)
        except AssertionError as error:
            wrong.append(f"{problem.__name__}: {error}")
    for problem, scipy in problems.lines_with_scipy.items():
        print(f"   {problem.__name__:22} {problems.lines(problem):3} lines, SciPy {scipy}")
    for line in wrong:
        print("   " + line)
    fewer = sum(problems.lines(p) < n for p, n in problems.lines_with_scipy.items())
    n = len(problems.references)
    say(
        1,
        f"{n - len(wrong)} of {n} problems written right, {fewer} of {len(problems.lines_with_scipy)} shorter than for SciPy",
        "all of tests/problems, which has 67 files; all eight",
        not wrong and fewer == len(problems.lines_with_scipy) and n >= 67,
    )


# ---- item 2 ------------------------------------------------------------------------------------------------------

lengths = {"belt": 600.0, "relay": 60.0, "pendulum": 30.0, "ball": 6000.0}  # above 50 ms each
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


def best_time(call, seconds=0.5):
    best, end = np.inf, time.perf_counter() + seconds
    while True:
        begin = time.process_time()
        call()
        best = min(best, time.process_time() - begin)
        if time.perf_counter() > end:
            return best


def beside_scipy():
    """Times of the fastest of RK45, DOP853 and LSODA over those of Saltus, at 1e-6, models and functions written."""
    import warnings

    import with_scipy

    warnings.simplefilter("ignore")
    out = {}
    for problem in problems.lines_with_scipy:
        stated = getattr(with_scipy, problem.__name__)()
        scipy = min(best_time(lambda: with_scipy.run(stated, method, 1e-6), 0.3) for method in ("RK45", "DOP853", "LSODA"))
        # The model is what the function writes before it runs it.
        caught = []
        original = sl.Model.simulate
        sl.Model.simulate = lambda model, t_span, **options: caught.append((model, t_span))
        try:
            problem()
        finally:
            sl.Model.simulate = original
        model, t_span = caught[0]
        own = best_time(lambda: sl.simulate(model, t_span, rtol=1e-6, atol=1e-6), 0.3)
        out[problem.__name__] = scipy / own
        print(f"   {problem.__name__:22} SciPy {1e3 * scipy:7.2f} ms, Saltus {1e3 * own:6.3f} ms, {scipy / own:5.1f} times")
    return out


def speed(program):
    twins_found = beside_cpp(program)
    for name, (equal, ratio, shortest) in twins_found.items():
        print(f"   {name:10} bitwise {'equal' if equal else 'DIFFERENT'}, {ratio:.3f} of C++ ({1e3 * shortest:.0f} ms)")
    overhead = call_overhead()
    ratios = list(beside_scipy().values())
    mean = float(np.exp(np.mean(np.log(ratios))))
    worst = max(ratio for _, ratio, _ in twins_found.values())
    equal = all(equal for equal, _, _ in twins_found.values())
    say(
        2,
        f"bitwise {'equal' if equal else 'different'}, {worst:.2f} of C++, a call {1e6 * overhead:.0f} us, SciPy takes "
        f"{mean:.1f} times as long, at least {min(ratios):.1f}",
        "equal, 1.1, 300 us, 20, 8; no frame of Python inside the loop: python.running",
        equal and worst <= 1.1 and overhead <= 300e-6 and mean >= 20 and min(ratios) >= 8,
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
    say(4, last, "builds, installs into an empty environment, its tests pass", done.returncode == 0)


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


def tutorials():
    """Item 6: the tutorials run as they are printed."""
    done = subprocess.run([sys.executable, "-B", root / "tests/python/test_tutorials.py"], capture_output=True, text=True)
    n = len(list((root / "docs/tutorials").glob("[0-9]*.md")))
    say(
        6,
        f"{n} tutorials, their tests {'pass' if done.returncode == 0 else 'fail'}; the first one as a notebook is one of them",
        "8 tutorials, all pass",
        done.returncode == 0 and n >= 8,
    )


def mistakes():
    done = subprocess.run([sys.executable, "-B", root / "tests/python/test_mistakes.py"], capture_output=True, text=True)
    n = (root / "tests/python/test_mistakes.py").read_text().count("    def test_")
    say(7, f"{n} kinds of mistakes, tests {'pass' if done.returncode == 0 else 'fail'}", "10, pass", done.returncode == 0 and n >= 10)


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
