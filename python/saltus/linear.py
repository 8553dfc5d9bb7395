"""Products of matrices of numbers and arrays of expressions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .expressions import Expression, _taken, operations
from .functions import concatenate


def product(a: Any, b: Any) -> Expression:
    """Returns a @ b, where at least one of them is an expression."""
    if isinstance(a, Expression) and isinstance(b, Expression):
        if a.shape[-1:] != b.shape[:1] or not a.shape or b.ndim != 1:
            raise ValueError(f"matmul: shapes {a.shape} and {b.shape} do not fit together")
        return (a * b).sum(axis=-1 if a.ndim > 1 else None)
    if isinstance(b, Expression):
        return _numbers_times(a, b)
    return _numbers_times(_transposed(b), a)


def _transposed(matrix: Any) -> Any:
    return matrix.T if hasattr(matrix, "T") else np.asarray(matrix).T


def _entries(matrix: Any) -> Any:
    """Returns (row pointers, columns, values) without zeros, of a dense or a SciPy sparse matrix."""
    if hasattr(matrix, "tocsr"):
        csr = matrix.tocsr().copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
        return csr.indptr, csr.indices, csr.data.astype(float)
    dense = np.asarray(matrix, dtype=float)
    rows, columns = np.nonzero(dense)
    pointers = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=dense.shape[0]))])
    return pointers, columns, dense[rows, columns]


def _numbers_times(matrix: Any, x: Expression) -> Expression:
    """Multiplies a matrix by an array. Rows with equally many entries share one sum of products; zeros add no terms."""
    shape = np.shape(matrix) if not hasattr(matrix, "shape") else matrix.shape
    if x.ndim != 1 or len(shape) not in (1, 2) or shape[-1] != x.shape[0]:
        raise ValueError(f"matmul: shapes {tuple(shape)} and {x.shape} do not fit together")
    if len(shape) == 1:
        return (np.asarray(matrix, dtype=float) * x).sum()
    pointers, columns, values = _entries(matrix)
    lengths = np.diff(pointers)
    parts, order = [], []
    for length in np.unique(lengths):
        rows = np.flatnonzero(lengths == length)
        order.append(rows)
        if length == 0:
            parts.append(np.zeros(len(rows)))
            continue
        total: Any = None
        for k in range(length):
            at = pointers[rows] + k
            factors = values[at]
            taken = _taken(x, columns[at].astype(np.uint32))
            # -x and x need no product; most matrices of networks have no other entries.
            if np.all(factors == 1.0):
                term = taken
            elif np.all(factors == -1.0):
                term = -taken
            else:
                term = factors * taken
            total = term if total is None else total + term
        parts.append(total)
    if len(parts) == 1:
        return parts[0] if isinstance(parts[0], Expression) else 0.0 * x[:1] * parts[0]
    return concatenate(parts)[np.argsort(np.concatenate(order))]


operations["matmul"] = product
