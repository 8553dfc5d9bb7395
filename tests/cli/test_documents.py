#!/usr/bin/python3
"""Commands in the documents print what the documents say."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from program import PROGRAM, ROOT

BLOCK = re.compile(r"^<!-- command -->\n```\n(.*?)^```$", re.M | re.S)
SECONDS = re.compile(r"(events, )[0-9.e-]+( s)$", re.M)  # differ from run to run


def main() -> int:
    wrong = n = 0
    for document in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        for block in BLOCK.findall(document.read_text()):
            with tempfile.TemporaryDirectory() as folder:
                said = ""
                for line in block.splitlines():
                    if not line.startswith("$ "):
                        continue
                    command = line[2:].replace("saltus", f"'{PROGRAM}'", 1)
                    done = subprocess.run(["bash", "-c", command], cwd=folder, text=True, timeout=60,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                    said += line + "\n" + done.stdout
                    n += 1
            said = "\n".join(l.rstrip() for l in SECONDS.sub(r"\1…\2", said).splitlines()) + "\n"
            if said != block:
                print(f"{document.relative_to(ROOT)}: the program prints\n{said}")
                wrong += 1
    print(f"{n} commands")
    return 1 if wrong or n == 0 else 0


sys.exit(main())
