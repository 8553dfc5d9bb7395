#!/usr/bin/python3
"""Draws the pictures of the documents from what the examples compute.

    tools/draw_pictures.py --programs build/release/examples [--into docs/pictures] [NAME ...]

Each picture below names an example, which writes its results to the CSV files it is given, and the
curves to show. With --check nothing is written: it is an error if an example fails, a curve is
missing, or a picture in docs/pictures shows other curves than the ones listed here.
Needs python3-matplotlib.
"""

import argparse
import csv
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("svg")
# The same input gives the same file.
matplotlib.rcParams.update({"svg.hashsalt": "saltus", "svg.fonttype": "none", "font.size": 9})
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of what draws)

# Per picture: its example, the files it writes, and panels of (label of the axis, curves); a curve
# is (file, column, legend). `until`: the end of the time shown. Stretches on surfaces of the first
# file are shaded, darker on more.
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
        "panels": [("energy in J", [("driven", "energy", "driven in by relays"),
                                    ("corrected", "energy", "corrected before the run")]),
                   ("errors of the driven one\nin m and m/s",
                    [("driven", "distance", "distance"), ("driven", "slip1", "slip 1"),
                     ("driven", "slip2", "slip 2")])],
    },
}
COLOURS = ["#20639b", "#c0392b", "#3caea3", "#8e5ea2"]


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


def draw(picture, tables, path):
    panels = picture["panels"]
    figure, axes = plt.subplots(len(panels), 1, sharex=True, squeeze=False,
                                figsize=(6.4, 0.6 + 1.7 * len(panels)))
    for (label, curves), axis in zip(panels, axes[:, 0]):
        for start, end, n in tables[picture["files"][0]].stretches():
            axis.axvspan(start, end, color="#f2c94c", alpha=min(0.18 * n, 0.6), linewidth=0)
        for (file, column, legend), colour in zip(curves, COLOURS):
            axis.plot(tables[file].time, tables[file].values(column), color=colour, label=legend,
                      linewidth=1.3)
        axis.set_ylabel(label)
        axis.margins(x=0)
        axis.grid(color="#dddddd", linewidth=0.5)
        axis.set_axisbelow(True)
        if len(curves) > 1:
            axis.legend(loc="upper right", frameon=False)
    axes[-1, 0].set_xlabel("time in s; shaded: on one surface, darker: on more")
    figure.align_ylabels()
    figure.tight_layout()
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
