"""The sentences of the paper's experiment section and appendix that can be checked."""

from __future__ import annotations

from collections import Counter

from activefs.experiments.selection._claims_ablations import ablation_claims
from activefs.experiments.selection._curves import Curves
from activefs.experiments.selection._evidence import Cell, Claim, Evidence, judge
from activefs.runs import Difference, difference

_BASELINES = ("RANDOM", "CORESET", "DWUS")
_FLOORS = ("AFS", "AFS (pool floor)")
_SHOWN = (("MUSK", 20), ("MNIST35", 20), ("RELATHE", 10))


def check_claims(curves: Curves) -> list[Claim]:
    """Check every sentence for which curves are there."""
    evidence = Evidence(curves)
    claims = []
    for afs in _FLOORS:
        claims += [_never_worse(evidence, afs), _grows_with_k(evidence, afs), _shown(evidence, afs)]
        claims += [_early(evidence, afs), _one_feature(evidence, afs)]
    claims += [_dwus_far_off(evidence), _dwus_one_feature(evidence)]
    return [claim for claim in claims + ablation_claims(evidence) if claim.verdict != "not tested"]


def verdicts(claims: list[Claim]) -> dict[str, int]:
    """How many claims came out in which way."""
    count = Counter(str(claim.verdict) for claim in claims)
    return {verdict: count[verdict] for verdict in ("confirmed", "mixed", "not confirmed")}


def _title(sentence: str, afs: str) -> str:
    return sentence if afs == "AFS" else f"{sentence} [AFS with the floor of rho as printed: 'pool']"


def _never_worse(e: Evidence, afs: str) -> Claim:
    def best(cell: Cell) -> str:
        return e.best(cell, _BASELINES)

    return judge(
        _title("In all experiments, AFS performs better or comparably to the best baseline.", afs),
        "Experiments",
        "not significantly worse than the best of RANDOM, CORESET and DWUS in the same cell",
        "every",
        e.cells(afs, *_BASELINES),
        lambda cell: e.minus(cell, afs, best(cell)).sign <= 0,
        lambda cell: e.against(cell, afs, best(cell)),
    )


def _grows_with_k(e: Evidence, afs: str) -> Claim:
    ends: dict[str, tuple[Cell, Cell]] = {}
    for name, k in e.cells(afs, *_BASELINES):
        small = ends[name][0] if name in ends else (name, k)
        ends[name] = (small, (name, k))

    def gain(cell: Cell) -> Difference:
        return e.minus(cell, e.best(cell, _BASELINES), afs)

    def holds(cell: Cell) -> bool:
        # Widths of independent intervals add up as squares. Runs of RANDOM and the like serve all k, so that
        # the two are not quite independent; that makes the sum too wide, if anything.
        small, large = (gain(c) for c in ends[cell[0]])
        width = ((small.high - small.mean) ** 2 + (large.high - large.mean) ** 2) ** 0.5
        return bool(large.mean - small.mean > width)

    return judge(
        _title("The improvement of AFS is larger for larger values of k.", afs),
        "Experiments",
        "gain in nats over the best baseline at the largest k above that at the smallest k, significantly; by data set",
        "every",
        [large for small, large in ends.values() if small != large],
        holds,
        lambda cell: ", ".join(f"k={c[1]}: gain over {e.best(c, _BASELINES)} {gain(c)}" for c in ends[cell[0]]),
        by_set=True,
    )


def _shown(e: Evidence, afs: str) -> Claim:
    return judge(
        _title("MUSK k=20, MNIST 3 vs 5 k=20 and RELATHE k=10 show the advantage of AFS over the baselines.", afs),
        "Experiments, figure of three",
        "significantly better than the best baseline",
        "every",
        [cell for cell in e.cells(afs, *_BASELINES) if cell in _SHOWN],
        lambda cell: e.minus(cell, afs, e.best(cell, _BASELINES)).sign < 0,
        lambda cell: e.against(cell, afs, e.best(cell, _BASELINES)),
    )


def _early(e: Evidence, afs: str) -> Claim:
    def fading(cell: Cell) -> tuple[float, bool]:
        best = e.best(cell, _BASELINES)
        early = [e.score(cell, name, 0.0, 0.5) - e.score(cell, name, 0.5, 1.0) for name in (best, afs)]
        change = difference(early[0], early[1])
        return change.mean, change.sign > 0 and e.minus(cell, afs, best, 0.0, 0.5).sign < 0

    return judge(
        _title("In many cases, the improvement of AFS is more significant in smaller budgets.", afs),
        "Appendix, baselines",
        "better than the best baseline in the first half of the labels, and more so than in the second; significantly",
        "many",
        e.cells(afs, *_BASELINES),
        lambda cell: fading(cell)[1],
        lambda cell: f"gain of the first half minus gain of the second: {fading(cell)[0]:+.4f}",
    )


def _one_feature(e: Evidence, afs: str) -> Claim:
    others = ("CORESET", "RANDOM")
    return judge(
        _title("For k=1, AFS performs comparably with CORESET and RANDOM.", afs),
        "Appendix, baselines, k=1",
        "alike: no significant difference to either, or one below 10%",
        "every",
        e.cells(afs, *others, ks=(1,)),
        lambda cell: all(e.alike(cell, afs, other) for other in others),
        lambda cell: "; ".join(e.against(cell, afs, other) for other in others),
    )


def _dwus_far_off(e: Evidence) -> Claim:
    return judge(
        "DWUS is often not seen in the zoomed-in versions because its error is too large.",
        "Appendix, baselines",
        "DWUS significantly worse than RANDOM, and by at least half of RANDOM's gap",
        "many",
        e.cells("DWUS", "RANDOM"),
        lambda cell: (
            e.minus(cell, "DWUS", "RANDOM").sign > 0
            and float(e.score(cell, "DWUS").mean()) >= 1.5 * float(e.score(cell, "RANDOM").mean())
        ),
        lambda cell: e.against(cell, "DWUS", "RANDOM"),
    )


def _dwus_one_feature(e: Evidence) -> Claim:
    return judge(
        "For k=1, DWUS performs significantly worse in many of the experiments.",
        "Appendix, baselines, k=1",
        "DWUS significantly worse than AFS",
        "many",
        e.cells("DWUS", "AFS", ks=(1,)),
        lambda cell: e.minus(cell, "DWUS", "AFS").sign > 0,
        lambda cell: e.against(cell, "DWUS", "AFS"),
    )
