"""changelog.py writes what the fragments say."""

import unittest

from tree import TreeTest


class Changelog(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("CMakeLists.txt", "project(saltus VERSION 0.1.0 LANGUAGES CXX)\n")
        for number in (1, 2, 4):
            self.write(f"docs/changes/000{number}-change.md", f"Change\n{number}.\n")

    def run_it(self, *options):
        return self.tool("changelog.py", *options, self.root)

    def text(self):
        return (self.root / "CHANGELOG.md").read_text()

    def test_newest_first(self):
        self.assertEqual(self.run_it().returncode, 0)
        self.assertTrue(self.text().endswith("\n## Unreleased\n\n- Change 4.\n- Change 2.\n- Change 1.\n"))
        self.assertEqual(self.run_it("--check").returncode, 0)

    def test_releases_split_it(self):
        self.write("docs/changes/releases.txt", "0.2.0 2026-12-01 2\n0.1.0 2026-11-01 1\n")
        self.run_it()
        self.assertTrue(self.text().endswith(
            "\n## Unreleased\n\n- Change 4.\n\n## 0.2.0 (2026-12-01)\n\n- Change 2.\n\n## 0.1.0 (2026-11-01)\n\n- Change 1.\n"))

    def test_an_old_page_is_refused(self):
        self.run_it()
        self.write("docs/changes/0005-more.md", "More.\n")
        self.assertEqual(self.run_it("--check").returncode, 1)

    def test_a_number_twice_is_refused(self):
        self.write("docs/changes/0002-again.md", "Again.\n")
        self.assertIn("number 2 occurs twice", self.run_it().stdout)

    def test_headings_and_lists_are_refused(self):
        for text in ("# Change\n", "Two changes:\n- one\n"):
            self.write("docs/changes/0005-more.md", text)
            self.assertIn("without headings and lists", self.run_it().stdout)

    def test_a_release_of_another_version_is_refused(self):
        self.write("docs/changes/releases.txt", "0.2.0 2026-12-01 4\n")
        self.run_it()
        done = self.run_it("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the latest release is 0.2.0", done.stdout)


if __name__ == "__main__":
    unittest.main()
