#!/usr/bin/python3
"""Records the messages of tests and of Modelica texts with mistakes; each must have an entry in tools/list_messages.py.

    record_messages.py RECORDER ROOT [--program SALTUS] [--by-name TEST ...] --whole TEST ...

TEST is a program of unit tests: all fast cases run, or with --by-name those whose names speak of refusals. RECORDER is the library
of record_thrown.cpp. --program records what `saltus check` says of tests/modelica as well: mistakes in a text are not thrown.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SLOW = "Slow*:*/Slow*:Long*:*/Long*"
WHOLE = f"-{SLOW}"
BY_NAME = f"*Refus*:*Wrong*:*Named*:*ByName*:*Unknown*:*Mistake*-{SLOW}"
SAID = re.compile(r"^\S+: (?:error|warning): (.+)$", re.M)


def record(test: Path, cases: str, recorder: Path, file: Path) -> None:
    environment = os.environ | {"LD_PRELOAD": str(recorder), "SALTUS_THROWN": str(file)}
    done = subprocess.run([test, "--gtest_brief=1", f"--gtest_filter={cases}"], env=environment, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"{test}: status {done.returncode}\n{done.stdout}")


def said_of(program: Path, text: Path) -> list[str]:
    done = subprocess.run([program, "check", text], text=True, errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
    return SAID.findall(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recorder", type=Path)
    parser.add_argument("root", type=Path)
    parser.add_argument("--program", type=Path)
    parser.add_argument("--by-name", type=Path, nargs="*", default=[])
    parser.add_argument("--whole", type=Path, nargs="+", required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "thrown"
        file.touch()
        for cases, tests in ((WHOLE, given.whole), (BY_NAME, given.by_name)):
            for test in tests:
                record(test, cases, given.recorder, file)
        if given.program:
            said = [line for text in sorted((given.root / "tests/modelica").glob("*.mo")) for line in said_of(given.program, text)]
            with file.open("a") as out:
                out.writelines(line.replace("\\", "\\\\") + "\n" for line in said)
        command = ["/usr/bin/python3", "-B", given.root / "tools/list_messages.py", given.root, "--unlisted", file,
                   "--tests", given.root / "tests"]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
