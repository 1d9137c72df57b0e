"""Sphinx extension: formulas become MathML when pages are built, so that pages need neither scripts nor a network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx


def mathml_of(formula: str, *, block: bool = False) -> str:
    """Turn a formula in LaTeX into MathML.

    Examples
    --------
    >>> "<msub>" in mathml_of("H_j"), "display='block'" in mathml_of("H_j", block=True).replace('"', "'")
    (True, True)
    """
    return str(latex2mathml.tex2mathml(formula, as_block=block))


def _inline(page: Any, node: nodes.math) -> None:
    page.body.append(mathml_of(node.astext()))
    raise nodes.SkipNode


def _block(page: Any, node: nodes.math_block) -> None:
    page.body.append(page.starttag(node, "div", CLASS="math"))
    page.body.append(mathml_of(node.astext(), block=True))
    page.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
