"""Pages of headers say what the headers say, and links stay links."""

import sys
import unittest
from pathlib import Path

from tree import TreeTest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import build_site  # noqa: E402
import site_headers  # noqa: E402
import site_python  # noqa: E402

HEADER = '''// What it is about.
#pragma once

#include <string>

namespace saltus {

class Later;

namespace detail {
int hidden();
}  // namespace detail

/// A thing, as `f<int>()` or a*b has it:
///   Thing t;
///   t.size();
class Thing : public Base {
 public:
  explicit Thing(int n) : n_(n), text_{"}"} {}
  /// How many.
  int size() const { return n_; }
  template <class T>
  auto map(T&& f) const -> decltype(f(0)) {
    return f(n_);
  }

 protected:
  void reach();

 private:
  friend class Later;
  int n_ = 0;  // secret
  std::string text_;
};

enum class Kind { one, two };  ///< of things
std::string_view name(Kind kind) noexcept;

/// Adds.
template <class T>
T operator+(const T& a, const Thing& b) {
  return a + b.size();
}

using Things = std::vector<Thing>;
inline constexpr int none = 3;

}  // namespace saltus

#define SALTUS_X 1
'''


class Headers(unittest.TestCase):
    def setUp(self):
        self.head, self.found = site_headers.of_header(HEADER)

    def named(self, name):
        return next(d for d in self.found if name in d.names)

    def test_what_stands_above_its_includes(self):
        self.assertEqual(self.head, "What it is about.")

    def test_names_in_their_order(self):
        self.assertEqual([d.names for d in self.found], [["Thing"], ["Kind", "name"], ["operator+"], ["Things", "none"]])

    def test_a_class_without_what_users_cannot_name(self):
        code = self.named("Thing").code
        self.assertEqual(code, """class Thing : public Base {
 public:
  explicit Thing(int n);
  // How many.
  int size() const;
  template <class T>
  auto map(T&& f) const -> decltype(f(0));

 protected:
  void reach();
};""")

    def test_comments_are_text_and_their_examples_code(self):
        self.assertEqual(self.named("Thing").prose, "A thing, as `f<int>()` or a\\*b has it:\n\n```cpp\nThing t;\nt.size();\n```")

    def test_functions_without_their_bodies(self):
        self.assertEqual(self.named("operator+").code, "template <class T>\nT operator+(const T& a, const Thing& b);")

    def test_what_stands_together_stays_together(self):
        self.assertEqual(self.named("Kind").code,
                         "enum class Kind { one, two };  // of things\nstd::string_view name(Kind kind) noexcept;")

    def test_every_header_of_the_library_has_its_place(self):
        include = Path(site_headers.__file__).parent.parent / "include"
        facades = (include / "saltus").glob("*.hpp")
        shown = {header for facade in facades for header, _ in site_headers.headers_of(facade, include)}
        parts = {str(p.relative_to(include)) for p in (include / "saltus").rglob("*.hpp") if p.parent.name != "saltus"}
        self.assertEqual(parts - shown, set())


class Python(TreeTest):
    def pages(self):
        self.write("p/__init__.py", "from .run import go as start, limit\nfrom ._hidden import secret\n")
        self.write("p/_hidden.py", "def secret(): ...\n")
        self.write("p/run.py", '''"""Runs: how."""
from .out import Out
limit = 3
def helper(): ...
def go(n: int = 3, *, fast: bool = False) -> Out:
    """Goes `n` steps of x_1.
    n is how many,
    at most 5.

    >>> start(1)
    1

    That is all.
    """
''')
        self.write("p/out.py", '''"""Out."""
class Out:
    """What came out."""
    t: float
    def __init__(self, core): ...
    @property
    def size(self) -> int:
        """How much."""
    def to(self, path: str) -> None:
        """Writes."""
    def _own(self): ...
class Other: ...
''')
        return dict(site_python.pages(self.root / "p"))

    def test_public_names_under_their_public_name(self):
        page = self.pages()["run.md"]
        self.assertIn("# Runs: how\n", page)
        self.assertIn("{py:function} start(n: int=3, *, fast: bool=False) -> Out", page)
        self.assertIn("{py:data} limit", page)
        self.assertNotIn("helper", page)
        self.assertIn("Goes `n` steps of x\\_1.\n\nn is how many,\nat most 5.\n", page)
        self.assertIn("```python\n>>> start(1)\n1\n```\n\nThat is all.", page)

    def test_classes_that_are_returned(self):
        pages = self.pages()
        self.assertNotIn("_hidden.md", pages)
        self.assertIn("{py:class} Out\n", pages["out.md"])
        self.assertIn("{py:method} to(path: str) -> None", pages["out.md"])
        self.assertIn("{py:property} size\n:type: int", pages["out.md"])
        self.assertIn("{py:attribute} t\n:type: float", pages["out.md"])
        self.assertNotIn("_own", pages["out.md"])
        self.assertNotIn("Other", pages["out.md"])


class Links(TreeTest):
    def linked(self, text, page="docs/reference/a.md"):
        self.write("layers.toml", "x = 1\n")
        made = build_site.Site(self.root, self.root / "site")
        path = Path(page)
        return made.linked(text, path, build_site.place_of(path))

    def test_pages(self):
        for written, there in (("[a](../theory/index.md#x)", "[a](../theory/index.md#x)"),
                               ("[a](../../README.md)", "[a](../index.md)"),
                               ("[a](../../CONTRIBUTING.md)", "[a](../project/CONTRIBUTING.md)"),
                               ("[a](../../examples/decay.cpp)", "[a](../examples/decay_cpp.md)"),
                               ("[a](../design)", "[a](../design/index.md)"),
                               ("[a](https://example.org/x)", "[a](https://example.org/x)"),
                               ("`[a](../../README.md)`", "`[a](../../README.md)`")):
            with self.subTest(written):
                self.assertEqual(self.linked(written), there)
        self.assertEqual(self.linked("[a](docs/reference/a.md)", "SUPPORT.md"), "[a](../reference/a.md)")

    def test_other_files_are_offered(self):
        self.assertEqual(self.linked("[a](../../layers.toml)"), "[a](../_files/layers.toml)")
        self.assertEqual((self.root / "site/_files/layers.toml").read_text(), "x = 1\n")


if __name__ == "__main__":
    unittest.main()
