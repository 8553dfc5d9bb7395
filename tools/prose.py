"""Sentences of documents, comments and messages, with the lines on which they begin."""

import ast
import re
from typing import NamedTuple

import cpp_source


class Sentence(NamedTuple):
    line: int
    text: str
    kind: str = "text"  # or heading, cell (of a table), comment, message


# Parts of a page that are not prose; what is inside a line becomes one word.
_BLOCK = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$|<!--.*?-->|^\$\$.*?\$\$|^---\n.*?^---$", re.M | re.S)
_INLINE = re.compile(r"`[^`]+`|(?<![\w$])\$[^$\n]+\$")
_LINK = re.compile(r"!?\[(?P<words>[^\]]*)\]\([^()\s]*\)")

# Where a new block begins without an empty line: list items, headings, tables, quotations.
_STARTS = re.compile(r"[ \t]*(?:[-*+] |\d+\. |#+ |\||> )")
_APART = re.compile(r"[ \t]*(?:#+ |\|)")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+\.|#+|>)[ \t]+")
_CELL = re.compile(r"(?<!\\)\|")

_END = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bcf\.)(?<!\bvs\.)[\"')\]*_]*\s+(?=[^a-z\s])")


def sentences(line: int, text: str, kind: str) -> list[Sentence]:
    """Splits a paragraph that begins on a line; blanks become single."""
    found = []
    begin = 0
    for end in [*(match.end() for match in _END.finditer(text)), len(text)]:
        words = " ".join(text[begin:end].split())
        if words:
            blank = len(text[begin:]) - len(text[begin:].lstrip())
            found.append(Sentence(line + text.count("\n", 0, begin + blank), words, kind))
        begin = end
    return found


def _blank(match: re.Match) -> str:
    return "\n" * match[0].count("\n")


def _paragraphs(text: str) -> list[tuple[int, str]]:
    found: list[tuple[int, list[str]]] = []
    new = True
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            new = True
        elif new or _STARTS.match(line):
            found.append((number, [line]))
            new = bool(_APART.match(line))
        else:
            found[-1][1].append(line)
    return [(number, "\n".join(lines)) for number, lines in found]


def of_page(text: str) -> list[Sentence]:
    """Returns the sentences of a Markdown page without its code blocks; code inside a line becomes `…`."""
    text = _BLOCK.sub(_blank, text)
    text = _INLINE.sub(lambda match: "`…`" + _blank(match), text)
    text = _LINK.sub(lambda match: match["words"], text)
    found = []
    for line, paragraph in _paragraphs(text):
        if paragraph.lstrip().startswith("|"):
            for cell in _CELL.split(paragraph):
                found += sentences(line, cell, "cell")
        else:
            kind = "heading" if paragraph.lstrip().startswith("#") else "text"
            found += sentences(line, _ITEM.sub("", paragraph), kind)
    return found


def _all(passages: list[tuple[int, str]], kind: str) -> list[Sentence]:
    """Splits comments or messages; an empty line ends a paragraph."""
    found = []
    for line, passage in passages:
        passage = _INLINE.sub(lambda match: "`…`" + _blank(match), passage)
        for number, paragraph in _paragraphs(passage):
            found += sentences(line + number - 1, paragraph, kind)
    return found


def of_cpp(text: str, comments: bool) -> list[Sentence]:
    """Returns the sentences of the strings of a C++ file, and those of its comments if asked for."""
    found = _all(cpp_source.literals(text), "message")
    return sorted(found + _all(cpp_source.comments(text), "comment")) if comments else found


def of_python(text: str) -> list[Sentence]:
    """Returns the sentences of the strings of a Python file, docstrings among them."""
    passages = []
    inside = set()  # parts of f-strings, which are read as a whole
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.JoinedStr):
            inside.update(map(id, node.values))
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            passages.append((node.lineno, "".join(parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            passages.append((node.lineno, node.value))
    return _all(sorted(passages), "message")


def words(text: str) -> int:
    """Counts the words of a sentence; signs alone are not words."""
    return len(re.findall(r"\S*[\w…]\S*", text))
