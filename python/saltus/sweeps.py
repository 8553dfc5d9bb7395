"""Sweeps: many runs of one model, by threads of this process or by workers of an executor."""

from __future__ import annotations

import os
import pickle
import tempfile
import uuid
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait
from typing import Any, List, Mapping, Optional, Set, Tuple

from . import _core
from .designs import design_of, kept_of
from .errors import Error, FileError, OptionError
from .progress import run_counter
from .sweep_orders import Order, source_of, work_on
from .sweep_table import SweepTable


class IncompleteSweep(Error):
    """Workers failed. `table` has the finished runs; the same call with the same folder does the rest."""

    table: SweepTable


def sweep(
    model: Any,
    space: Mapping[Any, Any],
    keep: Any,
    *,
    samples: Optional[int] = None,
    seed: int = 1,
    sampler: str = "random",
    correlation: Optional[Mapping[Tuple[Any, Any], float]] = None,
    folder: Any = None,
    threads: Optional[int] = None,
    executor: Any = None,
    name: str = "",
    progress: Any = None,
    **options: Any,
) -> SweepTable:
    """Runs a model many times and returns a table with a row per run.

    model: a Model, the path of a .mo file, or a function without arguments that makes a Model.
    space: lists of values and distributions (uniform, log_uniform, normal) by the names of parameters, and of states
    for their start values. Every value of every list is combined with every one of the `samples` from the
    distributions. Several names with rows, {("a", "b"): [[1, 2], [3, 4]]}, are values that belong together.
    sampler: random, latin-hypercube or sobol; correlation: {("a", "b"): 0.5}.
    keep: the results to keep of each run, {"end": ["x"], "at": {"x": [1, 2]}, "count": ["stop"], "first": [...],
    "last": [...], "slope": [("x", "k")], "where": {"peak": "max(x - y)", "stuck": "duration(abs(v) < 0.01)"}}: values
    and events by name, and numbers computed from a whole run. A list is that of "end".
    folder: stores finished runs. The same call continues with it, and repeats runs that limits.max_wall_time_s ended.
    Without it, a temporary folder exists as long as the table.
    threads: the number of threads in this process (default: one per core). With an executor (ProcessPoolExecutor, a
    client of Dask, MPIPoolExecutor, ...), its workers do the runs instead and write into the folder, which they must
    be able to access.
    name: distinguishes models whose inputs are Python functions, which cannot be compared.
    progress: True for a bar, or a function of (known, runs, failed).
    All other keywords are options of the runs, t_end among them.

    Ctrl-C raises KeyboardInterrupt with the attribute `table`; finished runs are kept.
    """
    order = Order(
        source_of(model, executor), design_of(space, samples, seed, sampler, correlation), kept_of(keep), options, name
    )
    if order.has_functions and not name and folder is not None:
        raise OptionError(
            "name: Python functions drive inputs of the model, and Saltus cannot compare them with those of "
            f"'{folder}': give a name=, and another one whenever they change"
        )
    path = tempfile.mkdtemp(suffix=".sweep") if folder is None else _made_folder(folder)
    table = SweepTable(order.plan(), path, is_temporary=folder is None)
    try:
        with order.explained(), run_counter(progress, len(table)) as show:
            if executor is None:
                _core.run_sweep(order.plan(), path, _n_threads(threads), show)
            else:
                _spread(order, path, executor, show, table)
    except KeyboardInterrupt as interrupt:
        interrupt.table = table  # type: ignore[attr-defined]
        raise
    return table


# ---- to workers ----------------------------------------------------------------------------------------------------


def _spread(order: Order, folder: str, executor: Any, show: Any, table: SweepTable) -> None:
    """Gives chunks of runs to an executor, a few in flight per worker. Workers return counts; results are on disk."""
    n_workers = _n_workers(executor)
    if hasattr(executor, "get_executor"):  # a client of Dask
        executor = executor.get_executor()
    rest = _core.SweepRest(order.plan(), folder, n_workers)
    rest.check()
    token = uuid.uuid4().hex
    flying: Set[Any] = set()
    lost: List[BaseException] = []
    try:
        while True:
            # A broken executor takes no more; another one may lose a worker and continue, but not repeatedly.
            while len(flying) < 3 * n_workers and not _is_over(lost):
                runs = rest.take()
                if not runs:
                    break
                try:
                    flying.add(executor.submit(work_on, order, folder, token, runs))
                except BrokenExecutor as error:
                    lost.append(error)
            if not flying:
                break
            ended, flying = wait(flying, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in ended:
                try:
                    rest.done(*future.result())
                except (Error, pickle.PicklingError):
                    raise
                except Exception as error:
                    lost.append(error)
            if show is not None:
                show(*rest.counts())
    except BaseException:
        for future in flying:
            future.cancel()
        wait(flying, timeout=5.0)  # running ones end by themselves
        raise
    if lost and len(table.missing) > 0:
        raise _incomplete(table, lost)


def _is_over(lost: List[BaseException]) -> bool:
    return len(lost) > 2 or any(isinstance(one, BrokenExecutor) for one in lost)


def _incomplete(table: SweepTable, lost: List[BaseException]) -> IncompleteSweep:
    what = "repeat the same call with another executor and this folder"
    if table.is_temporary:
        what = "give a folder= next time, and the same call continues"
    error = IncompleteSweep(
        f"{len(table.missing)} of {len(table)} runs are missing, {len(lost)} lists of runs failed "
        f"({type(lost[0]).__name__}: {lost[0]}). Finished runs are in '{table.folder}': {what}"
    )
    error.table = table
    error.__cause__ = lost[0]
    return error


def _n_workers(executor: Any) -> int:
    if hasattr(executor, "ncores"):  # a client of Dask
        return max(1, sum(executor.ncores().values()))
    for attribute in ("num_workers", "_max_workers"):
        number = getattr(executor, attribute, None)
        if isinstance(number, int) and number > 0:
            return number
    return _n_threads(None)


def _n_threads(threads: Optional[int]) -> int:
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(threads, bool) or threads != int(threads) or threads < 1:
        raise OptionError(f"threads: {threads!r} is not a number of threads")
    return int(threads)


def _made_folder(folder: Any) -> str:
    path = os.path.abspath(folder)
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        refused = FileError(f"'{path}': {error.strerror}")
        refused.path = path
        raise refused from None
    return path
