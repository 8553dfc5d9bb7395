#!/usr/bin/python3
"""Compiles files alone, without making code: each must include what it uses.

  check_alone.py                 sources and headers that one of the last 10 commits changed (--commits N)
  check_alone.py --headers       every public header
  check_alone.py --all           every source and header of the library

Whole builds compile sources in batches, where a missing #include goes unnoticed. With --tidy, sources pass through
clang-tidy 19 with the checks of .clang-tidy, which compiles them as well. Exits 1 if a file does not compile or pass.
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FLAGS = ["-std=c++20", "-fsyntax-only", "-w", "-x", "c++", "-Iinclude", "-Isrc"]


def files_below(root: Path, *folders: str) -> list[str]:
    return sorted(str(p.relative_to(root)) for folder in folders for p in (root / folder).rglob("*.[ch]pp"))


def changed(root: Path, commits: int) -> list[str]:
    log = subprocess.run(["git", "log", f"-{commits}", "--name-only", "--format="], cwd=root, capture_output=True,
                         text=True, check=True)
    return sorted(f for f in set(log.stdout.split())
                  if re.match(r"(src|include)/.*\.[ch]pp$", f) and (root / f).exists())


def without_those_seen_first(root: Path, files: list[str]) -> list[str]:
    """Leaves out public headers that another of these files includes before anything else: they are seen alone there."""
    seen = set()
    for file in files:
        first = re.search(r"^#include [<\"]([^>\"]*)", (root / file).read_text(), re.M)
        if first and file != f"include/{first.group(1)}":
            seen.add(f"include/{first.group(1)}")
    return [f for f in files if f not in seen]


def passes_tidy(root: Path, file: str) -> bool:
    # Headers of the compiler itself, such as <quadmath.h>, are g++'s, searched last.
    gnu = subprocess.run(["g++", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
    done = subprocess.run(["clang-tidy-19", "--quiet", file, "--", "-std=c++20", "-Iinclude", "-Isrc", "-idirafter", gnu],
                          cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{file} does not pass clang-tidy:\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def compiles_alone(root: Path, file: str) -> bool:
    # Twice: a header that is included again must not matter.
    text = f'#include "{file}"\n' * (2 if file.endswith(".hpp") else 1)
    done = subprocess.run([os.environ.get("CXX", "g++"), *FLAGS, "-I.", "-"], cwd=root, input=text, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        print(f"{file} does not compile alone:\n{done.stderr}")
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--commits", type=int, default=10)
    parser.add_argument("--headers", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--tidy", action="store_true")
    given = parser.parse_args()
    root = given.root.resolve()
    if given.headers:
        files = files_below(root, "include")
    elif given.all:
        files = files_below(root, "include", "src")
    else:
        files = changed(root, given.commits)
    compiled = without_those_seen_first(root, files)
    with ThreadPoolExecutor(int(os.environ.get("SALTUS_JOBS", os.cpu_count() or 1))) as pool:
        check = [passes_tidy if given.tidy and file.endswith(".cpp") else compiles_alone for file in compiled]
        good = list(pool.map(lambda look, file: look(root, file), check, compiled))
    print(f"{len(files)} files: {good.count(False)} do not compile alone" + (" or pass clang-tidy" if given.tidy else ""))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
