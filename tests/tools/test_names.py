"""check_names.py sees types of one name that are linked together, and nothing else."""

import unittest

from tree import TreeTest

from check_names import types_of

VISIBLE = [
    ("namespace a { struct X { int i; }; }", ["a::X"]),
    ("namespace a::b { class X final : public Y { void f() { if (x) {} } }; enum class E { u }; }", ["a::b::X", "a::b::E"]),
    ("namespace a {\ntemplate <class T, class U>\nstruct X {};\n}", ["a::X"]),
    ("struct X { struct Inner {}; };", ["X"]),
]
HIDDEN = [
    "namespace a { namespace { struct X {}; } }",
    "namespace a { struct X; class Y; void f(struct X* x) {} }",
    "namespace a { struct Run::Step { int i; }; }",
    "namespace a { template <class T> auto f(T x) { struct Local {}; } }",
    "namespace a { template <class T> struct X<T*> {}; }",
    "// struct X {}\nauto text = \"struct X {\";",
]


class Names(TreeTest):
    def test_types_others_can_see(self):
        for code, names in VISIBLE:
            with self.subTest(code):
                self.assertEqual([name for _, name in types_of(code)], names)

    def test_everything_else_is_nobodys_business(self):
        for code in HIDDEN:
            with self.subTest(code):
                self.assertEqual(types_of(code), [])

    def test_program_reports_both_places(self):
        self.write("include/saltus/one.hpp", "namespace a {\nstruct X {};\n}\n")
        self.write("src/core/own.cpp", "namespace a {\nnamespace {\nstruct X {};\n}\n}\n")
        self.assertEqual(self.tool("check_names.py", self.root).returncode, 0)
        self.write("src/core/two.hpp", "namespace a {\n\nstruct X {};\n}\n")
        result = self.tool("check_names.py", self.root)
        self.assertEqual(result.returncode, 1)
        self.assertIn("src/core/two.hpp:3: a::X is also defined in include/saltus/one.hpp:2", result.stdout)


if __name__ == "__main__":
    unittest.main()
