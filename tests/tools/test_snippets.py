"""check_snippets.py accepts only code that an example contains."""

import unittest

from tree import TreeTest

EXAMPLE = "int main() {\n  // [a]\n  int x = 1;\n  return x;\n  // [a]\n}\n"
GOOD = "<!-- snippet: examples/e.cpp a -->\n```cpp\nint x = 1;\nreturn x;\n```\n"


class Snippets(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("examples/e.cpp", EXAMPLE)
        self.write("docs/empty.md", "")

    def check(self, text, *options):
        self.write("README.md", text)
        return self.tool("check_snippets.py", self.root, *options)

    def test_the_text_of_the_region_passes(self):
        self.assertEqual(self.check(GOOD).returncode, 0)

    def test_changed_code_is_refused_and_can_be_fixed(self):
        changed = GOOD.replace("= 1", "= 2")
        self.assertIn("README.md:1: differs", self.check(changed).stdout)
        self.assertEqual(self.check(changed, "--fix").returncode, 0)
        self.assertEqual((self.root / "README.md").read_text(), GOOD)

    def test_unknown_regions_and_loose_code_are_refused(self):
        self.assertIn("no region [b]", self.check(GOOD.replace(" a -->", " b -->")).stdout)
        self.assertIn("nobody compiles", self.check("```cpp\nint y;\n```\n").stdout)

    def test_the_output_of_a_program_is_compared(self):
        self.write("bin/hello", "#!/bin/sh\necho hi\n", executable=True)
        good = "<!-- output: hello -->\n```\nhi\n```\n"
        self.assertEqual(self.check(good, "--programs", self.root / "bin").returncode, 0)
        bad = good.replace("\nhi", "\nho")
        self.assertIn("prints something else",
                      self.check(bad, "--programs", self.root / "bin").stdout)
        self.assertIn("no program", self.check(good, "--programs", self.root).stdout)

    def test_other_languages_are_left_alone(self):
        self.assertEqual(self.check("```sh\nls\n```\n").returncode, 0)


if __name__ == "__main__":
    unittest.main()
