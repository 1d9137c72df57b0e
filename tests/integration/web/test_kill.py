"""An answer that was acknowledged survives: servers and annotators are killed in the middle of their work."""

import json
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from machines import DATABASES, wait_until
from servers import Server, kill, start_annotator

from activefs import Study
from activefs.storages import Kind, open_storage

KILLS = 100
ROWS = 4_000


@pytest.fixture
def big_table(tmp_path):
    path = tmp_path / "table.csv"
    X = np.random.default_rng(0).integers(0, 3, size=(ROWS, 4))
    np.savetxt(path, X, fmt="%d", delimiter=",", header="a,b,c,d", comments="")
    return path


@pytest.mark.long
@pytest.mark.parametrize("database", DATABASES)
def test_nothing_lost_nothing_twice(database, big_table, tmp_path, add_annotator, record_property):
    rng = random.Random(database)
    with DATABASES[database]() as url:
        options: dict[str, Any] = {
            "classes": ["yes", "no"],
            "when_certified": "continue",
            "random_state": 0,
            "strategy": "random",
        }
        Study.create(url, big_table, 2, **options).close()
        storage = open_storage(url)
        tokens = {name: add_annotator(storage, name) for name in ("ana", "ben", "cem", "dua")}
        server = Server(url).start()
        notes = {name: tmp_path / f"{name}.receipts" for name in tokens}
        people = {name: start_annotator(server.base, token, notes[name]) for name, token in tokens.items()}
        ended_annotators = 0
        written = 0
        for _ in range(KILLS):
            # So many events later, whatever the others are doing then: asking, answering, or connecting again.
            written = _wait_for_events(storage, written + rng.randrange(9), people)
            server.kill()
            if rng.random() < 0.3:  # a client's machine may go down as well
                name = rng.choice(list(people))
                kill(people[name])
                ended_annotators += 1
                people[name] = start_annotator(server.base, tokens[name], notes[name])
            server.start()
        _wait_for_events(storage, written + 9, people)
        for process in people.values():
            kill(process)  # whoever gets an unexpected answer has ended with an error
        server.kill()
        events = storage.events()
        storage.close()
        _check(events, {name: _read(path) for name, path in notes.items()}, ended_annotators)
        with Study.open(url) as study:  # and it goes on
            count = study.n_labels
            assert count == sum(e.kind is Kind.LABELLED for e in events)
            study.tell(study.ask(), "yes")
    record_property(
        "measured", f"{database}: {KILLS} kills of the server, {ended_annotators} of annotators, {count} labels"
    )
    assert count > KILLS


def _wait_for_events(storage, wanted, people):
    """Wait until the log holds so many events, and return how many there are."""

    last = 0

    def written():
        nonlocal last
        last += len(storage.events(last))
        assert all(process.is_alive() for process in people.values()), "an annotator ended by itself: see above"
        return last >= wanted

    wait_until(written, pause=0.005)
    return last


def _read(path):
    # The last line may be cut off: then its writer was killed, and has not seen it as written.
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


def _check(events, receipts, ended_annotators):
    assert [e.id for e in events] == list(range(1, len(events) + 1))
    labelled = {e.about: e for e in events if e.kind is Kind.LABELLED}
    per_row = Counter(e.row for e in events if e.kind is Kind.LABELLED)
    assert max(per_row.values()) == 1  # no row twice
    assert len(labelled) == sum(per_row.values())  # no question twice
    acknowledged = 0
    for name, lines in receipts.items():
        for line in lines:
            event = labelled[line["question"]]  # nothing lost
            assert (event.annotator, event.label, event.row) == (name, line["label"], line["row"])
            acknowledged += 1
        assert len({line["question"] for line in lines}) == len(lines)
    # What was written but not acknowledged is at most what was under way when an annotator was killed.
    assert 0 <= len(labelled) - acknowledged <= ended_annotators + len(receipts)
