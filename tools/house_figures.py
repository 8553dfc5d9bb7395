#!/usr/bin/python3
"""How large classes and functions are, and how much of a part its tests mirror.

  tools/house_figures.py                    classes above 25 methods or 15 data members, functions above 80 lines
  tools/house_figures.py --check            refuses those that tools/house_figures.json does not list, and entries of that list
                                            that are no longer needed or could be smaller
  tools/house_figures.py --write            writes that list anew
  tools/house_figures.py --tests PART       lines of tests per line of source, and sources without a mirror test

Of the library only (src and include). A type without a function of its own but constructors is a record: it may have any
number of members. A function is measured from its first line to its closing brace.
"""

import argparse
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cpp_source  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
LIST = Path(__file__).with_suffix(".json")
MOST_METHODS, MOST_MEMBERS, MOST_LINES = 25, 15, 80

_TYPE = re.compile(r"\b(class|struct|union|enum(?:\s+class)?)\s+(?:\[\[\w+\]\]\s*)?([\w:]+)[^()=;]*$")
_SKIP = re.compile(r"^(?:using|friend|typedef|static_assert|enum|template\s*<[^;]*>\s*(?:class|struct|friend)\b)")
_LABEL = re.compile(r"\b(?:public|protected|private)\s*:(?!:)")


@dataclass
class Type:
    name: str
    file: str
    methods: set = field(default_factory=set)
    members: list = field(default_factory=list)

    def is_record(self) -> bool:
        return not self.methods

    def is_large(self) -> bool:
        return not self.is_record() and (len(self.methods) > MOST_METHODS or len(self.members) > MOST_MEMBERS)


@dataclass
class Function:
    name: str
    file: str
    lines: int


def without_templates(text: str) -> str:
    """Without what stands between angle brackets, as far as these are no comparisons."""
    before = None
    while before != text:
        before = text
        text = re.sub(r"(?<=\w)<[^<>;{}]*>", "", text)
    return text


def read_member(statement: str, type_: Type) -> None:
    """One statement at the level of a class, without the body of a function."""
    statement = re.sub(r"\s+", " ", _LABEL.sub(" ", statement)).strip()
    statement = re.sub(r"\[\[[^\]]*\]\]", "", statement).strip()
    if not statement or _SKIP.match(statement):
        return
    plain = without_templates(re.sub(r"^template ?<.*?> ?(?=\w)", "", statement))
    head = re.split(r"(?<![=!<>])=(?!=)", plain)[0]
    called = re.search(r"(~?[\w]+|operator\s*[^\s\w]{1,3}|operator\s*\(\)|operator \w+[&*]?)\s*\(", head)
    if called:
        name = called.group(1)
        if name.lstrip("~") != type_.name and "= delete" not in plain and "= default" not in plain:
            type_.methods.add(re.sub(r"\s", "", head))
        return
    if "static" in statement or "constexpr" in statement:
        return
    plain = re.sub(r"\{[^{}]*\}|\[[^\[\]]*\]", "", plain)
    words = [re.findall(r"\w+", piece.split("=")[0]) for piece in plain.split(",")]
    type_.members += [found[-1] for found in words if found]


def read(file: Path) -> tuple[list[Type], list[Function]]:
    text = re.sub(r"(?m)^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", "", cpp_source.code_only(file.read_text()))
    where = str(file.relative_to(ROOT))
    types, functions = [], []
    scopes: list[tuple[str, object, int]] = []  # kind, type or name, line of its beginning
    start, i = 0, 0

    def at_class() -> Type | None:
        return scopes[-1][1] if scopes and scopes[-1][0] == "type" else None

    depth = 0  # of braces that are neither a namespace nor a type
    round_ = 0
    body = None
    while i < len(text):
        c = text[i]
        if c in "([":
            round_ += 1
        elif c in ")]":
            round_ -= 1
        elif c == "{" and (depth or round_):
            depth += 1
        elif c == "{":
            head = text[start:i]
            named = _TYPE.search(without_templates(re.sub(r"template\s*<[^{}]*>\s*(?=class|struct)", "", head)))
            if re.search(r"\bnamespace\b[^;()]*$", head):
                scopes.append(("namespace", None, 0))
                start = i + 1
            elif named and "(" not in named.group(0) and not named.group(1).startswith("enum"):
                type_ = Type(named.group(2).split("::")[-1], where)
                types.append(type_)
                scopes.append(("type", type_, 0))
                start = i + 1
            else:
                depth = 1
                body = (head, start, i)
        elif c == "}" and depth:
            depth -= 1
            if depth == 0 and body is not None:
                head, begin, _ = body
                body = None
                rest = text[i + 1:i + 40].lstrip()
                is_function = "(" in without_templates(re.split(r"(?<![=!<>])=(?!=)", head)[0]) and not rest.startswith((",", ";"))
                if rest.startswith((",", ";")) or (at_class() is None and not is_function):
                    pass  # an initialiser: the statement goes on
                elif ":" in head and rest.startswith((",", "{")):
                    pass  # a member that a constructor initialises with braces
                else:
                    if is_function:
                        first = begin + len(text[begin:]) - len(text[begin:].lstrip())
                        name = re.search(r"([\w:~]+)\s*\(", without_templates(_LABEL.sub(" ", head)))
                        functions.append(Function(name.group(1) if name else "?", where,
                                                  text.count("\n", first, i) + 1))
                    if at_class() is not None:
                        read_member(head, at_class())
                    start = i + 1
        elif c == "}":
            if scopes:
                scopes.pop()
            start = i + 1
        elif c == ";" and not depth and not round_:
            if at_class() is not None:
                read_member(text[start:i], at_class())
            start = i + 1
        i += 1
    return types, functions


def measure() -> tuple[list[Type], list[Function]]:
    types, functions = [], []
    for folder in ("include", "src"):
        for file in cpp_source.files(ROOT / folder):
            some_types, some_functions = read(file)
            types += some_types
            functions += some_functions
    return types, functions


def found() -> dict[str, dict[str, list[int]]]:
    types, functions = measure()
    large = {f"{t.file} {t.name}": [len(t.methods), len(t.members)] for t in types if t.is_large()}
    long = {f"{f.file} {f.name}": [f.lines] for f in functions if f.lines > MOST_LINES}
    return {"classes": dict(sorted(large.items())), "functions": dict(sorted(long.items()))}


def compare(now: dict, listed: dict) -> list[str]:
    said = []
    for kind in ("classes", "functions"):
        for name in sorted(now[kind].keys() | listed[kind].keys()):
            here, allowed = now[kind].get(name), listed[kind].get(name)
            if allowed is None:
                said.append(f"{name}: {here} is above the bound, and not listed")
            elif here is None:
                said.append(f"{name}: listed, but no longer above the bound; leave it out of {LIST.name}")
            elif here != allowed:
                grown = any(a > b for a, b in zip(here, allowed))
                said.append(f"{name}: {here}, listed as {allowed}" + ("" if grown else f"; write {here}"))
    return said


def tests_of(part: str) -> tuple[int, int, list[str]]:
    """Lines of source, lines of tests, and sources whose test does not mirror their path."""
    sources = cpp_source.files(ROOT / "src" / part)
    tests = cpp_source.files(ROOT / "tests/unit" / part)
    count = lambda files: sum(len(f.read_text().splitlines()) for f in files)  # noqa: E731
    mirrored = {t.stem.removesuffix("_test") for t in tests}
    return count(sources), count(tests), [str(s.relative_to(ROOT)) for s in sources
                                          if s.suffix == ".cpp" and s.stem not in mirrored]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--tests", metavar="PART")
    args = parser.parse_args()
    if args.tests:
        n_source, n_test, missing = tests_of(args.tests)
        print(f"{n_source} lines of source, {n_test} of tests: {n_test / n_source:.2f}")
        print("\n".join(missing))
        return 0
    now = found()
    if args.write:
        LIST.write_text(json.dumps(now, indent=2) + "\n")
        return 0
    if not args.check:
        for kind, some in now.items():
            print(kind)
            for name, numbers in some.items():
                print("  ", name, *numbers)
        return 0
    said = compare(now, json.loads(LIST.read_text()))
    print("\n".join(said))
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
