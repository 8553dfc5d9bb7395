"""check_coming_from.py refuses pages that leave an option out."""

import unittest

from tree import TreeTest

OPTIONS = '[seed]\ncalls = ["INFO(1)", "δ", "IERR = -20"]\ncounts = ["IERR"]\n'
PAGE = """# Seed

| What you know | In Saltus | Notes |
|---|---|---|
| `INFO(1)`, `δ`: this and that | `x \\| y` | |
| `IERR = -20` | cannot happen | as `INFO(2)` |
"""


class ComingFrom(TreeTest):
    def check(self, page, options=OPTIONS):
        self.write("docs/coming-from/options.toml", options)
        self.write("docs/coming-from/seed.md", page)
        return self.tool("check_coming_from.py", self.root)

    def refuses(self, said, page=PAGE, options=OPTIONS):
        done = self.check(page, options)
        self.assertEqual(done.returncode, 1)
        self.assertIn(said, done.stdout)

    def test_a_page_with_all_options_passes(self):
        done = self.check(PAGE)
        self.assertEqual((done.returncode, done.stdout), (0, "4 of 4 options\n"))

    def test_an_option_that_was_removed_is_named(self):
        without = PAGE.replace(", `δ`", "")
        self.refuses("seed.md: no row for 'δ'", without)
        self.refuses("3 of 4 options", without)

    def test_an_option_without_an_answer_is_named(self):
        self.refuses("no row for 'IERR = -20'", PAGE.replace("cannot happen", " "))

    def test_an_option_counts_in_the_first_column_only(self):
        self.refuses("no row for 'INFO(2)'", options=OPTIONS.replace("INFO(1)", "INFO(2)"))

    def test_a_longer_name_is_another_option(self):
        self.refuses("no row for 'INFO(1)'", PAGE.replace("INFO(1)", "INFO(12)"))
        self.refuses("no row for 'IERR = -2'", options=OPTIONS.replace("-20", "-2"))

    def test_a_missing_page_and_an_option_named_twice(self):
        self.refuses("no page docs/coming-from/other.md", options=OPTIONS.replace("[seed]", "[other]"))
        self.refuses("'δ' of seed is there twice", options=OPTIONS.replace('["IERR"]', '["IERR", "δ"]'))


if __name__ == "__main__":
    unittest.main()
