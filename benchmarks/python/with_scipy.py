"""The eight problems as a competent user writes them for solve_ivp: modes, guards, a loop that restarts.

A problem is (start, mode, end, right-hand sides by mode, guards by mode); a guard is (function, direction, handler),
a handler returns the next mode and the state to go on from.
"""

from math import cos, pi, sin, sqrt

import numpy as np
from scipy.integrate import solve_ivp


def run(problem, method, tolerance):
    y, mode, t_end, sides, guards = problem
    t, y, n_events = 0.0, np.array(y, float), 0
    while t < t_end:
        events = []
        for function, direction, _ in guards[mode]:
            event = lambda t, y, function=function: function(t, y)
            event.terminal, event.direction = True, direction
            events.append(event)
        part = solve_ivp(sides[mode], (t, t_end), y, method=method, rtol=tolerance, atol=tolerance, events=events or None)
        t, y = part.t[-1], part.y[:, -1].copy()
        if part.status != 1:
            break
        which = [i for i in range(len(events)) if len(part.t_events[i])][0]
        mode, y = guards[mode][which][2](t, y)
        n_events += 1
    return y, n_events


def disode_p1():
    g = lambda t, y: y[1] - 0.2 - sin(2 * y[0])

    def side(s):
        def f(t, y):
            z = y[1] - sin(2 * y[0])
            d = abs(z - 0.2)
            return [z, 2 * cos(2 * y[0]) * z - y[0] - s / (1 + d * sqrt(d))]

        return f

    def hit(other):
        return lambda t, y: ("S", np.array([y[0], 0.2 + sin(2 * y[0])])) if abs(y[0]) < 1 else (other, y)

    slide = lambda t, y: [0.2, 0.4 * cos(2 * y[0])]
    leave = [(lambda t, y: y[0] - 1, 1, lambda t, y: ("-", y)), (lambda t, y: y[0] + 1, -1, lambda t, y: ("+", y))]
    guards = {"-": [(g, 1, hit("+"))], "+": [(g, -1, hit("-"))], "S": leave}
    return [-0.75, -1 - sin(1.5)], "-", 30.0, {"-": side(-1), "+": side(1), "S": slide}, guards


def disode_p2():
    c = 2.47e6

    def motion(u):
        return lambda t, y: [y[1], (-4.1 * y[1] - 210.125 * y[0] - u(max(y[0] - 0.005, 0.0), y[1]) - 2 * sin(14 * t)) / 2]

    sides = {
        "free": motion(lambda d, v: 0.0),
        "load": motion(lambda d, v: c * d * sqrt(d) + 1.98 * sqrt(2 * c * sqrt(d)) * v),
        "unload": motion(lambda d, v: c * d * sqrt(d)),
    }
    g, h, to = (lambda t, y: y[0] - 0.005), (lambda t, y: y[1]), lambda mode: lambda t, y: (mode, y)
    guards = {"free": [(g, 1, to("load"))], "load": [(h, -1, to("unload"))], "unload": [(g, -1, to("free")), (h, 1, to("load"))]}
    return [0, 0], "free", 3.0, sides, guards


def disode_p3():
    side = lambda s: lambda t, y: [-3.5 * y[0] + y[1] - s, -627.5 * y[0] + y[2] + 2 * s, -625 * y[0] - s]
    slide = lambda t, y: [0.0, y[2] + 2 * y[1], -y[1]]
    g = lambda t, y: y[0]
    hit = lambda other: lambda t, y: ("S" if abs(y[1]) < 1 else other, np.array([0.0, y[1], y[2]]))
    leave = [(lambda t, y: y[1] - 1, 1, lambda t, y: ("+", y)), (lambda t, y: y[1] + 1, -1, lambda t, y: ("-", y))]
    return [0, 0.2, 0.06], "S", 4 * pi, {"+": side(1.0), "-": side(-1.0), "S": slide}, {"+": [(g, -1, hit("-"))], "-": [(g, 1, hit("+"))], "S": leave}


def two_body_stick_slip():
    side = lambda s: lambda t, y: [y[2], y[3], sin(t) - 0.4 * s, 0.4 * s]
    stick = lambda t, y: [y[2], y[3], 0.5 * sin(t), 0.5 * sin(t)]
    g = lambda t, y: y[2] - y[3]

    def hit(other):
        def meet(t, y):
            y[2] = y[3] = (y[2] + y[3]) / 2
            return ("S" if abs(sin(t)) < 0.8 else other), y

        return meet

    leave = [(lambda t, y: sin(t) - 0.8, 1, lambda t, y: ("+", y)), (lambda t, y: sin(t) + 0.8, -1, lambda t, y: ("-", y))]
    return [1, 1, 0, 0], "S", 10.0, {"+": side(1), "-": side(-1), "S": stick}, {"+": [(g, -1, hit("-"))], "-": [(g, 1, hit("+"))], "S": leave}


def belt_stick_slip():
    above = lambda t, y: [y[1], -3 * y[0] - 1 / (1 + 3 * (y[1] - 0.2))]
    below = lambda t, y: [y[1], -3 * y[0] + 1 / (1 + 3 * (0.2 - y[1]))]
    g = lambda t, y: y[1] - 0.2
    hit = lambda other: lambda t, y: ("S" if abs(3 * y[0]) < 1 else other, np.array([y[0], 0.2]))
    leave = [(lambda t, y: 3 * y[0] - 1, 1, lambda t, y: ("-", y)), (lambda t, y: 3 * y[0] + 1, -1, lambda t, y: ("+", y))]
    return [0, 0], "-", 15.0, {"+": above, "-": below, "S": lambda t, y: [0.2, 0.0]}, {"+": [(g, -1, hit("-"))], "-": [(g, 1, hit("+"))], "S": leave}


def bouncing_ball():
    impact = lambda t, y: ("flight", np.array([0.0, -0.8 * y[1]]))
    return [10, 0], "flight", 10.0, {"flight": lambda t, y: [y[1], -9.81]}, {"flight": [(lambda t, y: y[0], -1, impact)]}


def carver_circuit():
    v = lambda t: 100 * cos(100 * pi * t)
    first = lambda t, x: [(v(t) - 12 * x[0]) / 0.24, 0.0]
    second = lambda t, x: [0.0, (-v(t) - 12 * x[1]) / 0.24]
    both = lambda t, x: [25.28 * v(t) - 50 * x[0], -25.28 * v(t) - 50 * x[1]]
    load = lambda f, t, x: 10 * (x[0] + x[1]) + 0.2 * sum(f(t, x))
    guards = {
        "1": [(lambda t, x: -v(t) - load(first, t, x), 1, lambda t, x: ("3", x))],
        "2": [(lambda t, x: v(t) - load(second, t, x), 1, lambda t, x: ("3", x))],
        "3": [(lambda t, x: x[0], -1, lambda t, x: ("2", np.array([0.0, x[1]]))), (lambda t, x: x[1], -1, lambda t, x: ("1", np.array([x[0], 0.0])))],
    }
    return [0, 0], "1", 0.05, {"1": first, "2": second, "3": both}, guards


def pendulum():
    def f(t, y):
        force = (y[2] ** 2 + y[3] ** 2 - 9.81 * y[1]) / (y[0] ** 2 + y[1] ** 2)
        return [y[2], y[3], -force * y[0], -force * y[1] - 9.81]

    return [1, 0, 0, 0], "swings", 10.0, {"swings": f}, {"swings": []}
