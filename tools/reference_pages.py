"""Sphinx extension: pages of classes begin with a table of their members; members of foreign classes stay out.

Also where the source of a name is, for `sphinx.ext.linkcode`.
"""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import BuiltinFunctionType
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

import activefs

SOURCE = Path(__file__).parents[1] / "src"
REPOSITORY = "https://github.com/activefs/activefs"

_GIVEN = ("fit_transform", "get_feature_names_out", "get_params", "get_support", "inverse_transform", "set_params")
CALLED = frozenset((*_GIVEN, "transform"))
"""What people call of what scikit-learn gives its estimators."""


def is_stranger(found: Any) -> bool:
    """Whether a member of a class comes from elsewhere: from scikit-learn, or from a class that Python has.

    Examples
    --------
    >>> from activefs.exceptions import InvalidInputError
    >>> is_stranger(InvalidInputError.with_traceback), is_stranger(activefs.Session.ask)
    (True, False)
    """
    for inside in ("fget", "__func__", "func"):
        found = getattr(found, inside, None) or found
    if isinstance(found, BuiltinFunctionType):  # those of str, for one, do not say whose they are
        return True
    owner = getattr(found, "__objclass__", None) or getattr(found, "__self__", None)
    module = getattr(found, "__module__", None) or getattr(owner, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] != "activefs"


def _skip(app: Sphinx, what: str, name: str, found: Any, skip: bool, options: Any) -> bool | None:
    return True if name not in CALLED and is_stranger(found) else None


def source_of(domain: str, info: dict[str, str]) -> str | None:
    """Give the address of the lines in which a name is defined; nothing for what is not defined here.

    Examples
    --------
    >>> source_of("py", {"module": "activefs", "fullname": "Session.ask"}).partition("#")[0]
    'https://github.com/activefs/activefs/blob/main/src/activefs/session.py'
    """
    if domain != "py" or not info["module"]:
        return None
    found: Any = importlib.import_module(info["module"])
    for part in info["fullname"].split("."):
        found = getattr(found, part, None)
    found = getattr(found, "fget", None) or getattr(found, "py_func", None) or found
    try:
        found = inspect.unwrap(found)
        path = Path(inspect.getsourcefile(found) or "").resolve()
        lines, first = inspect.getsourcelines(found)
    except (TypeError, OSError):
        return None
    if not path.is_relative_to(SOURCE.resolve()):
        return None
    version = activefs.__version__
    tree = "main" if "dev" in version else f"v{version}"
    place = path.relative_to(SOURCE.resolve()).as_posix()
    return f"{REPOSITORY}/blob/{tree}/src/{place}#L{first}-L{first + len(lines) - 1}"


KINDS = {"Methods": ("method", "classmethod", "staticmethod"), "Attributes": ("property", "attribute")}


def _member_tables(app: Sphinx, page: nodes.document) -> None:
    """Put a table of members, with their first sentences, before the parameters of each class that has several."""
    for described in page.findall(addnodes.desc):
        if described.get("domain") != "py" or described.get("objtype") not in ("class", "exception"):
            continue
        content = described.next_node(addnodes.desc_content)
        if content is None:
            continue
        members = [child for child in content.children if isinstance(child, addnodes.desc)]
        if len(members) < 2:
            continue
        tables = [_table(kind, [m for m in members if m["objtype"] in types]) for kind, types in KINDS.items()]
        said = (nodes.paragraph, addnodes.index)
        place = next((i for i, child in enumerate(content.children) if not isinstance(child, said)), 0)
        content[place:place] = [table for table in tables if table is not None]


def _table(kind: str, members: list[addnodes.desc]) -> nodes.table | None:
    rows = []
    for member in members:
        signature = member.next_node(addnodes.desc_signature)
        if signature is None or not signature["ids"]:
            continue
        name = signature.next_node(addnodes.desc_name)
        text = (name.astext() if name else "") + "()" * (kind == "Methods")
        link = nodes.reference("", "", nodes.literal(text, text), internal=True, refid=signature["ids"][0])
        content = member.next_node(addnodes.desc_content)
        first = content.next_node(nodes.paragraph) if content is not None else None
        summary = (
            nodes.paragraph("", "", *(child.deepcopy() for child in first.children)) if first else nodes.paragraph()
        )
        entries = (nodes.entry("", nodes.paragraph("", "", link)), nodes.entry("", summary))
        rows.append(nodes.row("", *entries))
    if not rows:
        return None
    head = nodes.row("", *(nodes.entry("", nodes.paragraph(text, text)) for text in (kind, "")))
    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in (30, 70)), cols=2)
    group += [nodes.thead("", head), nodes.tbody("", *rows)]
    return nodes.table("", group, classes=["members"])


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect both."""
    app.connect("autodoc-skip-member", _skip)
    app.connect("doctree-read", _member_tables)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
