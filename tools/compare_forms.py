#!/usr/bin/python3
"""Whether models written with blocks are shorter than the same ones with modes written by hand.

    tools/compare_forms.py --programs build/release/examples [NAME ...] [--table FILE] [--item N]

Each NAME is an example whose regions `// [model]` and `// [modes]` are the two forms (see
examples/two_forms.hpp); all that have a region `// [modes]` if none is given. Counted are lines that contain code: no blank ones, no comments. Code is laid
out by clang-format, so nobody gains by long lines. The program is run, and must say how far the
results of its forms are apart. Short is an example that has no fewer lines with blocks, fails, whose
forms are more than 300 tolerances apart, or that no document shows a picture of.

A region `// [clauses]` is counted and shown, not judged: a form by hand that needs no modes.
With --table FILE each must have a row `| [NAME](...) | ... | lines with blocks | by hand |` there.
With --item the last line is the one that tools/show expects.
"""

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from check_snippets import region
from cpp_source import without_comments

LARGEST_DISTANCE = 300.0  # in tolerances
DISTANCE = re.compile(r"^(.+): with blocks and by hand at most (\S+) tolerances apart$", re.M)


@dataclass
class Comparison:
    name: str
    lines: dict[str, int] = field(default_factory=dict)  # by region
    distance: float = 0.0
    problems: list[str] = field(default_factory=list)


def lines_of_code(text: str) -> int:
    return sum(1 for line in without_comments(text).splitlines() if line.strip())


def largest_distance(program: Path, problems: list[str]) -> float:
    if not program.is_file():
        problems.append(f"no program {program.name}")
        return 0.0
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        problems.append(f"it ends with status {done.returncode}")
    found = [float(distance) for _, distance in DISTANCE.findall(done.stdout)]
    if not found:
        problems.append("it does not say how far its forms are apart")
    # "not at most": nan is no distance either.
    if not all(distance <= LARGEST_DISTANCE for distance in found):
        problems.append(f"its forms are {max(found):g} tolerances apart")
    return max(found, default=0.0)


def has_picture(root: Path, name: str) -> bool:
    link = f"pictures/{name}.svg)"
    return (root / "docs" / "pictures" / f"{name}.svg").is_file() and any(
        link in document.read_text() for document in (root / "docs").rglob("*.md"))


def row_problem(table: str, result: Comparison) -> str | None:
    wanted = f"| {result.lines.get('model')} | {result.lines.get('modes')} |"
    rows = re.findall(rf"^\| \[{re.escape(result.name)}\]\(.*$", table, re.M)
    if len(rows) != 1:
        return "the table has no row for it"
    return None if rows[0].rstrip().endswith(wanted) else f"its row should end with {wanted}"


def compare(root: Path, programs: Path, name: str) -> Comparison:
    result = Comparison(name)
    for part in ("model", "modes", "clauses"):
        text = region(root, f"examples/{name}.cpp", part)
        if text is not None:
            result.lines[part] = lines_of_code(text)
        elif part != "clauses":
            result.problems.append(f"no region [{part}]")
    if not result.problems and result.lines["model"] >= result.lines["modes"]:
        result.problems.append("it is no shorter with blocks")
    result.distance = largest_distance(programs / f"example_{name}", result.problems)
    if not has_picture(root, name):
        result.problems.append("no document shows its picture")
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--item", type=int)
    given = parser.parse_args()
    names = given.names or sorted(path.stem for path in (given.root / "examples").glob("*.cpp")
                                  if region(given.root, f"examples/{path.name}", "modes") is not None)
    if not names:
        raise SystemExit("no example has a region [modes]")
    results = [compare(given.root, given.programs, name) for name in names]
    if given.table:
        text = given.table.read_text()
        for r in results:
            if (problem := row_problem(text, r)) is not None:
                r.problems.append(problem)
    for r in results:
        counts = f"{r.lines.get('model', 0):3} lines with blocks, {r.lines.get('modes', 0):3} by hand"
        if "clauses" in r.lines:
            counts += f" ({r.lines['clauses']} where no mode is needed)"
        print(f"   {r.name}: {counts}; at most {r.distance:g} tolerances apart")
        for problem in r.problems:
            print(f"   {r.name}: {problem}")
    ok = not any(r.problems for r in results)
    if given.item is not None:
        with_blocks = sum(r.lines.get("model", 0) for r in results)
        by_hand = sum(r.lines.get("modes", 0) for r in results)
        farthest = max(r.distance for r in results)
        print(f"{given.item}: {len(results)} examples with pictures, {with_blocks} lines with blocks, "
              f"{by_hand} by hand, at most {farthest:g} tolerances apart (each fewer, "
              f"<= {LARGEST_DISTANCE:g} tolerances) {'ok' if ok else 'short'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
