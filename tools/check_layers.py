#!/usr/bin/python3
"""Refuses an include that layers.toml does not list.

Checked are include/saltus, src and the folders of programs. Tests may look at everything.
Usage: check_layers.py [ROOT]; prints one line per violation, exits 1 if there is any.
"""

import ast
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cpp_source  # noqa: E402

STANDARD = set(
    """algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts
    condition_variable coroutine deque exception execution expected filesystem format
    forward_list fstream functional future generator initializer_list iomanip ios iosfwd iostream
    istream iterator latch limits list locale map memory memory_resource mutex new numbers numeric
    optional ostream print queue random ranges ratio regex scoped_allocator semaphore set
    shared_mutex source_location span spanstream sstream stack stacktrace stdexcept stop_token
    streambuf string string_view strstream syncstream system_error thread tuple type_traits
    typeindex typeinfo unordered_map unordered_set utility valarray variant vector version
    cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg
    cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype""".split()
)


def find_cycle(graph: dict[str, list[str]]) -> list[str] | None:
    """A path that returns to its start, or None."""
    state: dict[str, int] = {}
    path: list[str] = []

    def visit(part: str) -> list[str] | None:
        state[part] = 1
        path.append(part)
        for other in graph.get(part, []):
            if state.get(other) == 1:
                return path[path.index(other) :] + [other]
            if other not in state and (cycle := visit(other)):
                return cycle
        state[part] = 2
        path.pop()
        return None

    for part in graph:
        if part not in state and (cycle := visit(part)):
            return cycle
    return None


class Checker:
    def __init__(self, root: Path):
        self.root = root
        with open(root / "layers.toml", "rb") as file:
            table = tomllib.load(file)
        self.parts = {name: entry.get("includes", []) for name, entry in table["parts"].items()}
        self.programs = table.get("programs", {}).get("folders", [])
        self.inside = table.get("inside", {})
        self.foreign = table.get("foreign", {})
        self.problems: list[str] = []

    def run(self) -> list[str]:
        self.check_table()
        public = self.root / "include" / "saltus"
        for file in cpp_source.files(public):
            self.check_public(file, self.part_of_public(file.relative_to(public)))
        source = self.root / "src"
        for file in cpp_source.files(source):
            self.check_private(file, file.relative_to(source).parts[0])
        for folder in self.programs:
            for file in cpp_source.files(self.root / folder):
                self.check_program(file, self.root / folder)
        self.check_python(self.root / "python" / "saltus")
        return self.problems

    def check_table(self) -> None:
        for part, others in self.parts.items():
            for other in others:
                if other not in self.parts:
                    self.problems.append(f"layers.toml: {part} lists the unknown part {other}")
        if cycle := find_cycle(self.parts):
            self.problems.append("layers.toml: cycle " + " -> ".join(cycle))

    def refuse(self, file: Path, line: int, text: str) -> None:
        self.problems.append(f"{file.relative_to(self.root)}:{line}: {text}")

    @staticmethod
    def part_of_public(relative: Path) -> str:
        """Of a path below include/saltus: its folder, or the facade's own name."""
        return relative.parts[0] if len(relative.parts) > 1 else relative.stem

    def check_edge(self, file: Path, line: int, part: str, name: str) -> None:
        target = self.part_of_public(Path(name).relative_to("saltus"))
        if target == "saltus":
            self.refuse(file, line, "the umbrella header is for users, not for the library")
        elif target not in self.parts:
            self.refuse(file, line, f"<{name}> belongs to no part of layers.toml")
        elif target != part and target not in self.parts[part]:
            self.refuse(file, line, f"unlisted edge {part} -> {target} (<{name}>)")

    def check_foreign(self, file: Path, line: int, name: str) -> None:
        entries = [
            entry
            for entry in self.foreign.values()
            if any(fnmatch(name, pattern) for pattern in entry["headers"])
        ]
        homes = [home for entry in entries for home in entry["home"]]
        doors = [entry["door"] for entry in entries if "door" in entry]
        if not homes:
            self.refuse(file, line, f"foreign header <{name}> is not listed")
        elif not any(file.is_relative_to(self.root / home) for home in homes):
            self.refuse(file, line, f"foreign header <{name}> outside its home {', '.join(homes)}")
        elif doors and file.relative_to(self.root).as_posix() not in doors:
            self.refuse(file, line, f"foreign header <{name}> is included through {doors[0]} only")

    def is_door_for(self, file: Path, target: Path) -> bool:
        """Whether target is the door of a foreign library and file lies in one of its homes."""
        return any(
            "door" in entry
            and target == (self.root / entry["door"]).resolve()
            and any(file.is_relative_to(self.root / home) for home in entry["home"])
            for entry in self.foreign.values()
        )

    def resolve_private(self, file: Path, kind: str, name: str) -> Path | None:
        """The file below src that an include reaches, as the compiler searches for it."""
        start = [file.parent] if kind == '"' else []
        for folder in [*start, self.root / "src"]:
            candidate = (folder / name).resolve()
            if candidate.is_file() and candidate.is_relative_to((self.root / "src").resolve()):
                return candidate
        return None

    def floor_of(self, file: Path, part: str) -> int | None:
        """Of a file of a part whose folders have an order; files beside the folders stand below them, or above all."""
        relative = file.relative_to((self.root / "src").resolve() / part)
        order = self.inside[part]["order"]
        if len(relative.parts) == 1:
            is_above = any(fnmatch(relative.name, pattern) for pattern in self.inside[part]["above"])
            return len(order) + 1 if is_above else 0
        return order.index(relative.parts[0]) + 1 if relative.parts[0] in order else None

    def check_inside(self, file: Path, line: int, part: str, target: Path) -> None:
        own, other = self.floor_of(file.resolve(), part), self.floor_of(target, part)
        if own is None:
            self.refuse(file, 1, f"its folder is not in the order of [inside.{part}]")
        elif other is not None and other > own:
            self.refuse(file, line, f"{target.name} stands above it in [inside.{part}]")

    def known_part(self, file: Path, part: str) -> bool:
        if part not in self.parts:
            self.refuse(file, 1, f"folder {part} is no part of layers.toml")
        return part in self.parts

    def check_public(self, file: Path, part: str) -> None:
        is_umbrella = file == self.root / "include" / "saltus" / "saltus.hpp"
        if not is_umbrella and not self.known_part(file, part):
            return
        for line, kind, name in cpp_source.includes(file.read_text()):
            if kind != "computed" and name.startswith("saltus/"):
                if is_umbrella:
                    if len(Path(name).parts) != 2:
                        self.refuse(file, line, f"the umbrella lists facades only, not <{name}>")
                else:
                    self.check_edge(file, line, part, name)
            elif kind != "computed" and self.resolve_private(file, kind, name):
                self.refuse(file, line, f"public header includes the private header {name}")
            elif kind != "<" or name not in STANDARD:
                self.refuse(file, line, f"public header includes {name}: only the standard library "
                                        "and <saltus/...> are allowed")

    def check_private(self, file: Path, part: str) -> None:
        if not self.known_part(file, part):
            return
        for line, kind, name in cpp_source.includes(file.read_text()):
            if kind == "computed":
                self.refuse(file, line, f"computed include {name} cannot be checked")
            elif name.startswith("saltus/"):
                self.check_edge(file, line, part, name)
            elif kind == "<" and name in STANDARD:
                pass
            elif target := self.resolve_private(file, kind, name):
                owner = target.relative_to((self.root / "src").resolve()).parts[0]
                if owner != part and not self.is_door_for(file, target):
                    self.refuse(file, line, f"private header {name} of part {owner}")
                elif owner == part and part in self.inside:
                    self.check_inside(file, line, part, target)
            elif kind == '"':
                self.refuse(file, line, f'"{name}" is no private header of part {part}')
            else:
                self.check_foreign(file, line, name)

    def check_program(self, file: Path, folder: Path) -> None:
        for line, kind, name in cpp_source.includes(file.read_text()):
            if kind == "computed":
                self.refuse(file, line, f"computed include {name} cannot be checked")
            elif name.startswith("saltus/") or (kind == "<" and name in STANDARD):
                pass
            elif own := [b / name for b in (file.parent, folder) if (b / name).is_file()]:
                # A program may have headers of its own, but not reach out of its folder.
                if not own[0].resolve().is_relative_to(folder.resolve()):
                    self.refuse(file, line, f'"{name}" lies outside {folder.name}')
            else:
                self.check_foreign(file, line, name)


    def check_python(self, package: Path) -> None:
        """Modules of the package import each other without a circle, in functions too. Names for types do not count."""
        modules = {file.stem: python_imports(file) for file in sorted(package.glob("*.py"))}
        edges = {name: sorted(others & modules.keys()) for name, others in modules.items()}
        if cycle := find_cycle(edges):
            self.refuse(package / f"{cycle[0]}.py", 1, "modules in a circle: " + " -> ".join(cycle))


def python_imports(file: Path) -> set[str]:
    """Modules of its own package that a module imports when it is loaded or used."""
    found: set[str] = set()

    def walk(node: ast.AST) -> None:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            found.update([node.module.split(".")[0]] if node.module else [name.name for name in node.names])
        for child in ast.iter_child_nodes(node):
            walk(child)

    walk(ast.parse(file.read_text()))
    return found


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    problems = Checker(root).run()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
