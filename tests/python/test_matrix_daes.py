"""E x' = A x + f written with matrices, against the same rows written one by one and against closed forms."""

import unittest

import numpy as np

import saltus as sl
from saltus import der

RTOL = 1e-8


class Pencil:
    """E x' = A x + f of one Weierstrass form: y' = J y and N z' = z + g(t), x = T (y, z)."""

    def __init__(self, rng, index, mixed):
        blocks = [index, *rng.integers(1, index + 1, rng.integers(0, 3))]
        self.n_slow = int(rng.integers(0, 3))
        n = self.n_slow + sum(blocks)
        self.J = rng.uniform(-1, 1, (self.n_slow, self.n_slow))
        self.N = np.zeros((n - self.n_slow,) * 2)
        at = 0
        for size in blocks:
            for k in range(size - 1):
                self.N[at + k, at + k + 1] = 1.0
            at += size
        self.index = index
        # sin(w t + phase): every derivative is known, none is zero.
        self.w, self.phase = rng.uniform(0.5, 1.5, len(self.N)), rng.uniform(0, 6, len(self.N))
        self.P, self.T = np.eye(n)[rng.permutation(n)], np.eye(n)[rng.permutation(n)]
        if mixed:  # small whole numbers: the products below are exact
            self.P = self.P @ (np.eye(n) + np.tril(rng.integers(-1, 2, (n, n)), -1))
            self.T = self.T @ (np.eye(n) + np.triu(rng.integers(-1, 2, (n, n)), 1))
        inverse = np.rint(np.linalg.inv(self.T))
        zero = np.zeros((self.n_slow, len(self.N)))
        self.E = self.P @ np.block([[np.eye(self.n_slow), zero], [zero.T, self.N]]) @ inverse
        self.A = self.P @ np.block([[self.J, zero], [zero.T, np.eye(len(self.N))]]) @ inverse
        self.y0 = rng.uniform(-1, 1, self.n_slow)

    def forcing(self, time):
        g = sl.stack([sl.sin(float(w) * time + float(p)) for w, p in zip(self.w, self.phase)])
        return self.P[:, self.n_slow :] @ g

    def exact(self, t):
        # z = -(g + N g' + N^2 g'' + ...)
        z, power = np.zeros(len(self.N)), np.eye(len(self.N))
        for k in range(self.index):
            z -= power @ (self.w**k * np.sin(self.w * t + self.phase + k * np.pi / 2))
            power = power @ self.N
        values, vectors = np.linalg.eig(self.J) if self.n_slow else (np.zeros(0), np.zeros((0, 0)))
        y = (vectors @ (np.exp(values * t) * np.linalg.solve(vectors, self.y0))).real if self.n_slow else self.y0
        return self.T @ np.concatenate([y, z])

    def model(self, by_rows):
        m = sl.Model("pencil")
        n = len(self.E)
        x = m.state("x", self.exact(0.0))
        f = self.forcing(m.time)
        if not by_rows:
            m.equation(self.E @ der(x) == self.A @ x + f)
            return m
        for i in range(n):
            left = sum((float(self.E[i, j]) * der(x[j]) for j in range(n) if self.E[i, j]), 0.0 * m.time)
            right = sum((float(self.A[i, j]) * x[j] for j in range(n) if self.A[i, j]), 0.0 * m.time)
            m.equation(left == right + f[i])
        return m


class Matrices(unittest.TestCase):
    def check(self, pencil, what):
        ends = []
        for by_rows in (False, True):
            s = sl.simulate(pencil.model(by_rows), 1.0, rtol=RTOL, atol=RTOL)
            self.assertTrue(s.success, f"{what}, {'rows' if by_rows else 'matrices'}: {s.message}")
            ends.append(s["x"][:, -1])
        # 1,000 tolerances, and each derivative of a nilpotent chain may amplify by the largest entry of T.
        bound = 1000 * RTOL * (1 + np.abs(pencil.exact(1.0)).max()) * np.abs(pencil.T).max()
        np.testing.assert_allclose(ends[0], pencil.exact(1.0), rtol=0, atol=bound, err_msg=what)
        np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=bound, err_msg=what)

    def test_random_pencils(self):
        for index in (1, 2, 3, 4):
            for seed in range(25):
                pencil = Pencil(np.random.default_rng([index, seed]), index, mixed=seed % 2 == 1)
                self.check(pencil, f"index {index}, seed {seed}")

    def test_a_slice_does_not_need_the_elements_left_out(self):
        m = sl.Model("slice")
        x = m.state("x", [0.0, 1.0, 1.0])
        doubled = 2 * der(der(x))
        m.equation(doubled[1:] == -2 * x[1:], x[0] == sl.sin(m.time))
        s = sl.simulate(m, 1.0, rtol=RTOL, atol=RTOL)
        self.assertTrue(s.success, s.message)
        np.testing.assert_allclose(s["x"][:, -1], [np.sin(1), np.cos(1), np.cos(1)], rtol=0, atol=1000 * RTOL)


if __name__ == "__main__":
    unittest.main()
