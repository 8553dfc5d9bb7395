"""Operators and functions give the graph that C++ gives, shapes those of NumPy."""

import unittest

import numpy as np

import saltus as sl


def value_of(expression, **at):
    """The number (or array) that an expression has in a model whose only state rests."""
    model = expression.model
    model.output("probe", expression)
    solution = sl.simulate(model, 0.5, values=at)
    assert solution.success, solution.message
    probe = solution["probe"]
    return probe[..., -1]


def resting(**starts):
    model = sl.Model("resting")
    variables = [model.state(name, start) for name, start in starts.items()]
    for variable in variables:
        model.equation(sl.der(variable) == 0.0 * variable)
    return model, variables


class Scalars(unittest.TestCase):
    def test_operators_compute_what_python_computes(self):
        for f in (
            lambda x, y: 2 * x - y / 3 + 1,
            lambda x, y: x**3 - x**y,
            lambda x, y: -(+x) * abs(-y),
            lambda x, y: 3 - (1 / x) ** 2,
            lambda x, y: 2**x,
        ):
            _, (x, y) = resting(x=1.7, y=0.3)
            self.assertAlmostEqual(value_of(f(x, y)), f(1.7, 0.3), delta=4 * np.finfo(float).eps * 10)

    def test_numpy_functions_work_on_expressions(self):
        for name in "sin cos tan exp log sqrt sinh cosh tanh arctan square".split():
            _, (x,) = resting(x=0.4)
            self.assertAlmostEqual(value_of(getattr(np, name)(x)), getattr(np, name)(0.4), delta=1e-15, msg=name)
        for name in "arcsin arccos arctan absolute sign".split():
            _, (x,) = resting(x=-0.4)
            self.assertAlmostEqual(value_of(getattr(np, name)(x)), getattr(np, name)(-0.4), delta=1e-15, msg=name)
        for name in "arctan2 hypot minimum maximum power".split():
            _, (x, y) = resting(x=0.4, y=1.5)
            self.assertAlmostEqual(value_of(getattr(np, name)(x, y)), getattr(np, name)(0.4, 1.5), delta=1e-15, msg=name)

    def test_functions_of_the_package_take_numbers_too(self):
        self.assertEqual(sl.sin(0.5), np.sin(0.5))
        self.assertEqual(sl.maximum(1.0, 2.0), 2.0)

    def test_a_function_that_has_no_meaning_is_refused_by_name(self):
        _, (x,) = resting(x=0.4)
        with self.assertRaisesRegex(TypeError, "numpy.floor"):
            np.floor(x)
        with self.assertRaisesRegex(TypeError, "numpy.linalg.norm|numpy.norm"):
            np.linalg.norm(x)

    def test_numbers_of_numpy_stand_on_either_side(self):
        _, (x,) = resting(x=2.0)
        self.assertIsInstance(np.float64(3.0) * x, sl.Expression)
        self.assertEqual(repr(np.float64(3.0) * x), "<expression 3*x>")
        self.assertIsInstance(np.float64(3.0) > x, sl.Condition)

    def test_where_of_either_kind(self):
        _, (x,) = resting(x=2.0)
        self.assertEqual(value_of(np.where(x > 1, 10.0, 20.0)), 10.0)
        _, (x,) = resting(x=0.5)
        self.assertEqual(value_of(sl.where((x > 1) | (x < 0), 10.0, 20.0)), 20.0)

    def test_conditions_are_written_in_full(self):
        _, (x, y) = resting(x=2.0, y=1.0)
        self.assertEqual(str((x > 1) & ~(y >= 2)), "x > 1 and y < 2")


class Arrays(unittest.TestCase):
    def setUp(self):
        self.start = np.array([0.5, 1.5, -2.0, 4.0])
        self.model, (self.u,) = resting(u=self.start)

    def same(self, expression, expected):
        np.testing.assert_allclose(value_of(expression), expected, rtol=4 * np.finfo(float).eps)

    def test_elementwise(self):
        self.same(2 * self.u + np.arange(4.0), 2 * self.start + np.arange(4.0))

    def test_array_on_the_left(self):
        self.same(np.arange(4.0) * self.u, np.arange(4.0) * self.start)

    def test_slices(self):
        self.same(self.u[2:] - self.u[:-2], self.start[2:] - self.start[:-2])
        self.assertEqual(self.u[::2].shape, (2,))
        self.assertEqual(self.u[-1].shape, ())

    def test_indices(self):
        self.same(self.u[[3, 0, 0]], self.start[[3, 0, 0]])

    def test_roll_and_diff(self):
        self.same(np.roll(self.u, 1), np.roll(self.start, 1))

    def test_diff(self):
        self.same(np.diff(self.u), np.diff(self.start))

    def test_sum(self):
        self.same(np.sum(self.u), self.start.sum())

    def test_broadcast_of_two_axes(self):
        column, row = self.u[:, None], self.u[None, :2]
        self.assertEqual((column * row).shape, (4, 2))
        self.same(column * row, self.start[:, None] * self.start[None, :2])

    def test_reshape_and_sum_over_an_axis(self):
        self.same(self.u.reshape(2, 2).sum(axis=0), self.start.reshape(2, 2).sum(axis=0))

    def test_transpose(self):
        self.same(self.u.reshape(2, 2).T, self.start.reshape(2, 2).T)

    def test_matrix_times_vector(self):
        a = np.array([[1.0, 0, 0, 2], [0, 0, 0, 0], [1, -1, 1, 0]])
        self.same(a @ self.u, a @ self.start)

    def test_sparse_matrix_times_vector(self):
        from scipy.sparse import csr_matrix

        a = np.array([[1.0, 0, 0, 2], [0, 3, 0, 0]])
        self.same(sl.matmul(csr_matrix(a), self.u), a @ self.start)
        with self.assertRaisesRegex(TypeError, "saltus.matmul"):
            csr_matrix(a) @ self.u

    def test_where_lane_by_lane(self):
        self.same(np.where(self.u > 1, self.u, 0.0), np.where(self.start > 1, self.start, 0.0))

    def test_clip(self):
        self.same(np.clip(self.u, -1.0, 1.0), np.clip(self.start, -1.0, 1.0))

    def test_a_family_is_a_handful_of_nodes_whatever_its_size(self):
        counts = []
        for n in (100, 10_000):
            model = sl.Model("ring")
            u = model.state("u", np.zeros(n))
            before = model._core.n_nodes()
            model.equation(sl.der(u) == np.roll(u, 1) - 2 * u + np.roll(u, -1) + u * (1 - u))
            # The derivatives of n variables are n inputs; everything else does not depend on n.
            counts.append(model._core.n_nodes() - before - n)
        self.assertEqual(counts[0], counts[1])
        self.assertLess(counts[0], 20)


class Shapes(unittest.TestCase):
    def test_shapes_that_do_not_fit_are_named(self):
        _, (u,) = resting(u=np.zeros(3))
        with self.assertRaisesRegex(ValueError, r"\(3,\) and \(4,\)"):
            u + np.zeros(4)

    def test_a_list_of_expressions_is_no_array(self):
        _, (x, y) = resting(x=0.0, y=1.0)
        with self.assertRaisesRegex(TypeError, "stack"):
            x * [x, y]
        self.assertEqual(sl.stack([x, y]).shape, (2,))


if __name__ == "__main__":
    unittest.main()
