#!/usr/bin/python3
"""Draws the pictures of the documents from what the examples compute.

    tools/draw_pictures.py --programs build/release/examples [--into docs/pictures] [NAME ...]

Each picture below is of an example, which writes its results to the CSV files it is given, and says
what to show. With --check nothing is written: it is an error if an example fails, a curve is
missing, or a picture in docs/pictures shows other curves than the ones listed here.
Needs python3-matplotlib.
"""

import argparse
import csv
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("svg")
# The same input gives the same file.
matplotlib.rcParams.update({"svg.hashsalt": "saltus", "svg.fonttype": "none", "font.size": 9})
import numpy as np  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of what draws)

# Per picture: the files its example writes, and panels of (label of the axis, curves); a curve is
# (file, column or constant, legend), without a legend of the colour before. A panel that has a third
# element, (from, to), shows these microseconds alone. Optional: `until`, the end of the time shown; `shaded`, what the shaded stretches are, on which the motion of the first file is on
# surfaces (darker on more); `stills`, times at which the bodies of the first file are drawn above the
# panels as rectangles of `size`, by their columns `x NAME`, `y NAME` and `angle NAME`.
ON_SURFACES = "on one surface, darker: on more"
STATIC = "most it can be"
PICTURES = {
    "stick_slip": {
        "files": ["belt"],
        "panels": [("speed in m/s", [("belt", "v", "mass"), ("belt", 0.2, "belt")]),
                   ("friction in N", [("belt", "friction", "friction")])],
    },
    "two_link_arm": {
        "files": ["arm"],
        "until": 1.0,
        "panels": [("distance from surface\nin rad/s", [("arm", "s1", "s1"), ("arm", "s2", "s2")]),
                   ("error in rad", [("arm", "e1", "joint 1"), ("arm", "e2", "joint 2")]),
                   ("torque in N m", [("arm", "torque1", "motor 1"),
                                      ("arm", "torque2", "motor 2")])],
    },
    "rolling_spheres_start": {
        "files": ["driven", "corrected"],
        "panels": [("energy in J", [("driven", "energy", "driven in\nby relays"),
                                    ("corrected", "energy", "corrected\nbefore the run")]),
                   ("errors of the driven one\nin m and m/s",
                    [("driven", "distance", "distance"), ("driven", "slip1", "slip 1"),
                     ("driven", "slip2", "slip 2")])],
    },
    "block_on_slope": {
        "files": ["block"],
        "shaded": "it sticks",
        "panels": [("velocity up the slope\nin m/s", [("block", "v", "")]),
                   ("friction in N/kg",
                    [("block", "friction", "friction"),
                     ("block", 0.5 * 9.81 * math.cos(0.4), STATIC),
                     ("block", -0.5 * 9.81 * math.cos(0.4), "")])],
    },
    "block_on_oscillating_plane": {
        "files": ["block"],
        "shaded": "it sticks",
        "panels": [("velocity in m/s", [("block", "v", "block"), ("block", "plane", "plane")]),
                   ("friction in N/kg", [("block", "friction", "friction"),
                                         ("block", 0.4 * 9.81, STATIC),
                                         ("block", -0.4 * 9.81, "")])],
    },
    "ball_on_falling_floor": {
        "files": ["ball"],
        "panels": [("height in m", [("ball", "y", "ball"), ("ball", "floor", "floor")]),
                   ("force of the floor in N", [("ball", "floor.force", "")])],
    },
    "half_wave_rectifier": {
        "files": ["rc", "rl"],
        "panels": [("capacitor:\nvoltage in V", [("rc", "source", "source"), ("rc", "v", "load")]),
                   ("current in A", [("rc", "i", "")]),
                   ("coil:\nvoltage in V", [("rl", "source", "source"), ("rl", "v", "load")]),
                   ("current in A", [("rl", "i", "")])],
    },
    "bridge_rectifier": {
        "files": ["rc", "rl"],
        "panels": [("capacitor:\nvoltage in V", [("rc", "v", "load"), ("rc", "va", "node a"),
                                                 ("rc", "vb", "node b")]),
                   ("current in A", [("rc", "i1", "D1, D4"), ("rc", "i2", "D2, D3")]),
                   ("coil:\nvoltage in V", [("rl", "va", "node a"), ("rl", "vb", "node b")]),
                   ("current in A", [("rl", "i1", "D1, D4"), ("rl", "i2", "D2, D3")])],
    },
    "boost_blocks": {
        "files": ["boost"],
        "panels": [("voltage in V", [("boost", "vC", "capacitor"), ("boost", "vS", "switch")]),
                   ("current in A", [("boost", "iL", "coil"), ("boost", "iD", "diode")])],
    },
    "cradle": {
        "files": ["elastic", "waxed"],
        "panels": [*[(f"{what}:\nposition\nin diameters",
                      [(what, f"x{ball}", f"ball {ball}") for ball in (5, 4, 3, 2, 1)])
                     for what in ("elastic", "waxed")],
                   ("waxed: velocity\nin diameters per s",
                    [("waxed", f"v{ball}", f"ball {ball}") for ball in (5, 4, 3, 2, 1)],
                    (0.5, 0.500006))],
    },
    "stack_of_blocks": {
        "files": ["stack"],
        "panels": [("height in m", [("stack", f"y{k}", "middles of\nthe blocks" if k == 1 else "")
                                    for k in range(1, 11)]),
                   ("force in N", [("stack", "under 1.force", "on the ground"),
                                   ("stack", "under 10.force", "on block 9")])],
    },
    "brick_pile": {
        "files": ["pile"],
        "stills": [0.0, 0.1, 0.16, 0.25],
        "until": 0.3,
        "size": (1.0, 0.4),
        "panels": [("height in m", [("pile", "y 4.1", "fourth row"), ("pile", "y 3.1", "third"),
                                    ("pile", "y 2.1", "second"), ("pile", "y 1.1", "first")]),
                   ("angle in rad", [("pile", "angle 4.1", "fourth row"),
                                     ("pile", "angle 3.1", "third"), ("pile", "angle 2.1", "second"),
                                     ("pile", "angle 1.1", "first")])],
    },
}
COLOURS = ["#20639b", "#c0392b", "#3caea3", "#8e5ea2", "#d98c21"]


class Table:
    """Columns of a CSV file by name without their unit; both limits at an event are two rows."""

    def __init__(self, path, until):
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
        rows[1:] = [row for row in rows[1:] if float(row[0]) <= until]
        names = [re.sub(r" \[.*\]$", "", name) for name in rows[0]]
        self.columns = dict(zip(names, zip(*rows[1:])))
        self.time = [float(t) for t in self.columns["time"]]

    def values(self, column):
        if isinstance(column, float):
            return [column] * len(self.time)
        return [float(v) for v in self.columns[column]]

    def stretches(self):
        """(from, to, number of surfaces) where the motion is on surfaces."""
        found = []
        for i, text in enumerate(self.columns.get("sliding", ())):
            n = len([name for name in text.split("; ") if name])
            if found and found[-1][2] == n:
                found[-1][1] = self.time[i]
            else:
                found.append([self.time[i], self.time[i], n])
        return [stretch for stretch in found if stretch[2] > 0]


def compute(program, picture, folder):
    files, until = picture["files"], picture.get("until", float("inf"))
    paths = [Path(folder) / f"{name}.csv" for name in files]
    if not program.exists():
        raise SystemExit(f"{program} is not there: build the examples, or say where with --programs")
    done = subprocess.run([str(program), *map(str, paths)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{program.name} failed:\n{done.stdout}{done.stderr}")
    return {name: Table(path, until) for name, path in zip(files, paths)}


def draw_curves(axis, curves, tables, start=0.0, unit=1.0):
    colours = iter(COLOURS)
    colour = next(colours)
    for k, (file, column, legend) in enumerate(curves):
        if k > 0 and legend:
            colour = next(colours)
        axis.plot([(t - start) / unit for t in tables[file].time], tables[file].values(column),
                  color=colour, label=legend or "_nolegend_", linewidth=1.3 if isinstance(column, str) else 0.8,
                  linestyle="-" if isinstance(column, str) else "--")
    axis.margins(x=0)
    axis.grid(color="#dddddd", linewidth=0.5)
    axis.set_axisbelow(True)
    if len(curves) > 1:
        # Beside the curves, so that it hides none.
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def draw_still(axis, table, t, size):
    """Rectangles at their places at time t, above the ground."""
    if not table.time[0] <= t <= table.time[-1]:
        raise SystemExit(f"a picture is to show {t:g} s, which is not computed")
    names = [column[2:] for column in table.columns if column.startswith("x ")]
    for name in names:
        x, y, angle = (np.interp(t, table.time, table.values(f"{what} {name}"))
                       for what in ("x", "y", "angle"))
        c, s = math.cos(angle), math.sin(angle)
        corners = [(sx * size[0] / 2, sy * size[1] / 2) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        axis.fill([x + c * p - s * q for p, q in corners], [y + s * p + c * q for p, q in corners],
                  facecolor="#e8dfd0", edgecolor="#7a5c3a", linewidth=0.8)
    axis.axhline(0.0, color="black", linewidth=1.0)
    # The same frame at all times.
    xs = [x for name in names for x in table.values(f"x {name}")]
    ys = [y for name in names for y in table.values(f"y {name}")]
    axis.set_xlim(min(xs) - size[0], max(xs) + size[0])
    axis.set_ylim(-0.1 * size[1], max(ys) + size[1])
    axis.set_aspect("equal")
    axis.axis("off")
    axis.set_title(f"at {t:g} s", fontsize=9)


def draw(picture, tables, path):
    panels, stills, first = picture["panels"], picture.get("stills", []), picture["files"][0]
    rows_of_stills = (len(stills) + 1) // 2
    figure = plt.figure(figsize=(6.4, 0.6 + 1.7 * len(panels) + 1.3 * rows_of_stills),
                        layout="constrained")
    grid = figure.add_gridspec(rows_of_stills + len(panels), 2,
                               height_ratios=[1.3] * rows_of_stills + [1.7] * len(panels))
    for k, t in enumerate(stills):
        draw_still(figure.add_subplot(grid[k // 2, k % 2]), tables[first], t, picture["size"])
    shaded = picture.get("shaded", ON_SURFACES if tables[first].stretches() else "")
    axes = []
    n_whole = sum(len(panel) == 2 for panel in panels)  # come first, under one axis of time
    for k, (label, curves, *window) in enumerate(panels):
        axis = figure.add_subplot(grid[rows_of_stills + k, :],
                                  sharex=axes[0] if axes and not window else None)
        axis.set_ylabel(label)
        axes.append(axis)
        if window:
            start, end = window[0]
            draw_curves(axis, curves, tables, start, 1e-6)
            axis.set_xlim(0.0, (end - start) / 1e-6)
            axis.set_xlabel(f"time in microseconds after {start:g} s")
            continue
        for start, end, n in tables[first].stretches():
            axis.axvspan(start, end, color="#f2c94c", alpha=min(0.18 * n, 0.6), linewidth=0)
        draw_curves(axis, curves, tables)
        axis.tick_params(labelbottom=k + 1 == n_whole)
        if k + 1 == n_whole:
            axis.set_xlabel("time in s" + (f"; shaded: {shaded}" if shaded else ""))
    figure.align_ylabels(axes)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def texts_of(path):
    """What is written in a picture, numbers of the axes aside."""
    words = re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text())
    return sorted(w for w in words if not re.fullmatch("[-\u22120-9.]+", w.strip()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", help="pictures, all if none is given")
    parser.add_argument("--programs", type=Path, required=True, help="where the examples are built")
    parser.add_argument("--into", type=Path,
                        default=Path(__file__).resolve().parent.parent / "docs" / "pictures")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    for name in options.names:
        if name not in PICTURES:
            raise SystemExit(f"there is no picture {name}, only {', '.join(PICTURES)}")
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or PICTURES:
            picture = PICTURES[name]
            tables = compute(options.programs / f"example_{name}", picture, folder)
            stored = options.into / f"{name}.svg"
            target = Path(folder) / stored.name if options.check else stored
            target.parent.mkdir(parents=True, exist_ok=True)
            draw(picture, tables, target)
            if options.check and (not stored.exists() or texts_of(stored) != texts_of(target)):
                wrong.append(f"{stored.name} shows something else: draw it again with {sys.argv[0]}")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
