"""compare_forms.py notices a form with blocks that is no shorter, and forms that differ."""

import unittest

from tree import TreeTest

EXAMPLE = """\
// [model]
void with_blocks(Model& m) {
  // A comment is no line, and neither is what follows.

  m.diode("D", v, i);  /* nor
  this */
}
// [model]
// [modes]
void by_hand(Model& m) {
  m.equation(on, v == 0.0);
  m.equation(off, i == 0.0);
}
// [modes]
"""
APART = "one: with blocks and by hand at most 3 tolerances apart"


class Forms(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("examples/e.cpp", EXAMPLE)
        self.write("docs/pictures/e.svg", "<svg/>")
        self.write("docs/page.md", "![e](pictures/e.svg)\n")
        self.says(APART)

    def says(self, text, status=0):
        self.write("bin/example_e", f"#!/bin/sh\necho '{text}'\nexit {status}\n", executable=True)

    def compare(self, *arguments):
        return self.tool("compare_forms.py", *(arguments or ["e"]), "--root", self.root, "--programs",
                         self.root / "bin", "--item", "6")

    def refuses(self, why):
        done = self.compare()
        self.assertEqual(done.returncode, 1)
        self.assertIn(why, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^6: .* short$")

    def test_a_shorter_form_passes_and_lines_of_code_are_counted(self):
        done = self.compare()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("3 lines with blocks,   4 by hand; at most 3 tolerances apart", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^6: .* ok$")

    def test_a_form_of_the_same_length_is_refused(self):
        self.write("examples/e.cpp", EXAMPLE.replace("i);", "i);\n  m.start();"))
        self.refuses("no shorter with blocks")

    def test_a_longer_form_is_refused(self):
        self.write("examples/e.cpp", EXAMPLE.replace("i);", "i);\n  m.start();\n  m.stop();"))
        self.refuses("no shorter with blocks")

    def test_a_line_that_is_a_literal_counts(self):
        self.write("examples/e.cpp", EXAMPLE.replace('"D", v', '\n"D",\nv'))
        self.refuses("no shorter with blocks")

    def test_forms_that_differ_are_refused(self):
        self.says(APART + "\ntwo: with blocks and by hand at most 301 tolerances apart")
        self.refuses("301 tolerances apart")
        self.says(APART.replace("3", "nan"))
        self.refuses("nan tolerances apart")

    def test_a_program_must_run_and_say_it(self):
        self.says(APART, status=1)
        self.refuses("status 1")
        self.says("one: same")
        self.refuses("does not say")
        (self.root / "bin" / "example_e").unlink()
        self.refuses("no program")

    def test_a_missing_form_is_refused(self):
        self.write("examples/e.cpp", EXAMPLE.replace("[modes]", "[other]"))
        self.refuses("no region [modes]")

    def test_a_table_must_tell_what_was_counted(self):
        table = self.write("docs/table.md", "| [e](e.cpp) | a diode | 3 | 4 |\n")
        self.assertEqual(self.compare("--table", table).returncode, 0)
        self.write("docs/table.md", "| [e](e.cpp) | a diode | 2 | 4 |\n")
        self.assertIn("should end with | 3 | 4 |", self.compare("--table", table).stdout)
        self.write("docs/table.md", "| [f](f.cpp) | a diode | 3 | 4 |\n")
        self.assertIn("no row for it", self.compare("--table", table).stdout)

    def test_without_names_all_that_have_two_forms_are_compared(self):
        self.write("examples/other.cpp", "// [model]\nint x;\n// [model]\n")
        self.assertIn("6: 1 examples", self.compare("--table", "/dev/null").stdout)

    def test_a_picture_must_be_there_and_be_shown(self):
        self.write("docs/page.md", "no picture\n")
        self.refuses("no document shows its picture")
        self.write("docs/page.md", "![e](pictures/e.svg)\n")
        (self.root / "docs/pictures/e.svg").unlink()
        self.refuses("no document shows its picture")


if __name__ == "__main__":
    unittest.main()
