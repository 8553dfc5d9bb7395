#!/usr/bin/python3
"""Sweeps that are killed again and again, each time with a part of their runs done, give the undisturbed table."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from program import PROGRAM, Case, main
from sweeps import MPI, on_ranks

# tools/show ensembles asks for 20.
KILLS = int(os.environ.get("SALTUS_SWEEP_KILLS", "1"))
# Some four seconds of work per kill: records reach the disk once in a second, and when a rank dies mpirun lets the
# others work for two seconds more.
RUNS = 8000 * KILLS

# A run takes about half a millisecond on two cores.
MODEL = """model Oscillator
  parameter Real mu = 1;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = mu * (1 - x * x) * v - x;
  annotation(experiment(StopTime = 50, Tolerance = 1e-8));
end Oscillator;
"""

MANIFEST = f"""model = "oscillator.mo"
samples = {RUNS}
sampler = "latin-hypercube"
seed = 3

[vary.mu]
uniform = [0.5, 2.0]

[keep]
end = ["x", "v"]
"""


class Kills(Case):
    undisturbed = None  # the table of a sweep that nobody kills, and the size of its journal
    size = 0

    def setUp(self):
        super().setUp()
        (self.folder / "oscillator.mo").write_text(MODEL)
        for name in ("whole", "killed"):
            (self.folder / f"{name}.toml").write_text(MANIFEST)
        self.chance = random.Random(int(os.environ.get("SALTUS_SEED", "1")))
        if Kills.undisturbed is None:
            # Some half a millisecond per run on two cores; ten times that on a machine that others use.
            self.call("sweep", "start", "whole.toml", "--threads", "2", timeout=60 + 0.005 * RUNS)
            Kills.size = self.journal_size("whole")
            Kills.undisturbed = self.table("whole")

    def journal_size(self, name: str) -> int:
        folder = self.folder / f"{name}.sweep"
        return sum(file.stat().st_size for file in folder.iterdir()) if folder.is_dir() else 0

    def table(self, name: str) -> bytes:
        self.call("sweep", "finalize", f"{name}.toml", "-o", f"{name}.csv")
        return (self.folder / f"{name}.csv").read_bytes()

    def known(self) -> float:
        said = json.loads(self.call("sweep", "status", "killed.toml", "--json", code=2).stdout)
        return said["known"] / said["runs"]

    def kill_and_resume(self, command: list[str], kill) -> None:
        """Kills what the command starts KILLS times, when 8 to 58 % of the journal are written, and lets it finish."""
        command = [*command, "sweep", "start", "killed.toml", "--shard", "0/1"]
        before, done = 0, []
        for k in range(KILLS):
            target = (0.08 + 0.5 * (k + self.chance.uniform(0.0, 0.5)) / KILLS) * self.size
            job = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
            deadline = time.monotonic() + 120
            while self.journal_size("killed") < max(target, before + 1):
                self.assertIsNone(job.poll(), "it ended before it was killed")
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.002)
            self.assertIsNone(job.poll(), "it ended before it was killed")
            self.assertTrue(0.05 <= self.journal_size("killed") / self.size <= 0.95)
            kill(job)
            self.assertNotEqual(job.wait(timeout=60), 0)
            before = self.journal_size("killed")
            done.append(self.known())
            self.assertTrue(0.05 <= done[-1] <= 0.95, f"{100 * done[-1]:.1f} % of the runs were done")
        said = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60 + 0.005 * RUNS, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(self.table("killed"), Kills.undisturbed)
        print(f"{KILLS} kills of {self.id().rpartition('_')[2]} with {100 * done[0]:.0f} to {100 * done[-1]:.0f} % of "
              f"{RUNS} runs done", flush=True)

    def test_kills_of_a_process(self):
        self.kill_and_resume([PROGRAM], lambda job: job.kill())

    @unittest.skipUnless(MPI.exists() and shutil.which("mpirun"), "there is no saltus-mpi, or no mpirun")
    def test_kills_of_a_rank(self):
        """One of three ranks dies, and with it the job."""

        def kill(job):
            ranks = subprocess.run(["pgrep", "-P", str(job.pid), "saltus-mpi"], capture_output=True, text=True,
                                   check=True).stdout.split()
            self.assertEqual(len(ranks), 3)
            os.kill(int(self.chance.choice(ranks)), signal.SIGKILL)

        self.kill_and_resume(on_ranks(3), kill)

    @unittest.skipUnless(MPI.exists() and shutil.which("mpirun"), "there is no saltus-mpi, or no mpirun")
    def test_kills_of_a_job(self):
        """All ranks and mpirun die at once, as when a node fails."""

        def kill(job):
            ranks = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True, check=True).stdout.split()
            for process in [str(job.pid), *ranks]:
                os.kill(int(process), signal.SIGKILL)
            for rank in ranks:  # none of them goes on writing
                while subprocess.run(["kill", "-0", rank], capture_output=True, check=False).returncode == 0:
                    time.sleep(0.01)

        self.kill_and_resume(on_ranks(2), kill)


if __name__ == "__main__":
    main()
