#!/usr/bin/python3
"""Writes CHANGELOG.md from the fragments in docs/changes.

    tools/changelog.py [--check] [root]

A fragment is a file NNNN-title.md. `docs/changes/releases.txt` has a line `VERSION DATE LAST` for each release, the latest first: LAST
is the number of its last fragment. Later fragments are unreleased. With --check nothing is written: the status is 1 if
CHANGELOG.md differs from what its fragments say, if a number occurs twice, or if the latest release is not
the version of CMakeLists.txt while nothing is unreleased.
"""

import argparse
import re
import sys
from pathlib import Path

HEAD = """# Changelog

What users notice, newest first. Before 1.0 a minor version may change interfaces.
[tools/changelog.py](tools/changelog.py) writes this page from [docs/changes](docs/changes).
"""
FRAGMENT = re.compile(r"(\d{4})-[a-z0-9-]+\.md")


def fragments(folder: Path) -> dict[int, str]:
    found: dict[int, str] = {}
    for file in sorted(folder.glob("[0-9]*.md")):
        match = FRAGMENT.fullmatch(file.name)
        if not match:
            raise SystemExit(f"{file}: a fragment is named NNNN-title.md")
        number = int(match[1])
        if number in found:
            raise SystemExit(f"{file}: number {number} occurs twice")
        text = file.read_text(encoding="utf-8")
        if re.search(r"^\s*(#|[-*] )", text, re.M):
            raise SystemExit(f"{file}: a fragment is a few sentences, without headings and lists")
        found[number] = " ".join(text.split())
    return found


def releases(folder: Path) -> list[tuple[str, str, int]]:
    file = folder / "releases.txt"
    lines = file.read_text(encoding="utf-8").split("\n") if file.is_file() else []
    return [(version, date, int(last)) for version, date, last in (line.split() for line in lines if line)]


def changelog(root: Path) -> str:
    folder = root / "docs/changes"
    entries = fragments(folder)
    text = HEAD
    above = max(entries, default=0)
    done = releases(folder)
    for title, last in [("Unreleased", done[0][2] if done else 0)] + [
            (f"{version} ({date})", done[i + 1][2] if i + 1 < len(done) else 0)
            for i, (version, date, _) in enumerate(done)]:
        numbers = [n for n in sorted(entries, reverse=True) if last < n <= above]
        above = last
        if numbers:
            text += f"\n## {title}\n\n" + "".join(f"- {entries[n]}\n" for n in numbers)
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    file = arguments.root / "CHANGELOG.md"
    text = changelog(arguments.root)
    if not arguments.check:
        file.write_text(text, encoding="utf-8")
        return 0
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        print("CHANGELOG.md differs from docs/changes; run tools/changelog.py")
        return 1
    done = releases(arguments.root / "docs/changes")
    version = re.search(r"project\(saltus VERSION ([0-9.]+)", (arguments.root / "CMakeLists.txt").read_text())
    if done and "## Unreleased" not in text and version and version[1] != done[0][0]:
        print(f"CMakeLists.txt has version {version[1]}, the latest release is {done[0][0]}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
