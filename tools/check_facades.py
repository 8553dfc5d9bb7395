#!/usr/bin/python3
"""Every public header of a part is included by the part's facade, and every facade by saltus.hpp.

A reader who opens include/saltus/<part>.hpp must find the whole part from there. Headers in a
subfolder of a part count as reached through the header of that name.
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]saltus/([^>"]+)[>"]', re.M)


def included(header: Path) -> set[str]:
    return set(INCLUDE.findall(header.read_text()))


def check(root: Path) -> list[str]:
    problems = []
    top = root / "include" / "saltus"
    parts = sorted(p for p in top.iterdir() if p.is_dir())
    umbrella = included(top / "saltus.hpp")
    for part in parts:
        facade = top / f"{part.name}.hpp"
        if not facade.is_file():
            problems.append(f"include/saltus/{part.name}/ has no facade {part.name}.hpp")
            continue
        if f"{part.name}.hpp" not in umbrella:
            problems.append(f"saltus.hpp does not include {part.name}.hpp")
        reached = included(facade)
        for header in sorted(part.rglob("*.hpp")):
            name = header.relative_to(top).as_posix()
            parent = header.parent
            shelter = None if parent == part else f"{parent.relative_to(top).as_posix()}.hpp"
            if name in reached or (shelter in reached and name in included(top / shelter)):
                continue
            problems.append(f"{part.name}.hpp does not lead to saltus/{name}")
    return problems


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = check(root)
    for problem in problems:
        print(f"facades: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
