#!/usr/bin/python3
"""driver.py COMPILER INCLUDE FILE: the file must not compile, for the reason it states.

Its first line is `// expect: <regex>`, which the compiler's messages must match. With
-DSALTUS_COMPILE_OK the same file must compile: it proves that the mistake shown is the only one.
"""

import re
import subprocess
import sys
from pathlib import Path


def compile_file(compiler: str, include: str, file: str, *flags: str) -> tuple[bool, str]:
    result = subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", f"-I{include}", *flags, file],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env={"LC_ALL": "C", "PATH": "/usr/local/bin:/usr/bin:/bin"},
    )
    return result.returncode == 0, result.stdout


def check(compiler: str, include: str, file: str) -> str | None:
    """What is wrong with the case, or None."""
    first_line = Path(file).read_text().split("\n", 1)[0]
    match = re.fullmatch(r"// expect: (.+)", first_line)
    if not match:
        return "the first line is not '// expect: <regex>'"
    good, output = compile_file(compiler, include, file, "-DSALTUS_COMPILE_OK")
    if not good:
        return f"the twin does not compile:\n{output}"
    good, output = compile_file(compiler, include, file)
    if good:
        return "it compiles"
    if not re.search(match.group(1), output):
        return f"no message matches '{match.group(1)}':\n{output}"
    return None


if __name__ == "__main__":
    problem = check(*sys.argv[1:4])
    if problem:
        print(f"{sys.argv[3]}: {problem}")
    sys.exit(1 if problem else 0)
