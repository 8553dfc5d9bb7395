#!/usr/bin/python3
"""Times whole runs of .ci/run: two from clean clones of the last commit with an empty compiler cache, one with a warm cache.

The warm one is in the same clone as the run before, with its compiler cache, after its trees were deleted. What .ci/run wrote
about its stages is kept in build/figures/ci/COMMIT, and runs that are there already are not repeated. Prints the stages and
one line for item 1 of the topic checks.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLONE = ROOT / "build/ci_clone"
BOUNDS = {"cold_1": 30, "cold_2": 30, "warm": 12}  # minutes


def is_whole(times: dict) -> bool:
    return times["stages"][-1]["stage"] == "tests" and all(stage["status"] == 0 for stage in times["stages"])


def run(name: str, kept: Path) -> dict | None:
    """The times of one run, None if it failed."""
    if name == "warm":
        for folder in (CLONE / "build").iterdir():
            if folder.name != "ccache" and folder.is_dir():
                shutil.rmtree(folder)
    else:
        shutil.rmtree(CLONE, ignore_errors=True)
        subprocess.run(["git", "clone", "-q", ROOT, CLONE], check=True)
    with open(kept / f"{name}.log", "w") as log:
        subprocess.run(["bash", ".ci/run"], cwd=CLONE, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
    times = json.loads((CLONE / "build/ci-times.json").read_text())
    if not is_whole(times):
        print(f"{name}: .ci/run failed, see {kept / name}.log")
        return None
    (kept / f"{name}.json").write_text(json.dumps(times, indent=1) + "\n")
    return times


def main() -> int:
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    kept = ROOT / "build/figures/ci" / commit
    kept.mkdir(parents=True, exist_ok=True)
    found, good = [], True
    for name, bound in BOUNDS.items():
        file = kept / f"{name}.json"
        # A warm run needs the clone of a cold one.
        times = json.loads(file.read_text()) if file.exists() else run(name, kept)
        if times is None or times["commit"] != commit:
            found.append(f"{name} failed")
            good = False
            continue
        for stage in times["stages"]:
            print(f"   {name:7} {stage['stage']:28} {stage['wall_s']:5} s, CPU {stage['cpu_s']:5} s")
        minutes = sum(stage["wall_s"] for stage in times["stages"]) / 60
        cpu = sum(stage["cpu_s"] for stage in times["stages"]) / 60
        found.append(f"{name.replace('_', ' ')} {minutes:.1f} min (CPU {cpu:.0f})".replace("(", "[").replace(")", "]"))
        good &= minutes <= bound
    print(f"1: .ci/run: {', '.join(found)} (cold at most 30 min, warm 12) {'ok' if good else 'short'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
