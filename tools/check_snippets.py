#!/usr/bin/python3
"""Code in the documents is code that runs.

A fenced block that follows the line

    <!-- snippet: examples/file.cpp region -->

must be the text between the two lines `// [region]` of that file, without its common indentation.
`--fix` writes it there. A C++ block without such a line is refused.

A plain block that follows the line

    <!-- output: program -->

must be what that program prints. It is compared if the program is found below the folder given by
`--programs DIR`, where the examples are built.
"""

import argparse
import re
import subprocess
import sys
import textwrap
from pathlib import Path

BLOCK = re.compile(
    r"(?:^<!-- snippet: (?P<file>\S+) (?P<region>\S+) -->\n+)?^```cpp\n(?P<code>.*?)^```$",
    re.M | re.S)


OUTPUT = re.compile(r"^<!-- output: (?P<program>\S+) -->\n+```\n(?P<text>.*?)^```$", re.M | re.S)


def region(root: Path, file: str, name: str) -> str | None:
    source = root / file
    if not source.is_file():
        return None
    parts = re.split(rf"^[ \t]*// \[{re.escape(name)}\][ \t]*\n", source.read_text(), flags=re.M)
    return textwrap.dedent(parts[1]).rstrip("\n") + "\n" if len(parts) == 3 else None


def check(root: Path, fix: bool, programs: Path | None) -> list[str]:
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

        def replace_output(match: re.Match) -> str:
            program = programs / match["program"] if programs else None
            if program is None:
                return match[0]
            if not program.is_file():
                problems.append(f"{name}: no program {match['program']}")
                return match[0]
            printed = subprocess.run([program], stdout=subprocess.PIPE, text=True).stdout
            if printed != match["text"] and not fix:
                problems.append(f"{name}: {match['program']} prints something else")
            return match[0].replace(f"```\n{match['text']}", f"```\n{printed}")

        fixed = OUTPUT.sub(replace_output, BLOCK.sub(replace, text))
        if fix and fixed != text:
            document.write_text(fixed)
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--programs", type=Path)
    given = parser.parse_args()
    problems = check(given.root, given.fix, given.programs)
    for problem in problems:
        print(f"snippets: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
