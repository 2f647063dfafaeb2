"""Sphinx's settings for the website. `build.py` writes the sources and calls Sphinx."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import sphinx_hooks

from framework import __version__

project = "Subtick"
author = "The Subtick authors"
copyright = "The Subtick authors, MIT license"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

# `SpriteBatch` in a docstring becomes a link if the name exists. Otherwise it is shown as code.
default_role = "py:obj"
add_module_names = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"

# In a signature, Sphinx could confuse the type ``bytes`` with an attribute of this name.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = f"Subtick {release}"
html_static_path: list[str] = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
copybutton_exclude = ".linenos, .gp"


def setup(app: Any) -> None:
    sphinx_hooks.setup(app)
