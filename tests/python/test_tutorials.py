"""Blocks of code in the tutorials run, and print what the pages say; docstrings do."""

import contextlib
import doctest
import importlib
import io
import os
import pathlib
import pkgutil
import re
import tempfile
import unittest
import warnings

import saltus as sl

folder = pathlib.Path(os.environ.get("SALTUS_SOURCE", pathlib.Path(__file__).resolve().parents[2])) / "docs/tutorials"
block = re.compile(r"^```(python|text)\n(.*?)^```", re.M | re.S)
model = re.compile(r"^<!-- model: (\S+)[^>\n]* -->\n```\w+\n(.*?)^```", re.M | re.S)


def pages():
    return sorted(folder.glob("[0-9]*.md"))


def documents():
    """Other pages with code in Python."""
    root = folder.parents[1]
    return [root / "README.md", root / "docs/reference/python.md", root / "docs/tutorials/README.md", *sorted((root / "docs/measured").glob("*.md")),
            root / "docs/start/python.md", root / "docs/reference/known-limits.md", *sorted((root / "docs/coming-from").glob("*.md")),
            *sorted((root / "docs/how-to").glob("*.md")), *sorted((root / "docs/concepts").glob("*.md"))]


def run_page(text, name):
    """Runs the code of a page, in a folder with the models it shows; yields (printed, expected) of every block that is followed
    by what it prints."""
    names = {"__name__": name}
    printed = ""
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        for file, body in model.findall(text):
            pathlib.Path(file).write_text(body, encoding="utf-8")
        for kind, body in block.findall(text):
            if kind == "text":
                yield printed, body
                continue
            out = io.StringIO()
            with contextlib.redirect_stdout(out), warnings.catch_warnings():
                warnings.simplefilter("error")
                exec(compile(body, name, "exec"), names)
            printed = out.getvalue()


class Tutorials(unittest.TestCase):
    def test_pages_run_and_print_what_they_say(self):
        self.assertEqual(len(pages()), 13)
        for page in pages() + documents():
            with self.subTest(page.name):
                for printed, expected in run_page(page.read_text(encoding="utf-8"), page.name):
                    self.assertEqual(printed, expected)

    def test_a_wrong_page_is_seen(self):
        wrong = "```python\nprint(1)\n```\n\n```text\n2\n```\n"
        with self.assertRaises(AssertionError):
            for printed, expected in run_page(wrong, "wrong"):
                self.assertEqual(printed, expected)

    def test_the_list_names_every_page(self):
        listed = (folder / "README.md").read_text(encoding="utf-8")
        for page in pages():
            self.assertIn(f"({page.name})", listed)

    def test_the_first_one_as_a_notebook(self):
        try:
            import nbformat
            from nbconvert.preprocessors import ExecutePreprocessor
        except ImportError:
            self.skipTest("nbconvert is not installed")
        text = pages()[0].read_text(encoding="utf-8")
        cells = [nbformat.v4.new_code_cell(body) for kind, body in block.findall(text) if kind == "python"]
        cells.append(nbformat.v4.new_code_cell("sol"))
        notebook = nbformat.v4.new_notebook(cells=cells)
        # The kernel is another process, in another folder: it has to find the same package.
        os.environ["PYTHONPATH"] = os.path.dirname(os.path.dirname(os.path.abspath(sl.__file__)))
        with tempfile.TemporaryDirectory() as empty:
            ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(notebook, {"metadata": {"path": empty}})
        shown = notebook.cells[-1].outputs[0]["data"]["text/html"]
        self.assertIn("<svg", shown)
        self.assertIn("events", shown)


class Docstrings(unittest.TestCase):
    def test_examples_in_docstrings(self):
        attempted = 0
        for module in [sl] + [importlib.import_module(f"saltus.{m.name}") for m in pkgutil.iter_modules(sl.__path__)]:
            result = doctest.testmod(module)
            self.assertEqual(result.failed, 0, module.__name__)
            attempted += result.attempted
        self.assertGreater(attempted, 15)


if __name__ == "__main__":
    unittest.main()
