#!/usr/bin/python3
"""Refuses C++ files that clang-format would change; --fix lets it change them.

Usage: check_format.py [--fix] [ROOT].
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cpp_source  # noqa: E402

FOLDERS = ("include", "src", "tests", "apps", "python", "examples", "benchmarks")


def source_files(root: Path) -> list[str]:
    # Not from `git ls-files`: an unpacked archive has to be checked like a clone. The folders
    # listed hold nothing that is generated.
    return [str(f.relative_to(root)) for name in FOLDERS for f in cpp_source.files(root / name)]


def main() -> int:
    arguments = [a for a in sys.argv[1:] if a != "--fix"]
    fix = len(arguments) < len(sys.argv) - 1
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    # Other major versions lay out some constructs differently; CLANG_FORMAT picks one.
    program = shutil.which(os.environ.get("CLANG_FORMAT", "clang-format"))
    if program is None:
        print("clang-format is not installed")
        return 1
    files = source_files(root)
    if not files:
        return 0
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    return 1 if subprocess.run([program, "--style=file", *mode, *files], cwd=root).returncode else 0


if __name__ == "__main__":
    sys.exit(main())
