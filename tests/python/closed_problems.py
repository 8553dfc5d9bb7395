"""Problems of tests/problems whose solution is known without a file of reference, in Python.

Each function is a complete program of its problem; beside it in `solutions` is what it must come to: values at the
end by name, and the times at which something happens, or None where these are a matter of taste. At the end come a fit, an
optimum and bricks that come to rest, of which other things are known.
"""

from functools import lru_cache
from math import acos, asin, atan, atan2, cos, exp, hypot, log, pi, sin, sqrt

import numpy as np

import saltus as sl
from saltus import der, pre, where


def root(f, a, b):
    """Of a function that is positive at one end and negative at the other."""
    rises = f(b) > 0
    while (middle := (a + b) / 2) not in (a, b):
        a, b = (a, middle) if (f(middle) > 0) == rises else (middle, b)
    return (a + b) / 2


# ---- smooth --------------------------------------------------------------------------------------------------------


def kepler(**options):
    m = sl.Model("Kepler")
    q, v = m.state("q", [0.5, 0.0]), m.state("v", [0.0, sqrt(3.0)])
    m.equation(der(q) == v, der(v) == -q / (q @ q) ** 1.5)
    return m.simulate(16, **options)


def kepler_solution():
    e, anomaly = 0.5, 16.0
    for _ in range(60):
        anomaly -= (anomaly - e * sin(anomaly) - 16) / (1 - e * cos(anomaly))
    return {"q[0]": cos(anomaly) - e, "q[1]": sqrt(1 - e * e) * sin(anomaly)}, []


def index_five_chain(**options):
    m = sl.Model("chain of index 5")
    z = [m.state(f"z{k}", start) for k, start in enumerate([1, 0.5, 0, 0.5, 0, -3.375 + 0.64, -0.7])]
    t = m.time
    m.equation(der(z[0]) == -z[0] + 0.3 * z[4] + np.sin(t), der(z[1]) == -0.5 * z[1] + z[0] - 0.2 * z[6] + np.cos(2 * t))
    m.equation(z[2] == np.sin(1.5 * t), der(z[2]) == z[3] + np.cos(0.8 * t), der(z[3]) == z[4])
    m.equation(der(z[4]) == z[5] + np.sin(0.7 * t), der(z[5]) == z[6])
    return m.simulate(5, **options)


def index_five_chain_solution():
    t = 5.0
    z5 = -3.375 * cos(1.5 * t) + 0.64 * cos(0.8 * t) - sin(0.7 * t)
    z6 = 5.0625 * sin(1.5 * t) - 0.512 * sin(0.8 * t) - 0.7 * cos(0.7 * t)
    return {"z2": sin(1.5 * t), "z4": 0.8 * sin(0.8 * t) - 2.25 * sin(1.5 * t), "z5": z5, "z6": z6}, []


# ---- relations and when ----------------------------------------------------------------------------------------------


def thermostat(**options):
    m = sl.Model("thermostat")
    temperature, heater = m.state("T", 19.0, nominal=20), m.discrete("heater", 1.0)
    m.equation(der(temperature) == 0.5 * (10 + 20 * heater - temperature))
    m.when(temperature > 21, {heater: 0}, name="switch off")
    m.when(temperature < 19, {heater: 1}, name="switch on")
    return m.simulate(10, **options)


def thermostat_solution():
    each = log(11 / 9) / 0.5
    times = [k * each for k in range(1, int(10 / each) + 1)]
    distance = 11 * exp(-0.5 * (10 - times[-1]))
    return {"T": 30 - distance if len(times) % 2 == 0 else 10 + distance}, times


def moving_surface(**options):
    m = sl.Model("moving surface")
    x, v = m.state("x", 1.0), m.state("v", 0.0)
    m.equation(der(x) == v, der(v) == -x - where(x > 0.5 * np.sin(2.3 * m.time), 0.4, 0))
    return m.simulate(12, **options)


def moving_surface_solution():
    t0, x0, v0, above, times = 0.0, 1.0, 0.0, True, []
    position = lambda t: (c := -0.4 if above else 0.0) + (x0 - c) * cos(t - t0) + v0 * sin(t - t0)
    speed = lambda t: -(x0 - (-0.4 if above else 0.0)) * sin(t - t0) + v0 * cos(t - t0)
    inside = lambda t: (1 if above else -1) * (position(t) - 0.5 * sin(2.3 * t))
    step = 12 / 65536
    for k in range(1, 65537):
        if k * step <= t0 or inside(k * step) >= 0:
            continue
        t = root(inside, max((k - 1) * step, t0 + 1e-9), k * step)
        t0, x0, v0, above = t, position(t), speed(t), not above
        times.append(t)
    return {"x": position(12.0), "v": speed(12.0)}, times


def derivative_guard(**options):
    m = sl.Model("derivative guard")
    x, v, z = m.state("x", 1.0), m.state("v", 0.0), m.state("z", 0.0)
    m.equation(der(x) == v, der(v) == -x, der(z) == where(der(v) > 0.5, 1 + z, -z))
    return m.simulate(12, **options)


def derivative_guard_solution():
    z, last, grows, times = 0.0, 0.0, False, [k * 2 * pi / 3 for k in (1, 2, 4, 5)]
    for t in times:
        z = (1 + z) * exp(t - last) - 1 if grows else z * exp(last - t)
        last, grows = t, not grows
    return {"x": cos(12), "v": -sin(12), "z": z * exp(last - 12)}, times


def oscillator_beside_a_stop(**options):
    m = sl.Model("oscillator beside a stop")
    x, v = m.state("x", 0.0), m.state("v", 1.5)
    m.equation(der(x) == v, der(v) == -x)
    m.when(x > 1, {v: -0.8 * pre(v)}, name="stop")
    return m.simulate(2.5, **options)


def oscillator_beside_a_stop_solution():
    hit, speed = asin(1 / 1.5), 0.8 * sqrt(1.5**2 - 1)
    s = 2.5 - hit
    return {"x": cos(s) - speed * sin(s), "v": -sin(s) - speed * cos(s)}, [hit]


def ball_in_air(**options):
    m = sl.Model("ball in air")
    h, v = m.state("h", 1.0), m.state("v", 0.0)
    m.equation(der(h) == v, der(v) == -9.81 - 0.2 * v - 0.05 * v**3)
    m.when(h < 0, {v: -0.8 * pre(v)}, name="impact")
    return m.simulate(1.75, **options)


def ball_in_air_solution():
    def advanced(h, speed, dt, degree=24):
        """By the Taylor series of v."""
        v, square = [speed], []
        for k in range(degree):
            square.append(sum(v[i] * v[k - i] for i in range(k + 1)))
            cube = sum(square[i] * v[k - i] for i in range(k + 1))
            v.append((-0.2 * v[k] - 0.05 * cube - (9.81 if k == 0 else 0)) / (k + 1))
        return h + sum(c * dt ** (k + 1) / (k + 1) for k, c in enumerate(v)), sum(c * dt**k for k, c in enumerate(v))

    t, h, v, times = 0.0, 1.0, 0.0, []
    while t < 1.75:
        dt = min(0.01, 1.75 - t)
        after = advanced(h, v, dt)
        if after[0] < 0:
            dt = root(lambda s: advanced(h, v, s)[0], 0.0, dt)
            after = 0.0, -0.8 * advanced(h, v, dt)[1]
            times.append(t + dt)
        t, (h, v) = t + dt, after
    return {"h": h, "v": v}, times


# ---- modes -----------------------------------------------------------------------------------------------------------


def two_capacitors(**options):
    m = sl.Model("two capacitors")
    v1, v2, i = m.state("v1", 10.0), m.state("v2", 2.0), m.algebraic("i")
    m.equation(der(v1) == -0.5 * v1 - i, 3 * der(v2) == -0.2 * v2 + i)
    opened, closed = m.mode("open", i == 0), m.mode("closed", v1 == v2)
    m.output("charge", v1 + 3 * v2)
    is_closed = ((m.time >= 1) & (m.time < 2)) | (m.time >= 3.5)
    m.transition(opened, closed, is_closed, conserved=["charge"])
    m.transition(closed, opened, ~is_closed, conserved=["charge"])
    return m.simulate(5, **options)


def two_capacitors_solution():
    alone = lambda s, v1, v2: (v1 * exp(-0.5 * s), v2 * exp(-0.2 / 3 * s))
    joined = lambda s, v1, v2: (v1 + 3 * v2) / 4 * exp(-0.7 / 4 * s)
    v = joined(1, *alone(1, 10, 2))
    v = joined(1.5, *alone(1.5, v, v))
    return {"v1": v, "v2": v}, [1, 2, 3.5]


def clutch(**options):
    m = sl.Model("clutch")
    w1, w2 = m.state("w1", 0.0, nominal=10), m.state("w2", 30.0, nominal=10)
    torque = m.algebraic("T")
    m.equation(0.5 * der(w1) == 20 - torque, 2 * der(w2) == torque - 0.4 * w2)
    apart, engaged = m.mode("apart", torque == 0), m.mode("engaged", w1 == w2)
    m.transition(apart, engaged, w1 > 80, name="engage")
    return m.simulate(6, **options)


def clutch_solution():
    t = 80 * 0.5 / 20
    common = (0.5 * 80 + 2 * 30 * exp(-t * 0.4 / 2)) / 2.5
    after = 50 + (common - 50) * exp(-(6 - t) * 0.4 / 2.5)
    return {"w1": after, "w2": after}, [t]


def half_wave_rectifier(**options):
    m = sl.Model("half-wave rectifier")
    i, v = m.state("i", 0.0), m.algebraic("v")
    m.equation(10 * np.sin(2 * np.pi * m.time) == 0.5 * der(i) + 2 * i + v)
    conducts, blocks = m.mode("conducts", v == 0), m.mode("blocks", i == 0)
    m.transition(conducts, blocks, i < 0)
    m.transition(blocks, conducts, v > 0)
    return m.simulate(3.2, **options)


def half_wave_rectifier_solution():
    phi, size = atan2(pi, 2), 10 / hypot(pi, 2)
    current = lambda s: size * (sin(2 * pi * s - phi) + sin(phi) * exp(-4 * s))
    stop = root(current, 0.5, 1.0)
    return {"i": current(3.2 - 3), "v": 0.0}, [stop, 1, 1 + stop, 2, 2 + stop, 3]


def bridge_rectifier(**options):
    m = sl.Model("bridge rectifier")
    v, i = m.state("v", 0.0), m.algebraic("i")
    u = 10 * np.sin(2 * np.pi * m.time)
    m.equation(0.5 * der(v) == i - v)
    positive, off, negative = m.mode("positive", v == u), m.mode("off", i == 0), m.mode("negative", v == -u)
    m.transition(positive, off, i < 0)
    m.transition(negative, off, i < 0)
    m.transition(off, positive, u > v)
    m.transition(off, negative, -u > v)
    return m.simulate(2.1, **options)


def bridge_rectifier_solution():
    source = lambda t: 10 * sin(2 * pi * t)
    stop = (pi - atan(pi)) / (2 * pi)
    alone = lambda t: source(stop) * exp(-2 * (t - stop))
    meet = root(lambda t: -source(t) - alone(t), 0.5, 0.75)
    times = sorted(t for k in range(5) for t in (k / 2 + stop, k / 2 + meet) if t < 2.1)
    return {"v": abs(source(2.1)) if len(times) % 2 == 0 else alone(2.1 - 1.5)}, times


def latched_sliders(**options):
    m = sl.Model("latched sliders")
    x1, x2 = m.state("x1", 0.0, derivative_start=1), m.state("x2", 3.0, derivative_start=0)
    coupling, stop = m.algebraic("coupling"), m.algebraic("stop")
    push, spring = 1 + where(m.time > 4, 2 * (m.time - 4), 0), 9 * (4 - x2)
    two = m.mode("two", 2 * der(der(x1)) == push, der(der(x2)) == spring, coupling == 0, stop == 0)
    one = m.mode("one", 2 * der(der(x1)) == push + coupling, der(der(x2)) == spring - coupling, x2 - x1 == 0.5, stop == 0)
    none = m.mode("none", 2 * der(der(x1)) == push + coupling - stop, der(der(x2)) == spring - coupling, x2 - x1 == 0.5, x1 == 4)
    m.transition(two, one, x2 - x1 < 0.5)
    m.transition(one, none, x1 > 4)
    return m.simulate(5, **options)


def latched_sliders_solution():
    first, second = (lambda t: t + t * t / 4), (lambda t: 4 - cos(3 * t))
    steps = lambda f, t: next(s for s in np.arange(t, 5, 0.01) if (f(s) > 0) != (f(s + 0.01) > 0))
    gap = lambda t: second(t) - first(t) - 0.5
    t1 = root(gap, s := steps(gap, 0.0), s + 0.01)
    v, x = (2 * (1 + t1 / 2) + 3 * sin(3 * t1)) / 3, first(t1)
    middle, w = 3.5 + 1 / 9, sqrt(3)
    latch = lambda t: middle + (x - middle) * cos(w * (t - t1)) + v / w * sin(w * (t - t1)) - 4
    t2 = root(latch, s := steps(latch, t1), s + 0.01)
    return {"x1": 4.0, "x2": 4.5, "coupling": -4.5, "stop": -4.5 + 1 + 2}, [t1, t2, 4.0]


def slack_rope(**options):
    m = sl.Model("slack rope")
    x, y = m.state("x", 0.0, derivative_start=sqrt(3.5 * 9.81)), m.state("y", -1.0, derivative_start=0)
    force = m.algebraic("force")
    m.equation(der(der(x)) == -force * x, der(der(y)) == -force * y - 9.81)
    taut, slack = m.mode("taut", x * x + y * y == 1), m.mode("slack", force == 0)
    m.transition(taut, slack, force < 0)
    m.transition(slack, taut, x * x + y * y > 1)
    return m.simulate(2.5, **options)


def slack_rope_solution():
    # It lets go at y = 1/2, where v^2 = g y, and is taut again after 4 vy/g.
    x, y, speed = sqrt(0.75), 0.5, sqrt(9.81 * 0.5)
    vx, vy = -speed * y, speed * x
    begin, flight = _swing_time(acos(-0.5), sqrt(3.5 * 9.81)), 4 * vy / 9.81
    x, y, vy = x + vx * flight, y + vy * flight - 9.81 / 2 * flight**2, vy - 9.81 * flight
    angle = _swing(atan2(x, -y), vy * x - vx * y, 2.5 - begin - flight)
    return {"x": sin(angle), "y": -cos(angle)}, [begin, begin + flight]


def _swing_time(angle, rate):
    """Until phi'' = -g sin(phi) from 0 has come to an angle: the integral of dphi/phi', by Gauss' rule."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    phi = angle / 2 * (nodes + 1)
    return float(angle / 2 * (weights @ (1 / np.sqrt(rate**2 - 2 * 9.81 * (1 - np.cos(phi))))))


def _swing(phi, rate, duration, length=1, n=20000):
    """phi after a time, by small steps of the classical method of order 4."""
    h, f = duration / n, lambda a: -9.81 / length * sin(a)
    for _ in range(n):
        k1, r1 = f(phi), rate
        k2, r2 = f(phi + h / 2 * r1), rate + h / 2 * k1
        k3, r3 = f(phi + h / 2 * r2), rate + h / 2 * k2
        k4, r4 = f(phi + h * r3), rate + h * k3
        phi, rate = phi + h / 6 * (r1 + 2 * r2 + 2 * r3 + r4), rate + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return phi


def resting_ball(**options):
    m = sl.Model("resting ball")
    h, contact = m.state("h", 1.0, derivative_start=0), m.algebraic("contact")
    since = m.time - 2
    floor, speed = where(since > 0, -10 * since**2, 0), where(since > 0, -20 * since, 0)
    m.equation(der(der(h)) == contact - 9.81)
    flies, rests = m.mode("flies", contact == 0), m.mode("rests", h == floor)
    m.when(h < floor, {der(h): speed - 0.5 * (der(h) - speed)}, name="bounce")
    m.transition(flies, rests, h < floor, at_accumulation=True)
    m.transition(rests, flies, contact < 0)
    return m.simulate(2.5, **options)


def resting_ball_solution():
    return {"h": -0.5 * 9.81 * 0.25}, None


# ---- contacts --------------------------------------------------------------------------------------------------------


def row_of_balls(**options):
    m = sl.Model("row of balls")
    x, v = m.state("x", [-0.5, 1.1, 2.2, 3.3, 4.4]), m.state("v", [1.0, 0, 0, 0, 0])
    push = [0, *(m.unilateral(f"balls {i + 1} and {i + 2}", x[i + 1] - x[i] - 1, restitution=1) for i in range(4)), 0]
    m.equation(der(x) == v, *(der(v[i]) == push[i] - push[i + 1] for i in range(5)))
    return m.simulate(2, **options)


def row_of_balls_solution():
    # Each takes over all of the velocity, after the gap in front of it.
    times = [0.6 + 0.1 * k for k in range(4)]
    return {"x[0]": 0.1, "x[4]": 4.4 + 2 - times[-1], "v[0]": 0.0, "v[4]": 1.0}, times


def bouncing_balls(**options):
    m = sl.Model("a hundred balls")
    y, v = m.state("y", 1 + 1e-9 * np.arange(100)), m.state("v", np.zeros(100))
    m.equation(der(y) == v, der(v) == where(y < 0, -1e4 * y - 10 * v, 0) - 9.81)
    return m.simulate(0.8, **options)


def bouncing_balls_solution():
    values, times = {}, []
    for ball in (0, 99):
        speed = sqrt(2 * 9.81 * (1 + 1e-9 * ball))
        a, w = 9.81 / 1e4, sqrt(1e4 - 25)
        b = (-speed + 5 * a) / w
        height = lambda s: -a + exp(-5 * s) * (a * cos(w * s) + b * sin(w * s))
        s = root(height, 0.9 * pi / w, 1.1 * pi / w)
        up = exp(-5 * s) * ((w * b - 5 * a) * cos(w * s) - (w * a + 5 * b) * sin(w * s))
        since = 0.8 - speed / 9.81 - s
        values |= {f"y[{ball}]": up * since - 9.81 / 2 * since**2, f"v[{ball}]": up - 9.81 * since}
        times.append((speed / 9.81, speed / 9.81 + s))
    return values, None


def block_on_slope(**options):
    m = sl.Model("block on a slope")
    s, v, h, u = (m.state(name, start) for name, start in (("s", 0.0), ("v", 2.0), ("h", 0.0), ("u", 0.0)))
    normal, t = m.unilateral("slope", h), m.time
    force = m.friction("rubbing", v, normal, 0.3, 0.5)
    pull = where(t > 1, 1.5 * (t - 1), 0)
    m.equation(der(s) == v, der(h) == u, der(v) == -9.81 * np.sin(0.4) - pull + force, der(u) == -9.81 * np.cos(0.4) + normal)
    return m.simulate(4, **options)


def block_on_slope_solution():
    along, press = 9.81 * sin(0.4), 9.81 * cos(0.4)
    up = along + 0.3 * press
    stop, give = 2 / up, 1 + (0.5 * press - along) / 1.5
    tau, a = 4 - give, 0.2 * press
    values = {"s": 2 / up - a * tau**2 / 2 - 1.5 * tau**3 / 6, "v": -a * tau - 1.5 * tau**2 / 2, "h": 0.0}
    return values, [stop, 1, give]


def half_wave_with_a_diode(**options):
    m = sl.Model("half-wave rectifier, RC")
    v, i = m.state("v", 0.0), m.algebraic("i")
    m.equation(0.5 * der(v) == i - v)
    m.diode("D", 10 * np.sin(2 * np.pi * m.time) - v, i)
    return m.simulate(3.2, **options)


def half_wave_with_a_diode_solution():
    source = lambda t: 10 * sin(2 * pi * t)
    stop = (pi - atan(pi)) / (2 * pi)
    meet = root(lambda t: source(t) - source(stop) * exp(-2 * (t - stop)), 1.0, 1.25)
    return {"v": source(3.2)}, [stop, meet, 1 + stop, 1 + meet, 2 + stop, 2 + meet]


def many_modes(n=100, **options):
    m = sl.Model("many modes")
    x, y, u = m.state("x", 0.0), m.state("y", 0.0), m.algebraic("u")
    m.equation(der(y) == u, y == x)
    modes = [m.mode(f"m{k}", der(x) == 1 + 0.5 * np.sin(m.time) / (k + 1)) for k in range(n)]
    for k, mode in enumerate(modes):
        m.transition(mode, modes[(k + 1) % n], m.time >= k + 1, name=f"from {k} on")
        m.transition(mode, modes[(7 * k + 3) % n], x < -1, name=f"from {k} far")
    return m.simulate(5.5, **options)


def many_modes_solution():
    y = 5.5 + sum(0.5 * (cos(k) - cos(min(k + 1, 5.5))) / (k + 1) for k in range(6))
    return {"x": y, "y": y, "u": 1 + 0.5 * sin(5.5) / 6}, [1, 2, 3, 4, 5]


def cut_rope(**options):
    m = sl.Model("cut rope")
    x, y, force = m.state("x", 1.0, derivative_start=0), m.state("y", 0.0, derivative_start=0), m.algebraic("force")
    m.equation(der(der(x)) == -force * x, der(der(y)) == -force * y - 9.81)
    rope, flight, caught = m.mode("rope", x * x + y * y == 1), m.mode("flight", force == 0), m.mode("caught", x * x + y * y == 4)
    m.transition(rope, flight, der(x) ** 2 + der(y) ** 2 > 9.81, name="cut")
    m.transition(flight, caught, x * x + y * y > 4, name="catch")
    return m.simulate(3, **options)


def cut_rope_solution():
    # v^2 = 2 g |y|: it is cut at y = -1/2, on the way from the right.
    t1 = _fall_time(0.5)
    x, y, speed = sqrt(0.75), -0.5, sqrt(9.81)
    vx, vy = speed * y, -speed * x
    away = lambda s: (x + vx * s) ** 2 + (y + vy * s - 9.81 / 2 * s * s) ** 2 - 4
    flight = root(away, 0.0, 2.0)
    x, y, vy = x + vx * flight, y + vy * flight - 9.81 / 2 * flight**2, vy - 9.81 * flight
    angle = _swing(atan2(x, -y), (vy * x - vx * y) / 4, 3 - t1 - flight, length=2)
    return {"x": 2 * sin(angle), "y": -2 * cos(angle)}, [t1, t1 + flight]


def _fall_time(depth):
    """From rest at the horizontal until y = -depth: the integral of da/sqrt(2 g sin(a)) for the angle a below it, with
    a = w^2, so that it is smooth."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    w = sqrt(asin(depth)) / 2 * (nodes + 1)
    return float(sqrt(asin(depth)) / 2 * (weights @ (2 * w / np.sqrt(2 * 9.81 * np.sin(w * w)))))


solutions = {
    kepler: kepler_solution,
    index_five_chain: index_five_chain_solution,
    thermostat: thermostat_solution,
    moving_surface: moving_surface_solution,
    derivative_guard: derivative_guard_solution,
    oscillator_beside_a_stop: oscillator_beside_a_stop_solution,
    ball_in_air: ball_in_air_solution,
    two_capacitors: two_capacitors_solution,
    clutch: clutch_solution,
    half_wave_rectifier: half_wave_rectifier_solution,
    bridge_rectifier: bridge_rectifier_solution,
    latched_sliders: latched_sliders_solution,
    slack_rope: slack_rope_solution,
    resting_ball: resting_ball_solution,
    row_of_balls: row_of_balls_solution,
    bouncing_balls: bouncing_balls_solution,
    block_on_slope: block_on_slope_solution,
    half_wave_with_a_diode: half_wave_with_a_diode_solution,
    many_modes: many_modes_solution,
    cut_rope: cut_rope_solution,
}


# ---- at rest in the end ------------------------------------------------------------------------------------------------


def brick_pile(n_rows=2, **options):
    """A pyramid of bricks on feet, dropped; one of a higher row stands on two of the row below."""
    m = sl.Model("brick pile")
    height, foot, inertia = 0.4, 0.45, (1 + 0.4**2) / 12
    bricks = {}
    for row in range(n_rows):
        for k in range(n_rows - row):
            tilt = -0.02 if (row + k) % 2 == 0 else 0.02
            start = [1.1 * (k + 0.5 * row), height * (row + 0.5) + 0.05 * (row + 1), tilt], [0.1 * (row + 1), 0.0, 0.0]
            bricks[row, k] = {"q": m.state(f"q {row}.{k}", start[0]), "v": m.state(f"v {row}.{k}", start[1]), "force": [0, 0, 0]}

    def push(brick, point, fx, fy):
        x, y = point[0] - brick["q"][0], point[1] - brick["q"][1]
        brick["force"] = [old + new for old, new in zip(brick["force"], (fx, fy, x * fy - y * fx))]

    for (row, k), brick in bricks.items():
        for side in (0, 1):
            q, v, along, up = brick["q"], brick["v"], (2 * side - 1) * foot, -height / 2
            at = q[0] + along * np.cos(q[2]) - up * np.sin(q[2]), q[1] + along * np.sin(q[2]) + up * np.cos(q[2])
            slip, gap, c, s = [v[0] - v[2] * (at[1] - q[1]), v[1] + v[2] * (at[0] - q[0])], at[1], 1.0, 0.0
            if row > 0:
                p, w = bricks[row - 1, k + side]["q"], bricks[row - 1, k + side]["v"]
                c, s = np.cos(p[2]), np.sin(p[2])
                gap = -(at[0] - p[0]) * s + (at[1] - p[1]) * c - height / 2
                slip = [slip[0] - w[0] + w[2] * (at[1] - p[1]), slip[1] - w[1] - w[2] * (at[0] - p[0])]
            m.output(f"gap {row}.{k}.{side}", gap)
            normal = m.unilateral(f"foot {row}.{k}.{side}", gap)
            rubs = m.friction(f"rubs {row}.{k}.{side}", slip[0] * c + slip[1] * s, normal, 0.5)
            fx, fy = -normal * s + rubs * c, normal * c + rubs * s
            push(brick, at, fx, fy)
            if row > 0:
                push(bricks[row - 1, k + side], at, -fx, -fy)
    for brick in bricks.values():
        fx, fy, moment = brick["force"]
        m.equation(der(brick["q"]) == brick["v"], der(brick["v"]) == sl.stack([fx, fy - 9.81, moment / inertia]))
    return m.simulate(2.0, **options)


# ---- fits ------------------------------------------------------------------------------------------------------------


def belt_fit(start, seed=1):
    """Friction of a belt from a measured motion with stick and slip."""
    m = sl.Model("belt")
    x, v = m.state("x", 1.0), m.state("v", 0.5)
    force, decay = m.parameter("Fs", 1.0), m.parameter("gamma", 3.0)
    m.equation(der(x) == v, der(v) == -3 * x - force * np.sign(v - 0.2) / (1 + decay * abs(v - 0.2)))
    times = np.linspace(0.2, 15, 75)
    measured = m.simulate(15, t_eval=times, rtol=1e-8, atol=1e-8)["x"] + np.random.default_rng(seed).normal(0, 0.02, 75)
    return sl.fit(m, start, {x: (times, measured, 0.02)}, t_end=15, rtol=1e-8, atol=1e-8)


# What must come out, and from where the search begins.
fits = {belt_fit: ({"Fs": 1.0, "gamma": 3.0}, {"Fs": 0.8, "gamma": 3.6})}


# ---- optima ----------------------------------------------------------------------------------------------------------


@lru_cache
def switched_lq():
    """An oscillator pushed along one axis, then the other, then the first: the best switching times and costates."""
    from scipy.optimize import root as zero_of

    m = sl.Model("two axes")
    x1, x2, u = m.state("x1", -2.0), m.state("x2", -0.4), m.algebraic("u")
    l1, l2 = m.state("lambda1", 0.0), m.state("lambda2", 0.0)
    tau1, tau2 = m.parameter("tau1", 0.9), m.parameter("tau2", 2.4)

    def stage(name, e2, damping, b1, b2):
        motion = der(x1) == x2 + b1 * u, e2 * der(x2) == -x1 - damping * x2 + b2 * u, u == -b1 * l1 - b2 * l2
        return m.mode(name, *motion, der(l1) == -x1 + l2, e2 * der(l2) == -x2 - l1 + damping * l2)

    first, second, third = stage("along 1", 1, 0, 1, 0), stage("along 2", 1.5, 0.2, 0, 1), stage("along 1 again", 1, 0, 1, 0)
    m.transition(first, second, m.time > tau1, maps={l2: l2 / 1.5})
    m.transition(second, third, m.time > tau2, maps={l2: 1.5 * l2})
    m.output("cost", m.integral("running", 0.5 * (x1**2 + x2**2 + u**2)) + x1**2 + x2**2)
    names = ["tau1", "tau2", "lambda1", "lambda2"]
    given = {"t_span": 4, "engine": "radau", "rtol": 1e-10, "atol": 1e-10}

    def slopes(choice):
        return list(sl.gradient(m, "cost", names, values=dict(zip(names, choice)), **given)[1].values())

    best = zero_of(slopes, [0.9, 2.4, -2.2, -0.3], tol=1e-8).x
    return dict(zip(names, best)), sl.simulate(m, values=dict(zip(names, best)), **given)


def missed_conditions(choice, solution):
    """Of an optimum: costates at the end are the slopes of what the end costs, and H is the same on both sides of a switch."""
    at = lambda t, side: {name: solution(t, side=side)[k] for k, name in enumerate(solution.names)}
    end = at(4.0, "left")
    missed = [abs(end["lambda1"] - 2 * end["x1"]), abs(end["lambda2"] - 2 * end["x2"])]

    def hamiltonian(p, damping, b1, b2):
        motion = p["lambda1"] * (p["x2"] + b1 * p["u"]) + p["lambda2"] * (-p["x1"] - damping * p["x2"] + b2 * p["u"])
        return p["x1"] ** 2 + p["x2"] ** 2 + p["u"] ** 2 + 2 * motion

    for t, before, after in ((choice["tau1"], (0, 1, 0), (0.2, 0, 1)), (choice["tau2"], (0.2, 0, 1), (0, 1, 0))):
        missed.append(abs(hamiltonian(at(t, "left"), *before) - hamiltonian(at(t, "right"), *after)))
    return max(missed)
