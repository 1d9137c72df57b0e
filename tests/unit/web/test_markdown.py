"""Instructions are rendered as what they mean, and nothing in them is ever obeyed."""

import re
from html.parser import HTMLParser

import pytest

from activefs.study import Instructions
from activefs.web._markdown import html_of

PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"


class Elements(HTMLParser):
    """Every element and attribute of a page."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe src=https://evil.example></iframe>",
    "<style>body{display:none}</style>",
    "<a href='javascript:alert(1)'>x</a>",
    "<form action=https://evil.example><input name=token></form>",
    "<base href=https://evil.example>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<textarea></textarea><img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](\\x6Aavascript:alert(1))",
    "[x](%6Aavascript:alert(1))",
    "[x](vbscript:alert(1))",
    "[x](file:///etc/passwd)",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    f"[x]({PIXEL})",
    "[x](//evil.example)",
    "[x](/sign-out)",
    "[x](blob:https://evil.example/1)",
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    "![x](javascript:alert(1))",
    "![x](data:text/html;base64,PHNjcmlwdD4=)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "![x](https://evil.example/track.png)",
    '![x" onerror="alert(1)](https://evil.example/x.png "a\\" onload=\\"alert(1)")',
    '[x](https://ok.example "a\\" onmouseover=\\"alert(1)")',
    "[x](https://ok.example/\"onmouseover=\"alert(1))",
    "```\" onload=alert(1)\n</code></pre><script>alert(1)</script>\n```",
    "`</code><script>alert(1)</script>`",
    "| <script>alert(1)</script> |\n|-|\n| [x](javascript:alert(1)) |",
    "# <img src=x onerror=alert(1)>",
    "a\u2028<script>alert(1)</script>",
    "<<script>script>alert(1)</script>",
    "\\<script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "[a](<javascript:alert(1)>)",
    "- <details open ontoggle=alert(1)>",
    "> <object data=javascript:alert(1)>",
]  # fmt: skip
ALLOWED = {
    "a": {"href", "title", "target", "rel"},
    "img": {"src", "alt", "title"},
    "ol": {"start"},
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_is_obeyed(attack):
    html = str(html_of(Instructions(attack, (("rash.png", PIXEL),))))
    plain = {"p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li"}
    shown = {"a", "img", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"}
    for tag, attributes in Elements(html).found:
        assert tag in plain | shown
        assert set(attributes) <= ALLOWED.get(tag, set())
        assert re.match("https?://|mailto:", attributes.get("href", "https://"))
        assert "src" not in attributes or attributes["src"] == PIXEL


def test_links_tell_nothing_and_open_elsewhere():
    (link,) = [a for tag, a in Elements(str(html_of(Instructions("[x](https://ok.example)")))).found if tag == "a"]
    assert link == {"href": "https://ok.example", "target": "_blank", "rel": "noopener noreferrer"}


def test_images_of_the_study_are_shown_and_others_are_links():
    text = "![a rash](rash.png) ![far](https://far.example/x.png) ![gone](gone.png)"
    found = Elements(str(html_of(Instructions(text, (("rash.png", PIXEL),))))).found
    assert [a for tag, a in found if tag == "img"] == [{"src": PIXEL, "alt": "a rash"}]
    assert [a["href"] for tag, a in found if tag == "a"] == ["https://far.example/x.png"]
    assert "gone" in html_of(Instructions(text))


def test_headings_stand_below_those_of_the_page():
    found = [tag for tag, _ in Elements(str(html_of(Instructions("# a\n## b\n###### c\n\nd\n=\n")))).found]
    assert found == ["h3", "h4", "h6", "h3"]
