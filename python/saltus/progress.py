"""Shows progress: bars of tqdm if it is installed, otherwise a plain line."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional

Shown = Optional[Callable[[float, float, int], None]]
Counted = Optional[Callable[[int, int, int], None]]


@contextmanager
def progress_bar(wanted: Any, t_end: float) -> Iterator[Shown]:
    """Yields the function that a run calls a few times per second, or None."""
    if not wanted or callable(wanted):
        yield wanted or None
        return
    with _bar(total=100.0, unit="%", bar_format="{l_bar}{bar}| {postfix}") as bar:
        if bar is None:
            yield lambda t, fraction, n_steps: _line(f"{100 * fraction:5.1f} %  t = {t:.4g} s  {n_steps} steps")
            return

        def show(t: float, fraction: float, n_steps: int) -> None:
            bar.n = round(100.0 * fraction, 1)
            bar.set_postfix_str(f"t = {t:.4g} of {t_end:.4g} s, {n_steps} steps")

        yield show
        bar.n = 100.0
        bar.refresh()


@contextmanager
def run_counter(wanted: Any, n_runs: int) -> Iterator[Counted]:
    """Does the same for many runs."""
    if not wanted or callable(wanted):
        yield wanted or None
        return
    with _bar(total=n_runs, unit=" runs") as bar:
        if bar is None:
            yield lambda known, of, failed: _line(f"{known} of {of} runs, {failed} failed")
            return

        def show(known: int, _: int, failed: int) -> None:
            bar.set_postfix_str(f"{failed} failed", refresh=False)
            bar.update(known - bar.n)

        yield show


@contextmanager
def _bar(**form: Any) -> Iterator[Any]:
    """Yields a bar of tqdm, or None if it is not installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        print(file=sys.stderr)
        return
    with tqdm(**form) as bar:
        yield bar


def _line(text: str) -> None:
    print("\r" + text, end="", file=sys.stderr, flush=True)
