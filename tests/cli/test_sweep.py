#!/usr/bin/python3
"""Sweeps on the command line: the same table whatever happens on the way."""

import csv
import json
import math
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from program import PROGRAM, Case, main
from sweeps import MODEL, MPI, on_ranks

MANIFEST = """model = "ball.mo"
samples = 200
sampler = "latin-hypercube"
seed = 3

[vary.e]
uniform = [0.65, 0.9]

[vary.c]
uniform = [-0.05, 1.0]

[vary.h]
grid = [0.5, 1.5, 3]

[keep]
end = ["h"]
count = ["h < 0"]
first = ["h < 0"]
"""


class Sweep(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "ball.mo").write_text(MODEL)
        (self.folder / "study.toml").write_text(MANIFEST)

    def table(self, name: str = "study") -> list[dict]:
        self.call("sweep", "finalize", f"{name}.toml", "-o", f"{name}.csv")
        with open(self.folder / f"{name}.csv", newline="") as file:
            return list(csv.DictReader(file))

    def bytes_of_table(self, name: str = "study") -> bytes:
        self.table(name)
        return (self.folder / f"{name}.csv").read_bytes()

    def test_runs_are_those_of_the_model(self):
        said = json.loads(self.call("sweep", "start", "study.toml", "--json").stdout)
        self.assertEqual((said["runs"], said["known"]), (600, 600))
        rows = self.table()
        self.assertEqual(len(rows), 600)
        failed = [r for r in rows if r["outcome"] != "complete"]
        self.assertEqual(len(failed), said["failed"])
        for row in failed:
            self.assertLess(float(row["c"]), 0)
            self.assertIn("no drag is negative", row["outcome"])
        # the same bits as a run alone, 'lost' follows 'e'
        row = rows[100]
        alone = json.loads(self.call("run", "ball.mo", "-p", f"e={row['e']}", "-p", f"c={row['c']}",
                                     "--initial", f"h={row['h']}", "--json").stdout)
        self.assertEqual(alone["final"]["h"], float(row["h(end)"]))
        self.assertEqual({float(r["h"]) for r in rows}, {0.5, 1.0, 1.5})

    def test_a_run_alone_is_that_of_the_sweep(self):
        self.call("sweep", "start", "study.toml")
        row = self.table()[77]
        alone = json.loads(self.call("run", "--from", "study.toml#77", "--json").stdout)
        self.assertEqual(alone["final"]["h"], float(row["h(end)"]))
        other = json.loads(self.call("run", "--from", "study.toml#78", "--json").stdout)
        self.assertNotEqual(other["final"]["h"], float(row["h(end)"]))
        for wrong, said in (("study.toml#600", "there are 600 runs"), ("study.toml", "study.toml#123"),
                            ("study.toml#-1", "study.toml#123")):
            self.assertIn(said, self.call("run", "--from", wrong, code=64).stderr)
        self.assertIn("leave out ball.mo", self.call("run", "ball.mo", "--from", "study.toml#1", code=64).stderr)
        self.assertIn("model is required", self.call("run", code=64).stderr)

    def test_what_follows_from_a_parameter_follows(self):
        """Start values, truth values, sizes: what is decided while the text is read."""
        (self.folder / "decay.mo").write_text("""model Decay
  parameter Real a = 1;
  parameter Real b = 2 * a;
  parameter Integer n = 1;
  parameter Boolean slow = a > 1.5;
  Real x[n](each start = b, each fixed = true);
equation
  for i in 1:n loop
    der(x[i]) = if slow then -x[i] else -b * x[i];
  end for;
  annotation(experiment(StopTime = 1, Tolerance = 1e-9));
end Decay;
""")
        (self.folder / "decay.toml").write_text("""model = "decay.mo"
[vary.a]
values = [1, 2]
[vary.n]
values = [1, 3]
[keep]
end = ["x[1]"]
""")
        self.call("sweep", "start", "decay.toml")
        for row in self.table("decay"):
            a = float(row["a"])
            exact = 2 * a * math.exp(-1.0 if a > 1.5 else -2 * a)
            self.assertAlmostEqual(float(row["x[1](end)"]), exact, delta=1e-7)

    @unittest.skipUnless(MPI.exists() and shutil.which("mpirun"), "there is no saltus-mpi, or no mpirun")
    def test_ranks_give_the_same_table(self):
        (self.folder / "ranks.toml").write_text(MANIFEST)
        self.call("sweep", "start", "study.toml")
        whole = self.bytes_of_table()
        said = self.ranks("start", "ranks.toml")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("600 of 600 runs", said.stdout)
        self.assertEqual(self.bytes_of_table("ranks"), whole)
        self.assertEqual(len(list((self.folder / "ranks.sweep").iterdir())), 2)  # both have worked
        again = self.ranks("start", "ranks.toml")
        self.assertNotEqual(again.returncode, 0)
        self.assertIn("has runs already", again.stderr)

    def ranks(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([*on_ranks(2), "sweep", *words], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, check=False)

    def test_shares_and_threads_give_the_same_table(self):
        for name in ("shares", "one"):
            (self.folder / f"{name}.toml").write_text(MANIFEST)
        self.call("sweep", "start", "study.toml", "--threads", "2")
        whole = self.bytes_of_table()
        self.call("sweep", "start", "one.toml", "--threads", "1")
        self.assertEqual(self.bytes_of_table("one"), whole)
        for k in range(3):
            self.call("sweep", "start", "shares.toml", "--shard", f"{k}/3")
        self.assertEqual(self.bytes_of_table("shares"), whole)

    def test_rows_of_a_file(self):
        (self.folder / "rows.toml").write_text(
            'model = "ball.mo"\ntable = "values.csv"\n[vary.h]\nvalues = [0.5, 1]\n[keep]\nend = ["h"]\n')
        (self.folder / "values.csv").write_text("e,c\n0.7,0.1\n0.8,0.2\n0.9,0.3\n")
        self.call("sweep", "start", "rows.toml")
        rows = self.table("rows")
        self.assertEqual({(r["e"], r["c"], r["h"]) for r in rows},
                         {(e, c, h) for e, c in (("0.7", "0.1"), ("0.8", "0.2"), ("0.9", "0.3")) for h in ("0.5", "1")})
        # Other rows are another sweep.
        (self.folder / "values.csv").write_text("e,c\n0.7,0.1\n0.8,0.2\n0.9,0.35\n")
        self.assertIn("0 of 6 runs", self.call("sweep", "status", "rows.toml", code=2).stdout)
        for broken, said in (("e,c\n0.7\n", "line 2: 1 fields"), ("e,q\n0.7,1\n", "'q'"), ("e,c\n0.7,x\n", "'x' in column 'c'"),
                             ("e,c\n0.7,\n", "'' in column 'c'"), ("", "values.csv")):
            (self.folder / "values.csv").write_text(broken)
            shutil.rmtree(self.folder / "rows.sweep", ignore_errors=True)
            code = 65 if said == "'q'" else 64
            self.assertIn(said, self.call("sweep", "start", "rows.toml", code=code).stderr)

    def test_what_was_done_is_not_lost_to_a_slip(self):
        manifest = 'model = "ball.mo"\n[vary.h]\nvalues = [0.65, 1]\n[keep]\nend = ["h"]\n'
        file = self.folder / "slip.toml"
        file.write_text(manifest)
        self.assertIn("nothing to write", self.call("sweep", "finalize", "slip.toml", code=64).stderr)
        self.call("sweep", "start", "slip.toml")
        table = self.bytes_of_table("slip")
        # A comment is not another sweep; a number is, whatever its digit.
        file.write_text("# mine\n" + manifest)
        self.assertEqual(self.bytes_of_table("slip"), table)
        file.write_text(manifest.replace("0.65", "0.6500000000000001"))
        said = self.call("sweep", "finalize", "slip.toml", "-o", "slip.csv", code=64).stderr
        self.assertIn("belongs to another sweep", said)
        self.assertEqual((self.folder / "slip.csv").read_bytes(), table)
        self.assertIn("has runs of another sweep", self.call("sweep", "start", "slip.toml", code=64).stderr)
        # Nor is a file that the sweep is made of.
        (self.folder / "rows.csv").write_text("h\n0.7\n")
        (self.folder / "rows.toml").write_text('model = "ball.mo"\ntable = "rows.csv"\n[keep]\nend = ["h"]\n')
        self.call("sweep", "start", "rows.toml")
        self.assertIn("rows.csv", self.call("sweep", "finalize", "rows.toml", code=64).stderr)
        self.assertEqual((self.folder / "rows.csv").read_text(), "h\n0.7\n")

    def test_a_run_with_wrong_values_is_a_row(self):
        (self.folder / "limited.mo").write_text(
            "model L parameter Real a(max = 0.5) = 0.1; parameter Real b = 1; Real x(start = 1, fixed = true); "
            "equation der(x) = -a * b * x; assert(b < 2, \"b is too large\"); "
            "annotation(experiment(StopTime = 1)); end L;")
        (self.folder / "limited.toml").write_text(
            'model = "limited.mo"\n[vary.a]\nvalues = [0.7, 0.2]\n[vary.b]\nvalues = [1, 3]\n[keep]\nend = ["x"]\n')
        self.call("sweep", "start", "limited.toml")
        rows = self.table("limited")
        for row in rows:
            right = float(row["a"]) < 0.5 and float(row["b"]) < 2
            self.assertEqual(row["outcome"] == "complete", right, row)
            # As the run alone.
            done = subprocess.run([PROGRAM, "run", "--from", f"limited.toml#{row['run']}"], cwd=self.folder, capture_output=True)
            self.assertEqual(done.returncode == 0, right, row)

    def test_runs_refuse_the_values_that_a_single_run_refuses(self):
        """Also where they follow from what varies: b was 1.5 in runs of a sweep."""
        (self.folder / "ranges.mo").write_text("""model Ranges
  type Positive = Real(min = 0);
  parameter Real a = 1, c(min = 0.2) = 1;
  parameter Real b(max = 1) = a / 3 * 3 / 2;
  parameter Real q[2](each max = 4) = {a, 2 * a};
  final parameter Positive p = a - c;
  Real x(start = 1, min = 0, fixed = true);
equation
  der(x) = -b * x - p;
  annotation(experiment(StopTime = 0.1));
end Ranges;
""")
        said = {"a": [(1.5, ""), (2, ""), (2.0000000000000004, "'b'"), (3, "'b'"), (0.5, "'p'")],
                "c": [(0.3, ""), (0.1, "'c'"), (1.5, "'p'")], "x": [(2, ""), (-1, "'x'")],
                "q[2]": [(3, ""), (5, "'q[2]'")]}
        for name, values in said.items():
            (self.folder / "ranges.toml").write_text(f"""model = "ranges.mo"
folder = "{name}.sweep"
[vary."{name}"]
values = {[value for value, _ in values]}
[keep]
end = ["x"]
""")
            self.call("sweep", "start", "ranges.toml")
            for row, (value, refused) in zip(self.table("ranges"), values, strict=True):
                alone = self.call("run", "ranges.mo", "--initial" if name == "x" else "-p", f"{name}={value!r}",
                                  code=65 if refused else 0)
                self.assertIn(refused, alone.stderr)
                if refused:
                    self.assertIn(refused, row["outcome"])
                    self.assertIn("range", row["outcome"])
                else:
                    self.assertEqual(row["outcome"], "complete")

    def test_what_contradicts_itself_is_refused(self):
        keep = '[keep]\nend = ["h"]\n'
        for manifest, said in (
            ('[parameters]\ne = 0.5\n[vary.e]\nvalues = [0.6]\n', "do not vary it"),
            ('samples = 4\n[vary.e]\nvalues = [0.6]\n', "'samples' is for quantities with a distribution"),
            ('[vary.e]\nvalues = [0.6]\n[vary.c]\nvalues = [1]\n[correlation]\n"e, c" = 0.5\n', "'correlation' is for"),
            ('[vary.e]\nuniform = [0.6, 0.7]\n', "how many values of 'e'"),
        ):
            (self.folder / "contrary.toml").write_text('model = "ball.mo"\n' + manifest + keep)
            self.assertIn(said, self.call("sweep", "start", "contrary.toml", code=64).stderr)
        self.assertIn("from 0 to n - 1", self.call("sweep", "start", "study.toml", "--shard", "8/8", code=64).stderr)

    def test_columns_are_in_the_order_of_the_file(self):
        (self.folder / "order.toml").write_text(
            'model = "ball.mo"\n[vary.h]\nvalues = [1, 2]\n[vary.e]\nvalues = [0.6, 0.7]\n[keep]\nend = ["h"]\n')
        self.call("sweep", "start", "order.toml")
        self.assertEqual(list(self.table("order")[0])[:3], ["run", "h", "e"])

    def test_runs_out_of_time_are_tried_again(self):
        """They were failed for good."""
        (self.folder / "study.toml").write_text(MANIFEST + "[options]\nlimits.max_wall_time_s = 1e-9\n")
        first = json.loads(self.call("sweep", "start", "study.toml", "--json").stdout)
        self.assertEqual((first["done"], first["failed"]), (600, 600))
        said = self.call("sweep", "status", "study.toml")
        self.assertIn("600 runs were out of time: saltus sweep resume study.toml tries again", said.stderr)
        self.assertTrue(all("limits.max_wall_time_s" in row["outcome"] for row in self.table()))
        again = json.loads(self.call("sweep", "resume", "study.toml", "--json").stdout)
        self.assertEqual((again["known"], again["done"], again["failed"]), (600, 600, 600))
        # With more time it is the same sweep.
        (self.folder / "study.toml").write_text(MANIFEST + "[options]\nlimits.max_wall_time_s = 100\n")
        more = json.loads(self.call("sweep", "resume", "study.toml", "--json").stdout)
        self.assertEqual((more["known"], more["done"]), (600, 600))
        self.assertFalse(any("limits.max_wall_time_s" in row["outcome"] for row in self.table()))
        (self.folder / "study.toml").write_text(MANIFEST)
        self.assertEqual(json.loads(self.call("sweep", "resume", "study.toml", "--json").stdout)["done"], 0)

    def test_damage_is_told_and_mended(self):
        self.call("sweep", "start", "study.toml", "--threads", "1")
        whole = self.bytes_of_table()
        segment = next((self.folder / "study.sweep").iterdir())
        data = bytearray(segment.read_bytes())
        data[len(data) // 2] ^= 0x10
        segment.write_bytes(data[:-7])
        status = self.call("sweep", "status", "study.toml", code=2)
        self.assertIn("bytes are ignored", status.stderr)
        self.assertIn("598 of 600 runs", status.stdout)
        self.call("sweep", "resume", "study.toml")
        self.assertEqual(self.bytes_of_table(), whole)

    def test_a_disk_that_is_full(self):
        disk = self.folder / "disk"
        disk.mkdir()
        begin = ["unshare", "-Urm", "bash", "-c", f"mount -t tmpfs -o size=16k none '{disk}' && \"$@\"", "-"]
        if subprocess.run([*begin, "true"], capture_output=True).returncode != 0:
            self.skipTest("no disk can be mounted here")
        (self.folder / "full.toml").write_text('folder = "disk/full"\n' + MANIFEST)
        script = f"""
import pathlib, shutil, subprocess
done = subprocess.run(["{PROGRAM}", "sweep", "start", "full.toml", "--threads", "1"], capture_output=True, text=True)
print(done.returncode, done.stderr.strip())
shutil.copytree("{disk}/full", "saved")
"""
        done = subprocess.run([*begin, sys.executable, "-c", script], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^73 error: cannot write '.*': No space left on device\n$")
        # what was written before is good, the rest is done where there is room
        (self.folder / "disk").rmdir()
        (self.folder / "saved").rename(self.folder / "room")
        (self.folder / "disk").mkdir()
        (self.folder / "room").rename(self.folder / "disk" / "full")
        before = json.loads(self.call("sweep", "status", "full.toml", "--json", code=2).stdout)["known"]
        self.assertGreater(before, 50)
        self.call("sweep", "resume", "full.toml")
        self.call("sweep", "start", "study.toml")
        self.assertEqual(self.bytes_of_table("full"), self.bytes_of_table())

    WHERE = """
[keep.where]
peak = "max(h, from = first(v > 0))"
span = "max(v) - min(v)"
area = "integral(h)"
above = "duration(h > 0.2)"
late = "last(h > 100)"
"""

    def test_where_measures_a_run_and_does_not_change_it(self):
        (self.folder / "where.toml").write_text(MANIFEST + self.WHERE)
        self.call("sweep", "start", "study.toml")
        self.call("sweep", "start", "where.toml")
        plain, measured = self.table(), self.table("where")
        self.assertEqual(list(measured[0])[-6:], ["peak", "span", "area", "above", "late", "outcome"])
        complete = 0
        for without, row in zip(plain, measured):
            self.assertEqual({key: row[key] for key in without}, without)  # all digits
            if row["outcome"] != "complete":
                self.assertEqual(row["peak"], "")
                continue
            complete += 1
            self.assertEqual(row["late"], "")
            self.assertLess(float(row["peak"]), float(row["h"]) * float(row["e"]) ** 2 + 1e-5)
            if row["count(h < 0)"] == "1.0" or row["count(h < 0)"] == "1":
                self.assertGreater(float(row["span"]), (1 + float(row["e"])) * 2)
        self.assertGreater(complete, 500)
        # another tolerance is another run: the comparison above can fail
        (self.folder / "other.toml").write_text(MANIFEST + "[options]\nrtol = 1e-6\n")
        self.call("sweep", "start", "other.toml")
        self.assertNotEqual([r["h(end)"] for r in self.table("other")], [r["h(end)"] for r in plain])
        # the same by shares
        (self.folder / "shares.toml").write_text(MANIFEST + self.WHERE)
        for k in range(2):
            self.call("sweep", "start", "shares.toml", "--shard", f"{k}/2", "--threads", "1")
        self.assertEqual(self.bytes_of_table("shares"), self.bytes_of_table("where"))

    def test_where_follows_sizes_and_parameters(self):
        (self.folder / "decay.mo").write_text("""model Decay
  parameter Real a = 1;
  parameter Real b = 2 * a;
  parameter Integer n = 1;
  Real x[n](each start = 1, each fixed = true);
equation
  for i in 1:n loop
    der(x[i]) = -b * x[i];
  end for;
  annotation(experiment(StopTime = 1, Tolerance = 1e-9));
end Decay;
""")
        for vary, factor in (("[vary.n]\nvalues = [1, 3]", 1), ("", 1), ("[vary.b]\nvalues = [2, 4]", 2)):
            (self.folder / "decay.toml").write_text(f"""model = "decay.mo"
[vary.a]
values = [1, 2]
{vary}
[keep.where]
all = "max(sum(x))"
area = "integral(b * x[1])"
""")
            shutil.rmtree(self.folder / "decay.sweep", ignore_errors=True)
            self.call("sweep", "start", "decay.toml")
            rows = self.table("decay")
            self.assertEqual(len(rows), 4 if vary else 2)
            for row in rows:
                self.assertEqual(row["outcome"], "complete")
                self.assertEqual(float(row["all"]), float(row.get("n", 1)))
                b = float(row.get("b", 2 * float(row["a"])))
                self.assertAlmostEqual(float(row["area"]), 1 - math.exp(-b), delta=1e-7)

    def test_slopes_are_kept(self):
        (self.folder / "decay.mo").write_text("""model Decay
  parameter Real k = 1, m = 1;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k * m * x;
  annotation(experiment(StopTime = 1, Tolerance = 1e-9));
end Decay;
""")
        (self.folder / "decay.toml").write_text("""model = "decay.mo"
[vary.k]
values = [1, 2]
[keep]
end = "x"
slope.x = ["k", "m"]
""")
        self.call("sweep", "start", "decay.toml")
        for row in self.table("decay"):
            k = float(row["k"])
            self.assertAlmostEqual(float(row["d(x)/d(k)"]), -math.exp(-k), delta=1e-6)
            self.assertAlmostEqual(float(row["d(x)/d(m)"]), -k * math.exp(-k), delta=1e-6)
        (self.folder / "fall.mo").write_text(MODEL.replace("-9.81", "-g").replace("lost = 1 - e;", "lost = 1 - e, g = 9.81;"))
        (self.folder / "fall.toml").write_text("""model = "fall.mo"
[vary.g]
values = [5, 9.81]
[keep]
first = "h < 0"
slope."first(h < 0)" = "g"
""")
        self.call("sweep", "start", "fall.toml")
        for row in self.table("fall"):
            self.assertAlmostEqual(float(row["d(first(h < 0))/d(g)"]), -float(row["first(h < 0)"]) / (2 * float(row["g"])),
                                   delta=1e-5)  # 100 times the tolerance
        text = (self.folder / "decay.toml").read_text()
        for wrong, said in (('slope.x = ["q"]', "no parameter and no state 'q'"), ('slope.y = ["k"]', "no variable 'y'"), ("slope = 3", "'keep.slope' has to be a table")):
            (self.folder / "wrong.toml").write_text(text.replace('slope.x = ["k", "m"]', wrong))
            done = subprocess.run([PROGRAM, "sweep", "start", "wrong.toml"], cwd=self.folder, capture_output=True, text=True)
            self.assertIn(done.returncode, (64, 65), done.stderr)
            self.assertIn(said, done.stderr)

    def test_mistakes_are_told_with_their_line(self):
        def refused(change, *words, code=64):
            (self.folder / "wrong.toml").write_text(change(MANIFEST))
            said = self.call("sweep", "start", "wrong.toml", code=code).stderr
            for word in words:
                self.assertIn(word, said)

        refused(lambda m: m.replace("sampler", "samplr"), "wrong.toml:3", "'samplr'", "did you mean 'sampler'?")
        refused(lambda m: m.replace("[vary.e]", "[vary.ee]"), "ee", code=65)
        refused(lambda m: m.replace("[0.65, 0.9]", "[0.9, 0.65]"), "the lower bound comes first")
        refused(lambda m: m.replace('"latin-hypercube"', '"latin"'), "latin-hypercube, sobol")
        refused(lambda m: m.replace("samples = 200", ""), "'samples' is missing")
        refused(lambda m: m.replace("[keep]", "[kept]"), "known are model")
        refused(lambda m: m.replace("= 200", "= "), "wrong.toml:2")
        refused(lambda m: m.replace('end = ["h"]', 'end = ["hh"]'), "'hh'; did you mean 'h'?", code=65)
        refused(lambda m: m.replace('count = ["h < 0"]', 'count = ["h < 1"]'), "did you mean 'h < 0'?", code=65)
        refused(lambda m: m + '[keep.where]\npeak = "max(hh)"\n', "wrong.toml:20: 'keep.where.peak'",
                "did you mean 'h'?\n  max(hh)\n      ^~\n")
        refused(lambda m: m + '[keep.where]\npeak = 3\n', "wrong.toml:20: 'keep.where.peak' has to be a text")
        refused(lambda m: m + '[keep.where]\ne = "max(h)"\n', "another column has that name", code=65)
        refused(lambda m: m + '[keep.where]\npeak = "max(h)"\n[options]\noutput.dense = false\n', "output.dense", code=65)
        self.call("sweep", "resume", "study.toml", code=64)
        self.call("sweep", "start", "study.toml")
        self.assertIn("sweep resume", self.call("sweep", "start", "study.toml", code=64).stderr)

    def test_ctrl_c_keeps_what_is_done(self):
        (self.folder / "study.toml").write_text(MANIFEST.replace("samples = 200", "samples = 1000000"))
        worker = subprocess.Popen([PROGRAM, "sweep", "start", "study.toml"], cwd=self.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1.0)
        worker.send_signal(signal.SIGINT)
        said = worker.communicate(timeout=60)[1].decode()
        self.assertEqual(worker.returncode, 130)
        self.assertIn("interrupted; saltus sweep resume study.toml continues", said)
        known = json.loads(self.call("sweep", "status", "study.toml", "--json", code=2).stdout)["known"]
        self.assertGreater(known, 0)


if __name__ == "__main__":
    main()
