#!/usr/bin/python3
"""Links in the documents lead somewhere.

    tools/check_links.py [root]

Every relative link and picture of every Markdown page must name a file or folder, and its anchor, if it has one, a heading
of the page. The contents of the site (docs/site/index.md) must list every page of docs that no list of its own holds.
"""

import fnmatch
import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\((?P<target>[^()\s]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)
HEADING = re.compile(r"^#+ +(.+?) *$", re.M)
ELSEWHERE = re.compile(r"[a-z]+:")
CONTENTS = re.compile(r"^```\{toctree\}\n(.*?)^```", re.M | re.S)
LISTED_ELSEWHERE = ("changes", "design", "measured", "site")


def pages(root: Path) -> list[Path]:
    return sorted([*root.glob("*.md"), *(root / ".github").rglob("*.md"), *(root / "docs").rglob("*.md")])


def anchors(page: Path) -> set[str]:
    """Of headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


def check(root: Path) -> list[str]:
    problems = []
    for page in pages(root):
        text = CODE.sub(lambda code: "\n" * code[0].count("\n"), page.read_text(encoding="utf-8"))
        for link in LINK.finditer(text):
            target, _, anchor = link["target"].partition("#")
            if ELSEWHERE.match(link["target"]):
                continue
            line = text.count("\n", 0, link.start()) + 1
            where = (page.parent / target) if target else page
            if not where.exists():
                problems.append(f"{page.relative_to(root)}:{line}: no {link['target']}")
            elif anchor and where.suffix == ".md" and anchor not in anchors(where):
                problems.append(f"{page.relative_to(root)}:{line}: no heading #{anchor} in {where.name}")
    return problems


def missing_from_contents(root: Path) -> list[str]:
    index = root / "docs/site/index.md"
    if not index.exists():
        return []
    listed = [line for block in CONTENTS.findall(index.read_text(encoding="utf-8")) for line in block.split() if line[0] != ":"]
    names = [page.relative_to(root / "docs").with_suffix("") for page in sorted((root / "docs").rglob("*.md"))]
    return [f"docs/site/index.md: the contents do not list {name}" for name in names
            if name.parts[0] not in LISTED_ELSEWHERE and not any(fnmatch.fnmatch(str(name), pattern) for pattern in listed)]


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = check(root) + missing_from_contents(root)
    print("\n".join(problems) if problems else f"{len(pages(root))} pages, no dead link")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
