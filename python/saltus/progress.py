"""Progress bars: those of tqdm where it is installed, a plain line elsewhere."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional

Shown = Optional[Callable[[float, float, int], None]]


@contextmanager
def progress_bar(wanted: Any, t_end: float) -> Iterator[Shown]:
    """The function that a run calls a few times per second, or None."""
    if not wanted:
        yield None
    elif callable(wanted):
        yield wanted
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            yield _line
            print(file=sys.stderr)
            return
        with tqdm(total=100.0, unit="%", bar_format="{l_bar}{bar}| {postfix}") as bar:

            def show(t: float, fraction: float, n_steps: int) -> None:
                bar.n = round(100.0 * fraction, 1)
                bar.set_postfix_str(f"t = {t:.4g} of {t_end:.4g} s, {n_steps} steps")

            yield show
            bar.n = 100.0
            bar.refresh()


def _line(t: float, fraction: float, n_steps: int) -> None:
    print(f"\r{100 * fraction:5.1f} %  t = {t:.4g} s  {n_steps} steps", end="", file=sys.stderr, flush=True)


Counted = Optional[Callable[[int, int, int], None]]


@contextmanager
def run_counter(wanted: Any, n_runs: int) -> Iterator[Counted]:
    """The same for many runs."""
    if not wanted:
        yield None
    elif callable(wanted):
        yield wanted
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            yield _counts
            print(file=sys.stderr)
            return
        with tqdm(total=n_runs, unit=" runs") as bar:

            def show(known: int, _: int, failed: int) -> None:
                bar.set_postfix_str(f"{failed} failed", refresh=False)
                bar.update(known - bar.n)

            yield show


def _counts(known: int, n_runs: int, failed: int) -> None:
    print(f"\r{known} of {n_runs} runs, {failed} failed", end="", file=sys.stderr, flush=True)
