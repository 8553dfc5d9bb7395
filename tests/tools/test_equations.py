"""check_equations.py asks for a test of each numbered formula."""

import unittest

from tree import TreeTest


class Equations(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("docs/theory/a.md", "text (E.7) in passing\n\n    (X.1)   a = b\n")

    def check(self):
        return self.tool("check_equations.py", self.root)

    def test_a_formula_without_a_test_is_named(self):
        self.write("tests/unit/a_test.cpp", "// nothing\n")
        self.assertIn("(X.1) of docs/theory/a.md has no test", self.check().stdout)

    def test_a_formula_with_a_test_passes_and_mentions_do_not_count(self):
        self.write("tests/unit/a_test.cpp", "// (X.1)\n")
        self.assertEqual(self.check().returncode, 0)

    def test_a_number_is_given_once(self):
        self.write("tests/unit/a_test.cpp", "// (X.1)\n")
        self.write("docs/theory/b.md", "    (X.1)   c = d\n")
        self.assertIn("stands in", self.check().stdout)


if __name__ == "__main__":
    unittest.main()
