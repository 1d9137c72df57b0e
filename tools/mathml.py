"""Sphinx extension: formulas become MathML when pages are built, so that pages need neither scripts nor a network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx

_ACCENT_BEFORE_INDEX = re.compile(r"(\\(?:hat|tilde|bar)\s*(?:\{[^{}]*\}|[A-Za-z]))(?=[_^])")


def mathml_of(formula: str, *, block: bool = False) -> str:
    r"""Turn a formula in LaTeX into MathML.

    Examples
    --------
    >>> "<msub>" in mathml_of("H_j"), "display='block'" in mathml_of("H_j", block=True).replace('"', "'")
    (True, True)
    >>> "<munder" in mathml_of(r"\hat{H}_j")  # the index stands beside the letter, not below it
    False
    """
    # docutils takes an index after an accent for a part of the accent.
    return str(latex2mathml.tex2mathml(_ACCENT_BEFORE_INDEX.sub(r"\1{}", formula), as_block=block))


def parts_of(formula: str) -> list[str]:
    r"""Divide what stands side by side, with a wide space between, so that a narrow page can put it below each other.

    Examples
    --------
    >>> parts_of(r"a = b, \qquad c = d"), len(parts_of(r"\begin{cases} a \qquad b \end{cases}"))
    (['a = b,', 'c = d'], 1)
    """
    parts = [part.strip() for part in formula.split(r"\qquad")]
    whole = all(part.count(r"\begin") == part.count(r"\end") and part.count("{") == part.count("}") for part in parts)
    return parts if whole else [formula]


def _inline(page: Any, node: nodes.math) -> None:
    formula = mathml_of(node.astext())
    # Browsers do not break formulas into lines; one that is wider than a phone scrolls by itself.
    page.body.append(f'<span class="long-formula">{formula}</span>' if len(node.astext()) > 40 else formula)
    raise nodes.SkipNode


def _block(page: Any, node: nodes.math_block) -> None:
    page.body.append(page.starttag(node, "div", CLASS="math"))
    page.body.extend(mathml_of(part, block=True) for part in parts_of(node.astext()))
    page.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
