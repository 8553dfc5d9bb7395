"""Sphinx reads this; tools/build_site.py puts the pages together and calls it."""

import os
import re
from pathlib import Path

root = Path(os.environ["SALTUS_SOURCE"])

project = "Saltus"
author = "The Saltus authors"
copyright = "2026, the Saltus authors"  # noqa: A001  (Sphinx calls it so)
version = release = re.search(r"project\(saltus VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]

extensions = ["myst_parser", "sphinx_copybutton"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_files"]
# Headings have the anchors that GitHub gives them: the pages are read there, too.
myst_heading_anchors = 4
highlight_language = "text"
# Sections of design notes begin at any level.
suppress_warnings = ["myst.header"]

html_theme = "furo"
html_title = f"Saltus {version}"
html_show_sphinx = False
html_copy_source = False
# A page opened from a disk may not read others.
html_show_search_summary = False
