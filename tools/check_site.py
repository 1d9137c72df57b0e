"""Check a built site: every link inside leads somewhere, every picture has an alternative text.

python -m tools.check_site build/docs/html
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """What a page refers to, what can be referred to in it, and pictures that say nothing to who cannot see them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.unnamed: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect."""
        given = dict(attrs)
        self.anchors |= {value for name in ("id", "name") if (value := given.get(name))}
        self.links += [value for name in ("href", "src", "poster") if (value := given.get(name))]
        if tag == "img" and given.get("alt") is None:
            self.unnamed.append(given.get("src") or "")


def problems(folder: Path) -> Iterator[str]:
    """Say what is wrong in the pages below a folder, one line each.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "index.html").write_text('<a href="#top">up</a> <a href="b.html">b</a> <img src="index.html">')
    >>> for problem in problems(folder):
    ...     print(problem)
    index.html: no #top in index.html
    index.html: there is no b.html
    index.html: a picture without an alternative text: index.html
    """
    root = folder.resolve()
    files = [path for path in sorted(root.rglob("*.html")) if "_static" not in path.relative_to(root).parts]
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in files}
    for path, page in pages.items():
        here = path.relative_to(root).as_posix()
        for link in dict.fromkeys(page.links):
            if wrong := _wrong(link, path, root, pages):
                yield f"{here}: {wrong}"
        for picture in page.unnamed:
            yield f"{here}: a picture without an alternative text: {picture}"


def _wrong(link: str, path: Path, root: Path, pages: dict[Path, _Page]) -> str:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_relative_to(root) or not target.exists():
        return f"there is no {link}"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return f"no #{anchor} in {target.relative_to(root).as_posix()}"
    return ""


def main() -> int:
    """Print what is wrong with the site in the folder that is named."""
    folder = Path(sys.argv[1])
    found = list(problems(folder))
    print("\n".join([*found, f"{len(list(folder.rglob('*.html')))} pages, {len(found)} problems"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
