#!/usr/bin/python3
"""Draws the pictures of the gallery: each by the model on its page.

    PYTHONPATH=build/release/python tools/draw_gallery.py [--check] [--root ROOT] [NAME ...]

The Python block of docs/gallery/NAME.md runs in a temporary folder and writes NAME.svg there, in the style of
docs/gallery/style.mplstyle. The picture goes to docs/pictures/gallery. With --check nothing is written: it is an error if a page
fails, prints something else than its text block, or draws other curves than those of its picture, and if a picture has no page.
Needs the saltus package and python3-matplotlib.
"""

import argparse
import contextlib
import io
import re
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of what draws)
import numpy as np  # noqa: E402

BLOCK = re.compile(r"^```(?P<kind>python|text)\n(?P<body>.*?)^```", re.M | re.S)
METADATA = re.compile(r"^ *<metadata>.*?</metadata>\n", re.M | re.S)
NUMBER = re.compile(r"-?\d+\.\d+")
MOST_BYTES = 60_000
MOST_LINES = 45
# Curves may differ by this part of the picture's size: rounding differs between machines, and the same curve may have other points.
TOLERANCE = 0.01


class PageError(Exception):
    """A page that cannot be drawn; says why."""


class Curve(NamedTuple):
    colours: tuple[str, ...]
    pieces: list[np.ndarray]  # of points, one after the other


class Page(NamedTuple):
    name: str
    code: str
    printed: str


# ---- pages ---------------------------------------------------------------------------------------------------------


def pages(gallery: Path) -> list[Path]:
    return [page for page in sorted(gallery.glob("*.md")) if page.name != "README.md"]


def read(path: Path) -> Page:
    """Returns the code of a page and the text it should print; throws PageError if the page lacks a part."""
    name, text = path.stem, path.read_text(encoding="utf-8")
    blocks = {kind: [body for k, body in BLOCK.findall(text) if k == kind] for kind in ("python", "text")}
    if len(blocks["python"]) != 1 or len(blocks["text"]) > 1:
        raise PageError("a page has one Python block, and at most one text block")
    if blocks["python"][0].count("\n") > MOST_LINES:
        raise PageError(f"the model has more than {MOST_LINES} lines")
    if f"](../pictures/gallery/{name}.svg)" not in text:
        raise PageError(f"the page does not show ../pictures/gallery/{name}.svg")
    return Page(name, blocks["python"][0], "".join(blocks["text"]))


def run(page: Page) -> tuple[str, str]:
    """Returns the text that a page prints and the picture that it draws."""
    out = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        try:
            with contextlib.redirect_stdout(out), warnings.catch_warnings():
                warnings.simplefilter("error")
                exec(compile(page.code, f"{page.name}.md", "exec"), {"__name__": page.name})
        except Exception as problem:
            raise PageError("".join(traceback.format_exception(problem)).rstrip()) from problem
        finally:
            plt.close("all")
        file = Path(folder) / f"{page.name}.svg"
        if not file.exists():
            raise PageError(f"the page does not write {file.name}")
        return out.getvalue(), tidy(file.read_text(encoding="utf-8"))


def tidy(picture: str) -> str:
    """Returns a picture without the date and the name of the program, and with two digits after the decimal point."""

    def short(match: re.Match) -> str:
        number = f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
        return "0" if number == "-0" else number

    picture = METADATA.sub("", picture)
    return re.sub(r"<[^!?>][^>]*>", lambda tag: NUMBER.sub(short, tag[0]), picture)


# ---- comparison ----------------------------------------------------------------------------------------------------


def size_of(picture: str) -> float:
    width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture).groups()
    return max(float(width), float(height))


def texts_of(picture: str) -> list[str]:
    """Returns the words of a picture; numbers of the axes do not count."""
    words = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    return sorted(word for word in words if not re.fullmatch("[-\u22120-9.]+", word.strip()))


def colours_of(tag: str) -> tuple[str, ...]:
    return tuple(re.findall(r"(?:fill|stroke): (#\w+)", tag))


def points_of(text: str) -> np.ndarray:
    return np.array(re.findall(r"-?[\d.]+", text), dtype=float).reshape(-1, 2)


def curves_of(picture: str) -> list[Curve]:
    """Returns the lines, areas and markers of a picture, in their order."""
    found = []
    for tag in re.findall(r"<(?:path|use) [^>]*>", picture):
        if path := re.search(r' d="([^"]*)"', tag):
            found.append(Curve(colours_of(tag), [points_of(piece) for piece in path[1].split("M") if piece.strip()]))
        elif place := re.search(r' x="([^"]*)" y="([^"]*)"', tag):
            found.append(Curve(colours_of(tag), [points_of(" ".join(place.groups()))]))
    return found


def segments(curve: Curve) -> tuple[np.ndarray, np.ndarray]:
    """Returns where the straight pieces of a curve begin and end; a single point is a piece of length zero."""
    begins = [piece[:-1] if len(piece) > 1 else piece for piece in curve.pieces]
    ends = [piece[1:] if len(piece) > 1 else piece for piece in curve.pieces]
    return np.concatenate(begins), np.concatenate(ends)


def farthest(a: Curve, b: Curve) -> float:
    """Returns the largest distance of a point of `a` from the curve `b`."""
    begin, end = segments(b)
    along = end - begin
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    most = 0.0
    for point in np.concatenate(a.pieces):
        at = np.clip(((point - begin) * along).sum(axis=1) / length, 0.0, 1.0)
        most = max(most, float(((begin + at[:, None] * along - point) ** 2).sum(axis=1).min()))
    return most**0.5


def difference(stored: str, drawn: str) -> str:
    """Says how two pictures differ; empty if they show the same."""
    if stored == drawn:
        return ""
    if texts_of(stored) != texts_of(drawn):
        return "the texts differ"
    old, new = curves_of(stored), curves_of(drawn)
    if [curve.colours for curve in old] != [curve.colours for curve in new]:
        return "the number of curves or their colours differ"
    moved = max((max(farthest(a, b), farthest(b, a)) for a, b in zip(old, new)), default=0.0)
    if moved > TOLERANCE * size_of(stored):
        return f"a curve moved by {100 * moved / size_of(stored):.1f} % of the picture's size"
    return ""


# ---- the whole gallery ---------------------------------------------------------------------------------------------


def handle(path: Path, pictures: Path, check: bool) -> str:
    """Draws or checks one page; returns the problem, if there is one."""
    try:
        page = read(path)
        printed, picture = run(page)
    except PageError as problem:
        return str(problem)
    stored = pictures / f"{page.name}.svg"
    if printed != page.printed:
        return f"it prints\n{printed}and not\n{page.printed}"
    if len(picture.encode()) > MOST_BYTES:
        return f"the picture has {len(picture.encode())} bytes, more than {MOST_BYTES}: draw fewer points"
    if not check:
        stored.parent.mkdir(parents=True, exist_ok=True)
        stored.write_text(picture, encoding="utf-8")
        return ""
    if not stored.exists():
        return f"{stored.name} is missing: draw it with {sys.argv[0]} {page.name}"
    if different := difference(stored.read_text(encoding="utf-8"), picture):
        return f"{stored.name} shows something else, {different}: draw it again with {sys.argv[0]} {page.name}"
    return ""


def unlisted(gallery: Path, pictures: Path) -> list[str]:
    """Returns problems of the gallery as a whole: pictures without a page, pages that README.md does not show."""
    names = [page.stem for page in pages(gallery)]
    listed = (gallery / "README.md").read_text(encoding="utf-8")
    problems = [f"no page draws {file.name}" for file in sorted(pictures.glob("*")) if file.stem not in names]
    return problems + [f"README.md does not show {name}" for name in names
                       if f"({name}.md)" not in listed or f"/{name}.svg)" not in listed]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", help="pages, all if none is given")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args(arguments)
    gallery, pictures = options.root.resolve() / "docs/gallery", options.root.resolve() / "docs/pictures/gallery"
    chosen = [page for page in pages(gallery) if not options.names or page.stem in options.names]
    if missing := set(options.names) - {page.stem for page in chosen}:
        parser.error(f"no page {', '.join(sorted(missing))} in {gallery}")
    problems = []
    for page in chosen:
        with plt.style.context(["default", gallery / "style.mplstyle"]):
            if problem := handle(page, pictures, options.check):
                problems.append(f"{page.stem}: {problem}")
    if options.check and not options.names:
        problems += unlisted(gallery, pictures)
    print("\n".join(problems) if problems else f"{'compared' if options.check else 'drawn'}: {len(chosen)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
