"""check_silent.py sees what prints or aborts, and nothing else."""

import unittest

from tree import TreeTest

from check_silent import check_text

PRINTS = [
    'std::cout << "x";',
    "using std::cerr; cerr << 1;",
    'printf("x");',
    'std::printf ("x");',
    'fprintf(stderr, "x");',
    'std::puts("x");',
    'std::println("x");',
    "#include <iostream>",
]
ABORTS = [
    "std::abort();",
    "abort();",
    "::exit(1);",
    "std::exit(1);",
    "if (bad) std::terminate();",
    "std::quick_exit(0);",
    "assert(x > 0);",
    "#include <cassert>",
    "__builtin_trap();",
    "auto big = 1'000; std::abort(); auto c = 'x';",
]
FINE = [
    "static_assert(sizeof(int) == 4);",
    "SALTUS_ASSERT(x > 0);",
    "// calls std::abort() never",
    "/* printf(\n) */",
    'auto text = "printf(1); abort();";',
    'auto code = R"(int main() { printf("x"); exit(1); })";',
    "auto c = '\"'; auto d = \"abort()\";",
    "std::snprintf(buffer, 8, format);",
    "mode.exit(); mode->exit();",
    "my_abort(); exit_status(3); int printed = fingerprint(x);",
]


class Silent(TreeTest):
    def test_printing_is_refused(self):
        for code in PRINTS:
            with self.subTest(code):
                self.assertTrue(any("prints" in what for _, what in check_text(code)))

    def test_aborting_is_refused(self):
        for code in ABORTS:
            with self.subTest(code):
                self.assertTrue(any("aborts" in what for _, what in check_text(code)))

    def test_everything_else_is_accepted(self):
        for code in FINE:
            with self.subTest(code):
                self.assertEqual(check_text(code), [])

    def test_line_is_right_after_comments_and_raw_strings(self):
        text = '/* a\n b */\nauto s = R"(\n\n)";\nstd::abort();\n'
        self.assertEqual({line for line, _ in check_text(text)}, {6})

    def test_program_reports_file_and_line(self):
        self.write("src/core/good.cpp", "int x;\n")
        self.assertEqual(self.tool("check_silent.py", self.root).returncode, 0)
        self.write("include/saltus/bad.hpp", "\nvoid f() { std::cout << 1; }\n")
        result = self.tool("check_silent.py", self.root)
        self.assertEqual(result.returncode, 1)
        self.assertIn("include/saltus/bad.hpp:2: prints: std::cout", result.stdout)

    def test_programs_may_print(self):
        self.write("examples/one.cpp", "#include <iostream>\n")
        self.assertEqual(self.tool("check_silent.py", self.root).returncode, 0)


if __name__ == "__main__":
    unittest.main()
