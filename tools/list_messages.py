#!/usr/bin/python3
"""Lists the messages of the library, the program and the Python package.

    tools/list_messages.py [root]                        prints them, with file and line
    tools/list_messages.py [root] --markdown FILE        writes them as a page
    tools/list_messages.py [root] --unlisted FILE [--tests FOLDER]
                                                         prints the recorded messages that have no entry; status 1 if there are any

A message is a text that the sources put together, with … for each part that is known at run time only. Texts of two words count if
they are thrown or refuse something. A recorded message has an entry if the words of an entry occur in it, in their order; an entry
without three words in a row must be the end of a line. The file of --unlisted holds one message per line, with \\n for a new line
and \\\\ for a backslash (tests/messages writes it). --tests names a folder of tests: messages that tests throw themselves need no entry.
"""

import argparse
import ast
import re
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cpp_messages  # noqa: E402
import cpp_source  # noqa: E402
from cpp_messages import RUN_TIME  # noqa: E402

# In the order of the page; folders that are not named here follow.
PARTS = {
    "core": "Options and errors", "expr": "Expressions", "model": "Models", "modelica": "Modelica texts",
    "structure": "Structure of the equations", "system": "Systems of your own", "reduce": "Index and reduction",
    "lower": "Compiled models", "initialize": "Starts and restarts", "integrate": "Integration", "events": "Event location", "slide": "Sliding motion", "contact": "Contacts and friction",
    "hybrid": "Runs", "trajectory": "Solutions, events and reports", "sensitivity": "Sensitivities", "simulate": "Simulation and checks",
    "fit": "Parameter estimation", "ensemble": "Sweeps", "io": "Result files", "numerics": "Numerics", "apps": "Command line",
    "python": "Python package",
}
INTRODUCTION = f"""# Messages

Each message of the library, the command line program and the Python package stands here with the source file that writes it, so a search \
for a few of its words leads to this page. The sign {RUN_TIME} stands for a name, a number or another part that Saltus puts in; \
a message can consist of several entries, one after the other.
"""
# Texts for these functions describe options, flags and files, and stand on the pages about those.
NO_MESSAGES = {"help", "add_option", "add_flag", "add_subcommand", "type_name", "footer", "program", "group", "field", "member", "page_put",
               "put_optional", "read_modelica", "def"}
REFUSALS = re.compile(r"Error$|^(refuse|Problem|Failure|Unsupported|fail|warn)")
LITTLE = ".{0,80}?"
BEGIN = rf"^(?:.*: )?{LITTLE}"  # place, file or subject before a reason
# Pages, scripts and manuals that the program writes, attributes of them, and names.
_CODE = re.compile(r"</?[a-z]+[ >]|<!|\w=\"|^start guess |^[{\[]\"|\.TH |\.SH |\$\{|&&|^\.\w+|^autoload|\bReal x;")
_FORMAT = re.compile(r"\{(?::[^{}]*)?\}")
_WORD = re.compile(r"(?<!\S)[^\s\w]*[A-Za-z][\w'-]*(?:[./:][\w/.:-]*)?[^\s\w]*(?!\S)")


@dataclass(frozen=True)
class Message:
    part: str
    file: str
    line: int
    text: str

    @property
    def pieces(self) -> list[str]:
        return [piece for piece in self.text.split(RUN_TIME) if piece]


def n_words(text: str) -> int:
    return len(_WORD.findall(text.replace(RUN_TIME, " ").replace("''", " ")))


def part_of(file: Path) -> str:
    if file.parts[0] == "src":
        return file.parts[1]
    return file.parts[2] if file.parts[:2] == ("include", "saltus") and len(file.parts) > 3 else file.parts[0]


def cpp_messages_of(code: str) -> list[tuple[int, str]]:
    """Returns (line, text) of each message that C++ code can write."""
    found = []
    for one in cpp_messages.texts(code):
        text = _FORMAT.sub(RUN_TIME, one.text)
        enough = 2 if one.thrown or REFUSALS.search(one.call) else 3
        if not (one.is_raw or one.call in NO_MESSAGES or _CODE.search(text)) and n_words(text) >= enough:
            found.append((one.line, text))
    return found


def python_text(node: ast.expr) -> str | None:
    """Returns the text that an expression makes; None if it has no literal."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else RUN_TIME for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = python_text(node.left), python_text(node.right)
        return None if sides == (None, None) else "".join(RUN_TIME if side is None else side for side in sides)
    return None


def documentation(tree: ast.AST) -> set[int]:
    """Returns the identities of the expressions that stand alone: strings of documentation."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def python_messages_of(code: str) -> list[tuple[int, str]]:
    """Returns (line, text) of each message that Python code can write."""
    tree = ast.parse(code)
    found, seen = [], documentation(tree)
    raised = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.Raise) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        text = python_text(node) if isinstance(node, ast.expr) and id(node) not in seen else None
        if text is None:
            continue
        text = re.sub(f"{RUN_TIME}+", RUN_TIME, text)
        seen |= {id(inner) for inner in ast.walk(node)} - {id(node)} if isinstance(node, (ast.BinOp, ast.JoinedStr)) else set()
        if not _CODE.search(text) and n_words(text) >= (2 if id(node) in raised else 3):
            found.append((node.lineno, text))
    return sorted(found)


def sources(root: Path) -> list[Path]:
    found = [file for folder in ("include", "src", "apps", "python/src") for file in cpp_source.files(root / folder)]
    return found + sorted((root / "python/saltus").rglob("*.py"))


def messages(root: Path) -> list[Message]:
    """Returns all messages, grouped by part and file."""
    found = []
    for path in sources(root):
        file = path.relative_to(root)
        read = python_messages_of if path.suffix == ".py" else cpp_messages_of
        found += [Message(part_of(file), file.as_posix(), *one) for one in read(path.read_text(encoding="utf-8"))]
    order = {part: place for place, part in enumerate(PARTS)}
    return sorted(found, key=lambda m: (order.get(m.part, len(order)), m.part, m.file, m.line))


def code_span(text: str) -> str:
    text = " ".join(text.split())
    marks = "``" if "`" in text else "`"
    return f"{marks} {text} {marks}" if "`" in text else f"{marks}{text}{marks}"


def page(found: list[Message]) -> str:
    lines = [INTRODUCTION]
    for part, of_part in groupby(found, key=lambda m: m.part):
        lines.append(f"## {PARTS.get(part, part)}\n")
        for file, of_file in groupby(of_part, key=lambda m: m.file):
            texts = dict.fromkeys(code_span(message.text) for message in of_file)
            lines += [f"In {file}:\n", *(f"- {text}" for text in texts), ""]
    return "\n".join(lines)


def occurs(pieces: list[str], message: str) -> bool:
    """Returns whether the pieces occur in the message, one after the other."""
    place = 0
    for piece in pieces:
        place = message.find(piece, place)
        if place < 0:
            return False
        place += len(piece)
    return True


def explains(entry: Message, message: str) -> bool:
    """Returns whether an entry is in the message: three of its words in a row, or the end of a line with little between its words."""
    pieces = [piece.strip("\n") for piece in entry.pieces]
    if not occurs(pieces, message):
        return False
    if any(n_words(piece) >= 3 for piece in pieces):
        return True
    words = LITTLE.join(re.escape(piece) for piece in pieces)
    end = LITTLE if entry.text.endswith(RUN_TIME) else r"\s*"
    return bool(re.search(f"{BEGIN}{words}{end}$", message, re.M))


def unescaped(line: str) -> str:
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], line)


def thrown_by_tests(folder: Path) -> set[str]:
    """Returns the literals that tests throw as they stand."""
    texts = [one for file in cpp_source.files(folder) for one in cpp_messages.texts(file.read_text(encoding="utf-8"))]
    return {one.text for one in texts if one.thrown or one.call == "fail"}


def unlisted(found: list[Message], recorded: list[str], by_tests: set[str]) -> list[str]:
    """Returns the recorded messages that no entry explains."""
    return [m for m in recorded if m not in by_tests and not any(explains(entry, m) for entry in found)]


def check_recorded(found: list[Message], file: Path, tests: Path | None) -> int:
    lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
    recorded = [unescaped(line) for line in dict.fromkeys(lines) if line]
    missing = unlisted(found, recorded, thrown_by_tests(tests) if tests else set())
    for message in missing:
        print(f"no entry: {message}")
    print(f"{len(found)} messages, {len(recorded)} recorded, {len(missing)} without an entry")
    if not recorded:
        print("nothing was recorded, so nothing was checked")
    return 1 if missing or not recorded else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    parser.add_argument("--unlisted", type=Path, metavar="FILE")
    parser.add_argument("--tests", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    found = messages(given.root.resolve())
    if given.unlisted:
        return check_recorded(found, given.unlisted, given.tests)
    if given.markdown:
        given.markdown.write_text(page(found), encoding="utf-8")
        print(f"{len(found)} messages")
        return 0
    for message in found:
        print(f"{message.file}:{message.line}: {' '.join(message.text.split())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
