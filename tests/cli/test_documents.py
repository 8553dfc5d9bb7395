#!/usr/bin/python3
"""Commands in the documents print what the documents say.

  <!-- command -->        before a block: lines that begin with "$ " are run in an empty folder
  <!-- model: ball.mo --> before a block: its text is a file of that name for commands further down;
                          <!-- model: ball.mo of examples/x --> is the text of that file there

  test_documents.py PROGRAM ROOT [--fix]      --fix writes what the program prints into the documents
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from program import PROGRAM, ROOT

BLOCK = re.compile(r"(?<=^<!-- command -->\n```\n)(?P<said>.*?)(?=^```$)"
                   r"|^<!-- model: (?P<file>\S+)(?: of (?P<folder>\S+))? -->\n```(?P<kind>modelica|toml)\n(?P<text>.*?)^```$",
                   re.M | re.S)
SECONDS = re.compile(r"(events, )[0-9.e-]+( s)$", re.M)  # differ from run to run
RATE = re.compile(r", [0-9.e+]+ per second", re.M)  # and is not told of what is short


def carried_out(block: str, files: dict[str, str]) -> str:
    """The block as the program would have it."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text)
        said = ""
        for line in block.splitlines():
            if not line.startswith("$ "):
                continue
            command = line[2:].replace("saltus", f"'{PROGRAM}'", 1)
            done = subprocess.run(["bash", "-c", command], cwd=folder, text=True, timeout=60,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            said += line + "\n" + done.stdout
    return "\n".join(l.rstrip() for l in RATE.sub("", SECONDS.sub(r"\1…\2", said)).splitlines()) + "\n"


def main() -> int:
    fix = "--fix" in sys.argv
    wrong = n = 0
    for document in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        files: dict[str, str] = {}

        def replace(match: re.Match) -> str:
            nonlocal wrong, n
            if match["file"]:
                text = match["text"]
                if match["folder"]:
                    text = (ROOT / match["folder"] / match["file"]).read_text()
                    if text != match["text"]:
                        wrong += 1
                        print(f"{document.relative_to(ROOT)}: {match['file']} differs from that of {match['folder']}")
                files[match["file"]] = text
                head = match[0].partition("\n")[0]
                return f"{head}\n```{match['kind']}\n{text}```"
            said = carried_out(match["said"], files)
            n += sum(line.startswith("$ ") for line in said.splitlines())
            if said != match["said"]:
                wrong += 1
                print(f"{document.relative_to(ROOT)}: the program prints\n{said}")
            return said

        before = document.read_text()
        after = BLOCK.sub(replace, before)
        if fix and after != before:
            document.write_text(after)
    print(f"{n} commands")
    return 1 if (wrong and not fix) or n == 0 else 0


sys.exit(main())
