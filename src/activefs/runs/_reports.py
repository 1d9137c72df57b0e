"""What reports are made of: CSV, Markdown tables, and files that are all written or said not to be."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from activefs.exceptions import ActiveFSError
from activefs.files import cannot_write, write_whole
from activefs.runs._store import Store


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Write a table as CSV.

    Examples
    --------
    >>> csv_text(["feature", "rank"], [["a, b", 1]])
    'feature,rank\n"a, b",1\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], rules: Sequence[str] | None = None) -> list[str]:
    r"""Write a table as lines of Markdown; `rules` align the columns, such as ":--" and "--:".

    Examples
    --------
    >>> print("\n".join(markdown_table(["a", "b"], [["1", "**2**"]])))
    | a | b |
    |---|---|
    | 1 | **2** |
    """
    lines = [head, *rows]
    written = [f"| {' | '.join(line)} |" for line in lines]
    written.insert(1, f"|{'|'.join(rules or ['---'] * len(head))}|")
    return written


def write_files(contents: Iterable[tuple[Path, bytes]], store: Store) -> tuple[Path, ...]:
    """Write results, each file whole or not at all; folders are made.

    Raises
    ------
    ActiveFSError
        If one cannot be written; the message says where the finished work items are.
    """
    written = []
    for path, content in contents:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
        except OSError as error:
            raise ActiveFSError(
                f"{cannot_write(path, error)} The finished work items are kept in {store.folder}: then run the same "
                "command again, and only tables and pictures are made anew."
            ) from error
        written.append(path)
    return tuple(written)
