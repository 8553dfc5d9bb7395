"""The driver of tests/compile_fail refuses cases that prove nothing."""

import sys
import unittest
from pathlib import Path

from tree import TreeTest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compile_fail"))
from driver import check  # noqa: E402

CASE = """// expect: use where
#ifndef SALTUS_COMPILE_OK
static_assert(sizeof(int) == 0, "use where");
#endif
"""


class CompileFail(TreeTest):
    def verdict(self, text):
        return check("c++", str(self.root), str(self.write("case.cpp", text)))

    def test_good_case(self):
        self.assertIsNone(self.verdict(CASE))

    def test_case_that_compiles(self):
        self.assertEqual(self.verdict("// expect: x\n"), "it compiles")

    def test_wrong_message(self):
        self.assertIn("no message matches", self.verdict(CASE.replace("expect: use", "expect: yes")))

    def test_twin_that_does_not_compile(self):
        self.assertIn("twin", self.verdict(CASE + "int f() { return g(); }\n"))

    def test_missing_expectation(self):
        self.assertIn("first line", self.verdict("int x = y;\n"))


if __name__ == "__main__":
    unittest.main()
