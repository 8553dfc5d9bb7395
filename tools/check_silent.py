#!/usr/bin/python3
"""Refuses library code (include, src) that prints, or ends the program it runs in.

Comments and literals do not count: generated code may contain what ours may not.
Usage: check_silent.py [ROOT]; prints one line per violation, exits 1 if there is any.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cpp_source  # noqa: E402

# Calls are refused as functions only: a member named exit is nobody's business.
_FREE = r"(?<![.\w])(?<!->)"
RULES = [
    ("prints", re.compile(r"\b(?:std\s*::\s*)?w?(?:cout|cerr|clog)\b")),
    ("prints", re.compile(r"\b(?:stdout|stderr)\b")),
    ("prints", re.compile(_FREE + r"(?:w?printf|puts|putchar|perror)\s*\(")),
    ("prints", re.compile(r"\bstd\s*::\s*(?:print|println|vprint_unicode|vprint_nonunicode)\b")),
    ("aborts", re.compile(_FREE + r"(?:abort|exit|_exit|_Exit|quick_exit|terminate)\s*\(")),
    ("aborts", re.compile(r"\bstd\s*::\s*(?:raise|abort|exit|_Exit|quick_exit|terminate)\b")),
    ("aborts", re.compile(r"\b__builtin_(?:trap|abort)\b")),
    ("aborts", re.compile(_FREE + r"assert\s*\(")),
]
HEADERS = {"iostream": "prints", "print": "prints", "syncstream": "prints", "cassert": "aborts"}


def check_text(text: str) -> list[tuple[int, str]]:
    """(line, what) of every violation in one file."""
    found = [
        (line, f"{HEADERS[name]}: include <{name}>")
        for line, _, name in cpp_source.includes(text)
        if name in HEADERS
    ]
    code = cpp_source.code_only(text)
    for word, pattern in RULES:
        for match in pattern.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            found.append((line, f"{word}: {match.group(0).strip()}"))
    return sorted(set(found))


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    n_problems = 0
    for folder in ("include", "src"):
        for file in cpp_source.files(root / folder):
            for line, what in check_text(file.read_text()):
                print(f"{file.relative_to(root)}:{line}: {what}")
                n_problems += 1
    return 1 if n_problems else 0


if __name__ == "__main__":
    sys.exit(main())
