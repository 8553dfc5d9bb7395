#!/usr/bin/python3
"""Two MPI ranks beside two threads and one: the same table, and how much faster it is there.

Usage: ranks.py FOLDER_OF_PROGRAMS ROOT; prints the figures of item 1.

The efficiency judged is that of wall time, which is right on a quiet machine only. That of CPU time, beside it, leaves out what
other programs take; but a rank that waits at the end for the others does not spin, so that it cannot stand for the first.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
# On this machine alone: no remote shell is looked for.
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "plm", "isolated"]
RUNS = int(os.environ.get("SALTUS_RANK_RUNS", "20000"))

MANIFEST = f"""model = "relay.mo"
samples = {RUNS}
[options]
t_end = 1.2
rtol = 1e-6
atol = 1e-6
[vary.omega]
uniform = [20, 30]
[vary.zeta]
uniform = [0.03, 0.07]
[vary.y2]
normal = [0.2, 0.02]
[keep]
end = ["y1", "y2", "y3"]
"""


def cpu_seconds() -> float:
    """Of all that was started here and has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "relay.mo").write_text((ROOT / "examples/modelica/disode_p3_relay.mo").read_text())
        seconds, cpu, tables = {}, {}, {}
        ways = {
            "1 thread": [PROGRAMS / "saltus", "sweep", "start", "{}", "--threads", "1"],
            "2 threads": [PROGRAMS / "saltus", "sweep", "start", "{}", "--threads", "2"],
            "1 rank": [*MPIRUN, "-n", "1", PROGRAMS / "saltus-mpi", "sweep", "start", "{}"],
            "2 ranks": [*MPIRUN, "-n", "2", PROGRAMS / "saltus-mpi", "sweep", "start", "{}"],
        }
        for turn in range(3):
            for way, command in ways.items():
                study = f"{way.replace(' ', '_')}_{turn}"
                (folder / f"{study}.toml").write_text(MANIFEST)
                begin, before = time.monotonic(), cpu_seconds()
                subprocess.run([str(word).replace("{}", f"{study}.toml") for word in command], cwd=folder, check=True,
                               stdout=subprocess.DEVNULL)
                seconds[way] = min(seconds.get(way, 1e300), time.monotonic() - begin)
                cpu[way] = min(cpu.get(way, 1e300), cpu_seconds() - before)
                subprocess.run([PROGRAMS / "saltus", "sweep", "finalize", f"{study}.toml", "-o", f"{study}.csv"],
                               cwd=folder, check=True, stdout=subprocess.DEVNULL)
                tables[way] = (folder / f"{study}.csv").read_bytes()
        efficiency, by_cpu = seconds["1 rank"] / (2 * seconds["2 ranks"]), cpu["1 rank"] / cpu["2 ranks"]
        equal = len(set(tables.values())) == 1
        ok = efficiency >= 0.9 and equal
        print(f"1: {RUNS} runs by 2 ranks: efficiency {efficiency:.3g} (of CPU time {by_cpu:.3g}), {seconds['2 threads'] / seconds['2 ranks']:.3g} "
              f"of the speed of 2 threads; tables {'equal' if equal else 'DIFFER'} (>= 0.9, equal) "
              f"{'ok' if ok else 'short'}")
        return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
