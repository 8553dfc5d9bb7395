"""house_figures.py counts methods, members and lines, and compares them with a list."""

import importlib.util
import json
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/house_figures.py"
spec = importlib.util.spec_from_file_location("house_figures", TOOL)
figures = importlib.util.module_from_spec(spec)
spec.loader.exec_module(figures)


class HouseFigures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        figures.ROOT = Path(self.folder.name).resolve()

    def tearDown(self):
        self.folder.cleanup()

    def read(self, text):
        file = figures.ROOT / "one.hpp"
        file.write_text(text)
        return figures.read(file)

    def test_methods_and_members_are_counted(self):
        types, _ = self.read("""
namespace a::b {
/// f(); g();
class One final : public Two {
 public:
  One(int x) : x_(x), y_{x} {}
  ~One();
  One(const One&) = delete;
  int f() const { return x_ > 0 ? 1 : 2; }
  template <class T>
  void g(const T& t, std::function<void(int)> call = {});
  static constexpr int most = 3;
  using Name = std::vector<int>;
  enum class Kind { one, two };
  struct Inner {
    int a = 0, b = 1;
    int sum() const { return a + b; }
  };

 private:
  int x_ = 0, y_{1};
  std::function<void(int, double)> call_;
  std::map<int, std::vector<double>> found_;
};
}  // namespace a::b
""")
        one, inner = types
        self.assertEqual((one.name, len(one.methods), one.members), ("One", 2, ["x_", "y_", "call_", "found_"]))
        self.assertEqual((inner.name, len(inner.methods), inner.members), ("Inner", 1, ["a", "b"]))

    def test_a_type_without_functions_is_a_record(self):
        types, _ = self.read("struct R { R(); " + "".join(f"int a{i}; " for i in range(40)) + "};\n")
        self.assertTrue(types[0].is_record())
        self.assertFalse(types[0].is_large())
        types, _ = self.read("struct R { int f(); " + "".join(f"int a{i}; " for i in range(40)) + "};\n")
        self.assertTrue(types[0].is_large())

    def test_functions_are_measured_from_their_first_line(self):
        _, functions = self.read("namespace {\nint f(int a,\n      int b) {\n  if (a) {\n    return b;\n  }\n"
                                 "  return 0;\n}\n}\nstruct S {\n  void g() {\n  }\n};\n")
        self.assertEqual([(f.name, f.lines) for f in functions], [("f", 7), ("g", 2)])

    def test_the_list_may_only_shrink(self):
        listed = {"classes": {"a One": [30, 5]}, "functions": {"a f": [90]}}
        self.assertEqual(figures.compare(listed, listed), [])
        for grown in ({"classes": {"a One": [31, 5]}, "functions": {"a f": [90]}},
                      {"classes": {"a One": [30, 5], "b Two": [26, 1]}, "functions": {"a f": [90]}},
                      {"classes": {"a One": [29, 5]}, "functions": {"a f": [90]}},
                      {"classes": {"a One": [30, 5]}, "functions": {}}):
            self.assertEqual(len(figures.compare(grown, listed)), 1, grown)

    def test_the_list_of_this_tree_is_read(self):
        listed = json.loads(TOOL.with_suffix(".json").read_text())
        self.assertEqual(sorted(listed), ["classes", "functions"])


if __name__ == "__main__":
    unittest.main()
