#!/usr/bin/env python3
"""Makes tests/reference/carver_sensitivities.json: derivatives of Carver's circuit with respect to its 14 parameters.

Between events the circuit is linear: z' = A z with z = (x1, x2, cos wt, sin wt), and its derivatives follow with the
exponential of [[A, 0], [A_p, A]]. Event times come from Newton's method, derivatives are carried through events by
dt*/dp = -(g_z S + g_p) / (g_z z'), S+ = S- + (z'- - z'+) dt*/dp. The order of events is given: with other parameters
v2 = v3 of the first mode and x2' = 0 of the next no longer happen at the same time, and between them (of the size of
the change, with fields that differ by as much) conditions as printed choose neither mode.

Certified by central differences in 60 digits of the whole computation without any derivative, with the same
order of events; digits that agree are certified.
"""
import json
import sys

from mpmath import expm, matrix, mp, mpf, nstr, pi

mp.dps = 60
NAMES = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11", "a12", "r3", "l3"]
VALUES = ["12", "0.24", "12", "0.24", "13.64", "-11.64", "-50", "0", "-11.64", "13.64", "0", "-50", "10", "0.2"]
ORDER = ["1", "3", "2", "3"]  # and again
TIMES = [0.005, 0.0066620022169, 0.015, 0.01754483275048, 0.025, 0.02789706861596, 0.035, 0.03806205303882, 0.045,
         0.04814287349687]
END = mpf("0.05")
W = 100 * pi


def field(mode, p):
    """The matrix of a mode; written once for numbers and for Dual."""
    a = matrix(4, 4)
    rows = [[0] * 4, [0] * 4, [0, 0, 0, -W], [0, 0, W, 0]]
    if mode == "1":
        rows[0] = [-p["a1"] / p["a2"], 0, 100 / p["a2"], 0]
    elif mode == "2":
        rows[1] = [0, -p["a3"] / p["a4"], -100 / p["a4"], 0]
    else:
        rows[0] = [p["a7"], p["a8"], 100 * (p["a5"] - p["a6"]), 0]
        rows[1] = [p["a11"], p["a12"], 100 * (p["a9"] - p["a10"]), 0]
    return rows


def v3(mode, p):
    """r3 (x1 + x2) + l3 (x1' + x2') as a row."""
    rows = field(mode, p)
    row = [p["l3"] * (rows[0][j] + rows[1][j]) for j in range(4)]
    return [row[0] + p["r3"], row[1] + p["r3"], row[2], row[3]]


def guard(mode, after, p):
    """The row whose product with z vanishes where `mode` gives way to `after`."""
    if mode == "3":
        return [1, 0, 0, 0] if after == "2" else [0, 1, 0, 0]
    row = v3(mode, p)
    source = -100 if mode == "1" else 100  # v2 or v1
    return [-row[0], -row[1], source - row[2], -row[3]]


class Dual:
    """A number and its derivative."""

    def __init__(self, value, slope=0):
        self.v, self.d = mpf(value), mpf(slope)

    @staticmethod
    def of(q):
        return q if isinstance(q, Dual) else Dual(q)

    def __add__(self, other):
        o = Dual.of(other)
        return Dual(self.v + o.v, self.d + o.d)

    def __mul__(self, other):
        o = Dual.of(other)
        return Dual(self.v * o.v, self.v * o.d + self.d * o.v)

    def __truediv__(self, other):
        o = Dual.of(other)
        return Dual(self.v / o.v, (self.d - self.v / o.v * o.d) / o.v)

    def __rtruediv__(self, other):
        return Dual.of(other) / self

    def __neg__(self):
        return Dual(-self.v, -self.d)

    def __sub__(self, other):
        return self + -Dual.of(other)

    def __rsub__(self, other):
        return Dual.of(other) + -self

    __radd__, __rmul__ = __add__, __mul__


def dot(row, z):
    return sum(row[j] * z[j] for j in range(4))


def times(rows, z):
    return [dot(row, z) for row in rows]


def moved(a, z, h):
    return list(expm(matrix(a) * h, method="taylor") * matrix(z))


def advance(a, g, z, begin, guess):
    """The time near a guess at which g z vanishes, and z there."""
    t = mpf(guess)
    at = moved(a, z, t - begin)
    for _ in range(12):
        step = dot(g, at) / dot(g, times(a, at))
        t -= step
        at = moved(a, at, -step)
        if abs(step) < mpf(10) ** -54:
            return t, at
    raise RuntimeError("no event near %s" % guess)


def clean(after, z):
    """A current that is blocked stays what it is: zero."""
    z = list(z)
    if after == "1":
        z[1] = mpf(0)
    elif after == "2":
        z[0] = mpf(0)
    return z


def solution(p):
    """All times, z before and after each event, z at the end: no derivatives."""
    z, t, found = [mpf(0), mpf(0), mpf(1), mpf(0)], mpf(0), []
    for k, guess in enumerate(TIMES):
        mode, after = ORDER[k % 4], ORDER[(k + 1) % 4]
        t, left = advance(field(mode, p), guard(mode, after, p), z, t, guess)
        z = clean(after, left)
        found.append((t, left, z))
    mode = ORDER[len(TIMES) % 4]
    return found, moved(field(mode, p), z, END - t)


def numbers(moved_by=None):
    p = {name: mpf(value) for name, value in zip(NAMES, VALUES)}
    for name, by in (moved_by or {}).items():
        p[name] += by
    return p


def derivatives(name):
    """dt*/dp, S before and after each event, S at the end."""
    p = {key: Dual(value, 1 if key == name else 0) for key, value in zip(NAMES, VALUES)}
    plain = lambda row: [Dual.of(q).v for q in row]
    slopes = lambda row: [Dual.of(q).d for q in row]
    events, _ = solution(numbers())
    z, s, t, found = [mpf(0), mpf(0), mpf(1), mpf(0)], [mpf(0)] * 4, mpf(0), []

    def move(mode, h):
        a = field(mode, p)
        both = matrix(8, 8)
        for i in range(4):
            for j in range(4):
                both[i, j] = both[4 + i, 4 + j] = plain(a[i])[j]
                both[4 + i, j] = slopes(a[i])[j]
        out = list(expm(both * h, method="taylor") * matrix(z + s))
        return out[:4], out[4:]

    def rates(mode, z):
        return times([plain(row) for row in field(mode, p)], z)

    def of_v3(mode, z, s):
        row = v3(mode, p)
        return dot(plain(row), s) + dot(slopes(row), z)

    for k, (t_event, _, _) in enumerate(events):
        mode, after = ORDER[k % 4], ORDER[(k + 1) % 4]
        z, s = move(mode, t_event - t)
        t = t_event
        g = guard(mode, after, p)
        tau = -(dot(plain(g), s) + dot(slopes(g), z)) / dot(plain(g), rates(mode, z))
        left = s
        before = of_v3(mode, z, s)
        z = clean(after, z)
        s = [q + (f - h) * tau for q, f, h in zip(s, rates(mode, z), rates(after, z))]
        found.append((tau, left[:2] + [before], s[:2] + [of_v3(after, z, s)]))
    mode = ORDER[len(TIMES) % 4]
    z, s = move(mode, END - t)
    return found, s[:2] + [of_v3(mode, z, s)]


def by_differences(name):
    """The same at the events' fixed times, from two solutions: x of the stretch on either side, continued to there."""
    step = mpf(10) ** -20
    base, _ = solution(numbers())
    sides = []
    for by in (-step, step):
        p = numbers({name: by})
        events, end = solution(p)
        rows = []
        for k, ((t, left, right), (t0, _, _)) in enumerate(zip(events, base)):
            mode, after = ORDER[k % 4], ORDER[(k + 1) % 4]
            a, b = moved(field(mode, p), left, t0 - t), moved(field(after, p), right, t0 - t)
            rows.append((t, a[:2] + [dot(v3(mode, p), a)], b[:2] + [dot(v3(after, p), b)]))
        sides.append((rows, end[:2] + [dot(v3(ORDER[len(TIMES) % 4], p), end)]))
    half = lambda a, b: [(v - u) / (2 * step) for u, v in zip(a, b)]
    (down, down_end), (up, up_end) = sides
    found = [((b[0] - a[0]) / (2 * step), half(a[1], b[1]), half(a[2], b[2])) for a, b in zip(down, up)]
    return found, half(down_end, up_end)


def main():
    text = lambda q: nstr(q if abs(q) > mpf(10) ** -40 else mpf(0), 25)
    worst, all_of_them = mpf(0), []
    for name in NAMES:
        found, end = derivatives(name)
        other, other_end = by_differences(name)
        for a, b in zip(found, other):
            worst = max([worst, abs(a[0] - b[0])] + [abs(u - v) for i in (1, 2) for u, v in zip(a[i], b[i])])
        worst = max([worst] + [abs(u - v) for u, v in zip(end, other_end)])
        all_of_them.append(
            {
                "parameter": name,
                "dtdp": [text(tau) for tau, _, _ in found],
                "before": [text(q) for _, left, _ in found for q in left],
                "after": [text(q) for _, _, right in found for q in right],
                "final": [text(q) for q in end],
            }
        )
    assert worst < mpf(10) ** -28, nstr(worst, 3)
    json.dump(
        {
            "name": "carver_sensitivities",
            "statement": "Derivatives of carver_circuit.json with respect to its parameters at fixed times: dtdp of each of its "
            "ten events; before and after each event, and at the end, those of x1, x2, v3. Order of events as there.",
            "state_order": ["x1", "x2", "v3"],
            "events": [text(t) for t, _, _ in solution(numbers())[0]],
            "sensitivities": all_of_them,
            "method": "generators/carver_sensitivities.py: exponentials of the variational equations, beside central "
            "differences in 60 digits: largest difference " + nstr(worst, 3),
        },
        sys.stdout,
        indent=1,
    )
    print()


main()
