"""How the documentation is built: `make docs`. It needs no network."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes

import activefs

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # where the tools are
from tools.reference_pages import source_of as linkcode_resolve  # noqa: E402, F401

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
    "sphinx.ext.linkcode",
    "numpydoc",
    "myst_nb",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "tools.mathml",
    "tools.commands_page",
    "tools.reference_pages",
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
_LISTED = (line.strip() for page in (HERE / "reference").glob("*.rst") for line in page.read_text("utf-8").splitlines())
_NAMES = Counter(line for line in _LISTED if re.fullmatch(r"\w+", line))
autosummary_context = {"ambiguous": [name for name, times in _NAMES.items() if times > 1]}  # they get their package
autodoc_typehints = "none"  # docstrings say it in words
toc_object_entries_show_parents = "hide"  # the list of headings is narrow
python_maximum_signature_line_length = 90  # longer ones have a line for each parameter
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
    "doc_module": ("activefs",),
    "backreferences_dir": "gallery/backreferences",
    "reference_url": {"activefs": None},
    "thumbnail_size": (600, 420),
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
html_baseurl = os.environ.get("READTHEDOCS_CANONICAL_URL", "https://activefs.readthedocs.io/en/stable/")
html_search_scorer = str(HERE / "search_scorer.js")
# Prompts are not copied; what code prints needs no button.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"
_PRINTED = ".highlight-text, .highlight-none, .output, .output *, .sphx-glr-script-out *"
copybutton_selector = f"div[class*=highlight-]:not({_PRINTED}) > div.highlight > pre"
html_theme_options = {
    "logo": {"text": "activefs", "image_light": "_static/icon.svg", "image_dark": "_static/icon.svg", "alt_text": ""},
    "navbar_start": ["navbar-logo", "version"],
    "navbar_end": ["theme-switcher", "navbar-icon-links"],
    "icon_links": [
        {"name": "Source", "url": "https://github.com/activefs/activefs", "icon": "fa-brands fa-github"},
    ],
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    # Pages of wide tables have no list of headings beside them.
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        "results/leaderboard/report": [],
        "results/paper/report": [],
        "results/trust/beliefs": [],
        "results/trust/certificates/report": [],
    },
    "footer_start": ["copyright"],
    "footer_center": ["all-names"],
    "footer_end": ["theme-version"],
    "back_to_top_button": True,
}
html_sidebars = {"index": [], "start": []}


def _not_searched(app: Any, page: nodes.document) -> None:
    """Keep out of the search what is tables of numbers only: every search for a word of theirs found all of them."""
    if app.env.docname.startswith("results/single-feature/tables"):
        app.env.metadata[app.env.docname]["no-search"] = "true"


def _tell_others(app: Any, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Say in the head of a page what it is about, for search engines and for whoever gets a link to it."""
    if doctree is None:
        return
    sections = (part for part in doctree.findall(nodes.paragraph) if isinstance(part.parent, nodes.section))
    first = next(sections, None) or next(doctree.findall(nodes.paragraph), None)
    words = " ".join(first.astext().split()) if first else ""
    about = words if len(words) <= 200 else words[:200].rpartition(" ")[0] + " ..."
    title = "activefs: active feature selection" if page == app.config.root_doc else f"{context['title']} - activefs"
    # Sphinx has a tag for the viewport, and the template of pages has another one.
    context["metatags"] = re.sub(r'<meta [^>]*name="viewport"[^>]*>', "", context.get("metatags", ""))
    described = 'name="description"' in context["metatags"]
    said = {
        "og:title": re.sub("<[^>]*>", "", title),
        "og:type": "website",
        "og:site_name": "activefs",
        "og:description": about,
        "og:url": f"{html_baseurl}{page}.html",
        "og:image": f"{html_baseurl}_images/demo.png",
    }
    tags = [f'<meta name="description" content="{escape(about)}" />'] if about and not described else []
    tags += [f'<meta property="{name}" content="{escape(value)}" />' for name, value in said.items() if value]
    context["metatags"] = context["metatags"] + "\n    ".join(["", *tags])


def setup(app: Any) -> None:
    """Connect what is particular to these pages."""
    app.connect("doctree-read", _not_searched)
    app.connect("html-page-context", _tell_others)
