"""What the checkers need to know about C++ text: files, comments, includes."""

import re
from pathlib import Path

SUFFIXES = {".hpp", ".cpp", ".h", ".cc", ".ipp"}

# A line's `include` as written; a computed include has no delimiter and is reported as such.
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:(<)([^>\n]+)>|(")([^"\n]+)"|(\w+))', re.M)

# Comments, raw strings, strings and characters, in the order in which they must be tried. The
# quote of a digit separator (1'000) opens no character literal.
_TOKEN = re.compile(
    r"""//(?:\\\n|[^\n])*
      | /\*.*?\*/
      | (?:u8|u|U|L)?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'
    """,
    re.X | re.S,
)


def files(folder: Path) -> list[Path]:
    """All C++ files below a folder, sorted so that reports do not depend on the disk."""
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file())


def _blank(match: re.Match) -> str:
    return "\n" * match.group(0).count("\n") or " "


def code_only(text: str) -> str:
    """The text without comments and literals; line numbers stay."""
    return _TOKEN.sub(_blank, text)


def masked(text: str) -> str:
    """The text with blanks where comments and literals are: every character stays in its place."""
    return _TOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def without_comments(text: str) -> str:
    """The text with its literals; line numbers stay."""
    return _TOKEN.sub(lambda m: _blank(m) if m.group(0)[:2] in ("//", "/*") else m.group(0), text)


def includes(text: str) -> list[tuple[int, str, str]]:
    """(line, kind, name) of every include; kind is '<', '"' or 'computed'."""
    # A quoted include looks like a string, so only comments may go.
    text = without_comments(text)
    found = []
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        angle, angle_name, quote, quote_name, macro = match.groups()
        if angle:
            found.append((line, "<", angle_name))
        elif quote:
            found.append((line, '"', quote_name))
        else:
            found.append((line, "computed", macro))
    return found


_MARKS = re.compile(r"^[ \t]*(?:///?[!<]*|/\*[*!]?|\*(?!/))[ ]?|[ \t]*\*/$", re.M)
_ESCAPE = re.compile(r"\\(.)", re.S)
_ESCAPED = {"n": "\n", "t": "\t"}


def comments(text: str) -> list[tuple[int, str]]:
    """(line, text) of every comment without its marks; line comments that continue each other are one."""
    found: list[tuple[int, str]] = []
    last = (-1, 0)  # line and column of the latest line comment
    for match in _TOKEN.finditer(text):
        token = match.group(0)
        if token[:2] not in ("//", "/*"):
            continue
        line = text.count("\n", 0, match.start()) + 1
        begin = text.rfind("\n", 0, match.start()) + 1
        words = _MARKS.sub("", token)
        place = (line, match.start() - begin)
        if last == (line - 1, place[1]) and token[:2] == "//" and not text[begin:match.start()].strip():
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{words}")
        else:
            found.append((line, words))
        last = place if token[:2] == "//" else (-1, 0)
    return found


def content(token: str) -> str:
    """Returns the text that a string of the source stands for."""
    raw = re.fullmatch(r'(?:u8|u|U|L)?R"([^(]*)\((.*)\)\1"', token, re.S)
    return raw[2] if raw else _ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[1]), token[1:-1])


def literals(text: str) -> list[tuple[int, str]]:
    """(line, text) of every string; adjacent strings are one, names of includes are left out."""
    found: list[tuple[int, str]] = []
    end = -1  # of the latest string and what follows it of blanks and comments
    for match in _TOKEN.finditer(text):
        token = match.group(0)
        adjacent = found and not text[end:match.start()].strip() if end >= 0 else False
        if token[:2] in ("//", "/*"):
            end = match.end() if adjacent else -1
        elif token[0] == "'" or INCLUDE.match(text, text.rfind("\n", 0, match.start()) + 1):
            end = -1
        else:
            if adjacent:
                found[-1] = (found[-1][0], found[-1][1] + content(token))
            else:
                found.append((text.count("\n", 0, match.start()) + 1, content(token)))
            end = match.end()
    return found
