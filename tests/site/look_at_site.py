"""Builds the documentation as a site and looks at it: no warning, no dead link, no network, all names and messages found.

    PYTHONPATH=build/release/python look_at_site.py ROOT [--names 40] [--messages 40]

Public names of C++ are what doxygen finds in the headers, those of Python what the module has. A message is found if a search for
four or more of its words, as tools/list_messages.py lists them, offers the page of messages.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "results"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import list_messages  # noqa: E402
import pages  # noqa: E402

import saltus  # noqa: E402

LARGEST_MB = 20
PAGE_OF_MESSAGES = "reference/messages.html"


class Page(HTMLParser):
    """Its anchors, its links, and what it loads."""

    def __init__(self, file):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "search", "next", "prev", "index"):
            self.loads.append(given["href"])
        elif tag in ("script", "img") and given.get("src"):
            self.loads.append(given["src"])


def dead_links(html):
    files = {file.resolve(): Page(file) for file in html.rglob("*.html")}
    dead = []
    for file, page in files.items():
        for link in page.links + page.loads:
            if re.match(r"[a-z]+:", link):
                if link in page.loads and not link.startswith("data:"):
                    dead.append(f"{file.relative_to(html)} loads {link}")
                continue
            target, _, anchor = link.partition("#")
            there = (file.parent / unquote(target.split("?")[0])).resolve() if target else file
            if not there.exists() or (anchor and there in files and unquote(anchor) not in files[there].anchors):
                dead.append(f"{file.relative_to(html)}: {link}")
    return dead


def planted(folder):
    """What dead_links says of links that are dead, and of some that are not."""
    folder.mkdir()
    (folder / "other.html").write_text("<h1 id='here'>x</h1>")
    (folder / "index.html").write_text("<a href='none.html'>a</a><a href='other.html#here'>b</a><a href='other.html#none'>c</a>"
                                       "<a href='https://example.org'>d</a><script src='https://example.org/x.js'></script>")
    return dead_links(folder)


def names_of_cpp(root, folder):
    """All that is public in namespace saltus, by doxygen."""
    settings = f"""
        INPUT = {root / 'include/saltus'}
        RECURSIVE = YES
        FILE_PATTERNS = *.hpp
        EXTRACT_ALL = YES
        EXCLUDE_SYMBOLS = *::detail*
        GENERATE_HTML = NO
        GENERATE_LATEX = NO
        GENERATE_XML = YES
        XML_OUTPUT = {folder}
        QUIET = YES
        WARNINGS = NO
    """
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True)
    names = set()
    for file in folder.glob("*.xml"):
        if not file.name.startswith(("namespacesaltus", "classsaltus", "structsaltus")):
            continue
        for compound in ElementTree.parse(file).getroot().iter("compounddef"):
            names.add(compound.findtext("compoundname").split("::")[-1].split("<")[0])
            for member in compound.iter("memberdef"):
                if member.get("prot") == "public" and member.get("kind") != "friend":
                    names.add(member.findtext("name"))
    return sorted(name for name in names if re.fullmatch(r"[A-Za-z]\w{2,}", name))


def words_of_messages(root):
    """The longest literal part of every message, if it has four words."""
    longest = {max(message.pieces, key=list_messages.n_words).strip() for message in list_messages.messages(root)}
    return sorted(piece for piece in longest if list_messages.n_words(piece) >= 4)


def not_found(driver, html, texts, page=""):
    """Texts that the search of the site does not find, on any page or on the one that is named."""
    missing = []
    for text in texts:
        driver.get((html / "search.html").as_uri() + "?q=" + quote(text))
        begin = time.monotonic()
        while not driver.execute_script("return [...document.querySelectorAll('#search-results li a')]"
                                        ".some(a => a.href.includes(arguments[0]))", page):
            if time.monotonic() - begin > 5:
                missing.append(text)
                break
            time.sleep(0.02)
    return missing


def wider_than_a_phone(driver, html):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": 375, "height": 800, "deviceScaleFactor": 1, "mobile": True})
    wide = []
    for file in sorted(html.rglob("*.html")):
        driver.get(file.as_uri())
        if driver.execute_script("return document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            wide.append(str(file.relative_to(html)))
    return wide


def network(driver, html):
    """What pages asked for beside files of the site, and complaints of the browser."""
    asked = [entry["message"] for entry in driver.get_log("browser")]
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent" and not message["params"]["documentURL"].startswith("chrome:"):
            url = message["params"]["request"]["url"]
            if not url.startswith((html.as_uri(), "data:")):
                asked.append(url)
    return asked


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("--names", type=int, default=40)
    parser.add_argument("--messages", type=int, default=40)
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        begin = time.monotonic()
        built = subprocess.run(["/usr/bin/python3", "-B", root / "tools/build_site.py", "--out", folder, root],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        seconds = time.monotonic() - begin
        assert built.returncode == 0, built.stdout
        html = folder / "html"
        size = sum(file.stat().st_size for file in html.rglob("*")) / 1e6
        dead = dead_links(html)
        cpp = names_of_cpp(root, folder / "xml")
        python = sorted(name for name in dir(saltus) if not name.startswith("_"))
        options = [option["name"] for option in saltus.options()]
        every = cpp + python + options
        chosen = random.Random(1).sample(every, min(arguments.names, len(every)))
        driver = pages.browser(str(folder / "profile"))
        missing = not_found(driver, html, chosen)
        messages = random.Random(1).sample(words_of_messages(root), arguments.messages)
        missing_messages = not_found(driver, html, messages, PAGE_OF_MESSAGES)
        wide = wider_than_a_phone(driver, html)
        asked = network(driver, html)
        nonsense = not_found(driver, html, ["zzqx_no_such_name"])
        elsewhere = not_found(driver, html, ["sphinx doxygen chromium"], PAGE_OF_MESSAGES)
        driver.quit()
        noticed = planted(folder / "planted")
        n_pages = len(list(html.rglob("*.html")))
    print(json.dumps({"pages": n_pages, "warnings": built.stdout.count("WARNING: "), "seconds": round(seconds, 1),
                      "MB": round(size, 1), "dead_links": dead, "names": len(every), "searched": len(chosen), "not_found": missing,
                      "messages_searched": len(messages), "messages_not_found": missing_messages, "wide": wide, "asked": asked},
                     indent=1))
    assert len(cpp) > 500 and len(python) > 60 and len(options) > 40, (len(cpp), len(python), len(options))
    assert noticed == ["index.html: none.html", "index.html: other.html#none", "index.html loads https://example.org/x.js"], noticed
    assert nonsense and elsewhere, "the search finds what is not there: this check cannot fail"
    assert not (dead or missing or missing_messages or wide or asked)
    assert size < LARGEST_MB, f"{size:.1f} MB"


if __name__ == "__main__":
    main()
