"""list_messages.py finds every message, and recorded ones without an entry."""

import sys
import unittest
from pathlib import Path

from tree import TreeTest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import cpp_messages  # noqa: E402

SOURCE = '''
#include "a header of three words"
// A comment of "three quoted words".
void check(const Model& model, int n) {
  if (n < 1) throw ModelError("model " + quote(model.name) + " has only " +
                              std::to_string(n) + (n == 1 ? " state of this kind" : " states of this kind"));
  throw OptionError("history", std::string("must have one number for ") + "each of the " + name(n) + ' ' + "unknowns");
  warn("{} of {:.3g} points are left out", n, 2.0);
  const std::string key = "a_short_name";
  log << "step " << n << " is too short\\n";
}
'''
PACKAGE = '''
"""What the module is about in three words."""


def check(name, shape):
    """Documents the function in many words."""
    if not shape:
        raise ValueError(f"'{name}': the shape {shape!r} " + "has no elements at all")
    raise TypeError("no axis")
'''


class Texts(unittest.TestCase):
    def texts(self, code):
        return [one.text for one in cpp_messages.texts(code)]

    def test_a_chain_is_one_text(self):
        self.assertEqual(self.texts('f("a " "b" + x + " c" + std::string(" d"));'), ["a b… c d"])
        self.assertEqual(self.texts('s = (p ? "one" : "two") + name() + "s";'), ["one", "two", "…s"])
        self.assertEqual(self.texts('out << "a" << x.y(1, 2)[3] << \'b\' << "\\\\\\n";'), ["a…b\\\n"])
        self.assertEqual(self.texts('if (x == "a") { f("b"); } else { g("c" + y); }\nh(R"(d"e)");'), ["a", "b", "c…", 'd"e'])

    def test_statements_end_a_text(self):
        code = 'try { a("one"); } catch (const E& e) { b(std::string("two") + e.what()); }\nfor (auto& q : all) q = "three";'
        self.assertEqual(self.texts(code), ["one", "two…", "three"])

    def test_subject_and_reason_are_one_text(self):
        self.assertEqual(self.texts('throw ModelError(who + " of it", "is " + what);'), ["… of it: is …"])
        self.assertEqual(self.texts('throw OptionError("rtol", "is zero");'), ["option 'rtol': is zero"])

    def test_lines_and_throws_are_known(self):
        found = cpp_messages.texts('// "x"\n#define A "y"\nthrow Error("first");\nnote("second");')
        self.assertEqual([(one.line, one.text, one.call, one.thrown) for one in found],
                         [(3, "first", "Error", True), (4, "second", "note", False)])


class Messages(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("src/model/check.cpp", SOURCE)
        self.write("python/saltus/check.py", PACKAGE)

    def unlisted(self, *recorded, tests=None):
        file = self.write("recorded", "".join(f"{line}\n" for line in recorded))
        more = ["--tests", tests] if tests else []
        return self.tool("list_messages.py", self.root, "--unlisted", file, *more)

    def test_messages_are_listed_with_their_place(self):
        found = self.tool("list_messages.py", self.root).stdout.splitlines()
        self.assertEqual(found, [
            "src/model/check.cpp:5: model '…' has only …",
            "src/model/check.cpp:6: state of this kind",
            "src/model/check.cpp:6: states of this kind",
            "src/model/check.cpp:7: option 'history': must have one number for each of the … unknowns",
            "src/model/check.cpp:8: … of … points are left out",
            "src/model/check.cpp:10: step … is too short",
            "python/saltus/check.py:8: '…': the shape … has no elements at all",
            "python/saltus/check.py:9: no axis",
        ])

    def test_the_page_has_a_part_for_each_folder(self):
        page = self.root / "messages.md"
        self.tool("list_messages.py", self.root, "--markdown", page)
        text = page.read_text()
        self.assertTrue(text.startswith("# Messages\n"))
        self.assertIn("## Models\n\nIn src/model/check.cpp:\n\n- `model '…' has only …`\n", text)
        self.assertIn("## Python package\n\nIn python/saltus/check.py:\n\n- `'…': the shape … has no elements at all`\n", text)

    def test_recorded_messages_with_entries_pass(self):
        done = self.unlisted("model 'm' has only 1 state of this kind", "x: option 'history': must have one number for each of the 3 unknowns",
                             "'x': the shape () has no elements at all", "axis: there is no axis", "first\\nstep 3 is too short")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("5 recorded, 0 without an entry", done.stdout)

    def test_a_recorded_message_without_entry_is_refused(self):
        for message in ("model 'm' has too few states", "the unknowns of the points are left alone", "there is no axis of that name in any array"):
            with self.subTest(message):
                done = self.unlisted("model 'm' has only 1 state of this kind", message)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"no entry: {message}", done.stdout)
                self.assertIn("2 recorded, 1 without an entry", done.stdout)

    def test_a_record_without_messages_is_refused(self):
        self.assertEqual(self.unlisted().returncode, 1)

    def test_what_tests_throw_themselves_needs_no_entry(self):
        tests = self.write("tests/own_test.cpp", 'auto f = [] { throw std::runtime_error("mine alone"); };').parent
        self.assertEqual(self.unlisted("mine alone").returncode, 1)
        self.assertEqual(self.unlisted("mine alone", tests=tests).returncode, 0)
        self.assertEqual(self.unlisted("it is mine alone", tests=tests).returncode, 1)


if __name__ == "__main__":
    unittest.main()
