"""Sixteen annotators at once, on both databases, while three browsers look at the study page."""

from collections import Counter

import pytest
from machines import DATABASES
from together import label_together

from activefs.storages import Kind

LABELS = 600  # how long answers take is measured in benchmarks/annotators.py, with 2,000 on free cores


@pytest.mark.parametrize("database", DATABASES)
def test_sixteen_annotators(database, tmp_path, add_annotator):
    with DATABASES[database]() as url:
        _, times, events = label_together(url, tmp_path, add_annotator, LABELS, browsers=3)
    labelled = Counter(e.row for e in events if e.kind is Kind.LABELLED)
    assert sum(labelled.values()) == len(times) == LABELS and max(labelled.values()) == 1
    held = {}
    for event in events:
        if event.kind is Kind.ASKED:
            assert event.row not in held, f"row {event.row} was leased twice"
            held[event.row] = event.annotator
        else:
            held.pop(event.row, None)
