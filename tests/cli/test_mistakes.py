#!/usr/bin/python3
"""What `saltus check` says about typical mistakes, exactly.

tests/cli/mistakes/NAME.mo is the model, NAME.txt the command and what it prints. The page
docs/reference/what-check-says.md shows both below a line <!-- mistake NAME -->, followed by the cure.
With --fix, the texts and the page become what the program says now.
"""

import re
import subprocess
import sys
from pathlib import Path

from program import PROGRAM, ROOT

FOLDER = Path(__file__).parent / "mistakes"
PAGE = ROOT / "docs/reference/what-check-says.md"
BLOCK = re.compile(r"^<!-- mistake (\w+) -->\n(?:```modelica\n.*?^```\n\n```\n.*?^```\n)?", re.M | re.S)


def said(text: Path) -> str:
    """The command of the first line and what it prints."""
    command = text.read_text().splitlines()[0]
    assert command.startswith("$ saltus "), f"{text}: the first line is the command"
    done = subprocess.run(["bash", "-c", command[2:].replace("saltus", f"'{PROGRAM}'", 1)], cwd=FOLDER, text=True,
                          timeout=60, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return f"{command}\n{done.stdout}$ echo $?\n{done.returncode}\n"


def shown(name: str) -> str:
    model, text = ((FOLDER / f"{name}.{end}").read_text() for end in ("mo", "txt"))
    return f"<!-- mistake {name} -->\n```modelica\n{model}```\n\n```\n{text}```\n"


def main() -> int:
    fix = "--fix" in sys.argv
    wrong = 0
    names = sorted(file.stem for file in FOLDER.glob("*.mo"))
    for name in names:
        text = FOLDER / f"{name}.txt"
        now = said(text)
        if now == text.read_text():
            continue
        if fix:
            text.write_text(now)
            continue
        print(f"{name}: the program says\n{now}")
        wrong += 1
    page = PAGE.read_text()
    should_be = BLOCK.sub(lambda found: shown(found[1]), page)
    missing = set(names) - set(BLOCK.findall(page))
    if missing:
        print(f"{PAGE.relative_to(ROOT)} does not show {sorted(missing)}")
        wrong += 1
    if page != should_be:
        if fix:
            PAGE.write_text(should_be)
        else:
            print(f"{PAGE.relative_to(ROOT)} shows something else: tests/cli/test_mistakes.py --fix")
            wrong += 1
    print(f"{len(names)} mistakes")
    return 1 if wrong or len(names) < 10 else 0


sys.exit(main())
