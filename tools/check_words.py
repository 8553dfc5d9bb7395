#!/usr/bin/python3
"""Refuses words that readers stumble over, and sentences that are too long.

    tools/check_words.py [--figures] [root]

plain_words.toml lists the patterns, each with the reason and a better way, and what is allowed nevertheless. Checked are the documents
(not their code blocks, nor CHANGELOG.md, which is made from docs/changes), the comments of public headers, and the messages of the
library, the programs and the Python package. On the pages that users read first the median sentence has at most 18 words and none has
more than 45. With --figures the median, the longest sentence and the number of findings are printed instead.
"""

import argparse
import re
import statistics
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
import cpp_source  # noqa: E402
import prose  # noqa: E402

RULES = Path(__file__).with_name("plain_words.toml")

# Pages that users read first.
SHORT = ("README.md", "docs/start/", "docs/tutorials/", "docs/how-to/", "docs/concepts/")
MEDIAN_WORDS = 18
MOST_WORDS = 45

# Where messages are, and where comments are part of the documentation too.
MESSAGES = ("src", "apps", "include", "python")
COMMENTS = ("include",)

Texts = dict[str, list[prose.Sentence]]


class Pattern(NamedTuple):
    regex: re.Pattern
    why: str
    instead: str
    kinds: tuple[str, ...]  # of sentences that are looked at; () for all


class Finding(NamedTuple):
    file: str
    line: int
    rule: str
    text: str
    instead: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {self.text}\n    instead: {self.instead}"


def texts(root: Path) -> Texts:
    """Returns the sentences of all files that are checked."""
    found: Texts = {}
    for page in [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]:
        if page.name != "CHANGELOG.md":
            found[str(page.relative_to(root))] = prose.of_page(page.read_text(encoding="utf-8"))
    for folder in MESSAGES:
        for file in cpp_source.files(root / folder):
            found[str(file.relative_to(root))] = prose.of_cpp(file.read_text(encoding="utf-8"), folder in COMMENTS)
    for file in sorted((root / "python").rglob("*.py")):
        found[str(file.relative_to(root))] = prose.of_python(file.read_text(encoding="utf-8"))
    return found


def patterns(rules: dict) -> list[Pattern]:
    return [Pattern(re.compile(rule["pattern"], re.M), rule["why"], rule["instead"], tuple(rule.get("kinds", ())))
            for rule in rules.get("pattern", [])]


def find_words(text: Texts, known: list[Pattern]) -> list[Finding]:
    """Returns every pattern in every sentence; one search per file and pattern, as files are many."""
    found = []
    for file, sentences in text.items():
        whole = "\n".join(sentence.text for sentence in sentences)
        for pattern in known:
            for match in pattern.regex.finditer(whole):
                sentence = sentences[whole.count("\n", 0, match.start())]
                if not pattern.kinds or sentence.kind in pattern.kinds:
                    rule = f"'{match[0].strip()}' ({pattern.why})"
                    found.append(Finding(file, sentence.line, rule, sentence.text, pattern.instead))
    return sorted(found)


def first_read(text: Texts) -> Texts:
    """Returns the running text of the pages that users read first."""
    return {file: [sentence for sentence in sentences if sentence.kind == "text"]
            for file, sentences in text.items() if file.startswith(SHORT)}


def find_lengths(text: Texts) -> list[Finding]:
    found = []
    for file, sentences in first_read(text).items():
        counts = [prose.words(sentence.text) for sentence in sentences]
        if counts and statistics.median(counts) > MEDIAN_WORDS:
            found.append(Finding(file, 1, "long sentences", f"the median has {statistics.median(counts):g} words",
                                 f"at most {MEDIAN_WORDS} words"))
        for count, sentence in zip(counts, sentences):
            if count > MOST_WORDS:
                found.append(Finding(file, sentence.line, f"{count} words", sentence.text, f"at most {MOST_WORDS} words"))
    return found


def without_allowed(found: list[Finding], allowed: list[dict]) -> tuple[list[Finding], list[str]]:
    """Returns what is left, and the allowances that match nothing or give no reason."""
    problems = []
    for allow in allowed:
        name = f"{RULES.name}: allow {allow['file']} '{allow['text']}'"
        matched = [finding for finding in found if finding.file == allow["file"] and allow["text"] in finding.text]
        if not matched:
            problems.append(f"{name}: matches nothing")
        if not allow.get("reason", "").strip():
            problems.append(f"{name}: has no reason")
        found = [finding for finding in found if finding not in matched]
    return found, problems


def figures(text: Texts, findings: list[Finding]) -> str:
    sentences = [sentence for page in first_read(text).values() for sentence in page]
    counts = [prose.words(sentence.text) for sentence in sentences] or [0]
    return (f"median sentence of the pages read first: {statistics.median(counts):g} words\n"
            f"longest: {max(counts)} words\npatterns found: {len(findings)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--figures", action="store_true")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    own = arguments.root / "tools" / RULES.name
    rules = tomllib.loads((own if own.is_file() else RULES).read_text(encoding="utf-8"))
    text = texts(arguments.root)
    words = find_words(text, patterns(rules))
    findings, problems = without_allowed(words + find_lengths(text), rules.get("allow", []))
    if arguments.figures:
        print(figures(text, [finding for finding in findings if finding in words]))
        return 0
    for problem in [*findings, *problems]:
        print(problem)
    count = len(findings) + len(problems)
    print(f"{len(text)} files, {count} finding{'s' if count != 1 else ''}")
    return 1 if findings or problems else 0


if __name__ == "__main__":
    sys.exit(main())
