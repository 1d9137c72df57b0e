"""How the documentation is built: `make docs`. It needs no network."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import activefs

sys.path.insert(0, str(Path(__file__).parents[1]))  # where the tools are
# What examples compute must not depend on what else this machine has, nor ask the network.
os.environ.setdefault("MPLBACKEND", "agg")
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a debugger's warning would be the notebook's first output

project = "activefs"
author = "The activefs developers"
copyright = "the activefs developers"
version = release = activefs.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "tools.mathml",
    "tools.commands_page",
    "tools.rest_page",
]
exclude_patterns = [
    *(f"gallery/*.{ending}" for ending in ("ipynb", "py", "json", "zip")),
    "results/leaderboard/table.md",  # a part of README
    "**/_build",
]
templates_path = ["_templates"]
smartquotes_action = "qe"  # no dashes: two hyphens are an option of a command
nitpicky = False  # types of other libraries would need the network; links inside are checked in what is built
suppress_warnings = ["config.cache"]  # functions in the settings of the gallery

# --- Markdown and notebooks ---
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "amsmath", "attrs_inline"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True

# --- reference ---
autosummary_generate = True
autosummary_imported_members = False
autodoc_typehints = "none"  # docstrings say it in words
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# --- gallery ---
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "write_computation_times": False,  # that page would ask other servers for scripts
    "matplotlib_animations": False,
    "reference_url": {},
    "capture_repr": ("_repr_html_", "__repr__"),
}

# --- pages ---
html_theme = "pydata_sphinx_theme"
html_context = {"default_mode": "auto"}
html_title = "activefs"
html_static_path = ["_static"]
html_css_files = ["activefs.css"]
html_js_files = ["activefs.js"]
html_favicon = "_static/icon.svg"
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "activefs", "image_light": "_static/icon.svg", "image_dark": "_static/icon.svg", "alt_text": ""},
    "navbar_end": ["theme-switcher", "navbar-icon-links"],
    "icon_links": [
        {"name": "Source", "url": "https://github.com/activefs/activefs", "icon": "fa-brands fa-github"},
    ],
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"]},
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "back_to_top_button": True,
}
html_sidebars = {"index": [], "start": [], "changelog": []}


def _skip_strangers(app: Any, what: str, name: str, found: Any, skip: bool, options: Any) -> bool:
    """Leave out what scikit-learn gives its estimators, but for what people call: its texts refer to its own site."""
    module = getattr(found, "__module__", None) or getattr(getattr(found, "fget", None), "__module__", None) or ""
    called = {"fit_transform", "get_feature_names_out", "get_params", "get_support", "inverse_transform", "set_params"}
    return True if module.startswith("sklearn.") and name not in {*called, "transform"} else skip


def setup(app: Any) -> None:
    """Connect what is particular to these pages."""
    app.connect("autodoc-skip-member", _skip_strangers)
