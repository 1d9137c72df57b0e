"""The appendix tables and the table of wins, as Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from activefs.experiments.single_feature._run import Group
from activefs.experiments.single_feature._statistics import wins
from activefs.runs import markdown_table
from activefs.types import Ints

TITLES = {
    "uniform": "synthetic experiments with uniform q",
    "fixed": "synthetic experiments with fixed q",
    "adult": "real-data experiments on Adult",
}
_LONG = 60  # rows; a longer table is cut into two parts, as in the paper


def tables(groups: dict[str, Group], folder: Path) -> Iterator[tuple[Path, bytes]]:
    """One table per set of experiments, budget and part, and the table of wins: where each goes, and its text."""
    for name, group in groups.items():
        for i, budget in enumerate(group.settings.budgets):
            for part, rows in _parts(group):
                title = f"Single feature: {TITLES[name]}; budget of {budget} labels{part and f'; part {part}'}"
                path = folder / f"{name}-{budget}{part and f'-part{part}'}"
                yield from _files(path, title, _head(name, group), _rows(group, i, rows), _NOTE)
    title = "Numbers of (clear wins, wins)"
    yield from _files(folder / "wins", title, *win_table({n: g.counts() for n, g in groups.items()}, groups), "")


_NOTE = (
    "Average error, in thousandths of a nat, and half of its interval. "
    "Winners in bold; a winner alone in its row is a clear winner."
)


def _parts(group: Group) -> list[tuple[str, list[int]]]:
    rows = list(range(len(group.experiments)))
    if len(rows) <= _LONG:
        return [("", rows)]
    middle = [i for i in rows if len(group.experiments[i].p) <= 6]
    return [("1", middle), ("2", rows[len(middle) :])]


def _head(name: str, group: Group) -> list[str]:
    first = {"adult": "feature"}.get(name, "q of the values")
    return [first, *(policy.name for policy in group.definition.policies)]


def _rows(group: Group, budget: int, rows: Sequence[int]) -> list[list[str]]:
    low, high = group.interval()
    _, winners = wins(low, high)
    found = []
    for r in rows:
        cells = []
        for i in range(low.shape[-1]):
            mean, half = (low + high)[r, budget, i] / 2, (high - low)[r, budget, i] / 2
            text = f"{1e3 * mean:.2f} ± {1e3 * half:.2f}"
            cells.append(f"**{text}**" if winners[r, budget, i] else text)
        found.append([group.experiments[r].title, *cells])
    return found


def win_table(counts: dict[str, Ints], groups: dict[str, Group]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table of (clear wins, wins); the most clear wins of a row in bold."""
    some = next(iter(groups.values()))
    head = ["experiments", "budget", *(policy.name for policy in some.definition.policies)]
    rows = []
    for name, of_group in counts.items():
        for i, budget in enumerate(some.settings.budgets):
            best = max(of_group[i].tolist())
            cells = [f"({c}, {w})" for c, w in of_group[i].tolist()]
            bold = [f"**{t}**" if pair == best else t for t, pair in zip(cells, of_group[i].tolist(), strict=True)]
            rows.append([name, str(budget), *bold])
    return head, rows


def markdown(head: list[str], rows: list[list[str]], left: Sequence[str] = ()) -> str:
    """Return a Markdown table; the first column and those headed as in `left` are flush left.

    Examples
    --------
    >>> print(markdown(["a", "b"], [["1", "**2**"]]))
    | a | b |
    |:--|--:|
    | 1 | **2** |
    """
    rules = [":--" if title in left else "--:" for title in head]
    return "\n".join(markdown_table(head, rows, [":--", *rules[1:]]))


def latex(head: list[str], rows: list[list[str]]) -> str:
    r"""Return a LaTeX tabular that needs the package booktabs.

    Examples
    --------
    >>> print(latex(["a", "b"], [["1", "**2 ± 1**"]]))
    \begin{tabular}{lr}
    \toprule
    a & b \\
    \midrule
    1 & $\mathbf{2 \pm 1}$ \\
    \bottomrule
    \end{tabular}
    """
    body = [" & ".join(_latex_cell(cell) for cell in row) + r" \\" for row in rows]
    top = [rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", r"\toprule", " & ".join(head) + r" \\", r"\midrule"]
    return "\n".join([*top, *body, r"\bottomrule", r"\end{tabular}"])


def _latex_cell(cell: str) -> str:
    bold = cell.startswith("**")
    text = cell.strip("*")
    if "±" in text:
        text = text.replace("±", r"\pm")
        return rf"$\mathbf{{{text}}}$" if bold else f"${text}$"
    text = text.replace("_", r"\_").replace("&", r"\&").replace(" x", r" $\times$ ")
    return rf"\textbf{{{text}}}" if bold else text


def _files(path: Path, title: str, head: list[str], rows: list[list[str]], note: str) -> Iterator[tuple[Path, bytes]]:
    below = f"\n\n{note}" if note else ""
    yield path.with_suffix(".md"), f"# {title}\n\n{markdown(head, rows)}{below}\n".encode()
    yield path.with_suffix(".tex"), f"% {title}\n{latex(head, rows)}\n".encode()
