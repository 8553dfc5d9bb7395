"""Pages in Chromium without a window."""

import json
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


def browser(profile: str):
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1300,1000", "--force-device-scale-factor=1",
                     f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def open_page(driver, path: Path) -> float:
    """Seconds until the first picture."""
    driver.get_log("performance")
    begin = time.monotonic()
    driver.get(path.as_uri())
    while driver.execute_script("return document.body.dataset.ready") != "yes":
        assert time.monotonic() - begin < 60, "the page is not ready after a minute"
        time.sleep(0.01)
    seconds = time.monotonic() - begin
    complaints = driver.get_log("browser")
    assert not complaints, complaints
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            if message["params"]["documentURL"].startswith("chrome://"):
                continue  # what the browser shows when it starts
            assert url.startswith((path.as_uri(), "data:")), url
    return seconds


def counts(driver) -> dict:
    return driver.execute_script("return saltus.counts")


def drawn(driver, selector: str) -> int:
    """Pixels of the first canvas below that are not transparent."""
    return driver.execute_script("""
        const c = document.querySelector(arguments[0] + " canvas");
        const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
        let n = 0;
        for (let i = 3; i < d.length; i += 4) n += d[i] > 0;
        return n;""", selector)


def picture(driver, path: Path) -> None:
    """Of the whole page."""
    height = driver.execute_script("return document.documentElement.scrollHeight")
    driver.set_window_size(1300, min(height + 120, 6000))
    time.sleep(0.5)
    driver.save_screenshot(str(path))
    driver.set_window_size(1300, 1000)
    time.sleep(0.3)
