"""Cell by cell: where the published wins differ from ours by more than chance, and why."""

from __future__ import annotations

from activefs.experiments.single_feature._compare import Compared, compare
from activefs.experiments.single_feature._definitions import PAPER, REFITTED, RELEASED
from activefs.experiments.single_feature._published import BUDGETS
from activefs.experiments.single_feature._run import Results
from activefs.experiments.single_feature._tables import markdown

# From the paper to the published table, one change at a time: definition, confidence, heading.
_LADDER = (
    (PAPER, 0.95, "paper, 95%"),
    (PAPER, 0.68, "paper, 68%"),
    (RELEASED, 0.68, "as released, 68%"),
    (REFITTED, 0.68, "refitted, 68%"),
)
_HOEFFDING = "Hoeffding's interval is always [0, 1] in the released code, so it decides as PROP does"
_BERNSTEIN = "its Bernstein interval has 2/delta for ln(2/delta) and 1/n for 1/sqrt(n)"
_ROOT = "it takes the square root of UCB(g)"
SLIPS = {
    "PROP": "no slip of its own: its rivals' slips decide what it wins",
    "MAX-H": "its bonus is 3 sqrt(ln(1/delta)/n), and its rivals have slips",
    "MAX-B": "it is told the budget 500 at every budget, and its rivals have slips",
    "VAR-H": _HOEFFDING,
    "VAR-B": _BERNSTEIN,
    "VAR-CP": "its Clopper-Pearson interval is one-sided where all labels agree, and its rivals have slips",
    "I-H": _HOEFFDING,
    "I-B": f"{_BERNSTEIN}, and {_ROOT}",
    "I-CP": f"{_ROOT}, and its Clopper-Pearson interval is one-sided where all labels agree",
}
_INTERVALS = "68% intervals in the released code, the paper says 95%"
_REFITTED = (
    f"68% intervals and slips, with confidence parameter {REFITTED.delta} and about {REFITTED.initial} initial draws"
)


def explain(results: Results) -> str:
    """Return the section of the report; the budgets must be the published ones."""
    groups = results[PAPER.name]
    rows = []
    cells = fitting = 0
    for name, group in groups.items():
        rungs = [compare(results[d.name][name], confidence) for d, confidence, _ in _LADDER]
        for b, budget in enumerate(BUDGETS):
            for i, policy in enumerate(group.definition.policies):
                cells += 1
                off = [bool(rung.differs[b, i].any()) for rung in rungs]
                fitting += not off[0]
                if off[0] or off[2]:
                    shown = [_pair(rungs[0], b, i, theirs=True), *(_pair(rung, b, i) for rung in rungs)]
                    marked = [shown[0], *(f"{t} !" if o else t for t, o in zip(shown[1:], off, strict=True))]
                    gaps = [int(abs(rung.ours - rung.theirs)[b, i].sum()) for rung in rungs]
                    rows.append([name, str(budget), policy.name, *marked, _why(policy.name, off, gaps)])
    head = ["experiments", "budget", "policy", "published", *(title for _, _, title in _LADDER), "why"]
    return f"""## Where the published wins differ from ours, and why

Each cell is (clear wins, wins); `!` marks numbers that differ from the published ones by more than two runs of the
same program do (1% level: average errors are redrawn from their joint distribution, in the uniform set also the
features, as the published q are not known; one win more or less never counts). The columns go from the paper to the
published table one change at a time. The reason is that of the nearest unmarked column, of the last one only if all
others are marked; where all are marked, that of the nearest one if it at least halves the difference. Of {cells} cells,
{fitting} agree with the paper's formulas at 95% and are left out, unless the released code disagrees there.

{markdown(head, rows, left=("policy", "why"))}"""


def _pair(rung: Compared, budget: int, policy: int, theirs: bool = False) -> str:
    clear, wins = (rung.theirs if theirs else rung.ours)[budget, policy].tolist()
    return f"({clear}, {wins})"


def _why(policy: str, off: list[bool], gaps: list[int]) -> str:
    if not off[0]:
        return "agrees with the paper's formulas; the released code differs"
    if not all(off):
        fitting = [rung for rung in (1, 2) if not off[rung]] or [3]
        return _cause(policy, min(fitting, key=lambda rung: gaps[rung]))
    nearest = gaps.index(min(gaps))
    if 2 * gaps[nearest] <= gaps[0]:
        return f"for the most part: {_cause(policy, nearest)}"
    return "not explained by any reading tried"


def _cause(policy: str, rung: int) -> str:
    return ("", _INTERVALS, f"{_INTERVALS}; and {SLIPS[policy]}", _REFITTED)[rung]
