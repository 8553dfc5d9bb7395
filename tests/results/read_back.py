#!/usr/bin/python3
"""Reads result files with h5py, scipy and numpy and compares them, bit for bit, with the JSON beside."""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np
import scipy.io

WRITER = sys.argv[1]


def expected(path: Path):
    """Times and a masked matrix, one row per variable."""
    trajectory = json.loads(path.read_text())["trajectory"]
    names = [v["name"] for v in trajectory["variables"]]
    values = [trajectory["values"][name] for name in names]
    mask = np.array([[x is None for x in row] for row in values], dtype=bool)
    numbers = np.array([[0.0 if x is None else float(x) for x in row] for row in values])
    return trajectory, names, np.array(trajectory["times"], dtype=float), numbers, mask


def same(a, b, mask) -> bool:
    """The same bits wherever there is a value."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return a.shape == b.shape and bool(np.all((a.view(np.int64) == b.view(np.int64)) | mask))


def texts(dataset) -> list[str]:
    return [t.decode() for t in dataset[()]]


def check_hdf5(base: Path, whole: dict, trajectory, names, times, numbers, mask) -> None:
    with h5py.File(base.with_suffix(".h5")) as file:
        assert file.attrs["format"].decode() == "saltus result"
        assert file.attrs["model"].decode() == base.name
        assert texts(file["names"]) == names
        assert texts(file["units"]) == [v["unit"] for v in trajectory["variables"]]
        assert texts(file["descriptions"]) == [v["description"] for v in trajectory["variables"]]
        assert same(file["time"], times, False)
        assert same(file["values"], numbers, mask)
        changed = file["values"][()].copy()
        changed[0, 1] = np.nextafter(changed[0, 1], 9)
        assert not same(changed, numbers, mask)  # the comparison can see
        if mask.any():
            assert file["present"].dtype == bool
            assert (file["present"][()] == ~mask).all()
            assert np.isnan(file["values"][()][mask]).all()
        else:
            assert "present" not in file
        assert texts(file["segments/mode"]) == [s["mode"] for s in trajectory["segments"]]
        assert texts(file["segments/sliding"]) == ["\n".join(s["sliding"])
                                                   for s in trajectory["segments"]]
        assert list(file["segments/first_row"]) == [s["first_row"] for s in trajectory["segments"]]
        for field in ("t", "instant", "direction", "time_width"):
            assert list(file["events/" + field]) == [e[field] for e in whole["events"]], field
        for field in ("kind", "name", "guarantee", "cause", "note"):
            assert texts(file["events/" + field]) == [e[field] for e in whole["events"]], field
        assert all(texts(file["events/explanation"]))
        for field in ("x_minus", "x_plus"):
            limits = [[i[field][n] for n in names] for i in whole["instants"]]
            gone = np.array([[x is None for x in row] for row in limits])
            filled = [[0.0 if x is None else float(x) for x in row] for row in limits]
            assert same(file["instants/" + field], filled, gone), field
            assert (file["instants/" + field[2:] + "_present"][()] == ~gone).all()
        assert json.loads(file["report"][()])["outcome"] == "finished"
        assert texts(file["parameters/names"]) == ["stiffness"]
        assert ("sensitivities" in file) == (base.name == "belt")
        if "sensitivities" in file:
            group = file["sensitivities"]
            assert texts(group["parameters"]) == ["k", "belt"]
            columns = texts(group["names"])
            assert columns == ["d(x)/d(k)", "d(v)/d(k)", "d(x)/d(belt)", "d(v)/d(belt)"], columns
            asked = np.loadtxt(base.with_suffix(".derivatives.txt"))
            assert same(group["time"], times, False)
            assert same(group["values"][0], asked, False) and not same(group["values"][1], asked, False)
            assert group["event_times/derivatives"].shape == (len(group["event_times/t"]), 2)


def check_mat(base: Path, trajectory, names, times, numbers, mask) -> None:
    mat = scipy.io.loadmat(base.with_suffix(".mat"), chars_as_strings=False)
    kind = ["".join(row).rstrip() for row in mat["Aclass"]]
    assert kind == ["Atrajectory", "1.1", "", "binTrans"], kind
    # scipy takes bytes for Latin-1.
    columns = ["".join(c).rstrip().encode("latin-1").decode() for c in mat["name"].T]
    about = ["".join(c).rstrip().encode("latin-1").decode() for c in mat["description"].T]
    info = mat["dataInfo"]
    assert info.dtype == np.int32 and info.shape == (4, len(columns))
    assert columns[0] == "time" and list(info[:2, 0]) == [0, 1]
    assert same(mat["data_2"][0], times, False)
    for i, name in enumerate(names):
        k = columns.index(name)
        assert info[0, k] == 2
        row = mat["data_2"][info[1, k] - 1]
        assert same(row, numbers[i], mask[i]) and np.isnan(row[mask[i]]).all(), name
        unit = trajectory["variables"][i]["unit"]
        assert about[k].endswith(f"[{unit}]" if unit else ""), about[k]
    k = columns.index("stiffness")
    assert info[0, k] == 1 and list(mat["data_1"][info[1, k] - 1]) == [3.0, 3.0]
    assert about[k] == "of the spring [N/m]"
    mode = mat["data_2"][info[1, columns.index("$mode")] - 1]
    segments = trajectory["segments"]
    ends = [b["first_row"] for a, b in zip(segments, segments[1:])
            if (a["mode"], a["sliding"]) != (b["mode"], b["sliding"])]
    assert len(ends) > 1
    assert [r for r in range(1, len(mode)) if mode[r] != mode[r - 1]] == ends


def check_csv(base: Path, names, times, numbers, mask) -> None:
    with open(base.with_suffix(".csv"), newline="", encoding="utf-8") as file:
        header = next(csv.reader(file))
    assert [h.split(" [")[0] for h in header[1:len(names) + 1]] == names, header
    table = np.genfromtxt(base.with_suffix(".csv"), delimiter=",", skip_header=1, encoding="utf-8",
                          usecols=range(len(names) + 1), filling_values=np.nan).T
    assert same(table[0], times, False)
    assert same(table[1:], numbers, mask) and np.isnan(table[1:][mask]).all()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([WRITER, folder], check=True)
        n_masked = 0
        for name in ("belt", "rope"):
            base = Path(folder) / name
            data = expected(base.with_suffix(".json"))
            n_masked += int(data[4].sum())
            check_hdf5(base, json.loads(base.with_suffix(".json").read_text()), *data)
            check_mat(base, *data)
            check_csv(base, *data[1:])
            print(f"{name}: {data[3].size} values, {int(data[4].sum())} of them absent, equal")
        assert n_masked > 0


main()
