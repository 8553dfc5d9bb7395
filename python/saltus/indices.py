"""Sensitivity indices of Sobol, and elementary effects of Morris."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Tuple

import numpy as np

from . import _core
from ._arguments import name_of
from .designs import Distribution, design_of, refused
from .sweep_table import SweepTable
from .sweeps import sweep


class Estimate(NamedTuple):
    """An estimate with its standard error."""

    value: float
    error: float  # standard error


class SobolIndices(NamedTuple):
    """Fractions of the variance of each column, by the name of the varied value."""

    first: Dict[str, Dict[str, Estimate]]  # due to the value alone
    total: Dict[str, Dict[str, Estimate]]  # due to the value alone and together with others
    n_used: Dict[str, int]  # samples of which all runs have a value
    table: SweepTable


class MorrisEffects(NamedTuple):
    """Changes of columns when one value goes through its whole range, by the name of the varied value."""

    mean: Dict[str, Dict[str, float]]
    mean_size: Dict[str, Dict[str, float]]  # of absolute values: shows whether it matters
    deviation: Dict[str, Dict[str, float]]  # shows interaction with other values, or nonlinearity
    n_used: Dict[str, int]
    table: SweepTable


def sobol_indices(
    model: Any, space: Mapping[Any, Any], keep: Any, *, samples: int, seed: int = 1, sampler: str = "sobol", **more: Any
) -> SobolIndices:
    """Computes Sobol indices by samples * (n + 2) runs for n independent distributions; other arguments as for sweep().

    Runs the points A and B, and for each name A with its column of B. The first-order estimator is that of Saltelli et
    al. (Computer Physics Communications 181, 2010), the total one that of Jansen (1999). 200 bootstrap samples give
    the errors.
    """
    names, others = _split(space)
    twice = {f"{which} {name}": space[key] for which in "AB" for name, key in names.items()}
    design = design_of(twice, samples, seed, sampler, None)
    points = _core.design_values(design.listed(), design.samples)
    n = len(names)
    a, b = points[:, :n], points[:, n:]
    blocks = [a, b]
    for i in range(n):
        mixed = a.copy()
        mixed[:, i] = b[:, i]
        blocks.append(mixed)
    table = sweep(model, {tuple(names): np.concatenate(blocks), **others}, keep, **more)
    first: Dict[str, Dict[str, Estimate]] = {}
    total: Dict[str, Dict[str, Estimate]] = {}
    n_used: Dict[str, int] = {}
    for column in _kept(table):
        values = table[column].reshape(n + 2, -1)
        values = values[:, ~np.isnan(values).any(axis=0)]
        n_used[column] = values.shape[1]
        both = _indices(values)
        chance = np.random.default_rng(seed)
        drawn = [chance.integers(0, max(1, values.shape[1]), values.shape[1]) for _ in range(200)]
        errors = np.array([_indices(values[:, one]) for one in drawn]).std(axis=0)
        for out, k in ((first, 0), (total, 1)):
            out[column] = {name: Estimate(float(both[k, i]), float(errors[k, i])) for i, name in enumerate(names)}
    return SobolIndices(first, total, n_used, table)


def _indices(values: np.ndarray) -> np.ndarray:
    """Returns first-order and total indices; NaN where nothing varies."""
    if values.shape[1] < 2:
        return np.full((2, len(values) - 2), np.nan)
    a, b, mixed = values[0], values[1], values[2:]
    variance = values[:2].var()
    if variance == 0:
        return np.full((2, len(mixed)), np.nan)
    centred = b - values[:2].mean()
    first = (centred * (mixed - a)).mean(axis=1) / variance
    total = ((a - mixed) ** 2).mean(axis=1) / (2 * variance)
    return np.array([first, total])


def morris(
    model: Any, space: Mapping[Any, Any], keep: Any, *, paths: int, seed: int = 1, levels: int = 4, **more: Any
) -> MorrisEffects:
    """Computes elementary effects of Morris by paths * (n + 1) runs for n distributions.

    Each path changes one value after the other (Technometrics 33, 1991). An effect is a difference over a difference of
    probability, that is, the change over the whole range of a value.
    """
    if levels < 2 or levels % 2:
        raise refused("levels", f"{levels} is not an even number")
    if paths < 1:
        raise refused("paths", f"{paths} is too few: give at least one")
    names, others = _split(space)
    n = len(names)
    chance = np.random.default_rng(seed)
    # Levels in the middle of equal parts: normal distributions have no ends.
    jump = levels // 2
    rows, orders, signs = [], [], []
    for _ in range(paths):
        place = chance.integers(0, levels, n)
        order = chance.permutation(n)
        sign = np.where(place < jump, 1, -1)
        rows.append(place.copy())
        for i in order:
            place[i] += jump * sign[i]
            rows.append(place.copy())
        orders.append(order)
        signs.append(sign[order])
    parts = (np.array(rows) + 0.5) / levels
    points = np.column_stack([[space[key].quantile(u) for u in parts[:, i]] for i, key in enumerate(names.values())])
    table = sweep(model, {tuple(names): points, **others}, keep, **more)
    mean: Dict[str, Dict[str, float]] = {}
    size: Dict[str, Dict[str, float]] = {}
    deviation: Dict[str, Dict[str, float]] = {}
    n_used: Dict[str, int] = {}
    for column in _kept(table):
        steps = np.diff(table[column].reshape(paths, n + 1), axis=1) * np.array(signs) * levels / jump
        effects = np.empty_like(steps)
        np.put_along_axis(effects, np.array(orders), steps, axis=1)
        effects = effects[~np.isnan(effects).any(axis=1)]
        n_used[column] = len(effects)
        mean[column] = dict(zip(names, effects.mean(axis=0).tolist()))
        size[column] = dict(zip(names, abs(effects).mean(axis=0).tolist()))
        deviation[column] = dict(zip(names, effects.std(axis=0).tolist()))
    return MorrisEffects(mean, size, deviation, n_used, table)


def _split(space: Mapping[Any, Any]) -> Tuple[Dict[str, Any], Dict[Any, Any]]:
    """Returns names and keys of distributed values, and the values that are the same in all runs."""
    names = {name_of(key): key for key, value in space.items() if isinstance(value, Distribution)}
    others = {key: value for key, value in space.items() if not isinstance(value, Distribution)}
    if not names:
        raise refused("space", "nothing has a distribution such as saltus.uniform(0, 1)")
    for key, value in others.items():
        if np.size(value) != 1:
            raise refused("space", f"'{name_of(key)}' is a list of values; give it one, or a distribution")
    return names, others


def _kept(table: SweepTable) -> List[str]:
    return table.columns[len(table.names) :]
