"""Draws solutions: with matplotlib, and as plain SVG for notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Tuple

import numpy as np

from ._arguments import names_of

if TYPE_CHECKING:
    from .solution import Solution

_colours = ["#3465a4", "#cc6600", "#4e9a06", "#a40000", "#75507b", "#8f5902"]
_most_lines = 200  # more lines at events would hide the curves
_bands = ["#ffffff", "#eef3f8", "#f8f1e6", "#edf5e6", "#f8eaea", "#f3eef6"]


def _curve(solution: Solution, name: str, n: int = 400) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the smooth curve of a variable, with points of the step polynomials between rows.

    It is masked where the variable does not exist and interrupted where it jumps, so no false line is drawn.
    """
    times: List[np.ndarray] = []
    values: List[Any] = []
    t_all = solution.t
    span = abs(t_all[-1] - t_all[0]) if len(t_all) else 0.0
    column = np.ma.asarray(solution[name])
    for stay in solution.modes:
        rows = slice(stay.first_row, stay.first_row + stay.n_rows)
        t, y = np.array(t_all[rows]), column[rows]
        if len(t) and span > 0:
            extra = np.linspace(t[0], t[-1], max(2, int(n * abs(t[-1] - t[0]) / span)))[1:-1]
            extra = extra[~np.isin(extra, t)]
            if len(extra):
                try:
                    more = solution(extra, name)
                except Exception:  # steps were not kept: rows are all there is
                    more = np.zeros(0)
                if more.shape == extra.shape:
                    order = np.argsort(np.concatenate([t, extra]), kind="stable")
                    order = order if t[-1] >= t[0] else order[::-1]
                    t, y = np.concatenate([t, extra])[order], np.ma.concatenate([y, more])[order]
        times += [t, t[-1:]]
        values += [y, np.ma.masked_all(len(t[-1:]))]
    if not times:
        return np.zeros(0), np.zeros(0)
    return np.concatenate(times), np.ma.concatenate(values)


def _shown(solution: Solution, variables: Any, most: int) -> List[str]:
    if variables is None:
        return solution.names[:most]
    out: List[str] = []
    for name in names_of(variables):
        shape = solution._model._shapes.get(name, ()) if solution._model is not None else ()
        out += [f"{name}[{i}]" for i in range(int(np.prod(shape)))] if shape else [name]
    return out


def _configurations(solution: Solution) -> List[Tuple[str, float, float]]:
    """Returns (mode and surfaces, begin, end) of all pieces of the solution."""
    out: List[Tuple[str, float, float]] = []
    for stay in solution.modes:
        # A model without modes counts as its only mode.
        mode = [] if stay.mode in ("", solution._core.model()) else [stay.mode]
        text = ", ".join(mode + [f"on {surface}" for surface in stay.sliding])
        if out and out[-1][0] == text:
            out[-1] = (text, out[-1][1], stay.t_end)
        else:
            out.append((text, stay.t_begin, stay.t_end))
    return out


def _marked(solution: Solution) -> np.ndarray:
    """Returns the times of events that interrupted the solution."""
    return np.unique([row.t for row in solution.events if row.kind not in ("lock", "limit")])


def _lines_at(solution: Solution) -> np.ndarray:
    at = _marked(solution)
    return at if len(at) <= _most_lines else at[:0]


def plot(solution: Solution, variables: Any, phase: Any, axes: Any, events: bool, modes: bool) -> Any:
    import matplotlib.pyplot as plt

    if axes is None:
        _, axes = plt.subplots(constrained_layout=True)
    if phase is not None:
        return _plot_phase(solution, phase, axes, events)
    units = solution.units
    for i, name in enumerate(_shown(solution, variables, 6)):
        t, y = _curve(solution, name)
        label = f"{name} [{units[name]}]" if units.get(name) else name
        axes.plot(t, y, color=_colours[i % len(_colours)], label=label)
    stretches = _configurations(solution)
    if modes and len(stretches) > 1:
        # White is for motion off all surfaces, whichever comes first.
        texts = dict.fromkeys(text for text, _, _ in stretches if text)
        colour = {text: _bands[1 + i % (len(_bands) - 1)] for i, text in enumerate(texts)} | {"": _bands[0]}
        named = {""}
        for text, begin, end in stretches:
            axes.axvspan(begin, end, color=colour[text], zorder=0, label=None if text in named else text)
            named.add(text)
    if events:
        for t in _lines_at(solution):
            axes.axvline(t, color="#888a85", linewidth=0.6, linestyle=":", zorder=1)
    axes.set_xlabel("t [s]")
    axes.legend(fontsize="small", loc="upper right")
    axes.set_title(solution._core.model())
    return axes


def _plot_phase(solution: Solution, phase: Sequence[Any], axes: Any, events: bool) -> Any:
    across, up = _shown(solution, list(phase), 2)
    axes.plot(_curve(solution, across)[1], _curve(solution, up)[1], color=_colours[0])
    if events:
        at = _marked(solution)
        axes.plot(solution(at, across), solution(at, up), "o", markersize=3, color=_colours[1])
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_title(solution._core.model())
    return axes


# ---- for notebooks, without matplotlib -------------------------------------------------------------------------------


def _path(x: np.ndarray, y: Any) -> str:
    present = ~np.ma.getmaskarray(y)
    parts, pen = [], False
    for a, b, exists in zip(x, np.ma.getdata(y), present):
        if exists:
            parts.append(f"{'L' if pen else 'M'}{a:.1f} {b:.1f}")
        pen = bool(exists)
    return "".join(parts)


def svg(solution: Solution, variables: Any = None, width: int = 480, height: int = 220) -> str:
    """Returns a static picture: up to six variables, modes as bands, events as lines."""
    names = _shown(solution, variables, 6)
    curves = {name: _curve(solution, name, 300) for name in names}
    t0, t1 = solution._core.t_begin(), solution._core.t_end()
    low = min((float(np.ma.min(y)) for _, y in curves.values() if len(y)), default=0.0)
    high = max((float(np.ma.max(y)) for _, y in curves.values() if len(y)), default=1.0)
    if not high > low:
        low, high = low - 0.5, high + 0.5
    left, right, top, bottom = 46, 110, 8, 24

    def across(t: Any) -> Any:
        return left + (np.asarray(t) - t0) / ((t1 - t0) or 1.0) * (width - left - right)

    def up(y: Any) -> Any:
        return top + (high - y) / (high - low) * (height - top - bottom)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-size="11">']
    colour: Dict[str, str] = {}
    stretches = _configurations(solution)
    if len(stretches) > 1:
        for text, begin, end in stretches[:500]:
            shade = colour.setdefault(text, _bands[len(colour) % len(_bands)])
            out.append(
                f'<rect x="{across(begin):.1f}" y="{top}" width="{max(0.0, float(across(end) - across(begin))):.1f}" '
                f'height="{height - top - bottom}" fill="{shade}"><title>{html.escape(text)}</title></rect>'
            )
    for t in _lines_at(solution):
        out.append(
            f'<line x1="{across(t):.1f}" x2="{across(t):.1f}" y1="{top}" y2="{height - bottom}" stroke="#ccc"/>'
        )
    for i, (name, (t, y)) in enumerate(curves.items()):
        shade = _colours[i % len(_colours)]
        out.append(f'<path d="{_path(across(t), up(y))}" fill="none" stroke="{shade}" stroke-width="1.4"/>')
        out.append(
            f'<text x="{width - right + 8}" y="{top + 12 + 15 * i}" fill="{shade}">{html.escape(name)}</text>'
        )
    frame = f'x="{left}" y="{top}" width="{width - left - right}" height="{height - top - bottom}"'
    out.append(f'<rect {frame} fill="none" stroke="#888"/>')
    for value, place in ((high, top + 10), (low, height - bottom)):
        out.append(f'<text x="{left - 4}" y="{place}" text-anchor="end">{value:.3g}</text>')
    for t, anchor in ((t0, "start"), (t1, "end")):
        out.append(f'<text x="{across(t):.1f}" y="{height - 8}" text-anchor="{anchor}">{t:.4g}</text>')
    return "".join(out) + "</svg>"


def repr_html(solution: Solution) -> str:
    """Returns HTML for notebooks: outcome, a picture, the first events."""
    state = "" if solution.success else f"<p><b>{html.escape(solution.message)}</b></p>"
    events = ""
    if len(solution.events):
        events = f"<details><summary>{len(solution.events)} events</summary>{solution.events._repr_html_()}</details>"
    picture = svg(solution) if len(solution.t) else ""
    return f"<p>{html.escape(repr(solution)[1:-1])}</p>{state}{picture}{events}"
