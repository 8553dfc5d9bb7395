#!/usr/bin/python3
"""Every numbered formula of docs/theory has a test that bears its number.

A formula is a line with `(E.1)` at its beginning (a letter per document); a test bears its number
if a file below tests/ contains the same characters.
"""

import re
import sys
from pathlib import Path

FORMULA = re.compile(r"^\s*\((?P<number>[A-Z]+\.\d+)\)\s", re.M)


def check(root: Path) -> list[str]:
    tests = "\n".join(p.read_text(errors="replace") for p in sorted((root / "tests").rglob("*"))
                      if p.suffix in {".cpp", ".hpp", ".py"})
    problems = []
    seen: dict[str, Path] = {}
    for document in sorted((root / "docs" / "theory").rglob("*.md")):
        name = document.relative_to(root)
        for match in FORMULA.finditer(document.read_text()):
            number = match["number"]
            if number in seen:
                problems.append(f"({number}) stands in {seen[number]} and in {name}")
            seen[number] = name
            if f"({number})" not in tests:
                problems.append(f"({number}) of {name} has no test")
    return problems


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = check(root)
    for problem in problems:
        print(f"equations: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
