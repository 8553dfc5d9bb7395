#!/usr/bin/python3
"""Builds the documentation as a site that needs no network.

    tools/build_site.py [--out FOLDER] [root]

The pages of docs, the project's own pages, the sources of the examples, a page for each header that users include and a
page of all messages are put below FOLDER/source, where Sphinx makes FOLDER/html of them (FOLDER is build/site). Warnings
are errors. Links between pages stay links; a link to another file of the repository offers the file.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import list_messages  # noqa: E402
import site_headers  # noqa: E402
import site_python  # noqa: E402

# Pages at the top of the repository that belong to the site. README and the contents of the site say the same.
PROJECT = ("ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "SUPPORT", "SECURITY", "CODE_OF_CONDUCT")
LINK = re.compile(r"(?P<open>\]\()(?P<target>[^()\s#]*)(?P<anchor>#[^()\s]*)?\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".mo": "modelica", ".toml": "toml", ".sh": "bash"}


def place_of(path: Path) -> str | None:
    """Where a file of the repository is on the site; None: it is not a page."""
    text = path.as_posix()
    if text in ("README.md", "docs", "docs/theory", "."):
        return "index.md"
    if text == "docs/changes":
        return "project/CHANGELOG.md"
    if text in ("docs/design", "examples", "examples/modelica"):
        return f"{text.removeprefix('docs/').split('/')[0]}/index.md"
    if text.startswith("docs/"):
        return text.removeprefix("docs/")
    if path.suffix == ".md" and path.stem in PROJECT:
        return f"project/{path.name}"
    if text.startswith("examples/") and path.suffix in LANGUAGES:
        return f"{text.replace('.', '_')}.md"
    return None


# Folders whose pages are listed on a page of their own, not beside every page: 120 lines less in each.
LISTED = ("design", "measured", "examples")


class Site:
    def __init__(self, root: Path, source: Path) -> None:
        self.root = root
        self.source = source

    def write(self, place: str, text: str) -> None:
        file = self.source / place
        file.parent.mkdir(parents=True, exist_ok=True)
        if Path(place).parts[0] in LISTED and file.name != "index.md":
            text = f"---\norphan: true\n---\n\n{text}"
        file.write_text(text, encoding="utf-8")

    def titles_of(self, folder: str) -> list[str]:
        """A line per page of a folder, with its title."""
        lines = []
        for page in sorted((self.root / "docs" / folder).glob("*.md")):
            title = re.search(r"^# (.*)", page.read_text(encoding="utf-8"), re.M)[1]
            lines.append(f"- [{title}]({page.name})")
        return lines

    def linked(self, text: str, page: Path, place: str) -> str:
        """The text of a page with its links as they are on the site."""
        here = Path(place).parent

        def relative(match: re.Match) -> str:
            target, anchor = match["target"], match["anchor"] or ""
            if not target or re.match(r"[a-z]+:", target):
                return match[0]
            path = Path(os.path.normpath(page.parent / target))
            there = place_of(path)
            if there is None:
                there = f"_files/{path.as_posix().lstrip('.')}"
                copy = self.source / there
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.root / path, copy)
            return f"{match['open']}{os.path.relpath(there, here)}{anchor})"

        parts, end = [], 0
        for code in CODE.finditer(text):
            parts += [LINK.sub(relative, text[end:code.start()]), code[0]]
            end = code.end()
        return "".join(parts) + LINK.sub(relative, text[end:])

    def pages(self) -> None:
        docs = [p.relative_to(self.root) for p in sorted((self.root / "docs").rglob("*.md"))]
        for page in docs + [Path(f"{name}.md") for name in PROJECT]:
            if page.parts[:2] in (("docs", "changes"), ("docs", "site")):
                continue
            place = place_of(page)
            self.write(place, self.linked((self.root / page).read_text(encoding="utf-8"), page, place))
        shutil.copytree(self.root / "docs/pictures", self.source / "pictures")

    def examples(self) -> None:
        contents: dict[str, list[tuple[str, str]]] = {}
        for file in sorted((self.root / "examples").rglob("*")):
            if file.suffix not in LANGUAGES:
                continue
            path = file.relative_to(self.root)
            language = LANGUAGES[file.suffix]
            code = file.read_text(encoding="utf-8")
            self.write(place_of(path), f"# {path.relative_to('examples')}\n\n````{language}\n{code}````\n")
            name = path.relative_to("examples").as_posix()
            contents.setdefault(language, []).append((name, place_of(path).removeprefix("examples/")))
        titles = {"cpp": "C++", "modelica": "Modelica", "toml": "Sweeps", "bash": "Clusters"}
        text = "# Examples\n\nEvery program and model here is built and run by the tests.\n"
        for language, title in titles.items():
            text += f"\n## {title}\n\n" + "\n".join(f"- [{name}]({page})" for name, page in contents[language]) + "\n"
        self.write("examples/index.md", text)

    def contents(self) -> None:
        for file in (self.root / "docs/site").glob("*.md"):
            self.write(file.name, self.linked(file.read_text(encoding="utf-8"), file.relative_to(self.root), file.name))
        self.write("design/index.md", "# Design notes\n\nWhy Saltus is as it is: one page per decision.\n\n"
                   + "\n".join(self.titles_of("design")) + "\n")
        self.write("measured/index.md", "# Measured\n\nFigures, and the commands that measure them again.\n\n"
                   + "\n".join(self.titles_of("measured")) + "\n")
        for place, text in site_headers.pages(self.root / "include"):
            self.write(f"api/cpp/{place}", text)
        for place, text in site_python.pages(self.root / "python/saltus"):
            self.write(f"api/python/{place}", text)
        self.write("reference/messages.md", list_messages.page(list_messages.messages(self.root)))


def mend_theme(static: Path) -> None:
    """Debian's furo asks a web server for a style sheet and for a module, which pages opened from a disk may not load."""
    scripts, styles = static / "scripts", static / "styles"
    gumshoe = scripts / "gumshoe-patched.js"
    furo = (scripts / "furo.js").read_text(encoding="utf-8")
    asks = 'import Gumshoe from "./gumshoe-patched.js";'
    if asks in furo:
        (scripts / "furo.js").write_text(gumshoe.read_text(encoding="utf-8") + furo.replace(asks, ""), encoding="utf-8")
        gumshoe.unlink()
    sheet = (styles / "furo.css").read_text(encoding="utf-8")
    asks = "@import url(/javascript/normalize.css/normalize.css);"
    if asks in sheet:
        (styles / "furo.css").write_text(sheet.replace(asks, "@import url(normalize.css);"), encoding="utf-8")
        shutil.copyfile("/usr/share/javascript/normalize.css/normalize.css", styles / "normalize.css")


def mend_search(static: Path) -> None:
    """Two mends of the search. It passes over words whose stem is a stop word ("its", "one"): the index has none of them, and nothing was
    found. And of words with one or two letters a page may have some and lack others ("Filippov's motion. To go on")."""
    script = static / "searchtools.js"
    mends = (("stopwords.indexOf(queryTermLower) !== -1 ||",
              "stopwords.indexOf(queryTermLower) !== -1 || stopwords.indexOf(stemmer.stemWord(queryTermLower)) !== -1 ||"),
             ("wordList.length !== filteredTermCount", "wordList.length < filteredTermCount"))
    text = script.read_text(encoding="utf-8")
    for asks, mended in mends:
        if mended not in text:
            assert asks in text, f"searchtools.js has changed: {asks}"
            text = text.replace(asks, mended)
    # The file may be a link to that of the system.
    script.unlink()
    script.write_text(text, encoding="utf-8")


def build(root: Path, out: Path) -> int:
    source, html = out / "source", out / "html"
    for folder in (source, html):
        shutil.rmtree(folder, ignore_errors=True)
    site = Site(root, source)
    site.pages()
    site.examples()
    site.contents()
    environment = os.environ | {"SALTUS_SOURCE": str(root)}
    command = ["/usr/bin/python3", "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-j", "auto",
               "-c", str(root / "docs/site"), "-d", str(out / "doctrees"), str(source), str(html)]
    status = subprocess.run(command, env=environment, check=False).returncode
    if status == 0:
        mend_theme(html / "_static")
        mend_search(html / "_static")
        print(f"open {html / 'index.html'}")
    return status


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    return build(root, (arguments.out or root / "build/site").resolve())


if __name__ == "__main__":
    sys.exit(main())
