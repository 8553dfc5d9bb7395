#!/usr/bin/python3
"""Where stick-slip stops: the 10,000 runs of examples/sweeps beside what SciPy finds of the same block without any switch.

Usage: stick_slip.py PROGRAM ROOT [--picture FILE]; prints the line of item 7. Needs python3-scipy, --picture matplotlib.

After it has ceased to stick the block slips, always from the same state, until it is as fast as the belt again, or is not: the
cycle goes on for ever, or ends at once. So one swing of a smooth equation decides, and the speed from which on it does not come
back is found by bisection. Steady slipping loses its stability at a lower speed than that (the slope of the friction law
exceeds the damping): between the two both motions exist. That speed is the twin: the table must not agree with it.
"""

import argparse
import csv
import math
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

# of examples/sweeps/stick_slip.mo
R, V_S, M, K, C, N = 0.6, 0.1, 1.0, 100.0, 1.0, 10.0


def sticks_again(mu: float, v_belt: float) -> bool:
    def slipping(_, y):
        x, slip = y
        return [v_belt + slip, (-K * x - C * (v_belt + slip) + N * mu * (R + (1 - R) * math.exp(slip / V_S))) / M]

    def is_as_fast(_, y):
        return y[1]

    def is_over_the_top(t, y):
        return slipping(t, y)[1]

    is_as_fast.direction, is_as_fast.terminal = 1, True
    is_over_the_top.direction, is_over_the_top.terminal = -1, True
    begin = [(N * mu - C * v_belt) / K, 0.0]  # the spring takes all that friction can give
    # At the begin friction falls from what holds the block, so that it is accelerated backwards; so far no event is looked for.
    first = solve_ivp(slipping, (0.0, 1e-2), begin, method="DOP853", rtol=1e-11, atol=1e-13)
    found = solve_ivp(slipping, (1e-2, 10.0), first.y[:, -1], method="DOP853", rtol=1e-11, atol=1e-13,
                      events=[is_as_fast, is_over_the_top])
    if found.status != 1:
        raise RuntimeError(f"no turning point for mu = {mu}, v_belt = {v_belt}")
    # A step may go through both; then the height of the top tells.
    return len(found.t_events[0]) > 0 or found.y_events[1][0][1] >= 0


def last_speed_of_sticking(mu: float) -> float:
    low, high = 0.01, 1.5
    if not sticks_again(mu, low) or sticks_again(mu, high):
        raise RuntimeError(f"the speed is not between {low} and {high} for mu = {mu}")
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if sticks_again(mu, middle) else (low, middle)
    return 0.5 * (low + high)


def speed_of_stability(mu: float) -> float:
    """From there on steady slipping is stable: C + N mu' = 0."""
    return V_S * math.log(N * mu * (1 - R) / (C * V_S))


def swept(program: Path, root: Path, folder: Path) -> tuple[dict[str, np.ndarray], float]:
    for file in ("stick_slip.mo", "stick_slip.toml"):
        shutil.copy(root / "examples/sweeps" / file, folder)
    begin = time.monotonic()
    for words in (["start"], ["finalize", "-o", "stick_slip.csv"]):
        subprocess.run([program, "sweep", words[0], "stick_slip.toml", *words[1:]], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    with open(folder / "stick_slip.csv") as file:
        rows = list(csv.DictReader(file))
    names = {"mu": "mu", "v_belt": "v_belt", "count": "count(slip > 0)"}
    return {name: np.array([float(row[column]) for row in rows]) for name, column in names.items()}, seconds


def draw(file: Path, mu, v_belt, sticks, limits, stable) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "saltus", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5.5, 3.6), layout="constrained")
    axes.pcolormesh(mu, v_belt, sticks, cmap="Greys", vmin=0, vmax=3, rasterized=True)
    axes.plot(mu, limits, "k", label="one swing by SciPy")
    axes.plot(mu, stable, "k--", label="steady slipping is stable above")
    axes.set(xlabel="coefficient of friction at rest", ylabel="speed of the belt in m/s", ylim=(v_belt[0], v_belt[-1]))
    axes.text(0.37, 0.15, "sticks and slips")
    axes.text(0.12, 0.55, "slips only")
    axes.legend(loc="lower right")
    figure.savefig(file, metadata={"Date": None})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("root", type=Path)
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table, seconds = swept(asked.program.resolve(), asked.root.resolve(), Path(folder))
    mu, v_belt = np.unique(table["mu"]), np.unique(table["v_belt"])
    # It ceases to stick once in any case.
    sticks = np.zeros((len(v_belt), len(mu)), dtype=bool)
    sticks[np.searchsorted(v_belt, table["v_belt"]), np.searchsorted(mu, table["mu"])] = table["count"] > 1
    limits = np.array([last_speed_of_sticking(value) for value in mu])
    stable = np.array([speed_of_stability(value) for value in mu])

    def agreeing(speeds: np.ndarray) -> int:
        """Coefficients for which all slower runs stick again and no faster one does. What is nearer to the limit than 100
        tolerances of the runs (1e-6) may go either way."""
        return sum(np.array_equal(sticks[clear, i], v_belt[clear] < speed)
                   for i, speed in enumerate(speeds) for clear in [abs(v_belt - speed) > 1e-4])

    right, wrong = agreeing(limits), agreeing(stable)
    near = int((abs(v_belt[:, None] - limits) <= 1e-4).sum())
    ok = right == len(mu) and near < len(mu) // 10 and wrong < len(mu) // 10 and sticks[:, -1].any() and not sticks[-1].any()
    if asked.picture:
        draw(asked.picture, mu, v_belt, sticks, limits, stable)
    print(f"7: {table['count'].size} runs of stick-slip in {seconds:.0f} s: it stops where a single swing says for {right} of {len(mu)} "
          f"coefficients, from {limits[0]:.3f} to {limits[-1]:.3f} m/s ({near} runs too near to tell); where steady slipping becomes stable "
          f"for {wrong} (= {len(mu)}, < {len(mu) // 10}) {'ok' if ok else 'short'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
