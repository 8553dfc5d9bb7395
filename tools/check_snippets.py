#!/usr/bin/python3
"""Code in the documents is code that runs.

A fenced block that follows the line

    <!-- snippet: examples/file.cpp region -->

must be the text between the two lines `// [region]` of that file, without its common indentation.
`--fix` writes it there. A C++ block without such a line is refused.
"""

import re
import sys
import textwrap
from pathlib import Path

BLOCK = re.compile(
    r"(?:^<!-- snippet: (?P<file>\S+) (?P<region>\S+) -->\n+)?^```cpp\n(?P<code>.*?)^```$",
    re.M | re.S)


def region(root: Path, file: str, name: str) -> str | None:
    source = root / file
    if not source.is_file():
        return None
    parts = re.split(rf"^[ \t]*// \[{re.escape(name)}\][ \t]*\n", source.read_text(), flags=re.M)
    return textwrap.dedent(parts[1]).rstrip("\n") + "\n" if len(parts) == 3 else None


def check(root: Path, fix: bool) -> list[str]:
    problems = []
    documents = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    for document in sorted(documents):
        text = document.read_text()
        name = document.relative_to(root)

        def replace(match: re.Match) -> str:
            line = text.count("\n", 0, match.start()) + 1
            if match["file"] is None:
                problems.append(f"{name}:{line}: C++ that nobody compiles")
                return match[0]
            wanted = region(root, match["file"], match["region"])
            if wanted is None:
                problems.append(f"{name}:{line}: no region [{match['region']}] in {match['file']}")
                return match[0]
            if wanted != match["code"] and not fix:
                problems.append(f"{name}:{line}: differs from {match['file']} [{match['region']}]")
            return match[0].replace(f"```cpp\n{match['code']}", f"```cpp\n{wanted}")

        fixed = BLOCK.sub(replace, text)
        if fix and fixed != text:
            document.write_text(fixed)
    return problems


def main() -> int:
    arguments = [a for a in sys.argv[1:] if a != "--fix"]
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    problems = check(root, "--fix" in sys.argv)
    for problem in problems:
        print(f"snippets: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
