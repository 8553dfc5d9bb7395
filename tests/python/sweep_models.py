"""Models for sweeps, made by functions that workers in other processes can import."""

import os

import saltus as sl

SPACE = {"e": sl.uniform(0.6, 0.9), "c": sl.uniform(-0.1, 1.0), "h": [0.5, 1.0]}
KEEP = {"end": ["h"], "at": {"v": [0.2, 5.0]}, "count": ["bounce"], "first": ["bounce"]}
OPTIONS = {"samples": 40, "sampler": "sobol", "seed": 3, "t_end": 1.0, "rtol": 1e-7, "atol": 1e-9}


def ball():
    """Runs with c < 0 fail."""
    m = sl.Model("ball")
    h, v = m.state("h", 1.0), m.state("v", 0.0)
    e, c = m.parameter("e", 0.8), m.parameter("c", 0.0)
    m.equation(sl.der(h) == v, sl.der(v) == -9.81 - c * v)
    m.when(h <= 0, {v: -e * sl.pre(v)}, name="bounce")
    m.assert_always((m.time < 0.1) | (c >= 0), "no drag is negative")
    return m


def slow():
    """Takes some milliseconds; tells who makes it."""
    if "SALTUS_TEST_PIDS" in os.environ:
        with open(os.path.join(os.environ["SALTUS_TEST_PIDS"], str(os.getpid())), "w"):
            pass
    m = sl.Model("slow")
    x, y = m.state("x", 1.0), m.state("y", 0.0)
    k = m.parameter("k", 1.0)
    m.equation(sl.der(x) == y, sl.der(y) == -k * x)
    return m


def another_each_time():
    m = sl.Model("another")
    x = m.state("x", 1.0)
    m.equation(sl.der(x) == -os.getpid() * x)
    return m


SLOW = {"k": sl.uniform(0.5, 2.0)}
SLOW_OPTIONS = {"samples": 300, "t_end": 100.0, "rtol": 1e-9, "atol": 1e-9}
