"""The site of these pages: python -m sphinx -W --keep-going docs results/site

Needs the extra `docs`, and no network. Links are strict: one that leads nowhere is an error.
"""

from nrevu import __version__

project = "nrevu"
author = "The nrevu authors"
copyright = author
version = release = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"nrevu {version}"
html_show_sphinx = False
html_static_path: list[str] = []
suppress_warnings = ["misc.highlighting_failure"]
nitpicky = True
