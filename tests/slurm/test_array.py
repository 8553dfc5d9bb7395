#!/usr/bin/python3
"""A sweep as an array of Slurm: requeued, killed, with a node that fails, and complete in the end.

Usage: test_array.py PROGRAM ROOT; as root, with slurm-wlm and munge. Exit status 77: no cluster can be started here.
"""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from single_node import SKIPPED, CannotStart, SingleNode

PROGRAM, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SCRIPT = ROOT / "examples/cluster/slurm_array.sh"
N_TASKS = 8
# Long enough that a task can be disturbed at its work, on fast machines too.
SECONDS_PER_TASK = 3.0
MANIFEST = """model = "belt.mo"
samples = {runs}
sampler = "random"
seed = 5
[options]
t_end = 150.0
[vary.v_belt]
uniform = [0.1, 0.5]
[vary.gamma]
uniform = [1, 3]
[keep]
end = ["x", "v"]
"""


def wait_for(what, seconds: float = 120.0):
    """The first value of it that is not empty."""
    deadline = time.monotonic() + seconds
    while not (found := what()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing came within {seconds} s")
        time.sleep(0.1)
    return found


def write_study(folder: Path, name: str, runs: int) -> None:
    shutil.copy(ROOT / "examples/modelica/belt_stick_slip.mo", folder / "belt.mo")
    (folder / f"{name}.toml").write_text(MANIFEST.format(runs=runs))


class Array(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = CLUSTER
        # Jobs find the program as users do.
        cls.cluster.environment["PATH"] = f"{PROGRAM.parent}:{os.environ['PATH']}"
        with tempfile.TemporaryDirectory() as folder:
            write_study(Path(folder), "measured", 64)
            begin = time.monotonic()
            subprocess.run([PROGRAM, "sweep", "start", "measured.toml", "--threads", "1"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
            cls.runs = N_TASKS * math.ceil(SECONDS_PER_TASK * 64 / (time.monotonic() - begin))

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        for name in ("study", "alone"):
            write_study(self.folder, name, self.runs)
        self.addCleanup(lambda: self.cluster.call("scancel", "--user=root", check=False))

    def saltus(self, *words: str, code: int = 0) -> str:
        done = subprocess.run([PROGRAM, "sweep", *words], cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def table(self, name: str) -> bytes:
        self.saltus("finalize", f"{name}.toml", "-o", f"{name}.csv")
        return (self.folder / f"{name}.csv").read_bytes()

    def known(self) -> int:
        done = subprocess.run([PROGRAM, "sweep", "status", "study.toml", "--json"], cwd=self.folder, capture_output=True,
                              text=True, timeout=60)
        return json.loads(done.stdout)["known"]

    def submit(self, *options: str) -> str:
        return self.cluster.call("sbatch", "--parsable", *options, str(SCRIPT), "study.toml", cwd=self.folder).strip()

    def states(self, job: str) -> dict[int, str]:
        """Of the tasks that have not ended."""
        said = self.cluster.call("squeue", "-h", "-r", "-j", job, "-o", "%K %T", check=False)
        return {int(task): state for task, state in map(str.split, said.splitlines())}

    def workers(self, job: str) -> dict[int, int]:
        """Task and process of those that have worked long enough to have written something, the last begun first."""
        found = {}
        for task, state in self.states(job).items():
            if state != "RUNNING":
                continue
            works_for = {"SLURM_ARRAY_JOB_ID": job, "SLURM_ARRAY_TASK_ID": str(task)}
            for pid, name in self.cluster.processes(**works_for).items():
                if name == "saltus" and age(pid) > 1.3:
                    found[task] = pid
        return dict(sorted(found.items(), key=lambda worker: age(worker[1])))

    def hurry(self, job: str) -> None:
        """Slurm waits two minutes before it starts a requeued task."""
        for task, state in self.states(job).items():
            if state == "PENDING":
                self.cluster.call("scontrol", "update", f"JobId={job}_{task}", "StartTime=now", check=False)

    def finish(self, job: str) -> None:
        def is_over():
            self.hurry(job)
            return not self.states(job)

        wait_for(is_over)

    def restarts(self, job: str) -> dict[int, int]:
        """How often each task was; all have come to their end."""
        said = self.cluster.call("scontrol", "show", "job", job, "--oneliner")
        tasks = [line for line in said.splitlines() if "ArrayTaskId=" in line]
        self.assertEqual({re.search(r"JobState=(\w+)", line)[1] for line in tasks}, {"COMPLETED"})
        return {int(re.search(r"ArrayTaskId=(\d+)", line)[1]): int(re.search(r"Restarts=(\d+)", line)[1])
                for line in tasks}

    def records(self, name: str) -> int:
        """All that were ever written, also of the same run twice. Nothing but numbers is kept, so all are equally long."""
        sizes = [file.stat().st_size for file in (self.folder / f"{name}.sweep").iterdir()]
        alone = [file.stat().st_size for file in (self.folder / "alone.sweep").iterdir()]
        head, whole = min(alone), max(alone)
        record = (whole - head) // self.runs
        return sum((size - head) // record for size in sizes)

    def test_disturbed_at_its_work(self):
        job = self.submit()
        disturbed = set()

        def two_workers():
            self.hurry(job)
            return len(now := self.workers(job)) > 1 and now

        # Asked for by an administrator, or preempted.
        requeued = list(wait_for(two_workers))[:2]
        self.assertLess(self.known(), self.runs)
        for task in requeued:
            self.cluster.call("scontrol", "requeue", f"{job}_{task}")
        disturbed.update(requeued)

        # Killed, as for want of memory: the script asks for another try.
        task, pid = next(iter(wait_for(lambda: self.workers(job)).items()))
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: self.states(job).get(task) == "PENDING")
        disturbed.add(task)

        # The node fails while tasks work on it.
        workers = wait_for(two_workers)
        killed = self.cluster.fail_node()
        failed = {task for task, pid in workers.items() if pid in killed}
        self.assertTrue(failed)
        disturbed.update(failed)
        self.assertFalse(self.cluster.processes().keys() & killed)
        known = self.known()
        self.assertGreater(known, 0)
        self.assertLess(known, self.runs)

        self.finish(job)
        restarts = self.restarts(job)
        self.assertEqual(sorted(restarts), list(range(N_TASKS)))
        # The node may have taken others with it.
        restarted = {task for task, count in restarts.items() if count > 0}
        self.assertLessEqual(disturbed, restarted)
        said = "\n".join(file.read_text() for file in self.folder.glob("slurm-*.out"))
        print(f"{sum(restarts.values())} restarts of {len(restarted)} of {N_TASKS} tasks, {known} of {self.runs} runs known "
              "when the node failed", flush=True)
        self.saltus("status", "study.toml")
        self.saltus("start", "alone.toml", "--threads", "1")
        self.assertEqual(self.table("study"), self.table("alone"), said)
        # A restarted task goes on where it was: no run was done twice.
        self.saltus("start", "alone.toml", "--shard", "0/1", "--threads", "1")
        self.assertEqual(self.records("alone"), self.runs)
        self.assertEqual(self.records("study"), self.runs)

    def test_without_a_task_it_is_not_complete(self):
        """The twin: what says complete can say that it is not."""
        job = self.submit("--hold")
        self.cluster.call("scancel", f"{job}_5")
        self.cluster.call("scontrol", "release", job)
        self.finish(job)
        said = json.loads(self.saltus("status", "study.toml", "--json", code=2))
        self.assertEqual((said["runs"], said["known"]), (self.runs, self.runs - self.runs // N_TASKS))
        self.saltus("finalize", "study.toml", "-o", "study.csv", code=2)
        # The same array again does what is missing.
        self.finish(self.submit())
        self.saltus("status", "study.toml")
        self.assertEqual(len(self.table("study").splitlines()), 1 + self.runs)


def age(pid: int) -> float:
    """Seconds since the process began; 0 if it has ended."""
    try:
        began = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return 0.0
    return float(Path("/proc/uptime").read_text().split()[0]) - began / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with SingleNode() as CLUSTER:
            ok = unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful()
    except CannotStart as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    sys.exit(0 if ok else 1)
