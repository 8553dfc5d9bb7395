"""check_links.py refuses links that lead nowhere, and pages that the site does not list."""

import unittest

from tree import TreeTest


class Links(TreeTest):
    def check(self, text):
        self.write("docs/other.md", "# Other\n\n## The `other` part, again\n")
        self.write("README.md", text)
        return self.tool("check_links.py", self.root)

    def test_links_that_lead_somewhere_pass(self):
        good = "[a](docs/other.md) [b](docs/other.md#the-other-part-again) [c](docs) [d](https://example.org/none) [e](#here)\n# Here\n"
        self.assertEqual(self.check(good).returncode, 0)

    def test_dead_links_are_named(self):
        for dead, said in (("[a](docs/none.md)", "README.md:2: no docs/none.md"), ("![a](none.svg)", "no none.svg"),
                           ("[a](docs/other.md#none)", "no heading #none in other.md"), ("[a](#none)", "no heading #none")):
            with self.subTest(dead):
                done = self.check(f"\n{dead}\n")
                self.assertEqual(done.returncode, 1)
                self.assertIn(said, done.stdout)

    def test_code_is_no_link(self):
        self.assertEqual(self.check("```\n[a](none.md)\n```\n`f[i](x)`\n").returncode, 0)

    def test_a_page_that_the_contents_do_not_list_is_named(self):
        self.write("docs/how-to/one.md", "# One\n")
        self.write("docs/how-to/two.md", "# Two\n")
        self.write("docs/design/0001-none.md", "# A list of its own\n")
        self.write("docs/site/index.md", "```{toctree}\n:glob:\n\nhow-to/o*\nother\n```\n")
        done = self.check("# Here\n")
        self.assertEqual((done.returncode, done.stdout), (1, "docs/site/index.md: the contents do not list how-to/two\n"))


if __name__ == "__main__":
    unittest.main()
