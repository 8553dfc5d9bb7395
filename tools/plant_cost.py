#!/usr/bin/python3
"""Shows that the record of figures notices: plants work that adds 5 % to one named run, and asks tools/figures.

For each of event location, Radau and the expression engine a loop without effect is planted into a copy of the last commit
(build/planted), as long as it takes for 5 % more instructions in Run::advance() of a named run. tools/figures must refuse
that run, and accept the copy without the plant. Prints one line per plant; exits 1 if one is not refused, or is not of 5 %.
plant_cost.py 'Radau' plants that one only.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "build/planted"
# Name, source, the text behind which the loop is planted, the run that must become dearer.
PLANTS = (
    ("event location", "src/hybrid/switch/event_location.cpp", "  point.guarantee = first.guarantee;\n", "disode_p3_relay"),
    ("Radau", "src/integrate/radau/step.cpp", "Result<void> RadauEngine::step(double t_bound) {\n", "pendulum"),
    ("expression engine", "src/expr/machine.hpp", "  void run() {\n", "flat_net"),
)
WANTED = 0.05


def build() -> None:
    cache = {**os.environ, "CCACHE_DIR": str(ROOT / "build/planted_ccache")}
    for command in (["--preset", "release", "-DSALTUS_UNITY=ON"], ["--build", "--preset", "release", "--target", "saltus_program"]):
        done = subprocess.run(["cmake", *command], cwd=COPY, env=cache, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"plant_cost: cmake {' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def stepping(run: str) -> int:
    """Instructions of a run inside Run::advance(), by the copy's own tool."""
    said = subprocess.run([COPY / "tools/figures", "--run", run], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)[f"{run}.stepping_instructions"]


def plant(source: str, behind: str, length: int) -> None:
    text = (ROOT / source).read_text()
    loop = f'  for (int planted = 0; planted < {length}; ++planted) asm volatile("");\n'
    if text.count(behind) != 1:
        raise SystemExit(f"plant_cost: {source} no longer has the place for the plant, or has it twice")
    (COPY / source).write_text(text.replace(behind, behind + loop))


def main() -> int:
    shutil.rmtree(COPY, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", ROOT, COPY], check=True)
    build()
    missed = 0
    clean = subprocess.run([COPY / "tools/figures", "--runs"], capture_output=True, text=True, check=False)
    if clean.returncode != 0:
        print(f"the copy without a plant is refused:\n{clean.stdout}")
        missed += 1
    for name, source, behind, run in PLANTS:
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        before = stepping(run)
        probe = 200
        plant(source, behind, probe)
        build()
        per_turn = (stepping(run) - before) / probe
        length = round(WANTED * before / per_turn)
        plant(source, behind, length)
        build()
        added = stepping(run) / before - 1
        said = subprocess.run([COPY / "tools/figures", "--runs"], capture_output=True, text=True, check=False)
        refused = said.returncode == 1 and re.search(rf"worse than the record.*{run}\.stepping_instructions", said.stdout)
        missed += not refused or abs(added - WANTED) > 0.01
        print(f"{name}: {100 * added:.1f} % added to {run}, {'refused' if refused else 'not noticed'}", flush=True)
        (COPY / source).write_text((ROOT / source).read_text())
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
