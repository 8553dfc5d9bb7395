"""Problems of tests/problems in Python: the shortest form that a user would honestly write.

Each function is a complete program of its problem; `lines()` counts what it says between its first line and its end.
"""

import inspect

import numpy as np

import saltus as sl
from saltus import der, pre, where


def disode_p1(**options):
    m = sl.Model("DISODE45 problem 1")
    y1, y2 = m.state("y1", -0.75), m.state("y2", -1 - np.sin(1.5))
    z = y2 - np.sin(2 * y1)
    g = z - 0.2
    m.equation(der(y1) == z, der(y2) == 2 * np.cos(2 * y1) * z - y1 - np.sign(g) / (1 + abs(g) ** 1.5))
    return m.simulate(30, **options)


def disode_p2(**options):
    m = sl.Model("DISODE45 problem 2")
    y, v = m.state("y", 0.0, nominal=0.01), m.state("v", 0.0, nominal=0.1)
    c, depth = 2.47e6, y - 0.005
    damping = where(v > 0, 1.98 * np.sqrt(2 * c * np.sqrt(depth)) * v, 0)
    push = where(depth > 0, c * depth**1.5 + damping, 0)
    m.equation(der(y) == v, 2 * der(v) == -4.1 * v - 210.125 * y - push - 2 * np.sin(14 * m.time))
    return m.simulate(3, **options)


def disode_p3(**options):
    m = sl.Model("DISODE45 problem 3")
    y1, y2, y3 = m.state("y1", 0.0), m.state("y2", 0.2), m.state("y3", 0.06)
    w, damping, relay = 25, 2.5, np.sign(y1)
    m.equation(der(y1) == -(damping + 1) * y1 + y2 - relay)
    m.equation(der(y2) == -(damping + w**2) * y1 + y3 + 2 * relay, der(y3) == -(w**2) * y1 - relay)
    return m.simulate(4 * np.pi, **options)


def two_body_stick_slip(**options):
    m = sl.Model("two bodies")
    p, v = m.state("p", [1.0, 1.0]), m.state("v", [0.0, 0.0])
    force = 0.4 * np.sign(v[0] - v[1])
    m.equation(der(p) == v, der(v) == sl.stack([np.sin(m.time) - force, force]))
    return m.simulate(10, **options)


def belt_stick_slip(**options):
    m = sl.Model("belt")
    x, v = m.state("x", 0.0), m.state("v", 0.0)
    slip = v - 0.2
    m.equation(der(x) == v, der(v) == -3 * x - np.sign(slip) / (1 + 3 * abs(slip)))
    return m.simulate(15, **options)


def bouncing_ball(**options):
    m = sl.Model("ball")
    h, v = m.state("h", 10.0), m.state("v", 0.0)
    m.equation(der(h) == v, der(v) == -9.81)
    m.when(h < 0, {v: -0.8 * pre(v)}, name="bounce")
    return m.simulate(10, **options)


def carver_circuit(**options):
    m = sl.Model("Carver's circuit")
    x1, x2, v3 = m.state("x1", 0.0), m.state("x2", 0.0), m.algebraic("v3", 250 / 3, nominal=100)
    v1 = 100 * np.cos(100 * np.pi * m.time)
    first = ((x1 > 0) | (v1 > v3)) & (x2 <= 0) & (-v1 < v3)
    second = ((x2 > 0) | (-v1 > v3)) & (x1 < 0) & (v1 < v3)
    m.equation(10 * (x1 + x2) + 0.2 * (der(x1) + der(x2)) == v3)
    m.equation(der(x1) == where(first, (v1 - 12 * x1) / 0.24, where(second, 0, 25.28 * v1 - 50 * x1)))
    m.equation(der(x2) == where(first, 0, where(second, (-v1 - 12 * x2) / 0.24, -25.28 * v1 - 50 * x2)))
    return m.simulate(0.05, **options)


def pendulum(**options):
    m = sl.Model("pendulum")
    q, v, force = m.state("q", [1.0, 0.0]), m.state("v", [0.0, 0.0]), m.algebraic("lambda")
    m.equation(der(q) == v, der(v) == -force * q - [0, 9.81], q @ q == 1)
    return m.simulate(10, **options)


def disode_p4(**options):
    m = sl.Model("DISODE45 problem 4")
    y, v = m.state("y", [-2.0, 3.0]), m.state("v", [0.0, 0.0])
    friction = where(y <= 0, [0.6, 0.5], [1.0, 0.2]) * np.sign(v)
    m.equation(der(y) == v, der(v) == y[::-1] - y - friction)
    return m.simulate(12, **options)


def small_hybrid(**options):
    m = sl.Model("small hybrid")
    x, p = m.state("x", 0.0), m.parameter("p", 2.9)
    m.equation(der(x) == where(x**3 - 5 * x**2 + 7 * x <= p, 4 - x, 10 - 2 * x))
    return m.simulate(2, **options)


def robertson(**options):
    m = sl.Model("Robertson")
    y1, y2, y3 = m.state("y1", 1.0), m.state("y2", 0.0, nominal=1e-4), m.state("y3", 0.0)
    m.equation(der(y1) == -0.04 * y1 + 1e4 * y2 * y3, der(y2) == 0.04 * y1 - 1e4 * y2 * y3 - 3e7 * y2**2)
    m.equation(y1 + y2 + y3 == 1)
    return m.simulate(40, **options)


def van_der_pol(**options):
    m = sl.Model("van der Pol")
    y1, y2 = m.state("y1", 2.0), m.state("y2", 0.0)
    m.equation(der(y1) == y2, der(y2) == ((1 - y1**2) * y2 - y1) / 1e-6)
    return m.simulate(2, **options)


def car_axis(**options):
    m = sl.Model("car axis")
    left = m.state("left", [0.0, 0.5])
    right = m.state("right", [1.0, 0.5])
    vl, vr = m.state("vl", [-0.5, 0.0]), m.state("vr", [-0.5, 0.0])
    force = m.algebraic("lambda", shape=2)
    yb = 0.1 * np.sin(10 * m.time)
    road, k, weight = sl.stack([np.sqrt(1 - yb * yb), yb]), 10 * 0.01**2 / 2, np.array([0, 1.0])
    pull = lambda spring: (0.5 / np.sqrt(spring @ spring) - 1) * spring
    axle = left - right
    m.equation(der(left) == vl, k * der(vl) == pull(left) + force[0] * road + 2 * force[1] * axle - k * weight)
    m.equation(der(right) == vr, k * der(vr) == pull(right - road) - 2 * force[1] * axle - k * weight)
    m.equation(left @ road == 0, axle @ axle == 1)
    return m.simulate(3, **options)


def transistor_amplifier(**options):
    m = sl.Model("transistor amplifier")
    y = m.state("y", [0.0, 3, 3, 6, 3, 3, 6, 0])
    ub, r, c, alpha = 6.0, 9000.0, 1e-6, 0.99
    h = lambda u: 1e-6 * (np.exp(u / 0.026) - 1)
    first, second = h(y[1] - y[2]), h(y[4] - y[5])
    q = lambda k, a, b: k * c * (der(y[b]) - der(y[a]))
    m.equation(q(1, 0, 1) == (y[0] - 0.1 * np.sin(200 * np.pi * m.time)) / 1000)
    m.equation(q(1, 1, 0) == (2 * y[1] - ub) / r + (1 - alpha) * first, -2 * c * der(y[2]) == y[2] / r - first)
    m.equation(q(3, 3, 4) == (y[3] - ub) / r + alpha * first, q(3, 4, 3) == (2 * y[4] - ub) / r + (1 - alpha) * second)
    m.equation(-4 * c * der(y[5]) == y[5] / r - second, q(5, 6, 7) == (y[6] - ub) / r + alpha * second)
    m.equation(q(5, 7, 6) == y[7] / r)
    return m.simulate(0.2, **options)


def diode_rectifier(**options):
    m = sl.Model("rectifier")
    v, u = m.state("v", 0.0), m.algebraic("u", 0.0)
    i = 1e-9 * (np.exp(u / 0.05) - 1)
    m.equation(1e-5 * der(v) == i - v / 1e4, 5 * np.sin(100 * np.pi * m.time) == 100 * i + u + v)
    return m.simulate(0.064, **options)


def compound_pendulum(**options):
    m = sl.Model("compound pendulum")
    mass, arm, angle = 36.0, 0.5, np.radians(20)
    x, vx = m.state("x", arm * np.cos(angle)), m.state("vx", -arm * np.sin(angle))
    y, vy = m.state("y", arm * np.sin(angle)), m.state("vy", arm * np.cos(angle))
    theta, omega, rx, ry = m.state("theta", angle), m.state("omega", 1.0), m.algebraic("rx"), m.algebraic("ry")
    m.equation(der(x) == vx, der(y) == vy, der(theta) == omega, mass * der(vx) == mass * 9.81 + rx, mass * der(vy) == ry)
    m.equation(mass / 12 * der(omega) == y * rx - x * ry, x == arm * np.cos(theta), y == arm * np.sin(theta))
    return m.simulate(5, **options)


def boost_converter(**options):
    m = sl.Model("boost converter")
    u, i = m.state("u", 10.0), m.state("i", 10.0)
    i_diode, i_switch, v_switch = m.algebraic("i_diode"), m.algebraic("i_switch"), m.algebraic("v_switch")
    closed = m.discrete("closed", 0.0)
    m.when(m.every(0.16, 0.1), {closed: 1}, name="close")
    m.when(m.every(0.16, 0.16), {closed: 0}, name="open")
    m.equation(0.01 * der(u) == i_diode - u / 2, der(i) == v_switch + 48, i_switch + i == i_diode)
    m.ideal_switch("switch", v_switch, i_switch, closed > 0.5)
    m.diode("diode", -u - v_switch, i_diode)
    return m.simulate(1, **options)


def belt_stick_slip_v1(**options):
    m = sl.Model("belt, v(0) = 1")
    x, v = m.state("x", 0.0), m.state("v", 1.0)
    slip = v - 0.2
    m.equation(der(x) == v, der(v) == -3 * x - np.sign(slip) / (1 + 3 * abs(slip)))
    return m.simulate(15, **options)


def oscillating_belt(**options):
    m = sl.Model("oscillating belt")
    x, v = m.state("x", 0.0), m.state("v", 0.0)
    slip = v - 0.2 - 0.1 * np.sin(2 * m.time)
    m.equation(der(x) == v, der(v) == -3 * x - np.sign(slip) / (1 + 3 * abs(slip)))
    return m.simulate(15, **options)


def boost_converter_dcm(**options):
    m = sl.Model("boost converter, discontinuous")
    u, i = m.state("u", 10.0), m.state("i", 1.0)
    i_diode, i_switch, v_switch = m.algebraic("i_diode"), m.algebraic("i_switch"), m.algebraic("v_switch")
    closed = m.discrete("closed", 0.0)
    m.when(m.every(0.16, 0.1), {closed: 1}, name="close")
    m.when(m.every(0.16, 0.16), {closed: 0}, name="open")
    m.equation(0.01 * der(u) == i_diode - u / 20, 0.2 * der(i) == v_switch + 48, i_switch + i == i_diode)
    m.ideal_switch("switch", v_switch, i_switch, closed > 0.5)
    m.diode("diode", -u - v_switch, i_diode)
    return m.simulate(1, **options)


def rolling_spheres(**options):
    m = sl.Model("rolling spheres")
    both, r, inertia, turn = 0.6, 0.05, 0.4 * 0.05**2, np.radians(45 / 8)
    state = lambda name, start, speed: m.state(name, start, derivative_start=speed)
    rho, alpha, beta = state("rho", both, 0), state("alpha", 0.0, -turn), state("beta", np.pi / 2, turn)
    phi, theta, psi = state("phi", 0.0, 12 * turn), state("theta", np.pi / 2, 12 * turn), state("psi", np.pi / 2, 0)
    l1, l2, l3 = (m.algebraic(f"lambda{k}") for k in (1, 2, 3))
    vr, va, vb, vf, vt, vs = (der(q) for q in (rho, alpha, beta, phi, theta, psi))
    ca, sa, ct, st, cs, ss = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta), np.cos(psi), np.sin(psi)
    m.equation(der(vr) - rho * (va**2 + vb**2 * ca**2) == l3)
    m.equation(rho**2 * der(va) + rho * (2 * vr * va + rho * vb**2 * ca * sa) == both * l1)
    m.equation(rho**2 * ca**2 * der(vb) + 2 * rho * (vr * vb * ca**2 - rho * vb * va * ca * sa) == both * l2)
    m.equation(inertia * (der(vf) + ct * der(vs) - vt * vs * st) == -r * st * (cs * l1 + ss * l2))
    m.equation(inertia * (der(vt) + vf * vs * st) == r * (ss * l1 - cs * l2), ct * der(vf) + der(vs) == vf * vt * st)
    m.equation(rho == both, both * va == r * (vf * st * cs - vt * ss), both * vb == r * (vf * st * ss + vt * cs))
    return m.simulate(8, **options)


def andrews_squeezer(**options):
    m = sl.Model("Andrews' squeezer")
    sin, cos = np.sin, np.cos
    m1, m2, m3, m4, m5, m6, m7 = 0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498
    i1, i2, i3, i4, i5, i6, i7 = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
    xa, ya, xb, yb, xc, yc, d, da, e, a, rr, ra = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072, 28e-3, 115e-4, 2e-2, 579e-5, 7e-3, 92e-5
    ss, sa, sb, sc, sd, ta, tb, u, ua, ub, zf, zt, b = 35e-3, 1874e-5, 1043e-5, 18e-3, 2e-2, 2308e-5, 916e-5, 4e-2, 1228e-5, 449e-5, 2e-2, 4e-2, 579e-5
    starts = [-0.06171389001427645, 0, 0.4552798191630704, 0.22266839016588588, 0.48736497954384255, -0.22266839016588588, 1.2305474445498212]
    names = "beta theta gamma phi delta omega epsilon".split()
    q = [m.state(name, float(start), derivative_start=0) for name, start in zip(names, starts)]
    v, l = [der(one) for one in q], [m.algebraic(f"lambda{k + 1}", guess) for k, guess in enumerate((100, -6, 0, 0, 0, 0))]
    w = [der(one) for one in v]
    m10, m43 = m2 * (da * da - da * rr * cos(q[1])) + i2, m4 * (a * a + zt * a * sin(q[3])) + i4
    m65 = m6 * (b * b - u * b * sin(q[5])) + i6
    m00 = m1 * ra**2 + m2 * (rr**2 + da**2 - 2 * da * rr * cos(q[1])) + i1 + i2
    m44 = m4 * (zt**2 + 2 * zt * a * sin(q[3]) + a**2) + m5 * (ta**2 + tb**2) + i4 + i5
    m66 = m6 * (b**2 - 2 * u * b * sin(q[5]) + u**2) + m7 * (ua**2 + ub**2) + i6 + i7
    dx, dy = sd * cos(q[2]) + sc * sin(q[2]) + xb - xc, sd * sin(q[2]) - sc * cos(q[2]) + yb - yc
    pull = -4530 * (np.sqrt(dx * dx + dy * dy) - 7785e-5) / np.sqrt(dx * dx + dy * dy)
    bt, pd, oe, lx, ly = q[0] + q[1], q[3] + q[4], q[5] + q[6], l[0] + l[2] + l[4], l[1] + l[3] + l[5]
    crank, bar = d * (sin(bt) * lx - cos(bt) * ly), -e * (cos(pd) * l[2] + sin(pd) * l[3])
    link = zf * (sin(oe) * l[4] - cos(oe) * l[5])
    m.equation(m00 * w[0] + m10 * w[1] == 33e-3 - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sin(q[1]) - rr * (cos(q[0]) * ly - sin(q[0]) * lx) - crank)
    m.equation(m10 * w[0] + (m2 * da**2 + i2) * w[1] == m2 * da * rr * v[0] ** 2 * sin(q[1]) - crank)
    moment = pull * (dx * (sc * cos(q[2]) - sd * sin(q[2])) + dy * (sd * cos(q[2]) + sc * sin(q[2])))
    m.equation((m3 * (sa**2 + sb**2) + i3) * w[2] == moment + ss * (cos(q[2]) * l[0] + sin(q[2]) * l[1]))
    m.equation((m4 * a * a + i4) * w[3] + m43 * w[4] == m4 * zt * a * v[4] ** 2 * cos(q[3]) - bar)
    turn = zt * (sin(q[4]) * l[2] - cos(q[4]) * l[3])
    m.equation(m43 * w[3] + m44 * w[4] == -m4 * zt * a * v[3] * (v[3] + 2 * v[4]) * cos(q[3]) - bar - turn)
    m.equation((m6 * b * b + i6) * w[5] + m65 * w[6] == -m6 * u * b * v[6] ** 2 * cos(q[5]) - link)
    tilt = -u * (cos(q[6]) * l[4] + sin(q[6]) * l[5])
    m.equation(m65 * w[5] + m66 * w[6] == m6 * u * b * v[5] * (v[5] + 2 * v[6]) * cos(q[5]) - link - tilt)
    x, y = rr * cos(q[0]) - d * cos(bt), rr * sin(q[0]) - d * sin(bt)
    m.equation(x - ss * sin(q[2]) == xb, y + ss * cos(q[2]) == yb, x - e * sin(pd) - zt * cos(q[4]) == xa)
    m.equation(y + e * cos(pd) - zt * sin(q[4]) == ya, x - zf * cos(oe) - u * sin(q[6]) == xa, y - zf * sin(oe) + u * cos(q[6]) == ya)
    return m.simulate(0.03, **options)


def marble_jar(n, t_end, **options):
    m = sl.Model(f"{n} marbles in a jar")
    start = np.array([[0.002, 0.001, 0.05], [-0.003, 0.002, 0.08], [0.001, -0.004, 0.11], [-0.002, -0.001, 0.14]])[:n]
    p, v = m.state("p", start, nominal=0.01), m.state("v", np.zeros((n, 3)))
    push = lambda gap: where(gap < 0, -1000 * gap, 0)
    first, second = np.triu_indices(n, 1)
    apart = p[first] - p[second]
    distance = np.sqrt((apart * apart).sum(axis=1))
    pull = (push(distance - 0.02) / distance)[:, None] * apart
    radius = np.sqrt(p[:, 0] ** 2 + p[:, 1] ** 2)
    wall = -push(0.02 - radius) / radius
    forces = sl.stack([wall * p[:, 0], wall * p[:, 1], push(p[:, 2] - 0.01) - 0.0981]).T
    for i in range(n):
        force = forces[i] + sum((pull[k] * ((first[k] == i) * 1.0 - (second[k] == i) * 1.0) for k in range(len(first))), 0)
        m.equation(0.01 * der(v[i]) == force)
    m.equation(der(p) == v)
    return m.simulate(t_end, **options)


def marble_jar_2(**options):
    return marble_jar(2, 0.2, **options)


def marble_jar_4(**options):
    return marble_jar(4, 0.15, **options)


def bowed_string(normal_force=18.0, t_end=0.07, **options):
    m = sl.Model("bowed string")
    yb, vb = m.state("yb", 0.0), m.state("vb", 0.5)
    u, v, left, right = m.state("u", np.zeros(101)), m.state("v", np.zeros(101)), m.algebraic("left"), m.algebraic("right")
    force = -0.4 * normal_force * np.sign(v[10] - vb)
    m.equation(der(yb) == vb, der(vb) == -np.sin(2 * m.time) - force, der(u) == v, u[0] == 0, u[100] == 0)
    stiffness = 55 * 100**2 / 0.7**2
    m.equation(0.5 * der(v[0]) == stiffness * (u[1] - 2 * u[0]) - left, 0.5 * der(v[100]) == stiffness * (u[99] - 2 * u[100]) - right)
    pull = stiffness * (u[2:] - 2 * u[1:-1] + u[:-2])
    m.equation(0.5 * der(v[1:10]) == pull[:9], 0.5 * der(v[10]) == pull[9] + force, 0.5 * der(v[11:100]) == pull[10:])
    return m.simulate(t_end, **options)


def lines(problem):
    """Non-blank lines of the function."""
    return sum(1 for line in inspect.getsource(problem).splitlines()[1:] if line.strip())


# Lines that SciPy needs: the problem as a competent user writes it for solve_ivp, plus the driver of 16 lines that
# restarts at events.
lines_with_scipy = {
    disode_p1: 18 + 16,
    disode_p2: 11 + 16,
    disode_p3: 13 + 16,
    two_body_stick_slip: 12 + 16,
    belt_stick_slip: 13 + 16,
    bouncing_ball: 4 + 16,
    carver_circuit: 10 + 16,
    pendulum: 6 + 16,
}

# Name of the reference and states in its order.
references = {
    disode_p1: ("disode_p1_sliding", ["y1", "y2"]),
    disode_p2: ("disode_p2_pounding", ["y", "v"]),
    disode_p3: ("disode_p3_relay", ["y1", "y2", "y3"]),
    two_body_stick_slip: ("twobody_stickslip", ["p[0]", "p[1]", "v[0]", "v[1]"]),
    belt_stick_slip: ("belt_stickslip", ["x", "v"]),
    bouncing_ball: ("bouncing_ball_zeno", ["h", "v"]),
    carver_circuit: ("carver_circuit", ["x1", "x2"]),
    pendulum: ("pendulum_index3", ["q[0]", "q[1]", "v[0]", "v[1]", "lambda"]),
    disode_p4: ("disode_p4_two_masses_friction", ["y[0]", "y[1]", "v[0]", "v[1]"]),
    small_hybrid: ("dsl48se_small_hybrid", ["x"]),
    robertson: ("robertson", ["y1", "y2", "y3"]),
    van_der_pol: ("van_der_pol", ["y1", "y2"]),
    car_axis: ("ivp_car_axis", ["left[0]", "left[1]", "right[0]", "right[1]", "vl[0]", "vl[1]", "vr[0]", "vr[1]", "lambda[0]", "lambda[1]"]),
    transistor_amplifier: ("transistor_amplifier", [f"y[{i}]" for i in range(8)]),
    diode_rectifier: ("diode_rectifier", ["v", "u"]),
    boost_converter: ("boost_converter", ["i", "u"]),
    compound_pendulum: ("compere_compound_pendulum", ["x", "vx", "y", "vy", "theta", "omega"]),
    belt_stick_slip_v1: ("belt_stickslip_v1", ["x", "v"]),
    oscillating_belt: ("oscillating_belt", ["x", "v"]),
    boost_converter_dcm: ("boost_converter_dcm", ["i", "u"]),
    andrews_squeezer: ("ivp_andrews_squeezer", "beta theta gamma phi delta omega epsilon".split()),
    rolling_spheres: ("compere_rolling_spheres", ["alpha", "beta", "phi", "theta", "psi"]),
    # The motion of marbles is chaotic, and the whole of the string takes minutes: their first events.
    marble_jar_2: ("compere_marble_jar_N2", []),
    marble_jar_4: ("compere_marble_jar_N4", []),
    bowed_string: ("bowed_string", []),
}

# Events of the reference are one each for switch and diode; with blocks a change of both is one transition, and clocks
# have events of their own.
events_counted_otherwise = {boost_converter, boost_converter_dcm}
