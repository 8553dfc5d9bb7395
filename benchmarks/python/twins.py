"""The models of twins.cpp in Python."""

import numpy as np

import saltus as sl
from saltus import der, pre


def belt(m):
    x, v = m.state("x", 0.0), m.state("v", 0.0)
    slip = v - 0.2
    m.equation(der(x) == v, der(v) == -3 * x - np.sign(slip) / (1 + 3 * abs(slip)))


def relay(m):
    y1, y2, y3 = m.state("y1", 0.0), m.state("y2", 0.2), m.state("y3", 0.06)
    side = np.sign(y1)
    m.equation(der(y1) == -3.5 * y1 + y2 - side)
    m.equation(der(y2) == -627.5 * y1 + y3 + 2 * side, der(y3) == -625 * y1 - side)


def pendulum(m):
    x, y, u, v = m.state("x", 1.0), m.state("y", 0.0), m.state("u", 0.0), m.state("v", 0.0)
    force = m.algebraic("force")
    m.equation(der(x) == u, der(y) == v, der(u) == -force * x, der(v) == -force * y - 9.81)
    m.equation(x * x + y * y == 1)


def ball(m):
    h, v = m.state("h", 10.0), m.state("v", 0.0)
    m.equation(der(h) == v, der(v) == -9.81)
    m.when(h < 0, {v: -1 * pre(v)}, name="bounce")


def written(write):
    m = sl.Model(write.__name__)
    write(m)
    return m


def hash_of(solution):
    """As in twins.cpp."""
    rows = np.column_stack([solution.t, np.asarray(solution.y).T])
    value, prime, mask = 1469598103934665603, 1099511628211, (1 << 64) - 1
    for bits in np.ascontiguousarray(rows).view(np.uint64).ravel().tolist():
        value = ((value ^ bits) * prime) & mask
    return value
