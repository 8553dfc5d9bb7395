"""check_words.py refuses each of its patterns and long sentences, and nothing else."""

import tomllib
import unittest

from tree import TOOLS, TreeTest

RULES = tomllib.loads((TOOLS / "plain_words.toml").read_text())
ALLOW = '[[allow]]\nfile = "README.md"\ntext = "{text}"\nreason = "{reason}"\n'
PATTERN = "[[pattern]]\npattern = '\\bwished\\b'\nwhy = 'unusual'\ninstead = 'as requested'\n"
LONG = " ".join(["word"] * 46) + "."
PLAIN = """# What is kept

There is no other way. It is no longer than before, and can be told apart. What does a run keep? What to do is next.
Saltus says what it keeps `is no x`, and
nothing else.

```
Nobody is told.
```
"""


class Words(TreeTest):
    def check(self, path, text, *arguments):
        self.write(path, text)
        return self.tool("check_words.py", *arguments, self.root)

    def assert_refused(self, done, said):
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(said, done.stdout)

    def use(self, rules):
        tables = [f"[[pattern]]\npattern = '''{rule['pattern']}'''\nwhy = 'x'\ninstead = 'y'\nkinds = {rule.get('kinds', [])}\n"
                  for rule in rules]
        self.write("tools/plain_words.toml", "".join(tables))

    def setUp(self):
        super().setUp()
        self.use(RULES["pattern"])

    def test_each_pattern_is_refused_with_its_line(self):
        for rule in RULES["pattern"]:
            with self.subTest(rule["example"]):
                self.use([rule])
                self.assert_refused(self.check("docs/design/a.md", f"# A\n\nSaltus runs. {rule['example']}\n"), "docs/design/a.md:3: ")

    def test_plain_sentences_headings_and_code_pass(self):
        done = self.check("README.md", PLAIN)
        self.assertEqual((done.returncode, done.stdout), (0, "1 files, 0 findings\n"))

    def test_a_sentence_that_goes_over_two_lines_is_one(self):
        self.assert_refused(self.check("README.md", "A first one.\nA table is\nno model.\n"), "README.md:2: 'is no m'")

    def test_comments_of_headers_and_messages_are_looked_at(self):
        for path, text in (("include/saltus/a.hpp", "int x;\n\n// Returns x. This\n// is no x.\n"),
                           ("src/a.cpp", 'int x;\n\nauto s = "this is "\n  "no x";\n'),
                           ("apps/a.cpp", '\n\nauto s = "this is no x";\n'),
                           ("python/src/a.cpp", '\n\nauto s = R"(this is no x)";\n'),
                           ("python/saltus/a.py", '\n\nx = f"{1} is no {2}"  # no\ny = f"this is no x"\n'),
                           ("python/saltus/a.py", 'def f():\n    """Returns x.\n    This is no x.\n    """\n')):
            with self.subTest(text):
                self.assert_refused(self.check(path, text), "'is no ")
                self.write(path, "")

    def test_comments_of_sources_are_not(self):
        self.assertEqual(self.check("src/a.cpp", "// This is no x.\n").returncode, 0)

    def test_the_changelog_is_made_from_other_files(self):
        self.assertEqual(self.check("CHANGELOG.md", "This is no x.\n").returncode, 0)

    def test_long_sentences_are_refused_where_users_read_first(self):
        for page in ("README.md", "docs/start/a.md", "docs/tutorials/a.md"):
            with self.subTest(page):
                self.assert_refused(self.check(page, f"Short.\n\nShort.\n\n{LONG}\n"), f"{page}:5: 46 words")
                self.write(page, "")
        self.assertEqual(self.check("docs/design/a.md", LONG).returncode, 0)

    def test_many_rather_long_sentences_are_refused(self):
        text = " ".join(["Word"] + ["word"] * 18) + ". "
        self.assert_refused(self.check("README.md", text * 3), "the median has 19 words")

    def test_tables_are_not_sentences(self):
        self.assertEqual(self.check("README.md", f"Short.\n\n| {LONG} |\n").returncode, 0)

    def test_allowances_must_match_and_give_a_reason(self):
        text = "The run ends as wished.\n"
        for allowance, said in ((ALLOW.format(text="as wished", reason=""), "has no reason"),
                                (ALLOW.format(text="never", reason="quoted"), "'never': matches nothing"),
                                ("", "README.md:1: 'wished'")):
            with self.subTest(said):
                self.write("tools/plain_words.toml", PATTERN + allowance)
                self.assert_refused(self.check("README.md", text), said)
        self.write("tools/plain_words.toml", PATTERN + ALLOW.format(text="as wished", reason="quoted"))
        self.assertEqual(self.check("README.md", text).returncode, 0)

    def test_figures(self):
        done = self.check("README.md", "This is no x.\n", "--figures")
        self.assertEqual(done.returncode, 0)
        self.assertIn("longest: 4 words\npatterns found: 1", done.stdout)


if __name__ == "__main__":
    unittest.main()
