"""Pages of the C++ headers, for the site.

One page per header of the first level (saltus/core.hpp), with the headers it includes in its order. A page shows what the
header says: comments before a declaration as text, the declaration as code. What users cannot name is left out: private
members, namespace detail, bodies of functions.
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cpp_source

_NAMESPACE = re.compile(r"\s*(?:inline\s+)?namespace\s+([\w:]+)\s*\{")
_TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+class|\s+struct)?)\s+(?:\[\[\w+\]\]\s+)?(?:alignas\([^()]*\)\s+)?(\w+)[^;()]*\{", re.S)
_FORWARD = re.compile(r"\s*(?:template\s*<[^;{]*>\s*)?(?:class|struct|enum class)\s+\w+;\s*")
_ALIAS = re.compile(r"\busing\s+(\w+)\s*=")
_FUNCTION = re.compile(r"(operator\s*(?:\(\)|\[\]|[^\s\w(]+|\w+)|\b\w+)\s*\(")
_VARIABLE = re.compile(r"(\w+)\s*(?:=|\{|;)")
_ATTRIBUTES = re.compile(r"\btemplate\s*<[^<>]*(?:<[^<>]*>[^<>]*)*>|\brequires\s+[\w:]+(?:<[^<>]*>)?|\[\[[^\]]*\]\]")
_COMMENT = re.compile(r"(?:[ \t]*//[^\n]*\n?)+")
# What may stand between the parameters of a function and its body.
_QUALIFIERS = re.compile(r"(?:\s|const\b|noexcept\b|override\b|&|->\s*[\w:<>&*, ]+)*")
_LIST = re.compile(r"\s*(?:-|\d+\.) ")


@dataclass
class Declaration:
    names: list[str]
    prose: str
    code: str


def matching(mask: str, start: int) -> int:
    """The place behind the bracket that closes the one at `start`."""
    opening = mask[start]
    closing = {"{": "}", "(": ")"}[opening]
    depth = 0
    for at in range(start, len(mask)):
        depth += (mask[at] == opening) - (mask[at] == closing)
        if depth == 0:
            return at + 1
    return len(mask)


def end_of_declaration(mask: str, start: int) -> int:
    """Behind the ';' that ends it, or behind the body of a function."""
    at = start
    while at < len(mask):
        if mask[at] == "(":
            at = matching(mask, at)
        elif mask[at] == "{":
            at = matching(mask, at)
            if "(" in mask[start:at] and not re.compile(r"\s*[;,=]").match(mask, at):
                return at
        elif mask[at] == ";":
            return at + 1
        else:
            at += 1
    return at


def body_of(mask: str, parameters_end: int) -> int | None:
    """Where the body of a function begins, behind what initialises members."""
    at = _QUALIFIERS.match(mask, parameters_end).end()
    if mask[at:at + 1] == ":" and mask[at:at + 2] != "::":
        while at < len(mask) and not (mask[at] == "{" and mask[at - 1].isspace()):
            at = matching(mask, at) if mask[at] in "({" else at + 1
    return at if mask[at:at + 1] == "{" else None


def without_bodies(text: str) -> str:
    """Functions end with a ';' where their body was."""
    mask = cpp_source.masked(text)
    parts, end, at = [], 0, 0
    while at < len(mask):
        if mask[at] != "(":
            at += 1
            continue
        at = matching(mask, at)
        body = body_of(mask, at)
        if body is not None:
            head = text[end:_QUALIFIERS.match(mask, at).end()].rstrip()
            parts += [head, ";"]
            end = at = matching(mask, body)
    return "".join(parts) + text[end:]


def without_private(text: str) -> str:
    """A type without its private part, and without its friends."""
    mask = cpp_source.masked(text)
    opening = mask.index("{", _TYPE.search(mask).start()) + 1
    closing = matching(mask, opening - 1) - 1
    kind = re.search(r"\b(class|struct|union|enum)\b(?![^<]*>)", mask[:opening])[1]
    if kind == "enum":
        return text
    public = kind != "class"
    kept, end = [], opening
    labels = list(re.finditer(r"^ (public|private|protected):[ \t]*\n", mask[:closing], re.M))
    for label in [*labels, None]:
        if public:
            kept.append(text[end:label.start() if label else closing])
        if label:
            public = label[1] != "private"
            end = label.end()
            if public:
                kept.append(label[0])
    body = re.sub(r"^ *friend (?:class|struct) [^;]*;\n", "", "".join(kept), flags=re.M).strip("\n").rstrip()
    return text[:opening] + (f"\n{body}\n" if body.strip() else "") + text[closing:]


def name_of(code: str) -> str | None:
    mask = _ATTRIBUTES.sub(lambda match: " " * len(match[0]), cpp_source.masked(code))
    for pattern in (_TYPE, _ALIAS, _FUNCTION, _VARIABLE):
        if match := pattern.search(mask):
            return re.sub(r"\s+", " ", match[1])
    return None


def items(body: str) -> Iterator[tuple[bool, str]]:
    """(does it follow an empty line, text) of the comments and declarations of a namespace."""
    mask = cpp_source.masked(body)
    at = 0
    while (begin := re.compile(r"\s*").match(body, at).end()) < len(body):
        gap = body[at:begin].count("\n") > 1
        if inner := _NAMESPACE.match(mask, begin):
            end = matching(mask, inner.end() - 1)
            # The comment that repeats its name.
            at = re.compile(r"[ \t]*// namespace \w+").match(body, end).end() if body[end:].lstrip(" \t").startswith("//") else end
            continue
        if comment := _COMMENT.match(body, begin):
            end = comment.end()
        elif body[begin] == "#":
            end = re.compile(r"(?:[^\n]*\\\n)*[^\n]*").match(body, begin).end()
        else:
            end = end_of_declaration(mask, begin)
            end += len(re.compile(r"[ \t]*//[^\n]*|").match(body, end)[0])  # a remark behind it
        text = body[begin:end].strip("\n")
        at = end - 1 if body[end - 1] == "\n" else end
        if body[begin] != "#" and not _FORWARD.fullmatch(text):
            yield gap, text


def declarations(body: str) -> list[Declaration]:
    """What a namespace declares, in its order; what no empty line separates stays together."""
    chunks: list[list[str]] = []
    for gap, text in items(body):
        if gap or not chunks:
            chunks.append([])
        chunks[-1].append(text)
    return [read(chunk) for chunk in chunks]


def read(chunk: list[str]) -> Declaration:
    comment = chunk.pop(0) if chunk[0].startswith("//") else ""
    names, code = [], []
    for text in chunk:
        if not text.startswith("//"):
            name = name_of(text)
            if name and name not in names:
                names.append(name)
            if _TYPE.search(cpp_source.masked(text)):
                text = without_private(text)
            text = without_bodies(text)
        code.append(text)
    shown = re.sub(r" *// NOLINT[^\n]*", "", "\n".join(code))
    return Declaration(names, prose(comment), re.sub(r"///<?", "//", shown))


def prose(comment: str) -> str:
    """A comment as Markdown; what is indented is code, unless it goes on with an entry of a list."""
    blocks: list[tuple[bool, list[str]]] = []
    listed = False
    for line in [re.sub(r"^[ \t]*//[/<]* ?", "", line) for line in comment.splitlines()]:
        listed = bool(_LIST.match(line)) or (listed and line.startswith(" "))
        in_code = bool(blocks) and blocks[-1][0]
        is_code = (line.startswith("  ") and not listed) or (in_code and not line)
        if not blocks or is_code != in_code:
            blocks.append((is_code, []))
        blocks[-1][1].append(line)
    return "\n\n".join(as_code(lines) if is_code else as_text(lines) for is_code, lines in blocks)


def as_code(lines: list[str]) -> str:
    written = textwrap.dedent("\n".join(lines)).strip("\n")
    # Formulas and messages have primes and quotes.
    is_cpp = "'" not in written and any(line.split("//")[0].rstrip().endswith(";") for line in lines)
    language = "cpp" if is_cpp else "text"
    return f"```{language}\n{written}\n```"


def as_text(lines: list[str]) -> str:
    return re.sub(r"(`[^`]*`)|([\\*_<>\[\]|#$])", lambda match: match[1] or "\\" + match[2], "\n".join(lines)).strip("\n")


def of_header(text: str) -> tuple[str, list[Declaration]]:
    """What is said above its includes, and what it declares."""
    above = text[:re.search(r"^#include|^namespace|\Z", text, re.M).start()].replace("#pragma once\n", "")
    head = "\n".join(line or "//" for line in above.strip("\n").split("\n"))
    mask = cpp_source.masked(text)
    found: list[Declaration] = []
    at = 0
    while match := re.compile(r"^namespace\s+([\w:]+)\s*\{", re.M).search(mask, at):
        at = matching(mask, match.end() - 1)
        if "detail" not in match[1]:
            found += declarations(text[match.end():at - 1])
    return prose(head), found


def included(header: Path) -> list[tuple[str, str]]:
    """(header, the remark behind it) of each line that includes one of ours."""
    return re.findall(r"^#include <(saltus/[\w/]+\.hpp)>(?: *// *(.*))?", header.read_text(encoding="utf-8"), re.M)


def headers_of(facade: Path, include: Path) -> Iterator[tuple[str, str]]:
    """What it includes; a header is followed by its parts, which lie in the folder of its name."""
    for header, about in included(facade):
        yield header, about
        for part, of_part in included(include / header):
            if part.startswith(header.removesuffix(".hpp") + "/"):
                yield part, of_part


def page(facade: Path, include: Path, subject: str) -> str:
    lines = [f"# {facade.name}", "", f"`#include <saltus/{facade.name}>`: {subject}.", ""]
    for header, about in headers_of(facade, include):
        head, found = of_header((include / header).read_text(encoding="utf-8"))
        if not found:
            continue
        lines += [f"## {header}", "", head or (about and about[0].upper() + about[1:] + "."), ""]
        for declaration in found:
            if declaration.names:
                lines += ["### " + ", ".join(re.sub(r"([<>*_|\[\]])", r"\\\1", name) for name in declaration.names), ""]
            if declaration.prose:
                lines += [declaration.prose, ""]
            if declaration.code.strip():
                lines += ["```cpp", declaration.code, "```", ""]
    return "\n".join(lines)


def pages(include: Path) -> list[tuple[str, str]]:
    """(place, text) of every page, and of their contents."""
    umbrella = (include / "saltus/saltus.hpp").read_text(encoding="utf-8")
    facades = re.findall(r"^#include <saltus/(\w+)\.hpp> *// *(.*)", umbrella, re.M)
    contents = ["# C++ reference", "", "`#include <saltus/saltus.hpp>` brings all of these. Each page follows one header, in its order.", "",
                "```{toctree}", ":maxdepth: 1", "", *(name for name, _ in facades), "```", ""]
    return [("index.md", "\n".join(contents)),
            *((f"{name}.md", page(include / f"saltus/{name}.hpp", include, subject)) for name, subject in facades)]
