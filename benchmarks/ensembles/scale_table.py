#!/usr/bin/python3
"""How long sweeps of 10^5 to 10^8 runs take on 1 to 10,000 cores, and what limits them, from measurements.

  scale_table.py ROOT                    compares the tables in docs/reference/sweeps.md with those that the constants give
  scale_table.py ROOT --fix              writes them there
  scale_table.py ROOT --measure BUILD    measures the constants again first (scale_constants.json), on this machine

Measured: CPU time of a run (the relay of benchmarks/ensembles), of the other work of a worker, of a request to the first
rank of an MPI job, of reading and of tabulating a record; the start of the program. Assumed: the speed of a shared file system
(bandwidth_bytes_per_s). Nothing here was run on more cores than the machine has.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONSTANTS = Path(__file__).with_name("scale_constants.json")
BEGIN, END = "<!-- scale: benchmarks/ensembles/scale_table.py -->", "<!-- end of scale -->"
RUNS, CORES = (10**5, 10**6, 10**7, 10**8), (1, 10, 100, 1000, 10000)
# How often the first rank looks for requests; most chunks are that long (apps/saltus/sweep_ranks_mpi.cpp, src/ensemble/worker.cpp).
LOOKS_EVERY_S, LONGEST_CHUNK, CHUNKS_PER_WORKER = 2e-4, 256, 8
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "plm", "isolated", "-n", "2"]


def measure(build: Path) -> dict:
    found = {}
    for command in ([build / "benchmarks/saltus_bench_ensembles", "constants"],
                    [*MPIRUN, build / "benchmarks/saltus_bench_ranks"]):
        found |= json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    program = build / "apps/saltus/saltus"

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "decay.mo").write_text("model D Real x(start = 1, fixed = true); parameter Real a = 1; equation "
                                               "der(x) = -a * x; end D;")
        (Path(folder) / "two.toml").write_text('model = "decay.mo"\n[options]\nt_end = 0.01\n[vary.a]\nvalues = [1, 2]\n'
                                               '[keep]\nend = ["x"]\n')
        begin = time.monotonic()
        subprocess.run([program, "sweep", "start", "two.toml"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        found["start_s"] = time.monotonic() - begin
    return {name: float(f"{value:.3g}") for name, value in found.items()}


def n_requests(runs: int, cores: int) -> int:
    """Of the guided chunks that MissingRuns hands out."""
    left, count = runs, 0
    while left > 0:
        chunk = min(max(left // (CHUNKS_PER_WORKER * cores), 1), LONGEST_CHUNK)
        # All that are as long at once.
        if chunk in (1, LONGEST_CHUNK):
            floor = 0 if chunk == 1 else CHUNKS_PER_WORKER * cores * LONGEST_CHUNK
            many = max(1, math.ceil((left - floor) / chunk))
        else:
            many = 1
        count += many
        left -= many * chunk
    return count + cores  # and each is told that there is nothing left


def limits(c: dict, runs: int, cores: int, by_ranks: bool) -> dict[str, float]:
    """Seconds that each of them needs at least; they overlap."""
    found = {"runs": math.ceil(runs / cores) * (c["run_s"] + c["overhead_s"]),
             "disk": runs * c["record_bytes"] / c["bandwidth_bytes_per_s"]}
    if by_ranks:
        requests = n_requests(runs, cores)
        found["runs"] += requests / cores * LOOKS_EVERY_S
        found["coordinator"] = requests * c["request_s"] + runs * c["booking_s"]
    return found


def two_digits(value: float) -> str:
    return f"{float(f'{value:.2g}'):g}"


def duration(seconds: float) -> str:
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        if seconds >= length:
            return f"{two_digits(seconds / length)} {unit}"
    return f"{two_digits(1000 * seconds)} ms"


def size(count: float) -> str:
    return f"{two_digits(count / 1e9)} GB" if count >= 1e9 else f"{two_digits(count / 1e6)} MB"


def power(n: int) -> str:
    return f"10{'⁵⁶⁷⁸'[round(math.log10(n)) - 5]}"


def grid(c: dict, by_ranks: bool) -> list[str]:
    lines = ["| runs \\ cores | " + " | ".join(f"{n:,}" for n in CORES) + " |", "|---" * (len(CORES) + 1) + "|"]
    for runs in RUNS:
        cells = []
        for cores in CORES:
            needs = limits(c, runs, cores, by_ranks)
            worst = max(needs, key=needs.get)
            at_work = runs * c["run_s"] / (cores * (needs[worst] + c["start_s"]))
            cell = f"{duration(needs[worst] + c['start_s'])}, {100 * at_work:.0f} %"
            if needs[worst] < c["start_s"]:
                worst = "start"
            cells.append(cell if worst == "runs" else f"{cell} *{worst}*")
        lines.append(f"| {power(runs)} | " + " | ".join(cells) + " |")
    return lines


def tables(c: dict) -> str:
    lines = ["The tables are computed from these measurements:", "",
             f"- a run {1e3 * c['run_s']:.2g} ms, its overhead {1e6 * c['overhead_s']:.2g} µs and {c['record_bytes']:.0f} bytes; a start {c['start_s']:.2g} s,",
             f"- a request to the first rank {1e6 * c['request_s']:.2g} µs and {1e9 * c['booking_s']:.0f} ns for each of its runs (through the memory of one",
             "  machine; a network adds to it),",
             f"- a record read in {1e9 * c['scan_s']:.0f} ns, a row of the table (HDF5) in {1e6 * c['table_s']:.2g} µs.", "",
             f"The file system is assumed to write {c['bandwidth_bytes_per_s'] / 1e9:.2g} GB/s. Each cell has the time, the share of the cores' time that is spent on runs, and the",
             "limit if it is not the runs. Longer runs make all other parts smaller. The start of MPI is not included, and nothing was measured on more than",
             "two cores.",
             "", "With `--shard`, without a coordinator:", "", *grid(c, False), "", "With MPI:", "", *grid(c, True), "",
             "One process does the following after the runs; a task that is started again reads all records:", "",
             "| runs | core hours | journal | read again | the same by 10,000 tasks at once | table | its memory |", "|---|---|---|---|---|---|---|"]
    for runs in RUNS:
        journal = runs * c["record_bytes"]
        lines.append(f"| {power(runs)} | {runs * c['run_s'] / 3600:.2g} | {size(journal)} | {duration(runs * c['scan_s'])} | "
                     f"{duration(max(runs * c['scan_s'], 1e4 * journal / c['bandwidth_bytes_per_s']))} | "
                     f"{duration(runs * c['table_s'])} | {size(runs + c['table_bytes'])} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--measure", type=Path, metavar="BUILD")
    asked = parser.parse_args()
    if asked.measure:
        constants = measure(asked.measure.resolve()) | {"bandwidth_bytes_per_s": 1e9}
        CONSTANTS.write_text(json.dumps(constants, indent=2) + "\n")
    document = asked.root / "docs/reference/sweeps.md"
    text = document.read_text()
    head, _, rest = text.partition(BEGIN + "\n")
    written, _, tail = rest.partition(END)
    wanted = "\n" + tables(json.loads(CONSTANTS.read_text())) + "\n"
    if written == wanted:
        print("the tables of docs/reference/sweeps.md are what was measured")
        return 0
    if not asked.fix and not asked.measure:
        print(f"{document}: its tables are not what {CONSTANTS.name} gives; scale_table.py --fix writes them")
        return 1
    document.write_text(head + BEGIN + "\n" + wanted + END + tail)
    return 0


if __name__ == "__main__":
    sys.exit(main())
