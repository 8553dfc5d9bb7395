#!/usr/bin/python3
"""Writes docs/reference/options.md from the lists that the library checks options by.

    PYTHONPATH=build/release/python tools/write_options.py [--check] [root]

With --check nothing is written: the status is 1 if the page differs.
"""

import argparse
import sys
from pathlib import Path

import saltus._core as core

TITLES = {"": "The run", "events": "Events", "output": "Output", "limits": "Limits"}
HEAD = """# Options

Every option of a run has one name, one default and one check, the same in every way in:

- Python: `sl.simulate(m, 10.0, rtol=1e-8, events={"surface": "cross"})`
- command line: `saltus run model.mo --rtol 1e-8 --events.surface cross`
- option file: `rtol = 1e-8` and `events.surface = "cross"`
- C++: `RunOptions options; options.rtol = 1e-8; options.events.surface = SurfacePolicy::cross;`

A wrong name is refused with the nearest one, a wrong value with its bound.
[`tools/write_options.py`](../../tools/write_options.py) writes this page.
"""


def rows(options: list[tuple[str, str, str, str, str, str]]) -> str:
    def cell(text: str) -> str:
        return text.replace("|", "\\|")

    lines = ["| Option | Default | Values | Meaning |", "|---|---|---|---|"]
    for name, kind, default, unit, bounds, meaning in options:
        # A bound may already name the unit, and every real number is finite unless the bound says otherwise.
        values = bounds.removeprefix("one of ") if kind == "choice" else f"{kind} {bounds}".strip()
        values = values.removesuffix(" and finite").removesuffix(" finite").removesuffix(" and not nan")
        shown = f"`{default}`" + (f" {unit}" if unit else "") if default else ""
        lines.append(f"| `{name}` | {shown} | {cell(values)} | {cell(meaning)} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    groups: dict[str, list[tuple[str, str, str, str, str, str]]] = {group: [] for group in TITLES}
    for option in core.run_options():
        groups[option[0].rpartition(".")[0]].append(option)
    text = HEAD
    for group, title in TITLES.items():
        text += f"\n## {title}\n\n{rows(groups[group])}"
    text += "\n## Analysis\n\nThese are the options of `analyze` and `saltus check`; see [analysis](analysis.md).\n\n" + rows(core.analyze_options())
    text += "\n## Fits\n\nThese are the options of `fit`; see [sensitivities](sensitivities.md).\n\n" + rows(core.fit_options())
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    file = arguments.root / "docs/reference/options.md"
    text = page()
    if not arguments.check:
        file.write_text(text, encoding="utf-8")
    elif not file.is_file() or file.read_text(encoding="utf-8") != text:
        print("docs/reference/options.md differs from the options of the library; run tools/write_options.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
