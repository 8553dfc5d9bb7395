"""tools/figures refuses what is worse than the record, and judges instructions only with the versions of the record."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import unittest

from tree import TOOLS, TreeTest

LOADER = importlib.machinery.SourceFileLoader("figures", str(TOOLS / "figures"))
SPEC = importlib.util.spec_from_loader("figures", LOADER)
figures = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(figures)

MEASURED = {"ball.n_steps": 100, "ball.instructions": 1000000}
HERE = {"libc6": "2.36"}


class Figures(TreeTest):
    def setUp(self):
        super().setUp()
        figures.RECORDS = self.root
        self.check(MEASURED, why="first")

    def check(self, measured, why=None, versions=None):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = figures.check("runs", measured, why, versions or HERE)
        self.said = said.getvalue()
        return status

    def test_the_same_figures(self):
        self.assertEqual(self.check(MEASURED), 0)

    def test_a_little_worse(self):
        self.assertEqual(self.check({**MEASURED, "ball.instructions": 1019000}), 0)

    def test_worse_by_five_percent(self):
        self.assertEqual(self.check({**MEASURED, "ball.instructions": 1050000}), 1)
        self.assertIn("ball.instructions: 1.05e+06, recorded 1e+06 (+5.00 %)", self.said)
        self.assertEqual(self.check({**MEASURED, "ball.n_steps": 105}), 1)

    def test_better(self):
        self.assertEqual(self.check({**MEASURED, "ball.n_steps": 90}), 0)
        self.assertIn("better: record it", self.said)

    def test_a_figure_that_is_missing(self):
        self.assertEqual(self.check({"ball.n_steps": 100}), 1)

    def test_other_versions(self):
        other = {"libc6": "2.37"}
        self.assertEqual(self.check({**MEASURED, "ball.instructions": 2000000}, versions=other), 0)
        self.assertIn("not judged", self.said)
        self.assertEqual(self.check({**MEASURED, "ball.n_steps": 105}, versions=other), 1)

    def test_a_record_says_why(self):
        self.check({**MEASURED, "ball.n_steps": 105}, why="events are searched twice")
        self.assertEqual(json.loads((self.root / "runs.json").read_text())["why"], "events are searched twice")
        self.assertEqual(self.check({**MEASURED, "ball.n_steps": 105}), 0)

    def topic(self, measured, why=None, items=None):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = figures.check("modes", measured, why, {}, items)
        self.said = said.getvalue()
        return status

    def test_numbers_of_a_topic_may_change_neither_way(self):
        self.topic({"6.0": 1.53, "7.0": 20.0}, why="first")
        self.assertEqual(self.topic({"6.0": 1.54, "7.0": 20.0}), 0)
        self.assertEqual(self.topic({"6.0": 1.62, "7.0": 20.0}), 1)
        self.assertEqual(self.topic({"6.0": 1.53, "7.0": 18.0}), 1)

    def test_some_items_of_a_topic(self):
        self.topic({"6.0": 1.53, "7.0": 20.0}, why="first")
        self.assertEqual(self.topic({"6.0": 1.53}, items=[6]), 0)
        self.assertEqual(self.topic({"6.0": 1.53}, items=[6, 7]), 1)


if __name__ == "__main__":
    unittest.main()
