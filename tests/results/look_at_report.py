#!/usr/bin/python3
"""Opens reports in Chromium without a window: nothing is fetched, nothing fails, what should be drawn is.

  look_at_report.py WRITER [--program SALTUS ROOT] [--pictures FOLDER] [--bounds FIRST_S ZOOM_MS]

With --program the reports that the command line writes of the belt and of the relay in
ROOT/examples/modelica are looked at, too.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from pages import browser, counts, drawn, open_page, picture

parser = argparse.ArgumentParser()
parser.add_argument("writer")
parser.add_argument("--program", nargs=2, metavar=("SALTUS", "ROOT"))
parser.add_argument("--pictures", type=Path)
# Those of a machine with nothing else to do; tests of a whole tree share it with others.
parser.add_argument("--bounds", nargs=2, type=float, default=(6.0, 900.0))
ASKED = parser.parse_args()
SHOTS = ASKED.pictures


def shot(driver, name: str) -> None:
    if SHOTS:
        picture(driver, SHOTS / f"{name}.png")


def bands_of(result: dict) -> int:
    """Stretches of one mode and the same surfaces, as the JSON beside tells."""
    keys = [(s["mode"], tuple(s["sliding"])) for s in result["trajectory"]["segments"]
            if s["t_begin"] != s["t_end"]]
    return sum(1 for k, key in enumerate(keys) if k == 0 or key != keys[k - 1])


def check_run(driver, folder: Path, name: str, n_traces: int) -> None:
    result = json.loads((folder / f"{name}.json").read_text())
    open_page(driver, folder / f"{name}.html")
    seen = counts(driver)
    names = driver.execute_script(
        "return saltus.plots.all.flatMap((u) => u.series.slice(1).map((s) => s.label))")
    assert seen["traces"] == n_traces == len(names), (seen, names)
    assert seen["bands"] == bands_of(result) > 1, (seen, bands_of(result))
    assert seen["markers"] == len(result["instants"]) > 3, (seen, len(result["instants"]))
    assert seen["planes"] == 1 and seen["surfaces"] == 1, seen
    assert drawn(driver, "#plots") > 10000 and drawn(driver, "#plane") > 5000
    rows = driver.find_elements(By.CSS_SELECTOR, "#events tbody tr")
    assert len(rows) == min(100, len(result["events"]))
    rows[0].click()
    why = driver.find_element(By.CSS_SELECTOR, "#events tr.why pre").text
    assert result["events"][0]["name"].split(" ")[0] in why, why
    # Events explain themselves where the pointer is, and only there.
    over = driver.find_element(By.CSS_SELECTOR, "#plots .u-over")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", over)
    x = driver.execute_script("return saltus.plots.all[0].valToPos(saltus.data.markers[1].t, 'x')")
    width = over.size["width"]
    ActionChains(driver).move_to_element_with_offset(over, round(x - width / 2), 20).perform()
    tip = driver.find_element(By.ID, "tip")
    assert tip.is_displayed() and tip.text.startswith("t = "), tip.text
    shot(driver, name + "-tip") if SHOTS else None
    # Zoom by dragging: all plots follow; a double click shows the whole run again.
    before = driver.execute_script("return saltus.plots.all.map((u) => u.scales.x.max - u.scales.x.min)")
    ActionChains(driver).move_to_element_with_offset(over, -100, 0).click_and_hold() \
        .move_by_offset(150, 0).release().perform()
    after = driver.execute_script("return saltus.plots.all.map((u) => u.scales.x.max - u.scales.x.min)")
    assert all(a < 0.5 * b for a, b in zip(after, before)), (before, after)
    assert max(after) - min(after) < 1e-9 * max(after), after
    driver.execute_script("saltus.plots.count()")
    assert counts(driver)["markers"] < seen["markers"]
    ActionChains(driver).double_click(over).perform()
    time.sleep(0.2)
    again = driver.execute_script("return saltus.plots.all.map((u) => u.scales.x.max - u.scales.x.min)")
    assert again == before, (again, before)
    # The phase plane can be zoomed in both directions, and shown whole again.
    ranges = "const s = saltus.phase.plot.scales; return [s.x.max - s.x.min, s.y.max - s.y.min]"
    before = driver.execute_script(ranges)
    over = driver.find_element(By.CSS_SELECTOR, "#plane .u-over")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", over)
    ActionChains(driver).move_to_element_with_offset(over, -100, -60).click_and_hold() \
        .move_by_offset(150, 100).release().perform()
    after = driver.execute_script(ranges)
    assert all(a < 0.5 * b for a, b in zip(after, before)), (before, after)
    ActionChains(driver).double_click(over).perform()
    time.sleep(0.2)
    assert driver.execute_script(ranges) == before
    assert not driver.get_log("browser")
    shot(driver, name)


def check_aligned(driver) -> None:
    """Curves over one time axis lie under each other, with a unit at the axis or without."""
    lefts = driver.execute_script(
        "return saltus.plots.all.map((u) => Math.round(u.over.getBoundingClientRect().left))")
    assert len(lefts) > 1 and len(set(lefts)) == 1, lefts


def check_program(driver, folder: Path) -> None:
    program, root = ASKED.program
    # The belt shows x, v and the friction force; the relay y1, y2, y3 and its own state.
    for model, n_traces in (("belt_stick_slip", 3), ("disode_p3_relay", 4)):
        base = folder / model
        subprocess.run([program, "run", f"{root}/examples/modelica/{model}.mo", "--report", f"{base}.html",
                        "-o", f"{base}.json"], check=True, stdout=subprocess.DEVNULL)
        check_run(driver, folder, model, n_traces)
        check_aligned(driver)


def check_harmless(driver, folder: Path) -> None:
    """Names of a model are texts, never part of the page."""
    open_page(driver, folder / "relay.html")
    assert driver.find_element(By.TAG_NAME, "h1").text.startswith("relay </script><b>")
    assert not driver.find_elements(By.TAG_NAME, "b") or all(
        e.text != "not bold" for e in driver.find_elements(By.TAG_NAME, "b"))
    assert "<b>not bold</b>" in driver.find_element(By.CSS_SELECTOR, "#analysis pre").text


def check_many(driver, folder: Path) -> None:
    first = open_page(driver, folder / "many.html")
    times = []
    for k in range(20):
        # Until the picture is there: drawing happens in a task of its own.
        times.append(driver.execute_async_script("""
            const done = arguments[arguments.length - 1], from = 30 * arguments[0];
            const begin = performance.now();
            saltus.plots.zoom(from, from + 200);
            requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));""", k))
    zoom = statistics.median(times)
    print(f"10^6 points: first picture after {first:.2f} s, zoom {zoom:.0f} ms (median of 20)")
    assert first <= ASKED.bounds[0] and zoom <= ASKED.bounds[1], (first, zoom, ASKED.bounds)


def must_fail(driver, folder: Path) -> None:
    """The checks can see: a page that fetches, one that throws, one with a curve less."""
    page = (folder / "belt.html").read_text()
    (folder / "throws.html").write_text(page.replace("</body>", "<script>throw Error('x')</script></body>"))
    (folder / "fetches.html").write_text(
        page.replace("</body>", "<img src='http://127.0.0.1:9/x.png'></body>"))
    for bad in ("throws", "fetches"):
        try:
            open_page(driver, folder / f"{bad}.html")
        except AssertionError:
            continue
        raise SystemExit(f"{bad}.html was not noticed")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([ASKED.writer, name], check=True)
        driver = browser(name + "/profile")
        try:
            # x, v and their derivatives by k and belt; y and v.
            check_run(driver, folder, "belt", 2 + 4)
            check_aligned(driver)
            check_run(driver, folder, "relay", 2)
            if ASKED.program:
                check_program(driver, folder)
            check_harmless(driver, folder)
            open_page(driver, folder / "rope.html")
            shot(driver, "rope")
            check_many(driver, folder)
            must_fail(driver, folder)
        finally:
            driver.quit()


main()
