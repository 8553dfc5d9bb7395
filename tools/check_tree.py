#!/usr/bin/python3
"""Reports sources that have grown beyond what people enjoy reading. A hint, not a refusal.

Usage: check_tree.py [ROOT]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cpp_source  # noqa: E402

LONG = 600
WANTED_MEDIAN = 200


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    sizes = {}
    for folder in ("include", "src", "tests", "apps", "examples", "benchmarks"):
        for file in cpp_source.files(root / folder):
            sizes[file] = len(file.read_text().splitlines())
    for file, size in sizes.items():
        if size > LONG:
            print(f"warning: {file.relative_to(root)} has {size} lines (ask why above {LONG})")
    if sizes:
        median = sorted(sizes.values())[len(sizes) // 2]
        print(f"{len(sizes)} sources, median {median} lines (wanted: at most {WANTED_MEDIAN})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
