#!/usr/bin/env python3
"""Makes tests/reference/dsl48se_sensitivities.json: derivatives of DSL48SE's equation 4 with respect to p.

x' = 4 - x while h(x) = x^3 - 5 x^2 + 7 x <= p, else 10 - 2 x. At events x is a root of h = p, so that all times are
logarithms; S by dt*/dp = (1 - h' S) / (h' x'), S+ = S- + (x'- - x'+) dt*/dp and exponentials between.

Certified by central differences in 60 digits of the closed solution.
"""
import json
import sys

from mpmath import exp, findroot, log, mp, mpf, nstr

mp.dps = 60
P, END = mpf("2.9"), mpf(2)
ROOTS = [0.787, 1.238, 2.974]
FIELDS = [(mpf(4), mpf(1)), (mpf(10), mpf(2))]  # x' = a - b x; below, above


def solution(p):
    x, t, events = mpf(0), mpf(0), []
    for k, guess in enumerate(ROOTS):
        a, b = FIELDS[k % 2]
        root = findroot(lambda r: r**3 - 5 * r**2 + 7 * r - p, mpf(guess))
        t += log((x - a / b) / (root - a / b)) / b
        x = root
        events.append((t, x))
    return events


def at(k, t, events):
    """x of stretch k, continued to t."""
    t0, x0 = events[k - 1] if k > 0 else (mpf(0), mpf(0))
    a, b = FIELDS[k % 2]
    return a / b + (x0 - a / b) * exp(-b * (t - t0))


def derivatives():
    s, before, found = mpf(0), mpf(0), []
    for k, (t, x) in enumerate(solution(P)):
        (a, b), (c, d) = FIELDS[k % 2], FIELDS[(k + 1) % 2]
        s *= exp(-b * (t - before))
        slope = 3 * x**2 - 10 * x + 7
        tau = (1 - slope * s) / (slope * (a - b * x))
        found.append((tau, s, s + ((a - b * x) - (c - d * x)) * tau))
        s, before = found[-1][2], t
    return found, s * exp(-FIELDS[len(ROOTS) % 2][1] * (END - before))


def by_differences():
    step, base = mpf(10) ** -20, solution(P)
    down, up = solution(P - step), solution(P + step)
    slope = lambda f: (f(up) - f(down)) / (2 * step)
    found = []
    for k, (t, _) in enumerate(base):
        found.append((slope(lambda e: e[k][0]), slope(lambda e: at(k, t, e)), slope(lambda e: at(k + 1, t, e))))
    return found, slope(lambda e: at(len(ROOTS), END, e))


def main():
    text = lambda q: nstr(q, 25)
    found, end = derivatives()
    other, other_end = by_differences()
    worst = max([abs(u - v) for a, b in zip(found, other) for u, v in zip(a, b)] + [abs(end - other_end)])
    assert worst < mpf(10) ** -28, nstr(worst, 3)
    json.dump(
        {
            "name": "dsl48se_sensitivities",
            "statement": "Derivatives of dsl48se_small_hybrid.json with respect to p at fixed times: dtdp of each of its three events; "
            "before and after each event, and at the end, that of x.",
            "state_order": ["x"],
            "events": [text(t) for t, _ in solution(P)],
            "sensitivities": [
                {
                    "parameter": "p",
                    "dtdp": [text(tau) for tau, _, _ in found],
                    "before": [text(s) for _, s, _ in found],
                    "after": [text(s) for _, _, s in found],
                    "final": [text(end)],
                }
            ],
            "method": "generators/dsl48se_sensitivities.py: closed form, beside central differences in 60 digits: largest "
            "difference " + nstr(worst, 3),
        },
        sys.stdout,
        indent=1,
    )
    print()


main()
