"""Sentences about the variants of AFS: ablations, aggregation functions, the safeguard."""

from __future__ import annotations

from activefs.experiments.selection._evidence import Cell, Claim, Evidence, Finding, Verdict, judge, name_of

_VARIANTS = ("AFS", "AFS-NOSG", "AVG-SEL", "AVG-ALL", "SINGLE")
_LAMBDAS = {
    "AFS Lambda=10": "10",
    "AFS Lambda=20": "20",
    "AFS": "30",
    "AFS Lambda=40": "40",
    "AFS-NOSG": "none",
}
_PLACE = "Appendix, ablations"


def ablation_claims(e: Evidence) -> list[Claim]:
    """Check every sentence about variants of AFS."""
    return [
        *(_consistent(e), _avg_sel(e), _single(e), _avg_all(e), _deterministic(e)),
        *(_nosg_similar(e), *_nosg_fails(e), _nosg_better(e), _l2(e), _linf(e), _lambda(e)),
    ]


def _cells(e: Evidence, *names: str) -> list[Cell]:
    """Cells of the paper's ablations: not k = 1."""
    return [cell for cell in e.cells(*names) if cell[1] != 1]


def _consistent(e: Evidence) -> Claim:
    """Count, for every variant, the cells in which it is worse than labelling at random."""
    cells = _cells(e, "RANDOM", *_VARIANTS)
    fails = {v: [c for c in cells if e.minus(c, v, "RANDOM").sign > 0] for v in _VARIANTS}
    count = {v: len(found) for v, found in fails.items()}
    alone = all(count["AFS"] < count[v] for v in _VARIANTS[1:])
    verdict: Verdict = "not confirmed"
    if not cells:
        verdict = "not tested"
    elif alone and count["AFS"] == 0:
        verdict = "confirmed"
    elif all(count["AFS"] <= count[v] for v in _VARIANTS[1:]):
        verdict = "mixed"
    result = ", ".join(f"{v} {n}" for v, n in count.items())
    findings = tuple(
        Finding(v, v == "AFS", f"worse than RANDOM in {len(found)}: {', '.join(map(name_of, found)) or 'none'}")
        for v, found in fails.items()
    )
    rule = (
        "cells in which a variant is significantly worse than RANDOM; confirmed if AFS has none and every other "
        "variant has some, mixed if no variant has fewer than AFS"
    )
    sentence = "AFS is the only algorithm that performs consistently well."
    return Claim(
        sentence, "Experiments, ablation tests", rule, verdict, f"of {len(cells)} cells, worse in: {result}", findings
    )


def _avg_sel(e: Evidence) -> Claim:
    return judge(
        "AVG-SEL, which avoids the bias-correction term, performs quite poorly in many of the cases.",
        _PLACE,
        "AVG-SEL significantly worse than RANDOM",
        "many",
        _cells(e, "AVG-SEL", "RANDOM"),
        lambda cell: e.minus(cell, "AVG-SEL", "RANDOM").sign > 0,
        lambda cell: e.against(cell, "AVG-SEL", "RANDOM"),
    )


def _single(e: Evidence) -> Claim:
    return judge(
        "SINGLE, which uses a single feature for scoring, is also usually worse than AFS.",
        _PLACE,
        "SINGLE significantly worse than AFS",
        "most",
        _cells(e, "SINGLE", "AFS"),
        lambda cell: e.minus(cell, "SINGLE", "AFS").sign > 0,
        lambda cell: e.against(cell, "SINGLE", "AFS"),
    )


def _avg_all(e: Evidence) -> Claim:
    """Two halves, each of which must hold somewhere."""
    cells = _cells(e, "RANDOM", *_VARIANTS)
    others = tuple(v for v in _VARIANTS if v != "AVG-ALL")

    def poor(cell: Cell) -> bool:
        far = float(e.score(cell, "AVG-ALL").mean()) >= 1.5 * float(e.score(cell, "RANDOM").mean())
        return far and e.minus(cell, "AVG-ALL", "RANDOM").sign > 0

    def best(cell: Cell) -> bool:
        return all(e.minus(cell, "AVG-ALL", other).sign < 0 for other in others)

    bad, good = [c for c in cells if poor(c)], [c for c in cells if best(c)]
    verdict: Verdict = "confirmed" if bad and good else "mixed" if bad or good else "not confirmed"
    where = [f"very poor in {len(bad)} of {len(cells)} ({', '.join(map(name_of, bad)) or 'none'})"]
    where.append(f"better than all other variants in {len(good)} ({', '.join(map(name_of, good)) or 'none'})")
    return Claim(
        "AVG-ALL is inconsistent and sometimes performs very poorly, although it sometimes performs better than the "
        "other options.",
        _PLACE,
        "significantly worse than RANDOM by at least half of its gap in some cell, and significantly better than every "
        "other variant in some cell (mixed: one of the two)",
        verdict if cells else "not tested",
        "; ".join(where),
        tuple(Finding(name_of(c), poor(c) or best(c), e.against(c, "AVG-ALL", "RANDOM")) for c in cells),
    )


def _deterministic(e: Evidence) -> Claim:
    cells = list({name: (name, k) for name, k in _cells(e, "AVG-ALL")}.values())
    return judge(
        "There were no ties when all the features were used: all runs of AVG-ALL are exactly the same.",
        f"{_PLACE}, footnote",
        "all runs ask for the same rows in the same order; by data set",
        "every",
        cells,
        lambda cell: e.curves[(*cell, "AVG-ALL")].same_rows,
        lambda cell: "same rows in all runs" if e.curves[(*cell, "AVG-ALL")].same_rows else "the runs differ",
        by_set=True,
    )


def _nosg_similar(e: Evidence) -> Claim:
    return judge(
        "AFS-NOSG usually performs similarly to AFS.",
        _PLACE,
        "alike: no significant difference (paired runs), or one below 10%",
        "most",
        _cells(e, "AFS-NOSG", "AFS"),
        lambda cell: e.alike(cell, "AFS-NOSG", "AFS"),
        lambda cell: e.against(cell, "AFS-NOSG", "AFS"),
    )


def _nosg_fails(e: Evidence) -> list[Claim]:
    claims = []
    for nosg, floor in (("AFS-NOSG", ""), ("AFS-NOSG (pool floor)", " [floor of rho as printed: 'pool']")):
        claims.append(
            judge(
                "AFS-NOSG is significantly worse even than the random baseline on RELATHE, k=5 and k=10, where it "
                f"fails to converge to a low gap.{floor}",
                _PLACE,
                "significantly worse than RANDOM over the second half of the labels",
                "every",
                [cell for cell in _cells(e, nosg, "RANDOM") if cell in (("RELATHE", 5), ("RELATHE", 10))],
                lambda cell, name=nosg: e.minus(cell, name, "RANDOM", 0.5, 1.0).sign > 0,  # type: ignore[misc]
                lambda cell, name=nosg: e.against(cell, name, "RANDOM", 0.5, 1.0),  # type: ignore[misc]
            )
        )
    return claims


def _nosg_better(e: Evidence) -> Claim:
    return judge(
        "AFS-NOSG also sometimes performs better than AFS.",
        _PLACE,
        "significantly better (paired runs)",
        "some",
        _cells(e, "AFS-NOSG", "AFS"),
        lambda cell: e.minus(cell, "AFS-NOSG", "AFS").sign < 0,
        lambda cell: e.against(cell, "AFS-NOSG", "AFS"),
    )


def _l2(e: Evidence) -> Claim:
    return judge(
        "In most cases, the results are similar for l1 and l2.",
        "Experiments, and appendix, aggregation functions",
        "alike: no significant difference, or one below 10%",
        "most",
        e.cells("AFS l2", "AFS"),
        lambda cell: e.alike(cell, "AFS l2", "AFS"),
        lambda cell: e.against(cell, "AFS l2", "AFS"),
    )


def _linf(e: Evidence) -> Claim:
    return judge(
        "l-infinity is sometimes slightly worse.",
        "Experiments, and appendix, aggregation functions",
        "AFS with l-infinity significantly worse than with l1",
        "some",
        e.cells("AFS linf", "AFS"),
        lambda cell: e.minus(cell, "AFS linf", "AFS").sign > 0,
        lambda cell: e.against(cell, "AFS linf", "AFS"),
    )


def _lambda(e: Evidence) -> Claim:
    def best(cell: Cell) -> str:
        return e.best(cell, tuple(_LAMBDAS))

    return judge(
        "Lambda = 30 was selected after testing the values 10, 20, 30, 40.",
        "Experiments, ablation tests",
        "Lambda = 30 is the best of 10, 20, 30, 40 and none, or alike (paired runs)",
        "most",
        e.cells(*_LAMBDAS),
        lambda cell: best(cell) == "AFS" or e.alike(cell, "AFS", best(cell)),
        lambda cell: ", ".join(f"{value}: {float(e.score(cell, name).mean()):.4f}" for name, value in _LAMBDAS.items()),
    )
