"""Instructions as HTML that is safe on our pages, whatever they hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from activefs.study import Instructions

_TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "img"),
    *("h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
_LINK = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+")
_BELOW = 2
"""A page has one heading of the first order, and the instructions stand below one of the second."""


@lru_cache(maxsize=32)
def html_of(instructions: Instructions) -> Markup:
    r"""Make HTML of Markdown: no markup of its own, no script, no style, and no address but of the web and of mail.

    Raw HTML is shown as the text that it is. Images are those that the study keeps; of others, there is a link.

    Examples
    --------
    >>> html_of(Instructions("# Ill\n<script>alert(1)</script> is *text*"))
    Markup('<h3>Ill</h3>\n<p>&lt;script&gt;alert(1)&lt;/script&gt; is <em>text</em></p>\n')
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    tokens = parser.parse(instructions.text)
    images = dict(instructions.images)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + _BELOW)}"
        token.children = [new for child in token.children or () for new in _shown(child, images)]
    html = parser.renderer.render(tokens, parser.options, {})
    cleaned = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href", "title"}, "img": {"src", "alt", "title"}, "ol": {"start"}},
        attribute_filter=_filtered,
        set_tag_attribute_values={"a": {"target": "_blank"}},
        url_schemes={"http", "https", "mailto", "data"},
        link_rel="noopener noreferrer",
    )
    return Markup(cleaned)


def _shown(token: Token, images: Mapping[str, str]) -> list[Token]:
    """Put the content of an image in the place of its name; for an image from elsewhere, a link to it."""
    if token.type != "image":
        return [token]
    source = str(token.attrs.get("src", ""))
    if source in images:
        token.attrs["src"] = images[source]
        return [token]
    text = Token("text", "", 0, content=token.content or source)
    if not _LINK.match(source):
        return [text]
    return [Token("link_open", "a", 1, attrs={"href": source}), text, Token("link_close", "a", -1)]


def _filtered(tag: str, attribute: str, value: str) -> Any:
    """Let links lead to the web and to mail only, and images be those that the page brings along."""
    if attribute == "href":
        return value if _LINK.match(value) else None
    if attribute == "src":
        return value if _PICTURE.fullmatch(value) else None
    return value
