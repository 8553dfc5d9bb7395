"""check_format.py refuses what clang-format would change."""

import shutil
import unittest

from tree import TOOLS, TreeTest


@unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed")
class Format(TreeTest):
    def setUp(self):
        super().setUp()
        shutil.copy(TOOLS.parent / ".clang-format", self.root)
        self.file = self.write("src/core/a.cpp", "int f() { return 1; }\n")

    def test_formatted_tree_is_accepted(self):
        self.assertEqual(self.tool("check_format.py", self.root).returncode, 0)

    def test_unformatted_file_is_refused_and_fixed_on_request(self):
        self.file.write_text("int  f( ){return 1;}\n")
        result = self.tool("check_format.py", self.root)
        self.assertEqual(result.returncode, 1)
        self.assertIn("src/core/a.cpp:1", result.stdout)
        self.assertEqual(self.tool("check_format.py", "--fix", self.root).returncode, 0)
        self.assertEqual(self.file.read_text(), "int f() { return 1; }\n")


if __name__ == "__main__":
    unittest.main()
