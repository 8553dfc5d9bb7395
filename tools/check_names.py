#!/usr/bin/python3
"""Refuses two types of the same name in the same namespace.

C++ leaves undefined what happens then: the linker keeps one set of the members the compiler wrote
for both, and which one depends on optimisation. Types of one source belong into its unnamed namespace.
Usage: check_names.py [ROOT]; prints one line per violation, exits 1 if there is any.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cpp_source  # noqa: E402

# The library and its tests are linked together; programs bring their own names.
FOLDERS = ("include", "src", "tests")

# Their parameters (template <class T>) are no definitions.
_TEMPLATE = re.compile(r"\btemplate\s*<[^<>]*(?:<[^<>]*>[^<>]*)*>")

# What opens a brace, as far as it has a name. A specialisation and a member type that is defined
# outside its class (struct Run::Step {) bring no new name.
_BRACE = re.compile(
    r"""\bnamespace (?P<namespace>\s+[\w:]+)? \s*\{
      | \b(?:struct|class|union|enum(?:\s+class)?) \s+ (?P<type>\w+)\b (?!\s*(?:::|<)) [^;{}()]* \{
      | \{ | \}""",
    re.X,
)


def types_of(text: str) -> list[tuple[int, str]]:
    """(line, qualified name) of every type that other files can see."""
    code = cpp_source.code_only(text)
    code = _TEMPLATE.sub(lambda match: "\n" * match.group(0).count("\n"), code)
    found = []
    scopes = []  # the name of a namespace, "" of an unnamed one, None for everything else
    for match in _BRACE.finditer(code):
        if match.group(0) == "}":
            if scopes:
                scopes.pop()
        elif match.group("type"):
            if all(scopes):
                line = code.count("\n", 0, match.start("type")) + 1
                found.append((line, "::".join([*scopes, match.group("type")])))
            scopes.append(None)
        elif match.group(0).startswith("namespace"):
            scopes.append((match.group("namespace") or "").strip())
        else:
            scopes.append(None)
    return found


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    places = defaultdict(list)
    for folder in FOLDERS:
        for file in cpp_source.files(root / folder):
            for line, name in types_of(file.read_text()):
                places[name].append(f"{file.relative_to(root)}:{line}")
    twice = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(twice.items()):
        print(f"{where[1]}: {name} is also defined in {where[0]}")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
