"""Problems of tests/problems, written in Python, against their reference solutions."""

import json
import os
import pathlib
import unittest

import numpy as np

import closed_problems
import problems
import written

folder = pathlib.Path(os.environ.get("SALTUS_SOURCE", pathlib.Path(__file__).resolve().parents[2])) / "tests/reference"
tolerance = 1e-9
# Errors of single steps add up and grow along a solution: the largest growth among these problems is that of the
# pendulum, 70 times what was asked for per step.
growth = 200


def reference(problem):
    name, states = problems.references[problem]
    data = json.loads((folder / f"{name}.json").read_text())
    final = data.get("final_state")
    if problem is problems.bouncing_ball:  # the reference goes on to where its impacts accumulate
        final = next(one["state"] for one in data["state_at"] if float(one["t"]) == 10.0)
    return data, states, final


def check(problem, wrong=0.0):
    """Raises AssertionError unless all events are where they should be, and the end, too. `wrong` is planted."""
    data, states, final = reference(problem)
    solution = problem(rtol=tolerance, atol=tolerance)
    assert solution.success, solution.message
    t_end = solution.t[-1]
    if final is None and states:
        final = next(one["state"] for one in data["states_at"] if float(one["t"]) == t_end)
    for state, value in zip(states, final or []):
        error = abs(solution[state][-1] + wrong - float(value))
        assert error <= growth * tolerance * max(1.0, abs(float(value))), f"{state} misses by {error:.2g}"
    if problem in problems.events_counted_otherwise:
        return
    expected = [float(event["t"]) for event in data.get("events", []) if float(event["t"]) < t_end]
    found = [row.t for row in solution.events if row.kind not in ("lock", "action")]
    assert len(found) == len(expected), f"{len(found)} events instead of {len(expected)}"
    off = max((abs(a - b) for a, b in zip(found, expected)), default=0.0)
    assert off <= growth * tolerance, f"an event is off by {off:.2g} s"


def check_closed(problem, wrong=0.0):
    """The same against a solution in closed form. Instants are compared: a transition and its guard are two events."""
    values, times = closed_problems.solutions[problem]()
    solution = problem(rtol=tolerance, atol=tolerance)
    assert solution.success, solution.message
    for name, value in values.items():
        error = abs(solution[name][-1] + wrong - value)
        assert error <= growth * tolerance * max(1.0, abs(value)), f"{name} misses by {error:.2g}"
    if times is None:
        return
    found = sorted({row.t for row in solution.events if row.kind not in ("lock", "action")})
    assert len(found) == len(times), f"{len(found)} instants instead of {len(times)}"
    off = max((abs(a - b) for a, b in zip(found, sorted(times))), default=0.0)
    assert off <= growth * tolerance, f"an event is off by {off:.2g} s"


def check_fit(problem, wrong=0.0):
    """The truth lies within three of the fit's own standard errors."""
    true, start = closed_problems.fits[problem]
    found = problem(start)
    assert found.success, found.message
    for name, value in true.items():
        off = abs(found[name] + wrong - value) / found.standard_errors[name]
        assert off <= 3, f"{name} misses by {off:.2g} standard errors"


def check_optimum(moved=0.0):
    choice, solution = closed_problems.switched_lq()
    missed = closed_problems.missed_conditions({**choice, "tau1": choice["tau1"] + moved}, solution)
    # Slopes of the cost vanish within 1e-8, and its second derivatives are of order one.
    assert missed <= 1e-6, f"its conditions are missed by {missed:.2g}"


def check_rest(problem, planted=0.0):
    """All gaps are closed, nothing was ever inside anything else, and nothing moves."""
    solution = problem(rtol=1e-7, atol=1e-7)
    assert solution.success, solution.message
    for name in solution.names:
        if name.startswith("gap"):
            # Positions are as good as the tolerance.
            assert np.min(solution[name]) - planted >= -1e-6 and solution[name][-1] <= 1e-6, f"{name} is not closed"
        if name.startswith("v "):
            assert abs(solution[name][-1]) <= 1e-6, f"{name} is not zero"


class Problems(unittest.TestCase):
    def test_each_against_its_reference(self):
        for problem in problems.references:
            with self.subTest(problem.__name__):
                check(problem)

    def test_each_against_its_closed_solution(self):
        for problem in closed_problems.solutions:
            with self.subTest(problem.__name__):
                check_closed(problem)

    def test_each_fit(self):
        for problem in closed_problems.fits:
            check_fit(problem)
            with self.assertRaisesRegex(AssertionError, "misses by"):
                check_fit(problem, wrong=0.5)

    def test_bricks_come_to_rest(self):
        check_rest(closed_problems.brick_pile)
        with self.assertRaisesRegex(AssertionError, "not closed"):
            check_rest(closed_problems.brick_pile, planted=1e-5)

    def test_the_optimum_meets_its_conditions(self):
        check_optimum()
        with self.assertRaisesRegex(AssertionError, "conditions are missed"):
            check_optimum(moved=0.01)

    def test_a_planted_error_is_seen(self):
        with self.assertRaisesRegex(AssertionError, "misses by"):
            check(problems.belt_stick_slip, wrong=2 * growth * tolerance)
        with self.assertRaisesRegex(AssertionError, "misses by"):
            check_closed(closed_problems.clutch, wrong=200 * growth * tolerance)

    def test_contacts_begin_with_the_steps_of_the_last_one(self):
        """Carried over from flight to contact, 97 steps were refused beside 264 that were not."""
        work = problems.disode_p2(rtol=1e-6, atol=1e-6).statistics
        self.assertLess(work["n_rejected_steps"], work["n_steps"] / 5)

    def test_every_file_of_problems_is_accounted_for(self):
        files = {path.stem for path in (folder.parent / "problems").glob("*.hpp")}
        listed = [*written.written, *written.missing, *written.studies, *written.analysed, *written.others]
        self.assertEqual(sorted(files), sorted(listed))
        named = {problem for some in written.written.values() for problem in some}
        others = {closed_problems.switched_lq, closed_problems.brick_pile}
        self.assertEqual(named, {*problems.references, *closed_problems.solutions, *closed_problems.fits, *others})

    def test_shorter_than_with_scipy(self):
        for problem, with_scipy in problems.lines_with_scipy.items():
            self.assertLess(problems.lines(problem), with_scipy, problem.__name__)


if __name__ == "__main__":
    unittest.main()
