"""tools/check_alone.py refuses headers and sources that do not include what they use."""

import subprocess
import unittest

from tree import TreeTest

GOOD = "#pragma once\n#include <vector>\ninline std::vector<int> ones() { return {1}; }\n"
HUNGRY = "#pragma once\ninline std::vector<int> twos() { return {2}; }\n"


class Alone(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("include/saltus/good.hpp", GOOD)

    def check(self, *arguments):
        return self.tool("check_alone.py", *arguments, self.root)

    def test_good_headers(self):
        self.write("include/saltus/user.hpp", "#pragma once\n#include <saltus/good.hpp>\n")
        self.assertEqual(self.check("--headers").returncode, 0)

    def test_header_that_relies_on_others(self):
        self.write("include/saltus/hungry.hpp", HUNGRY)
        result = self.check("--headers")
        self.assertEqual(result.returncode, 1)
        self.assertIn("include/saltus/hungry.hpp does not compile alone", result.stdout)

    def test_header_that_relies_on_what_stands_above_it(self):
        self.write("include/saltus/hungry.hpp", HUNGRY)
        self.write("include/saltus/user.hpp", "#pragma once\n#include <saltus/good.hpp>\n#include <saltus/hungry.hpp>\n")
        self.assertEqual(self.check("--headers").returncode, 1)

    def test_header_without_guard(self):
        self.write("include/saltus/bare.hpp", GOOD.replace("#pragma once\n", ""))
        self.assertEqual(self.check("--headers").returncode, 1)

    def test_changed_sources_of_the_last_commits(self):
        self.write("src/old.cpp", "std::string old;\n")
        git = ["git", "-C", self.root, "-c", "user.name=n", "-c", "user.email=e"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "old"]):
            subprocess.run([*git, *command], check=True)
        self.write("src/new.cpp", "#include <saltus/good.hpp>\nauto n = ones();\n")
        for command in (["add", "."], ["commit", "-qm", "new"]):
            subprocess.run([*git, *command], check=True)
        self.assertEqual(self.check("--commits", "1").returncode, 0)
        result = self.check("--commits", "2")
        self.assertEqual(result.returncode, 1)
        self.assertIn("src/old.cpp does not compile alone", result.stdout)

    def test_tidy_refuses_what_it_finds_in_sources(self):
        self.write(".clang-tidy", "Checks: '-*,bugprone-assignment-in-if-condition'\nWarningsAsErrors: '*'\n")
        self.write("src/sound.cpp", "int sound(int x) { return x; }\n")
        self.assertEqual(self.check("--all", "--tidy").returncode, 0)
        self.write("src/typo.cpp", "int typo(int x) {\n  if ((x = 1)) return 2;\n  return x;\n}\n")
        result = self.check("--all", "--tidy")
        self.assertEqual(result.returncode, 1)
        self.assertIn("src/typo.cpp does not pass clang-tidy", result.stdout)


if __name__ == "__main__":
    unittest.main()
