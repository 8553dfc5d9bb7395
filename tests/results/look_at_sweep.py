#!/usr/bin/python3
"""Opens pages of sweeps in Chromium without a window: nothing is fetched, nothing fails, what should be drawn is.

  look_at_sweep.py SALTUS ROOT [--pictures FOLDER]
"""

import argparse
import csv
import subprocess
import tempfile
from pathlib import Path

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from pages import browser, counts, drawn, open_page, picture

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("root", type=Path)
parser.add_argument("--pictures", type=Path)
ASKED = parser.parse_args()
ASKED.program = str(Path(ASKED.program).resolve())

# The block of the example with a damper beside its spring: where friction is small or the belt fast it slips for ever.
BELT = """model = "belt.mo"
[vary.Fs]
grid = [0.2, 2.0, 25]
[vary.v_belt]
grid = [0.05, 0.8, 25]
[keep]
count = ["v - v_belt > 0"]
last = ["v - v_belt > 0"]
"""

ODD = """model Odd "columns that are hard to draw"
  parameter Real a = 1, rate = 1;
  Real x(start = 0, fixed = true), y(start = 0, fixed = true);
  output Real huge = 1e300 * a;
  output Real always = 7;
  output Real large = if a > 0.5 then 1 else 0;
equation
  der(x) = a * rate;
  der(y) = a;
  when x > 1e6 then
    reinit(y, 0);
  end when;
  when time > 0.5 then
    assert(a < 0.9, "a is too large");
  end when;
  annotation(experiment(StopTime = 1));
end Odd;
"""
ODD_STUDY = """model = "odd.mo"
samples = SAMPLES
[vary.a]
uniform = [0, 1]
[vary.rate]
log_uniform = [1e-3, 1e3]
[keep]
end = ["x", "always", "large", "huge"]
first = ["x > 1e+06"]
"""


def saltus(folder: Path, *words: str, code: int = 0) -> None:
    done = subprocess.run([ASKED.program, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stderr)


def rows_of(path: Path) -> list:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def shot(driver, name: str) -> None:
    if ASKED.pictures:
        picture(driver, ASKED.pictures / f"{name}.png")


def heads(driver) -> list:
    return [e.text for e in driver.find_elements(By.CSS_SELECTOR, "header dd")]


def check_belt(driver, folder: Path) -> None:
    text = (ASKED.root / "examples/modelica/belt_stick_slip.mo").read_text()
    text = text.replace("  parameter Real v_belt", '  parameter Real d(unit = "N.s/m") = 0.5;\n  parameter Real v_belt')
    text = text.replace("-k * x + friction", "-k * x - d * v + friction").replace("StopTime = 15", "StopTime = 40")
    assert "- d * v" in text and "StopTime = 40" in text
    (folder / "belt.mo").write_text(text)
    (folder / "belt.toml").write_text(BELT)
    saltus(folder, "sweep", "start", "belt.toml")
    saltus(folder, "sweep", "finalize", "belt.toml")
    open_page(driver, folder / "belt.html")
    seen = counts(driver)
    assert heads(driver)[:4] == ["625", "625", "0", "0"], heads(driver)
    chosen = [Select(driver.find_element(By.ID, i)).first_selected_option.text for i in ("across", "up", "colour")]
    assert chosen == ["Fs", "v_belt", "count(v - v_belt > 0)"], chosen
    assert seen["points"] == 625 and seen["cells"] == 1 and seen["failed"] == 0, seen
    assert seen["histograms"] == 4 and seen["axes"] == 4 and seen["lines"] == 625, seen
    assert drawn(driver, "#plane") > 100000 and drawn(driver, "#parallel") > 20000
    assert not driver.find_elements(By.ID, "warnings")
    # extremes are runs of the table
    rows = rows_of(folder / "belt.csv")
    cells = [[c.text for c in r.find_elements(By.TAG_NAME, "td")]
             for r in driver.find_elements(By.CSS_SELECTOR, "#extremes tbody tr")]
    assert [c[0] for c in cells] == ["Fs", "v_belt", "count(v - v_belt > 0)", "last(v - v_belt > 0)"], cells
    most = max(float(r["count(v - v_belt > 0)"]) for r in rows)
    best = next(r["run"] for r in rows if float(r["count(v - v_belt > 0)"]) == most)
    assert cells[2][3:] == [f"{most:g}", f"saltus run --from belt.toml#{best}"], (cells[2], most, best)
    # other axes
    Select(driver.find_element(By.ID, "up")).select_by_visible_text("last(v - v_belt > 0)")
    seen = counts(driver)
    n = sum(1 for r in rows if r["last(v - v_belt > 0)"])
    assert seen["points"] == n and seen["cells"] == 0, (seen, n)
    Select(driver.find_element(By.ID, "up")).select_by_visible_text("v_belt")
    # a range of the first axis, its upper half
    canvas = driver.find_element(By.CSS_SELECTOR, "#parallel canvas")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
    width = canvas.size["width"]
    ActionChains(driver).move_to_element_with_offset(canvas, 60 - width // 2, 14).click_and_hold() \
        .move_by_offset(0, -155).release().perform()
    upper = counts(driver)["selected"]
    assert upper == sum(1 for r in rows if float(r["Fs"]) >= 1.1), upper
    shot(driver, "belt")
    # and what hovering says
    over = driver.find_element(By.CSS_SELECTOR, "#plane .u-over")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", over)
    ActionChains(driver).move_to_element_with_offset(over, 10, 10).perform()
    tip = driver.find_element(By.ID, "tip")
    assert tip.is_displayed() and tip.text.startswith("run ") and "v_belt = " in tip.text, tip.text
    assert not driver.get_log("browser")


def check_odd(driver, folder: Path) -> None:
    (folder / "odd.mo").write_text(ODD)
    (folder / "odd.toml").write_text(ODD_STUDY.replace("SAMPLES", "400"))
    (folder / "it's odd.toml").write_text(ODD_STUDY.replace("SAMPLES", "3"))
    saltus(folder, "sweep", "start", "it's odd.toml")
    saltus(folder, "sweep", "finalize", "it's odd.toml", "-o", "quoted.html")
    open_page(driver, folder / "quoted.html")
    command = driver.find_element(By.CSS_SELECTOR, "#extremes code").text
    subprocess.run(command.replace("saltus", ASKED.program, 1), shell=True, cwd=folder, check=True, capture_output=True)
    saltus(folder, "sweep", "start", "odd.toml", "--shard", "0/2")
    saltus(folder, "sweep", "finalize", "odd.toml", "-o", "odd.html", "-o", "odd.csv", code=2)
    rows = rows_of(folder / "odd.csv")
    failed = [r for r in rows if r["outcome"] != "complete"]
    assert len(rows) == 200 and 5 < len(failed) < 60
    open_page(driver, folder / "odd.html")
    assert heads(driver)[:4] == ["400", str(200 - len(failed)), str(len(failed)), "200"], heads(driver)
    said = driver.find_element(By.ID, "warnings").text
    assert "200 runs are missing: saltus sweep resume odd.toml" in said and f"{len(failed)} runs failed" in said, said
    assert "No run has a value of first(x > 1e+06)" in said, said
    seen = counts(driver)
    # a, rate, x(end), large(end), huge(end); not what is always 7 and what never happens
    assert seen["histograms"] == 5 and seen["axes"] == 5, seen
    assert seen["points"] == 200 and seen["failed"] == len(failed), (seen, len(failed))
    assert seen["lines"] == 200 - len(failed), seen
    words = [e.text for e in driver.find_elements(By.CSS_SELECTOR, ".histogram")]
    assert any("Always 7, in" in w for w in words) and any("No run has this value" in w for w in words), words
    # bars count what is in the table; the last one has its upper end
    for name, number in (("a", 0), ("rate", 1), ("x(end)", 2)):
        column = driver.execute_script("return saltus.data.columns[arguments[0]]", number)
        values = [float(r[name]) for r in rows if r[name]]
        edges = column["edges"]
        inside = [sum(1 for v in values if low <= v and (v < high or high == edges[-1])) for low, high in zip(edges, edges[1:])]
        assert column["name"] == name and column["bars"] == inside, (column, inside)
    large = driver.execute_script("return saltus.data.columns.find((c) => c.name === 'large(end)')")
    assert large["values"] == [0, 1] and large["bars"] == [sum(1 for r in rows if r["large(end)"] == t) for t in "01"], large
    why = driver.find_elements(By.CSS_SELECTOR, "#failures tbody tr")
    assert len(why) == 1 and "a is too large" in why[0].text, why[0].text
    assert f"saltus run --from odd.toml#{failed[0]['run']}" in why[0].text, why[0].text
    shot(driver, "odd")


def check_many(driver, folder: Path) -> None:
    """More runs than are drawn."""
    (folder / "many.mo").write_text(ODD)
    (folder / "many.toml").write_text(ODD_STUDY.replace("SAMPLES", "25000").replace("odd.mo", "many.mo"))
    saltus(folder, "sweep", "start", "many.toml")
    saltus(folder, "sweep", "finalize", "many.toml", "-o", "many.html", "-o", "again.html")
    assert (folder / "many.html").read_bytes() == (folder / "again.html").read_bytes()
    seconds = open_page(driver, folder / "many.html")
    assert counts(driver)["points"] == 20000, counts(driver)
    note = driver.find_element(By.CSS_SELECTOR, "#plane .thinned").text
    assert note.startswith("20000 of 25000 runs are drawn"), note
    total = driver.execute_script("return saltus.data.columns[0].bars.reduce((a, b) => a + b, 0)")
    assert total == 25000, total
    logarithmic = driver.execute_script("return saltus.data.columns.map((c) => c.logarithmic)")
    assert logarithmic[:3] == [False, True, True], logarithmic  # a, rate, x(end)
    shot(driver, "many")
    print(f"25000 runs: {(folder / 'many.html').stat().st_size / 1e6:.1f} MB, ready after {seconds:.2f} s")


def must_fail(driver, folder: Path) -> None:
    """The checks can see."""
    page = (folder / "odd.html").read_text()
    (folder / "throws.html").write_text(page.replace("</body>", "<script>throw Error('x')</script></body>"))
    (folder / "fetches.html").write_text(page.replace("</body>", "<img src='http://127.0.0.1:9/x.png'></body>"))
    for bad in ("throws", "fetches"):
        try:
            open_page(driver, folder / f"{bad}.html")
        except AssertionError:
            continue
        raise SystemExit(f"{bad}.html was not noticed")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        driver = browser(name + "/profile")
        try:
            check_belt(driver, folder)
            check_odd(driver, folder)
            check_many(driver, folder)
            must_fail(driver, folder)
        finally:
            driver.quit()


main()
