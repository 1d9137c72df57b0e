"""Code in the pages of the documentation: found, run as printed, and written to files that can be type-checked.

What a fence says decides what is done with it:

- ``python`` and ``sh`` are run, in the order of the page, in one empty folder and one namespace per page;
- ``python`` whose first line is ``# NAME.py`` (or ``# NAME.py, continued``) is also put into that file;
- ``text`` right after one of them is what it prints;
- ``console`` needs what a test cannot have (a cluster, Label Studio, containers): its commands begin with ``$`` and are
  not run, but commands of activefs must exist with the options that are given;
- everything else is not code.

In ``sh``, lines of ``pip install`` are compared with the extras that there are; a server runs until its block ends.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[a-z]+)[^\n]*\n(?P<code>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Snippet:
    """A piece of code in a page; `output` is what the page says that it prints, if it says so."""

    language: str
    code: str
    line: int
    output: str | None = None

    @property
    def file(self) -> str:
        r"""The file that the code is a part of, as its first line says; empty if it does not.

        Examples
        --------
        >>> Snippet("python", "# mine.py, continued\nx = 1\n", 1).file
        'mine.py'
        """
        found = re.match(r"# (\w+\.py)(?:, continued)?\n", self.code)
        return found[1] if found else ""


def pages() -> list[Path]:
    """List the pages that have code, README first."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    made = {"gallery", "generated", "results", "jupyter_execute"}
    generated = {ROOT / "docs/reference/commands.md", ROOT / "docs/reference/rest.md"}
    return [
        p
        for p in found
        if p.exists() and not made & set(p.relative_to(ROOT).parts) and p not in generated and snippets_of(p)
    ]


def snippets_of(page: Path) -> list[Snippet]:
    r"""Find the code of a page.

    Examples
    --------
    >>> import tempfile
    >>> page = Path(tempfile.mkdtemp()) / "page.md"
    >>> _ = page.write_text("```python\nprint(1 + 1)\n```\n\n```text\n2\n```\n\nand\n\n```sh\ntrue\n```\n")
    >>> snippets_of(page)  # doctest: +NORMALIZE_WHITESPACE
    [Snippet(language='python', code='print(1 + 1)\n', line=2, output='2\n'),
     Snippet(language='sh', code='true\n', line=12, output=None)]
    """
    text = page.read_text(encoding="utf-8")
    found: list[Snippet] = []
    end = 0
    for fence in _FENCE.finditer(text):
        language = fence["language"]
        indent = len(fence["indent"])
        code = "".join(line[indent:] for line in fence["code"].splitlines(keepends=True))
        if language == "text" and found and found[-1].output is None and not text[end : fence.start()].strip():
            found[-1] = Snippet(found[-1].language, found[-1].code, found[-1].line, code)
        elif language in ("python", "sh", "console"):
            found.append(Snippet(language, code, text.count("\n", 0, fence.start("code")) + 1))
        end = fence.end()
    return found


def same_text(printed: str, expected: str) -> bool:
    r"""Compare what was printed with what a page says: ends of lines and empty lines at the ends do not count.

    Examples
    --------
    >>> same_text("a  \nb\n\n", "a\nb\n"), same_text("a", "b")
    (True, False)
    """
    one, other = ([line.rstrip() for line in text.strip("\n").splitlines()] for text in (printed, expected))
    return one == other


def prints_alike() -> bool:
    """Whether this processor computes what the pages print: one of x86-64 with AVX-512.

    On another one sums are added in another order, and the model makes other last digits of them: a session may then
    ask another row, and every figure after it differs a little.
    """
    import numpy as np  # which is not there where a wheel is tried

    said = np.show_config(mode="dicts")["SIMD Extensions"]
    return bool({"AVX512_SKX", "X86_V4"} & {*said.get("baseline", []), *said.get("found", [])})


def alike(printed: str, expected: str) -> bool:
    r"""Compare what was printed with what a page says, as far as any processor must print it: most of its words.

    Examples
    --------
    >>> alike("5 features\n1. area: 0.4", "5 features\n1. radius: 0.3"), alike("error: no file", "5 features")
    (True, False)
    """
    one, other = (set(re.findall(r"[A-Za-z]{2,}", text)) for text in (printed, expected))
    return len(one & other) >= len(other) / 2


def write_modules(folder: Path) -> None:
    """Write the Python code of every page to a file of its own, at the lines where it stands in the page."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.py"):
        old.unlink()
    for page in pages():
        lines: list[str] = []
        for snippet in snippets_of(page):
            if snippet.language == "python":
                lines += [""] * (snippet.line - 1 - len(lines)) + snippet.code.splitlines()
        if lines:
            name = re.sub(r"\W", "_", page.relative_to(ROOT).with_suffix("").as_posix())
            (folder / f"{name}.py").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_modules(Path(sys.argv[1]))
