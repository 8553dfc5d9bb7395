"""check_facades.py finds headers that a facade does not lead to."""

import unittest

from tree import TreeTest


class Facades(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("include/saltus/saltus.hpp", "#include <saltus/one.hpp>\n")
        self.write("include/saltus/one.hpp", "#include <saltus/one/a.hpp>\n")
        self.write("include/saltus/one/a.hpp", "#include <saltus/one/a/detail.hpp>\n")
        self.write("include/saltus/one/a/detail.hpp", "\n")

    def check(self):
        return self.tool("check_facades.py", self.root)

    def test_a_complete_tree_passes(self):
        self.assertEqual(self.check().returncode, 0)

    def test_a_forgotten_header_is_named(self):
        self.write("include/saltus/one/b.hpp", "\n")
        result = self.check()
        self.assertEqual(result.returncode, 1)
        self.assertIn("one.hpp does not lead to saltus/one/b.hpp", result.stdout)

    def test_a_header_in_a_subfolder_needs_the_header_of_that_name(self):
        self.write("include/saltus/one/c/d.hpp", "\n")
        self.assertIn("saltus/one/c/d.hpp", self.check().stdout)

    def test_a_part_needs_a_facade_and_a_place_in_the_umbrella(self):
        self.write("include/saltus/two/x.hpp", "\n")
        self.assertIn("has no facade", self.check().stdout)
        self.write("include/saltus/two.hpp", "#include <saltus/two/x.hpp>\n")
        self.assertIn("saltus.hpp does not include two.hpp", self.check().stdout)


if __name__ == "__main__":
    unittest.main()
