#!/usr/bin/env python3
"""Makes tests/reference/oscillating_belt.json: a mass on a belt whose speed oscillates.

Smooth pieces by hand. Slip is integrated by Taylor series of 30 digits (mpmath.odefun), stick is known in
closed form: v = vd(t), x = x1 + 0.2 (t - t1) - 0.05 (cos 2t - cos 2t1), and lasts while |k x + vd'(t)| < Fs.
Everything is done twice with different working precision; digits that agree are certified.
"""
import json
import sys

from mpmath import cos, findroot, mp, mpf, nstr, odefun, sin

END = 15


def vd(t):
    return mpf(1) / 5 + sin(2 * t) / 10


def vd_dot(t):
    return cos(2 * t) / 5


def first_sign_change(f, begin, end, step):
    """A bracket of the first zero after begin at which f changes its sign (begin itself may be one)."""
    a = begin + step
    before = f(a)
    while a < end:
        b = min(a + step, end)
        if before * f(b) < 0:
            return a, b
        a, before = b, f(b)
    return None


def solve(digits):
    mp.dps = digits
    t, x, v = mpf(0), mpf(0), mpf(0)
    mode, events, step = "2", [], mpf(1) / 64
    while True:
        if mode == "3":
            begin, x1 = t, x
            position = lambda s: x1 + (s - begin) / 5 - (cos(2 * s) - cos(2 * begin)) / 20
            pull = lambda s: 3 * position(s) + vd_dot(s)
            found = None
            for level in (1, -1):
                bracket = first_sign_change(lambda s: pull(s) - level, t, mpf(END), step)
                if bracket and (found is None or bracket[0] < found[0][0]):
                    found = (bracket, level)
            state = lambda s: (position(s), vd(s))
            if found is None:
                return events, mode, state(mpf(END))
            (a, b), level = found
            at = findroot(lambda s: pull(s) - level, (a, b), solver="anderson", tol=mpf(10) ** (4 - 2 * digits))
            x, v = state(at)
            after, kind = ("2" if level > 0 else "1"), "exit_sliding"
        else:
            s1 = 1 if mode == "1" else -1
            field = lambda s, y: [y[1], -3 * y[0] - s1 / (1 + 3 * s1 * (y[1] - vd(s)))]
            path = odefun(field, t, [x, v], tol=mpf(10) ** (2 - digits))
            gap = lambda s: path(s)[1] - vd(s)
            bracket = first_sign_change(gap, t, mpf(END), step)
            if bracket is None:
                return events, mode, tuple(path(mpf(END)))
            at = findroot(gap, bracket, solver="anderson", tol=mpf(10) ** (4 - 2 * digits))
            x, v = path(at)[0], vd(at)
            pull_there = 3 * x + vd_dot(at)
            sticks = abs(pull_there) < 1
            after, kind = ("3", "enter_sliding") if sticks else ("2" if s1 > 0 else "1", "crossing")
        t = at
        events.append((t, mode, after, kind, (x, v)))
        mode = after


def main():
    coarse, last_coarse, end_coarse = solve(22)
    fine, last, end = solve(30)
    assert [e[1:4] for e in coarse] == [e[1:4] for e in fine] and last == last_coarse
    worst = max([abs(a[0] - b[0]) for a, b in zip(coarse, fine)] + [abs(a - b) for a, b in zip(end_coarse, end)])
    text = lambda value: nstr(value, 20)
    json.dump(
        {
            "name": "oscillating_belt",
            "statement": "Mass on a belt whose speed oscillates. x'=v, v'=-3x+Ff; vd=0.2+0.1 sin(2t), vrel=v-vd; "
            "Ff=-1/(1+3 vrel) for vrel>0 (mode 1), Ff=1/(1-3 vrel) for vrel<0 (mode 2); stick (mode 3, sliding on "
            "vrel=0): v=vd, while |3x+vd'|<1. The surface moves: dg/dt=-vd'.",
            "initial": {"x": 0, "v": 0, "mode_filippov": "2"},
            "t_span": [0, END],
            "state_order": ["x", "v"],
            "events": [
                {"t": text(t), "mode_before": a, "mode_after": b, "kind": kind, "state": [text(q) for q in state]}
                for t, a, b, kind, state in fine
            ],
            "final_mode": last,
            "final_state": [text(q) for q in end],
            "method": "generators/oscillating_belt.py with 22 and 30 digits: largest difference " + nstr(worst, 3),
        },
        sys.stdout,
        indent=1,
    )
    print()


main()
