"""draw_gallery.py draws what the pages compute, and refuses pictures that show something else."""

import contextlib
import io
import shutil
import unittest

from tree import TOOLS, TreeTest

try:
    import draw_gallery
except ImportError:  # without matplotlib
    draw_gallery = None

PAGE = """# A curve

```python
import matplotlib.pyplot as plt

height = {height}
plt.figure()
plt.plot([0, 1, 2, 3], [0, height, 1, 0])
plt.ylim(0, 4)
plt.xlabel("{label}")
plt.savefig("curve.svg")
print("drawn")
```

```text
{printed}
```

![A curve](../pictures/gallery/curve.svg)
"""


@unittest.skipUnless(draw_gallery, "matplotlib is not installed")
class Gallery(TreeTest):
    def setUp(self):
        super().setUp()
        self.page()
        self.write("docs/gallery/README.md", "[![A curve](../pictures/gallery/curve.svg)](curve.md)\n")
        shutil.copy(TOOLS.parent / "docs/gallery/style.mplstyle", self.root / "docs/gallery")
        self.assertEqual(self.draw(), (0, "drawn: 1\n"))
        self.picture = self.root / "docs/pictures/gallery/curve.svg"

    def page(self, height="3", label="time in s", printed="drawn"):
        self.write("docs/gallery/curve.md", PAGE.format(height=height, label=label, printed=printed))

    def draw(self, *arguments):
        """Returns the exit status and the text of the tool."""
        with contextlib.redirect_stdout(io.StringIO()) as out:
            status = draw_gallery.main(["--root", str(self.root), *arguments])
        return status, out.getvalue()

    def check_says(self, said):
        before = self.picture.read_bytes() if self.picture.exists() else None
        status, text = self.draw("--check")
        self.assertEqual(status, 1)
        self.assertIn(said, text)
        self.assertEqual(self.picture.read_bytes() if self.picture.exists() else None, before)

    def test_the_same_page_draws_the_same_file(self):
        first = self.picture.read_bytes()
        self.assertNotIn(b"metadata", first)
        self.assertEqual(self.draw()[0], 0)
        self.assertEqual(self.picture.read_bytes(), first)
        self.assertEqual(self.draw("--check")[0], 0)

    def test_a_changed_curve_is_refused(self):
        self.page(height="2.7")
        self.check_says("curve.svg shows something else, a curve moved by")

    def test_rounding_and_other_points_of_the_same_curve_pass(self):
        self.page(height="3.001")
        self.assertEqual(self.draw("--check")[0], 0)
        page = self.root / "docs/gallery/curve.md"
        page.write_text(page.read_text().replace("[0, 1, 2, 3], [0, height, 1, 0]", "[0, 0.5, 1, 2, 3], [0, 1.5, 3, 1, 0]"))
        self.assertEqual(self.draw("--check")[0], 0)

    def test_another_text_is_refused(self):
        self.page(label="time in ms")
        self.check_says("the texts differ")

    def test_a_changed_picture_is_refused(self):
        text = self.picture.read_text()
        self.assertIn("#20639b", text)
        self.picture.write_text(text.replace("#20639b", "#ff0000"))
        self.check_says("the number of curves or their colours differ")

    def test_a_missing_picture_is_refused(self):
        self.picture.unlink()
        self.check_says("curve.svg is missing")

    def test_a_picture_without_a_page_is_refused(self):
        self.write("docs/pictures/gallery/other.svg", "<svg/>\n")
        self.check_says("no page draws other.svg")

    def test_a_page_that_is_not_listed_is_refused(self):
        self.write("docs/gallery/README.md", "# Gallery\n")
        self.check_says("README.md does not show curve")

    def test_another_output_is_refused(self):
        self.page(printed="painted")
        self.check_says("it prints\ndrawn\n")

    def test_a_page_that_fails_is_refused(self):
        self.page(height="1 / 0")
        self.check_says("ZeroDivisionError")
        self.assertEqual(self.draw()[0], 1)

    def test_an_unknown_name_is_refused(self):
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as said:
            self.draw("none")
        self.assertIn("no page none", said.getvalue())


if __name__ == "__main__":
    unittest.main()
