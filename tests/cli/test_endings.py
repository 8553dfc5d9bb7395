#!/usr/bin/python3
"""How commands end: exit codes, Ctrl-C, full disks, closed pipes, terminals."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import h5py

from program import PROGRAM, Case, main


class ExitCodes(Case):
    def test_usage(self):
        self.call(code=64)
        self.assertIn("there is no command 'fly'", self.call("fly", code=64).stderr)
        self.assertIn("did you mean 'run'?", self.call("rum", "decay.mo", code=64).stderr)
        self.assertIn("saltus run decay.mo", self.call("decay.mo", code=64).stderr)
        error = self.call("run", "decay.mo", "--rtoll", "1e-3", code=64).stderr
        self.assertIn("did you mean --rtol?", error)
        self.assertIn("must be > 0", self.call("run", "decay.mo", "--rtol", "0", code=64).stderr)
        self.assertIn("name=value", self.call("run", "decay.mo", "-p", "k", code=64).stderr)
        self.assertIn("is not a known format", self.call("run", "decay.mo", "-o", "x.txt", code=64).stderr)
        self.call("--help")
        self.call("run", "--help")

    def test_bad_models_and_data(self):
        (self.folder / "bad.mo").write_text("model Bad\n  Real x;\nequation\n  der(y) = x;\nend Bad;\n")
        error = self.call("run", "bad.mo", code=65).stderr
        self.assertRegex(error, r"bad\.mo:4:\d+: error: .*'y'")
        self.assertIn("^", error)
        said = json.loads(self.call("check", "bad.mo", "--json", code=65).stdout)
        self.assertEqual(said["exit_code"], 65)
        self.assertEqual(said["diagnostics"][0]["line"], 4)
        self.assertIn("no such file", self.call("run", "none.mo", code=65).stderr)
        (self.folder / "torn.h5").write_bytes(b"\x89HDF\r\n\x1a\nnothing more")
        self.assertIn("torn.h5", self.call("plot", "torn.h5", code=65).stderr)

    def test_failed_and_partial(self):
        # x' = x^2 has no solution beyond t = 1.
        (self.folder / "blowup.mo").write_text(
            "model B\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = x * x;\n"
            "  annotation(experiment(StopTime = 2));\nend B;\n")
        done = self.call("run", "blowup.mo", "-o", "b.h5", "-o", "b.csv", code=1)
        self.assertIn("failed at t = ", done.stderr)
        with h5py.File(self.folder / "b.h5") as file:
            self.assertAlmostEqual(file["time"][-1], 1.0, places=3)
        self.assertIn("ended by the limit of steps", self.call("run", "decay.mo", "--limits.max_steps", "3", "-o", "p.csv",
                                              code=2).stderr)
        self.assertGreater((self.folder / "p.csv").stat().st_size, 20)

    def test_what_cannot_be_written(self):
        for path in ("no/folder.h5", "no/folder.csv"):
            self.assertIn(path, self.call("run", "decay.mo", "-o", path, code=73).stderr)
        self.call("run", "decay.mo", "--report", "no/page.html", code=73)
        os.symlink("/dev/full", self.folder / "full.csv")
        self.assertIn("No space left", self.call("run", "relay.mo", "-o", "full.csv", code=73).stderr)
        os.symlink("/dev/full", self.folder / "full.mat")
        self.call("run", "relay.mo", "-o", "full.mat", code=73)

    def test_a_full_disk_leaves_the_old_file(self):
        # A disk of 512 kB in a name space of its own: needs no root where the kernel allows it.
        disk = self.folder / "disk"
        disk.mkdir()
        begin = ["unshare", "-Urm", "bash", "-c", f"mount -t tmpfs -o size=512k none '{disk}' && \"$@\"", "-"]
        if subprocess.run([*begin, "true"], capture_output=True).returncode != 0:
            self.skipTest("no disk can be mounted here")
        script = f"""
import subprocess, sys, pathlib
ends = ["h5", "mat", "csv", "json", "html"]
for end in ends:
    file = pathlib.Path("{disk}/r." + end)
    flags = ["--report", str(file)] if end == "html" else ["-o", str(file)]
    small = subprocess.run(["{PROGRAM}", "run", "relay.mo", "--stop", "0.01", *flags], capture_output=True)
    assert small.returncode == 0, small.stderr
    old = file.read_bytes()
    done = subprocess.run(["{PROGRAM}", "run", "relay.mo", "--output-interval", "2e-4", *flags],
                          capture_output=True, text=True)
    print(end, done.returncode, done.stderr.strip().replace("{disk}", "disk"))
    assert file.read_bytes() == old, end + ": the old file is not what it was"
    assert [f.name for f in file.parent.iterdir()] == [file.name], list(file.parent.iterdir())
    file.unlink()
"""
        done = subprocess.run([*begin, sys.executable, "-c", script], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 5, done.stdout)
        for line in lines:
            self.assertRegex(line, r"^\w+ 73 error: 'disk/r\.\w+': cannot be written( \(.*\))?: No space left on device$")

    def test_a_closed_pipe_is_quiet(self):
        # Rows on standard output and a reader that leaves after the first.
        shell = subprocess.run(
            ["bash", "-c", f"'{PROGRAM}' run relay.mo -o r.csv --statistics | head -1; echo ${{PIPESTATUS[0]}}"],
            cwd=self.folder, text=True, capture_output=True, timeout=60)
        self.assertEqual(shell.stdout.split()[-1], "0", shell.stderr)
        self.assertEqual(shell.stderr, "")
        self.assertTrue((self.folder / "r.csv").is_file())
        rows = subprocess.run(
            ["bash", "-c", f"'{PROGRAM}' run relay.mo --output-interval 1e-4 -o - | head -1; echo ${{PIPESTATUS[0]}}"],
            cwd=self.folder, text=True, capture_output=True, timeout=60)
        self.assertEqual(rows.stdout.split()[-1], "73")
        self.assertEqual(rows.stderr.strip(), "error: standard output was closed")


class Interrupts(Case):
    def interrupt(self, number: int, *arguments):
        process = subprocess.Popen([PROGRAM, "run", "endless.mo", *arguments], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(2)
        process.send_signal(number)
        out, error = process.communicate(timeout=60)
        return process.returncode, out, error

    def test_what_was_computed_is_saved(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            code, out, error = self.interrupt(number, "-o", "part.h5", "--output-interval", "10")
            self.assertEqual(code, 130, error)
            self.assertIn("stopped at t = ", error)
            self.assertIn("wrote part.h5", out)
            with h5py.File(self.folder / "part.h5") as file:
                self.assertGreater(file["time"][-1], 1.0)
                self.assertEqual(json.loads(file["report"][()])["outcome"], "stopped")
            self.assertEqual(list(self.folder.glob("*.part")), [])


class Terminals(Case):
    def seen_until_ctrl_c(self, awaited: str, *arguments) -> str:
        """What a terminal shows of `saltus run` until Ctrl-C, and what comes then. It is pressed when the awaited
        text is there, however slow the machine, or after a minute."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execv(PROGRAM, [PROGRAM, "run", *arguments])
        seen, sent, begin = b"", False, time.monotonic()
        while True:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            seen += piece
            if not sent and (re.search(awaited, seen.decode(errors="replace")) or time.monotonic() - begin > 60):
                os.write(terminal, b"\x03")  # as a user presses it
                sent = True
        _, status = os.waitpid(pid, 0)
        text = seen.decode(errors="replace")
        self.assertEqual(os.waitstatus_to_exitcode(status), 130, text[-500:])
        return text

    def test_a_bar_on_a_terminal_and_ctrl_c(self):
        text = self.seen_until_ctrl_c(" left", "endless.mo", "-o", "part.csv", "--output-interval", "10")
        self.assertRegex(text, r"\[-+\] +0 %  t = [\d.e+]+ of 1e\+07 s  0 events")
        self.assertIn("left", text)
        self.assertGreater((self.folder / "part.csv").stat().st_size, 100)

    def test_the_bar_counts_events_with_derivatives_too(self):
        (self.folder / "ticking.mo").write_text(
            "model Ticking\n  parameter Real a = 1;\n  Real x(start = 0, fixed = true);\nequation\n"
            "  der(x) = a;\n  when x > 0.1 then\n    reinit(x, 0);\n  end when;\n"
            "  annotation(experiment(StopTime = 1e7));\nend Ticking;\n")
        for flags in ([], ["--sensitivities", "a"]):
            many = r"[1-9]\d* events"
            self.assertRegex(self.seen_until_ctrl_c(many, "ticking.mo", *flags), many)


if __name__ == "__main__":
    main()
