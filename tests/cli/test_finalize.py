#!/usr/bin/python3
"""Tables of sweeps: HDF5 as h5py reads it, CSV and the journal, which is read here by other means, have the same bits."""

import csv
import json
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import h5py
import numpy as np

from program import PROGRAM, Case, main
from test_sweep import MANIFEST, MODEL



def journal(folder: Path) -> dict:
    """Run to its values or its reason."""
    found = {}
    for path in sorted(folder.glob("*.journal")):
        data = path.read_bytes()
        assert data[:8] == b"SALTUSJ1" and struct.unpack_from("<I", data, 16)[0] == zlib.crc32(data[:16])
        at = 20
        while at < len(data):
            mark, length, run, outcome, check = struct.unpack_from("<4sIQII", data, at)
            content = data[at + 24:at + 24 + length]
            assert mark == b"RUN." and check == zlib.crc32(content, zlib.crc32(data[at:at + 20]))
            found.setdefault(run, content.decode() if outcome else np.frombuffer(content, "<f8"))
            at += 24 + length
    return found


def same_bits(a, b) -> bool:
    """Of numbers, wherever there are any; there are none in the same places."""
    a, b = np.asarray(a, dtype="<f8"), np.asarray(b, dtype="<f8")
    return a.shape == b.shape and bool(np.all((a.view("<u8") == b.view("<u8")) | (np.isnan(a) & np.isnan(b))))


def write_segment(path: Path, fingerprint: bytes, records) -> None:
    head = b"SALTUSJ1" + fingerprint
    with open(path, "wb") as file:
        file.write(head + struct.pack("<I", zlib.crc32(head)))
        for run, outcome, content in records:
            begin = struct.pack("<4sIQI", b"RUN.", len(content), run, outcome)
            file.write(begin + struct.pack("<I", zlib.crc32(content, zlib.crc32(begin))) + content)


class Finalize(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "ball.mo").write_text(MODEL)
        (self.folder / "study.toml").write_text(MANIFEST)

    def rows_of_csv(self, name: str = "study.csv") -> list:
        with open(self.folder / name, newline="") as file:
            return list(csv.reader(file))

    def test_hdf5_csv_and_journal_have_the_same_bits(self):
        self.call("sweep", "start", "study.toml", "--threads", "2")
        said = json.loads(self.call("sweep", "finalize", "study.toml", "--json").stdout)
        self.assertEqual(said["files"], ["study.h5", "study.csv", "study.html"])
        head, *rows = self.rows_of_csv()
        kept = journal(self.folder / "study.sweep")
        self.assertEqual(len(kept), 600)
        with h5py.File(self.folder / "study.h5") as file:
            varied = [t.decode() for t in file["varied_names"]]
            columns = [t.decode() for t in file["kept_names"]]
            self.assertEqual(head, ["run", *varied, *columns, "outcome"])
            self.assertEqual(columns, ["h(end)", "count(h < 0)", "first(h < 0)"])
            self.assertEqual(set(file["varied"]), set(varied))
            self.assertEqual(set(file["kept"]), set(columns))
            self.assertTrue((file["run"][()] == np.arange(600)).all())
            endings = h5py.check_enum_dtype(file["outcome"].dtype)
            self.assertEqual(endings, {"complete": 0, "failed": 1, "missing": 2})
            # CSV
            for k, name in enumerate(varied + columns):
                group = "varied" if k < len(varied) else "kept"
                texts = [row[1 + k] for row in rows]
                numbers = np.array([float(t) if t else np.nan for t in texts])
                self.assertTrue(same_bits(file[group][name], numbers), name)
                changed = file[group][name][()]
                place = int(np.flatnonzero(~np.isnan(changed))[7])
                changed[place] = np.nextafter(changed[place], 9)
                self.assertFalse(same_bits(changed, numbers))  # the comparison can see
            # the journal
            failed = {run for run, what in kept.items() if isinstance(what, str)}
            self.assertGreater(len(failed), 5)
            self.assertEqual(set(np.flatnonzero(file["outcome"][()] == 1)), failed)
            for k, name in enumerate(columns):
                expected = [np.nan if run in failed else kept[run][k] for run in range(600)]
                self.assertTrue(same_bits(file["kept"][name], expected), name)
            self.assertEqual(list(file["failures/run"]), sorted(failed))
            self.assertEqual([t.decode() for t in file["failures/reason"]], [kept[run] for run in sorted(failed)])
            self.assertEqual([row[-1] for row in rows if row[-1] != "complete"], [kept[run] for run in sorted(failed)])
            # what it was
            self.assertEqual(file["texts/manifest"][()].decode(), MANIFEST)
            self.assertEqual(file["texts/model"][()].decode(), MODEL)
            self.assertEqual(file.attrs["model"].decode(), "Ball")
            segment = next((self.folder / "study.sweep").iterdir()).read_bytes()
            self.assertEqual(int(file.attrs["fingerprint"]), struct.unpack_from("<Q", segment, 8)[0])

    def test_what_is_missing_is_said(self):
        self.call("sweep", "start", "study.toml", "--shard", "1/3")
        done = self.call("sweep", "finalize", "study.toml", code=2)
        self.assertIn("400 runs are missing: saltus sweep resume study.toml", done.stderr)
        with h5py.File(self.folder / "study.h5") as file:
            outcome = file["outcome"][()]
            self.assertEqual(list(np.flatnonzero(outcome != 2)), list(range(1, 600, 3)))
            self.assertTrue(np.isnan(file["kept/h(end)"][outcome == 2]).all())
            self.assertFalse(np.isnan(file["varied/c"][()]).any())  # values are those of the design
            whole = file["kept/h(end)"][()]
        rows = self.rows_of_csv()[1:]
        self.assertEqual([int(row[0]) for row in rows], list(range(1, 600, 3)))
        # and the same rows again when the rest is there
        self.call("sweep", "resume", "study.toml")
        self.call("sweep", "finalize", "study.toml")
        with h5py.File(self.folder / "study.h5") as file:
            self.assertFalse((file["outcome"][()] == 2).any())
            self.assertTrue(same_bits(file["kept/h(end)"][outcome == 0], whole[outcome == 0]))

    def test_tables_of_several_blocks(self):
        """More rows than are written at once (65536) and than are in memory at a time, in any order, some twice."""
        n, width = 300000, 40
        times = ", ".join(str(0.02 * k) for k in range(width))
        (self.folder / "wide.toml").write_text(
            f'model = "decay.mo"\nsamples = {n}\n[vary.k]\nuniform = [1, 2]\n[keep]\nat.x = [{times}]\n')
        self.call("sweep", "start", "wide.toml", "--shard", f"5/{n}")
        segment = next((self.folder / "wide.sweep").iterdir())
        fingerprint = segment.read_bytes()[8:16]
        segment.unlink()
        chance = np.random.default_rng(7)
        values = chance.normal(size=(n, width))
        values[chance.random(n) < 0.1, 3] = np.nan
        failed = chance.random(n) < 0.01
        missing = chance.random(n) < 0.01

        def record(run: int, twice: bool = False):
            if failed[run]:
                return run, 1, f"it broke, {'again' if twice else 'at first'}, in {run}".encode()
            return run, 0, (np.zeros(width) if twice else values[run]).tobytes()

        runs = chance.permutation(np.flatnonzero(~missing))
        half = len(runs) // 2
        for name, part in (("a", np.sort(runs[:half])), ("b", runs[half:])):
            write_segment(self.folder / "wide.sweep" / f"{name}.journal", fingerprint, map(record, part.tolist()))
        write_segment(self.folder / "wide.sweep" / "c.journal", fingerprint,
                      (record(run, True) for run in runs[:5000].tolist()))
        self.call("sweep", "finalize", "wide.toml", code=2)
        expected = np.where((failed | missing)[:, None], np.nan, values)
        with h5py.File(self.folder / "wide.h5") as file:
            self.assertTrue((file["outcome"][()] == np.where(missing, 2, np.where(failed, 1, 0))).all())
            self.assertTrue((file["run"][()] == np.arange(n)).all())
            for k, name in enumerate(file["kept_names"]):
                self.assertTrue(same_bits(file["kept"][name.decode()], expected[:, k]), name)
            self.assertFalse(same_bits(file["kept"][file["kept_names"][1].decode()], expected[:, 0]))
            broken = np.flatnonzero(failed & ~missing)
            self.assertTrue((file["failures/run"][()] == broken).all())
            self.assertEqual([t.decode() for t in file["failures/reason"]], [f"it broke, at first, in {r}" for r in broken])
        rows = self.rows_of_csv("wide.csv")[1:]
        self.assertEqual([int(row[0]) for row in rows], np.flatnonzero(~missing).tolist())
        for row in rows[::1000]:
            numbers = [float(t) if t else np.nan for t in row[2:2 + width]]
            self.assertTrue(same_bits(numbers, expected[int(row[0])]))

    def test_a_flipped_byte_of_a_column_is_noticed_by_readers(self):
        self.call("sweep", "start", "study.toml")
        self.call("sweep", "finalize", "study.toml", "-o", "study.h5")
        path = self.folder / "study.h5"
        with h5py.File(path) as file:
            at = file["varied/e"].id.get_chunk_info(0).byte_offset + 1000
        data = bytearray(path.read_bytes())
        data[at] ^= 4
        path.write_bytes(data)
        with h5py.File(path) as file:
            file["varied/c"][()]
            with self.assertRaises(OSError):
                file["varied/e"][()]

    def test_names_and_numbers_that_are_unusual(self):
        (self.folder / "odd.mo").write_text("""model Odd
  parameter Real 'a/b' = 1;
  parameter Real '50%, "x"' = 2;
  Real y(start = 1, fixed = true);
equation
  der(y) = 'a/b' * y - '50%, "x"';
  annotation(experiment(StopTime = 1));
end Odd;
""")
        (self.folder / "odd.toml").write_text("""model = "odd.mo"
[vary."a/b"]
values = [1, -0.0, 1e-310, 1e300]
[vary."50%, \\"x\\""]
values = [2]
[keep]
end = ["y"]
""")
        self.call("sweep", "start", "odd.toml")
        self.call("sweep", "finalize", "odd.toml")
        with h5py.File(self.folder / "odd.h5") as file:
            names = [t.decode() for t in file["varied_names"]]
            self.assertEqual(names, ["a/b", '50%, "x"'])
            self.assertEqual({d.attrs["name"].decode() for d in file["varied"].values()}, set(names))
            self.assertEqual(file["varied/a%2Fb"].attrs["name"].decode(), "a/b")
            self.assertTrue(same_bits(file["varied/a%2Fb"], [1, -0.0, 1e-310, 1e300]))
            head, *rows = self.rows_of_csv("odd.csv")
            self.assertEqual(head[1:3], names)
            self.assertTrue(same_bits([float(row[1]) for row in rows], [1, -0.0, 1e-310, 1e300]))

    def test_files_are_chosen_and_nothing_is_overwritten(self):
        self.call("sweep", "start", "study.toml")
        self.call("sweep", "finalize", "study.toml", "-o", "a.csv", "-o", "b.hdf5")
        self.assertTrue((self.folder / "a.csv").exists() and (self.folder / "b.hdf5").exists())
        self.assertFalse((self.folder / "study.csv").exists())
        self.assertIn("must end with .h5", self.call("sweep", "finalize", "study.toml", "-o", "a.txt", code=64).stderr)
        self.call("sweep", "finalize", "study.toml", "-o", "study.toml", code=64)
        self.call("sweep", "finalize", "study.toml", "-o", "ball.mo", code=64)
        self.assertEqual((self.folder / "study.toml").read_text(), MANIFEST)
        self.assertIn("table", self.call("sweep", "table", "study.toml", code=64).stderr)  # its former name

    def test_a_disk_that_is_full_leaves_no_half_file(self):
        disk = self.folder / "disk"
        disk.mkdir()
        begin = ["unshare", "-Urm", "bash", "-c", f"mount -t tmpfs -o size=16k none '{disk}' && \"$@\"", "-"]
        if subprocess.run([*begin, "true"], capture_output=True).returncode != 0:
            self.skipTest("no disk can be mounted here")
        self.call("sweep", "start", "study.toml")
        # 50 samples: the table is in the memory of the library until the file is closed
        (self.folder / "small.toml").write_text(MANIFEST.replace("samples = 200", "samples = 50"))
        self.call("sweep", "start", "small.toml")
        for study, name in (("study", "t.h5"), ("small", "t.h5"), ("study", "t.csv"), ("study", "t.html")):
            script = f"""
import os, subprocess
done = subprocess.run(["{PROGRAM}", "sweep", "finalize", "{study}.toml", "-o", "disk/{name}"], capture_output=True, text=True)
print(done.returncode, os.listdir("disk"), done.stderr.strip())
"""
            done = subprocess.run([*begin, sys.executable, "-c", script], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"^73 \[\] error: .*No space left on device\n$")


if __name__ == "__main__":
    main()
