#!/usr/bin/python3
"""What the commands do: values, files, options, messages."""

import csv
import json
import math
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np
import scipy.io

from program import PROGRAM, ROOT, Case, main
from reference_problems import PROBLEMS


class Run(Case):
    def final(self, *arguments) -> dict:
        return json.loads(self.call("run", *arguments, "--json").stdout)["final"]

    def test_values_and_parameters(self):
        # 1e-8 is asked for by the model; ten times that is allowed over the whole run.
        self.assertAlmostEqual(self.final("decay.mo")["x"], math.exp(-2), delta=1e-7)
        self.assertAlmostEqual(self.final("decay.mo", "-p", "k=3")["x"], math.exp(-3), delta=1e-7)
        self.assertAlmostEqual(self.final("decay.mo", "--stop", "0.5")["x"], math.exp(-1), delta=1e-7)

    def test_every_option_of_the_library_is_a_flag(self):
        report = json.loads(self.call("run", "decay.mo", "--json").stdout)["report"]
        words = self.call("run", "--help").stdout.replace(",", " ").split()
        self.assertGreater(len(report["options"]), 40)
        for option in report["options"]:
            self.assertIn("--" + option["name"], words)
        given = self.call("run", "decay.mo", "--json", "--events.max-micro-steps", "7", "--engine", "radau",
                          "--output.times", "0.25, 0.5", "--output.points", "times").stdout
        options = {o["name"]: o["given"] for o in json.loads(given)["report"]["options"]}
        self.assertEqual(options["events.max_micro_steps"], "7")
        self.assertEqual(options["engine"], "radau")
        self.assertEqual(options["output.times"], "0.25, 0.5")

    def test_option_file_and_who_wins(self):
        (self.folder / "o.toml").write_text(
            'rtol = 1e-5\nt_end = 0.25\n[events]\nsurface = "cross"\n[parameters]\nk = 4\n')
        done = json.loads(self.call("run", "decay.mo", "--options", "o.toml", "--json").stdout)
        options = {o["name"]: o["given"] for o in done["report"]["options"]}
        self.assertEqual(options["rtol"], "1e-05")
        self.assertEqual(options["events.surface"], "cross")
        self.assertAlmostEqual(done["final"]["x"], math.exp(-1), delta=1e-4)
        self.assertAlmostEqual(self.final("decay.mo", "--options", "o.toml", "-p", "k=2", "--stop", "1")["x"],
                               math.exp(-2), delta=1e-4)
        (self.folder / "bad.toml").write_text("rtol = \n")
        self.assertIn("bad.toml:1", self.call("run", "decay.mo", "--options", "bad.toml", code=64).stderr)
        (self.folder / "typo.toml").write_text("rtoll = 1e-5\n")
        self.assertIn("did you mean 'rtol'",
                      self.call("run", "decay.mo", "--options", "typo.toml", code=64).stderr)

    def test_a_table_of_a_file_is_a_list_of_names(self):
        (self.folder / "o.toml").write_text('[events.hysteresis]\n"max(x, 0.1) < 0.5" = 0.01\n"x < 2" = 1e-3\n')
        (self.folder / "v.mo").write_text(
            "model V\n  Real x(start = 1, fixed = true);\n  discrete Real n(start = 0, fixed = true);\nequation\n  der(x) = -x;\n"
            "  when max(x, 0.1) < 0.5 then\n    n = pre(n) + 1;\n  elsewhen x < 2 then\n    n = pre(n) + 2;\n"
            "  end when;\nend V;\n")
        by_file = json.loads(self.call("run", "v.mo", "--options", "o.toml", "--json").stdout)
        options = {o["name"]: o["given"] for o in by_file["report"]["options"]}
        self.assertEqual(options["events.hysteresis"], "max(x, 0.1) < 0.5=0.01, x < 2=0.001")
        again = json.loads(self.call("run", "v.mo", "--events.hysteresis", options["events.hysteresis"], "--json").stdout)
        self.assertEqual(again["events"], by_file["events"])

    def test_all_events_in_a_file(self):
        (self.folder / "clock.mo").write_text(
            "model Clock\n  discrete Real n(start = 0, fixed = true);\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = n;\n"
            "  when sample(0.01, 0.01) then\n    n = pre(n) + 1;\n  end when;\n"
            "  annotation(experiment(StopTime = 0.995));\nend Clock;\n")
        cut = self.call("run", "clock.mo").stdout
        self.assertIn("--events FILE.csv writes all events", cut)
        told = self.call("run", "clock.mo", "--events", "e.csv").stdout
        self.assertIn("wrote e.csv", told)
        self.assertNotIn("writes all events", told)
        with open(self.folder / "e.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        acted = [row for row in rows if row["kind"] == "action" and row["name"].startswith("when")]
        self.assertEqual([float(row["n after"]) for row in acted], list(range(1, 100)))
        self.assertAlmostEqual(float(acted[-1]["time"]), 0.99, delta=1e-12)
        self.assertIn("must end with .csv", self.call("run", "clock.mo", "--events", "e.txt", code=64).stderr)

    def test_a_condition_that_holds_from_the_start(self):
        (self.folder / "room.mo").write_text(
            "model Room\n  Real T(start = 15, fixed = true);\n  discrete Real heat(start = 0, fixed = true);\nequation\n"
            "  der(T) = heat - 0.1*(T - 10);\n  when T < 20 then\n    heat = 2;\n"
            "  elsewhen T > 22 then\n    heat = 0;\n  end when;\nend Room;\n")
        told = self.call("run", "room.mo").stdout
        self.assertIn("has not acted: 'T < 20' holds from the start, at t = 0, and a clause acts when", told)
        self.assertNotIn("T > 22", told)
        self.assertNotIn("has not acted", self.call("run", "room.mo", "--initial", "T=21", "--stop", "20").stdout)

    def test_inputs_come_from_files(self):
        (self.folder / "u.mo").write_text(
            "model U\n  input Real u;\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = u;\nend U;\n")
        (self.folder / "u.csv").write_text("time,u,w\n0,0,1\n1,2,1\n")
        self.assertAlmostEqual(self.final("u.mo", "--input", "u=u.csv")["x"], 1.0, delta=1e-6)
        self.assertAlmostEqual(self.final("u.mo", "--input", "u=u.csv:w")["x"], 1.0, delta=1e-6)
        self.assertIn("no column 'z'", self.call("run", "u.mo", "--input", "u=u.csv:z", code=65).stderr)
        # A column that is named must be there, even if it could be no other.
        (self.folder / "one.csv").write_text("time,flow\n0,1\n1,1\n")
        self.assertAlmostEqual(self.final("u.mo", "--input", "u=one.csv")["x"], 1.0, delta=1e-6)
        self.assertIn("no column 'fl'", self.call("run", "u.mo", "--input", "u=one.csv:fl", code=65).stderr)
        # Two rows of one time are a jump; held, each value stays until the next row.
        (self.folder / "jump.csv").write_text("time,u\n0,0\n0.5,0\n0.5,4\n1,4\n")
        self.assertAlmostEqual(self.final("u.mo", "--input", "u=jump.csv")["x"], 2.0, delta=1e-6)
        self.assertAlmostEqual(self.final("u.mo", "--input", "u=u.csv", "--hold", "u")["x"], 0.0, delta=1e-9)
        self.call("run", "u.mo", "--hold", "u", code=64)
        # It is a result like others, and its end is told if the run goes on.
        done = self.call("run", "u.mo", "--input", "u=u.csv", "--stop", "2", "-o", "u2.csv")
        self.assertIn("rows from 0 s to 1 s", done.stderr)
        self.assertEqual((self.folder / "u2.csv").read_text().split("\n")[0], "time,x,u")
        self.assertIn("input", self.call("list", "u.mo").stdout)

    def test_breakpoints_that_do_nothing_are_no_events(self):
        (self.folder / "v.mo").write_text(
            "model V\n  input Real u;\n  Real x(start = 0, fixed = true), q;\nequation\n"
            "  der(x) = u - q;\n  q = sqrt(x + 1);\n  when x > 1e3 then\n    terminate(\"full\");\n"
            "  end when;\n  annotation(experiment(StopTime = 5));\nend V;\n")
        (self.folder / "u.csv").write_text("time,u\n0,1\n1,1\n1.5,3\n3,3\n4,1\n5,2\n")
        for engine in ("radau", "ida"):
            done = json.loads(self.call("run", "v.mo", "--input", "u=u.csv", "--engine", engine, "--json").stdout)
            self.assertEqual(done["events"], [])
        # One that makes an unknown jump is.
        (self.folder / "w.mo").write_text((self.folder / "v.mo").read_text().replace(
            "q = sqrt(x + 1)", "q + 0.1 * sin(q) = u * x"))
        (self.folder / "u.csv").write_text("time,u\n0,1\n1,1\n1,3\n5,2\n")
        done = json.loads(self.call("run", "w.mo", "--input", "u=u.csv", "--json").stdout)
        self.assertEqual([(e["t"], e["name"]) for e in done["events"]], [(1, "breakpoint of an input")])

    def test_start_values(self):
        self.assertAlmostEqual(self.final("decay.mo", "--initial", "x=3")["x"], 3 * math.exp(-2), delta=3e-7)
        self.assertIn("'x' is not a parameter", self.call("run", "decay.mo", "-p", "x=3", code=65).stderr)
        self.assertIn("a parameter", self.call("run", "decay.mo", "--initial", "k=3", code=65).stderr)
        self.assertIn("did you mean 'x'", self.call("run", "decay.mo", "--initial", "xx=3", code=65).stderr)

    def test_a_flag_wins_over_the_model(self):
        (self.folder / "grid.mo").write_text((self.folder / "decay.mo").read_text().replace(
            "StopTime = 1,", "StopTime = 1, Interval = 0.5,"))
        self.call("run", "grid.mo", "--output.points", "steps", "-o", "s.csv", "-q")
        self.assertGreater(len((self.folder / "s.csv").read_text().split("\n")), 10)

    def test_nothing_that_is_read_is_overwritten(self):
        (self.folder / "u.csv").write_text("time,u\n0,0\n1,2\n")
        (self.folder / "u.mo").write_text("model U\n  input Real u;\n  Real x;\nequation\n  der(x) = u;\nend U;\n")
        self.call("run", "relay.mo", "-o", "r.h5", "-q")
        os.symlink("relay.mo", self.folder / "link.html")
        before = {f.name: f.read_bytes() for f in self.folder.iterdir()}
        for words in (["run", "relay.mo", "--report", "relay.mo"], ["run", "relay.mo", "--report", "link.html"],
                      ["run", "decay.mo", "--report", "relay.mo"], ["plot", "r.h5", "-o", "r.h5"],
                      ["convert", "r.h5", "./r.h5"], ["check", "relay.mo", "--dot", "relay.mo"],
                      ["run", "u.mo", "--input", "u=u.csv", "-o", "u.csv"]):
            self.call(*words, code=64)
        self.assertEqual({f.name: f.read_bytes() for f in self.folder.iterdir()}, before)

    def test_misuse_as_json(self):
        for words in (["run", "decay.mo", "--tolerence", "1e-3"], ["rum", "decay.mo"], ["convert"], [],
                      ["run", "decay.mo", "--t_end", "soon"]):
            told = json.loads(self.call("--json", *words, code=64).stdout)
            self.assertEqual(told["exit_code"], 64)
            self.assertTrue(told["error"])
            self.assertEqual(self.call(*words, code=64).stdout, "")

    def test_what_cannot_be_read_or_drawn_is_refused(self):
        self.call("run", "decay.mo", "-o", "r.json", "-q")
        for words in (["list", "r.json"], ["convert", "r.json", "r.csv"], ["plot", "r.json"]):
            self.assertIn("does not read it", self.call(*words, code=64).stderr)
        self.assertIn("nothing to draw", self.call("check", "decay.mo", "--dot", "d.dot", code=65).stderr)
        self.assertFalse((self.folder / "d.dot").exists())

    def test_initial_equations_that_cannot_hold_have_a_place(self):
        (self.folder / "i.mo").write_text(
            "model I\n  Real x(start = 1, fixed = true);\ninitial equation\n  der(x) = 0;\nequation\n  der(x) = -x;\nend I;\n")
        told = json.loads(self.call("check", "i.mo", "--json", code=65).stdout)["diagnostics"]
        self.assertEqual([(d["line"], d["column"]) for d in told if d["kind"] == "error"], [(4, 3)])
        self.assertIn("line 4, column 3", self.call("run", "i.mo", code=1).stderr)

    def test_files_of_all_formats_agree(self):
        out = self.call("run", "relay.mo", "-o", "r.h5", "-o", "r.mat", "-o", "r.csv", "-o", "r.json",
                        "--report").stdout
        for name in ("r.h5", "r.mat", "r.csv", "r.json", "relay.html"):
            self.assertIn(f"wrote {name}", out)
            self.assertTrue((self.folder / name).is_file())
        with h5py.File(self.folder / "r.h5") as file:
            names = [n.decode() for n in file["names"][()]]
            self.assertEqual(names, ["y", "v"])
            values, times = file["values"][()], file["time"][()]
            self.assertEqual(file["parameters/names"][()].tolist(), [b"a"])
            self.assertGreater(len(file["events/t"]), 5)
            self.assertIn("degrees of freedom", file["analysis_text"][()].decode())
        self.assertGreaterEqual(len(times), 500)  # smooth to look at, whatever the steps were
        mat = scipy.io.loadmat(self.folder / "r.mat")["data_2"]
        table = np.genfromtxt(self.folder / "r.csv", delimiter=",", skip_header=1, usecols=(0, 1, 2)).T
        self.assertTrue((mat[0] == times).all() and (mat[1:3] == values).all())
        self.assertTrue((table[0] == times).all() and (table[1:] == values).all())
        # An interval asked for is kept, with both limits at events.
        self.call("run", "relay.mo", "--output-interval", "1", "-o", "g.csv", "-q")
        grid = np.genfromtxt(self.folder / "g.csv", delimiter=",", skip_header=1, usecols=0)
        self.assertTrue(set(range(9)) <= set(grid))
        self.assertGreater(len(grid), 9 + 10)

    def test_variables_and_sensitivities(self):
        self.call("run", "decay.mo", "--sensitivities", "k", "-o", "s.h5", "-q")
        with h5py.File(self.folder / "s.h5") as file:
            group = file["sensitivities"]
            self.assertIn(b"d(x)/d(k)", group["names"][()])
            self.assertAlmostEqual(group["values"][0][-1], -math.exp(-2), delta=1e-6)
        # Also in files that keep rows alone, and on the terminal; what is differentiated is no result.
        done = self.call("run", "decay.mo", "--sensitivities", "k", "-o", "s.csv", "-o", "s.mat", "-o", "s.json")
        self.assertEqual((self.folder / "s.csv").read_text().split("\n")[0], "time,x [m],d(x)/d(k)")
        last = float((self.folder / "s.csv").read_text().split("\n")[-2].split(",")[2])
        self.assertAlmostEqual(last, -math.exp(-2), delta=1e-6)
        self.assertEqual(scipy.io.loadmat(self.folder / "s.mat")["data_2"][2][-1], last)
        self.assertEqual(json.loads((self.folder / "s.json").read_text())["sensitivities"]["values"]["d(x)/d(k)"][-1],
                         last)
        self.assertIn("derivatives at t = 1 s", done.stdout)
        self.assertRegex(done.stdout, r"\nx  -0\.135335\d")
        self.call("run", "relay.mo", "--variables", "v", "-o", "v.csv", "-q")
        self.assertEqual((self.folder / "v.csv").read_text().split("\n")[0], "time,v,sliding")

    def test_what_is_printed(self):
        out = self.call("run", "relay.mo")
        self.assertIn("enter sliding", out.stdout)
        self.assertIn("Relay: finished at t = 8 s", out.stdout)
        self.assertEqual(out.stderr, "")  # no bar where there is no terminal
        self.assertEqual(self.call("run", "relay.mo", "-q").stdout, "")
        self.assertTrue(self.call("run", "decay.mo", "-o", "-").stdout.startswith("time,x [m]\n0,1\n"))


class Others(Case):
    def test_check(self):
        out = self.call("check", "decay.mo").stdout
        self.assertIn("degrees of freedom     1", out)
        self.assertIn("a run can begin", out)
        analysis = json.loads(self.call("check", "decay.mo", "--json").stdout)
        self.assertEqual(analysis["exit_code"], 0)
        (self.folder / "zero.mo").write_text(
            "model Z\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = 1 / x;\nend Z;\n")
        error = self.call("check", "zero.mo", code=65).stderr
        self.assertIn("1/x", error.replace(" ", ""))

    def test_list(self):
        out = self.call("list", "relay.mo").stdout
        for word in ("variables", "parameters", "events", "y + a*v > 0"):
            self.assertIn(word, out)
        listed = json.loads(self.call("list", "decay.mo", "--json").stdout)
        self.assertEqual(listed["variables"][0]["name"], "x")
        self.assertEqual(listed["parameters"][0], {"name": "k", "value": 2.0, "unit": "1/s",
                                                   "can be set": "yes", "description": "rate"})
        self.call("run", "relay.mo", "-o", "r.h5", "-q")
        self.assertEqual(json.loads(self.call("list", "r.h5", "--json").stdout)["model"], "Relay")

    def test_convert_and_plot(self):
        self.call("run", "relay.mo", "-o", "r.h5", "-o", "r.csv", "-q")
        self.assertIn("keeps rows only", self.call("convert", "r.h5", "c.csv").stderr)
        self.assertEqual((self.folder / "c.csv").read_bytes(), (self.folder / "r.csv").read_bytes())
        self.call("convert", "r.h5", "c.mat")
        self.call("convert", "c.mat", "again.csv")
        rows = lambda name: [line.split(",")[:3] for line in (self.folder / name).read_text().split("\n")[1:]]
        self.assertEqual(rows("again.csv"), rows("r.csv"))
        self.call("plot", "r.h5", "-o", "page.html", "--variables", "v", "--plane", "v,y")
        self.assertIn("Relay", (self.folder / "page.html").read_text())
        self.call("plot", "c.mat")
        self.assertTrue((self.folder / "c.html").is_file())
        self.assertIn("has no variable 'w'", self.call("plot", "r.h5", "--variables", "w", code=64).stderr)
        self.call("convert", "r.h5", "r.txt", code=64)

    def test_new(self):
        self.assertIn("try: saltus run first.mo", self.call("new", "first").stdout)
        self.assertIn("finished at t = 15 s", self.call("run", "first.mo").stdout)
        self.assertIn("exists already and was not changed", self.call("new", "first", code=73).stderr)
        self.assertIn("cannot name a model", self.call("new", "1st", code=64).stderr)
        self.assertIn("a keyword of Modelica", self.call("new", "model", code=64).stderr)

    def test_shipped_models_run(self):
        models = sorted((ROOT / "examples/modelica").glob("*.mo"))
        self.assertGreater(len(models), 1)
        for model in models:
            if any(model.stem == p.model for p in PROBLEMS):
                continue  # reference_problems.py runs them
            with self.subTest(model.name):
                self.call("run", model, "-q")

    def test_completion_and_manual(self):
        script = self.call("completion", "bash").stdout
        for word in ("convert", "--rtol", "--events.surface"):
            self.assertIn(word, script)
        asked = script + '\nCOMP_WORDS=(saltus run --rt); COMP_CWORD=2; _saltus; echo "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", asked], text=True, capture_output=True, check=True)
        self.assertEqual(done.stdout.split(), ["--rtol"])
        self.assertIn("bashcompinit", self.call("completion", "zsh").stdout)
        page = self.call("manual").stdout
        self.assertTrue(page.startswith(".TH SALTUS 1"))
        if shutil.which("man"):
            shown = subprocess.run(["man", "-l", "-"], input=page, text=True, capture_output=True)
            self.assertIn("saltus convert", shown.stdout + shown.stderr)


if __name__ == "__main__":
    main()
