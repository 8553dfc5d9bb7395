"""The files that a visitor looks for are there, can be read by machines, and agree with each other."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
MOST_WORDS, MOST_LINES = 900, 12


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


class ProjectFiles(unittest.TestCase):
    def test_citation_is_of_this_version(self):
        citation = yaml.safe_load(text("CITATION.cff"))
        version = re.search(r"project\(saltus VERSION ([0-9.]+)", text("CMakeLists.txt"))[1]
        self.assertEqual(citation["version"], version)
        self.assertEqual(citation["license"], "BSD-3-Clause")
        self.assertTrue(text("LICENSE").startswith("BSD 3-Clause License"))
        self.assertLessEqual({"cff-version", "message", "title", "authors"}, set(citation))

    def test_templates_ask_for_something(self):
        forms = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
        self.assertEqual([form.stem for form in forms], ["bug", "feature", "wrong-result"])
        for form in forms:
            asked = yaml.safe_load(form.read_text(encoding="utf-8"))
            self.assertLessEqual({"name", "description", "body"}, set(asked))
            ids = [part["id"] for part in asked["body"]]
            self.assertEqual(len(ids), len(set(ids)), form)

    def test_the_workflow_runs_all_checks(self):
        workflow = yaml.safe_load(text(".github/workflows/checks.yml"))
        steps = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
        self.assertIn("bash .ci/run", steps)

    def test_the_changelog_is_that_of_the_fragments(self):
        done = subprocess.run([sys.executable, ROOT / "tools/changelog.py", "--check", ROOT], text=True, stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stdout)


class DesignNotes(unittest.TestCase):
    def test_are_numbered_without_gaps(self):
        pages = sorted((ROOT / "docs/design").glob("*.md"))
        self.assertEqual([int(page.name[:4]) for page in pages], list(range(1, len(pages) + 1)))
        for page in pages:
            self.assertTrue(page.read_text(encoding="utf-8").startswith(f"# {int(page.name[:4])}. "), page)

    def test_have_one_form(self):
        for page in sorted((ROOT / "docs/design").glob("*.md")):
            headings = re.findall(r"^## (.*)", page.read_text(encoding="utf-8"), re.M)
            self.assertEqual(headings, ["Context", "Decision", "Why not", "Consequences"], page)

    def test_measured_pages_name_their_command(self):
        for page in (ROOT / "docs/measured").glob("*.md"):
            self.assertRegex(page.read_text(encoding="utf-8"), r"tools/|```python|benchmarks/", page)


class Readme(unittest.TestCase):
    def test_is_short_and_begins_with_a_picture(self):
        words = len(text("README.md").split())
        self.assertLessEqual(words, MOST_WORDS)
        self.assertRegex(text("README.md").split("\n")[2], r"^!\[.+\]\(docs/pictures/.+\.svg\)$")

    def test_each_door_is_narrow(self):
        doors = re.split(r"^### ", text("README.md").split("## Three ways in")[1].split("\n## ")[0], flags=re.M)[1:]
        self.assertEqual([door.split("\n")[0] for door in doors], ["Python", "Modelica text and the command line", "C++"])
        for door in doors:
            typed = re.findall(r"^```(?:python|cpp)\n(.*?)^```", door, re.M | re.S)
            lines = [line for block in typed for line in block.split("\n") if line]
            lines += re.findall(r"^\$ .*", door, re.M)
            self.assertTrue(0 < len(lines) <= MOST_LINES, door)

    def test_says_what_a_visitor_asks(self):
        for part in ("## Install", "## Gallery", "## Status", "CITATION.cff", "LICENSE", "SECURITY.md"):
            self.assertIn(part, text("README.md"))


if __name__ == "__main__":
    unittest.main()
