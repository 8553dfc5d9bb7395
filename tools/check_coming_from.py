#!/usr/bin/python3
"""Pages for users of other programs answer every option of these programs.

    tools/check_coming_from.py [root]

docs/coming-from/options.toml lists the options of some programs. Each of them must stand in the first column of a table on the
program's page, in code quotes, and the second column of that row must say something.
"""

import re
import sys
import tomllib
from pathlib import Path

ROW = re.compile(r"^\|(?P<known>(?:\\\||[^|\n])*)\|(?P<here>(?:\\\||[^|\n])*)\|", re.M)
CODE = re.compile(r"`([^`\n]+)`")


def answered(page: str) -> set[str]:
    """Returns the options in the first columns of a page, of rows with an answer."""
    rows = [row for row in ROW.finditer(page) if row["here"].strip()]
    return {name for row in rows for name in CODE.findall(row["known"])}


def is_answered(option: str, known: set[str]) -> bool:
    """Returns whether an option stands there alone, or as the name of a setting: X in `X = 1`."""
    return any(name == option or name.startswith((f"{option} =", f"{option} >")) for name in known)


def check(root: Path) -> tuple[list[str], int]:
    """Returns the problems, and how many options there are."""
    folder = root / "docs/coming-from"
    programs = tomllib.loads((folder / "options.toml").read_text(encoding="utf-8"))
    problems, count = [], 0
    for program, groups in programs.items():
        page = folder / f"{program}.md"
        if not page.is_file():
            problems.append(f"no page docs/coming-from/{program}.md")
        known = answered(page.read_text(encoding="utf-8")) if page.is_file() else set()
        options = [option for group in groups.values() for option in group]
        count += len(options)
        problems += [f"{page.name}: no row for '{one}'" for one in options if not is_answered(one, known)]
        problems += [f"options.toml: '{one}' of {program} is there twice" for one in sorted(set(options)) if options.count(one) > 1]
    return problems, count


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems, count = check(root)
    missing = sum(": no row for " in problem for problem in problems)
    print("\n".join([*problems, f"{count - missing} of {count} options"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
