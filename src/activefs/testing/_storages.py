"""What every storage must do, wherever it keeps a study."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from activefs.engine import DrawProbability
from activefs.exceptions import InvalidInputError
from activefs.storages import (
    NO_ROW,
    Annotator,
    Event,
    Header,
    Kind,
    Label,
    Origin,
    Role,
    RowName,
    SignIn,
    Storage,
    open_storage,
)

NOON = datetime(2024, 5, 1, 12, 30, 15, 123456, tzinfo=UTC)


class StorageContract(ABC):
    """Checks of one storage.

    Subclass it in a test file and return a storage from :meth:`open`. Each test must find an empty place; within a
    test every call must lead to the same place, through an object of its own if that is possible.
    """

    @abstractmethod
    def open(self) -> Storage:
        """Open the place of this test."""

    def made(self) -> Storage:
        """Open the place and make a study in it."""
        storage = self.open()
        storage.create(Header({"k": 3, "name": "Größe"}, {"rows": 10}, NOON))
        return storage

    # --- the study ---

    def test_header_is_kept(self) -> None:
        """What was fixed at the start is read again, from here and from elsewhere."""
        storage = self.made()
        for reader in (storage, self.open()):
            header = reader.header()
            assert dict(header.settings) == {"k": 3, "name": "Größe"}
            assert dict(header.fingerprint) == {"rows": 10}
            assert header.created == NOON

    def test_header_is_the_callers(self) -> None:
        """Changing what was given or returned changes nothing in the storage."""
        storage, settings = self.open(), {"k": 3}
        storage.create(Header(settings, {"rows": 10}, NOON))
        settings["k"] = 4
        dict.update(storage.header().settings, k=5)
        assert dict(storage.header().settings) == {"k": 3}

    def test_place_can_be_opened(self) -> None:
        """Messages show the place as an argument of commands."""
        storage = self.made()
        if storage.durable and "***" not in storage.place:  # a password is not shown
            assert dict(open_storage(storage.place).header().settings) == dict(storage.header().settings)

    def test_there_is_one_study(self) -> None:
        """A place without a study says so, and a second study is refused."""
        storage = self.open()
        assert _raises(InvalidInputError, storage.header)
        storage.check_free()
        assert _raises(InvalidInputError, storage.header)  # nothing was made
        storage.create(Header({"k": 1}, {}, NOON))
        assert _raises(InvalidInputError, lambda: self.open().create(Header({"k": 2}, {}, NOON)))
        assert dict(storage.header().settings) == {"k": 1}

    # --- the log ---

    def test_events_come_back_as_they_were(self) -> None:
        """All kinds of events and labels survive."""
        storage = self.made()
        labels: list[Label] = ["1", 1, 1.5, True, False, 0]
        events = [
            Event(Kind.ASKED, 7, "ana", NOON, until=NOON + timedelta(seconds=1.5)),
            Event(Kind.ASKED, 9, "ana", NOON, until=NOON, chance=DrawProbability(1 / 3, 0.1 + 0.2, (4, 1, 0))),
            Event(Kind.LABELLED, 7, "ana", NOON, label="größer als <5>", about=1),
            *(Event(Kind.LABELLED, i, "ben", NOON, label=label) for i, label in enumerate(labels)),
            Event(Kind.SKIPPED, 8, "Ä b", NOON),
            Event(Kind.CORRECTED, 7, "ana", NOON, label="x", about=2),
            Event(Kind.UNDONE, 7, "ana", NOON, about=2),
            Event(Kind.EXPIRED, 9, "ana", NOON, about=1),
            Event(Kind.IMPORTED, 3, "own", NOON, label="y", origin=Origin("eva", NOON - timedelta(days=9), True)),
            Event(Kind.RENEWED, 9, "ana", NOON, about=1, until=NOON + timedelta(minutes=5)),
            Event(Kind.LABELLED, 4, "ana", NOON, label="z", details={"note": "größer", "flag": True, "p": [0.1, None]}),
            Event(Kind.SETTLED, 4, "eva", NOON, label="y", about=13),
            *(Event(kind, NO_ROW, "eva", NOON) for kind in (Kind.PAUSED, Kind.RESUMED, Kind.ARCHIVED, Kind.RESTORED)),
            Event(Kind.NOTIFIED, NO_ROW, "eva", NOON, details={"milestone": "half"}),
        ]
        with storage.transaction() as log:
            added = log.append(events)
        assert added == [replace(event, id=i) for i, event in enumerate(events, start=1)]
        for reader in (storage, self.open()):
            found = reader.events()
            assert found == added
            assert [type(a.label) for a in found] == [type(b.label) for b in events]

    def test_details_are_what_json_can_hold(self) -> None:
        """Anything else is refused, nothing is kept then, and changing what was given changes nothing."""
        storage = self.made()
        for wrong in ({"a": object()}, {"a": float("nan")}):
            event = Event(Kind.SKIPPED, 1, "ana", NOON, details=wrong)
            assert _raises(InvalidInputError, lambda event=event: _append(storage, event))
        assert storage.events() == []
        said = {"note": "a"}
        _append(storage, Event(Kind.SKIPPED, 1, "ana", NOON, details=said))
        said["note"] = "b"
        (found,) = storage.events()
        assert found.details == {"note": "a"}

    def test_numbers_have_no_gaps(self) -> None:
        """Entries are numbered from 1 over all transactions; an empty one changes nothing."""
        storage = self.made()
        for count in (2, 0, 3):
            with storage.transaction() as log:
                log.append([_event(i) for i in range(count)])
        assert [event.id for event in storage.events()] == [1, 2, 3, 4, 5]
        assert [event.id for event in storage.events(after=3)] == [4, 5]
        assert storage.events(after=5) == []

    def test_a_transaction_sees_its_own_entries(self) -> None:
        """The log inside a transaction is complete."""
        storage = self.made()
        with storage.transaction() as log:
            log.append([_event(1)])
        with storage.transaction() as log:
            log.append([_event(2)])
            assert [e.row for e in log.events()] == [1, 2]
            assert [e.row for e in log.events(after=1)] == [2]

    def test_all_or_nothing(self) -> None:
        """What a failed transaction wrote is gone, and its numbers are used again."""
        storage = self.made()

        def fails() -> None:
            with storage.transaction() as log:
                log.append([_event(1)])
                raise KeyError("on purpose")

        assert _raises(KeyError, fails)
        assert storage.events() == []
        with storage.transaction() as log:
            assert [e.id for e in log.append([_event(2)])] == [1]

    def test_what_was_returned_belongs_to_the_caller(self) -> None:
        """Changing a list changes nothing in the storage."""
        storage = self.made()
        with storage.transaction() as log:
            log.append([_event(1)]).clear()
        storage.events().clear()
        assert len(storage.events()) == 1

    def test_writers_come_one_after_the_other(self) -> None:
        """Of many threads with storages of their own, each sees all that was written before it."""
        self.made()
        storages = [self.open() for _ in range(4)]
        complete: list[bool] = []

        def write(storage: Storage) -> None:
            for _ in range(15):
                with storage.transaction() as log:
                    before = len(log.events())
                    complete.append([e.id for e in log.append([_event(before)])] == [before + 1])

        _in_threads([lambda s=s: write(s) for s in storages for _ in range(2)])
        assert complete == [True] * 120
        assert [e.row for e in self.open().events()] == list(range(120))

    def test_readers_see_whole_transactions(self) -> None:
        """Entries of one transaction appear together."""
        storage, other = self.made(), self.open()
        sizes: list[int] = []
        readers: list[threading.Thread] = []
        for _ in range(3):
            with storage.transaction() as log:
                for row in range(3):
                    log.append([_event(row)])
                    readers.append(threading.Thread(target=lambda: sizes.append(len(other.events()))))
                    readers[-1].start()
                    readers[-1].join(1.0)  # or later: a storage may let readers wait for the end
        for reader in readers:
            reader.join()
        assert len(sizes) == 9 and all(size % 3 == 0 for size in sizes)
        assert len(other.events()) == 9

    # --- names of rows ---

    def test_names_of_rows_come_back_as_they_were(self) -> None:
        """Text and numbers stay what they are, and names are read for some rows or for all."""
        storage = self.made()
        names: dict[int, RowName] = {0: "P-ä 1", 3: 1, 4: "1", 5: 1.0, 2_000_000_000: "", 7: -1.5e300}
        assert storage.row_names() == {}
        storage.name_rows(names)
        for reader in (storage, self.open()):
            found = reader.row_names()
            assert found == names and {row: type(name) for row, name in found.items()} == {
                row: type(name) for row, name in names.items()
            }
            assert reader.row_names([4, 3, 3, 99]) == {3: 1, 4: "1"}
            assert reader.row_names(iter([])) == {}
            found.clear()
            assert reader.row_names() == names

    def test_many_names_of_rows(self) -> None:
        """There may be as many names as a table has rows."""
        storage = self.made()
        storage.name_rows({row: f"r{row}" for row in range(3000)})
        assert storage.row_names(range(10, 2990)) == {row: f"r{row}" for row in range(10, 2990)}
        assert len(storage.row_names()) == 3000

    def test_first_name_of_a_row_stays(self) -> None:
        """Naming a row again changes nothing, and names the others."""
        storage = self.made()
        storage.name_rows({1: "a"})
        storage.name_rows({1: "b", 2: "c"})
        storage.name_rows({})
        with storage.transaction() as log:
            log.name_rows({2: "d", 3: "e"})
            log.name_rows({3: "f"})
        assert storage.row_names() == {1: "a", 2: "c", 3: "e"}

    def test_names_are_committed_with_events(self) -> None:
        """A transaction keeps its entries and its names together, or neither."""
        storage = self.made()

        def fails() -> None:
            with storage.transaction() as log:
                log.name_rows({1: "a"})
                log.append([_event(1)])
                raise KeyError("on purpose")

        assert _raises(KeyError, fails)
        assert storage.row_names() == {} and storage.events() == []
        with storage.transaction() as log:
            log.append([_event(1)])
            log.name_rows({1: "b"})
        assert self.open().row_names() == {1: "b"} and len(storage.events()) == 1

    def test_reading_inside_a_transaction(self) -> None:
        """Whoever has a transaction open may read all the same; a study does, to name the rows of its entries."""
        storage = self.made()
        storage.name_rows({1: "a"})
        storage.keep_answer("one", {"score": 1})
        with storage.transaction() as log:
            log.append([_event(1)])
            assert storage.row_names([1, 2]) == {1: "a"}
            assert storage.find_answer("one") == {"score": 1} and storage.annotators() == []
            assert dict(storage.header().fingerprint) == {"rows": 10}
        assert len(storage.events()) == 1

    def test_names_that_are_none(self) -> None:
        """A name is text or a number."""
        storage = self.made()
        assert _raises(InvalidInputError, lambda: storage.name_rows({1: None}))  # type: ignore[dict-item]
        assert storage.row_names() == {}

    # --- kept answers ---

    def test_kept_answers_come_back_as_they_were(self) -> None:
        """What was kept is found from here and from elsewhere, belongs to the caller, and is not in the log."""
        storage = self.made()
        content: dict[str, Any] = {
            "scores": [0.1, 1 / 3, -2.5e-300],
            "name": "Größe",
            "none": None,
            "n": {"a": [1, True, "1"]},
        }
        assert storage.find_answer("k" * 64) is None
        storage.keep_answer("k" * 64, content)
        content["more"] = 1
        for reader in (storage, self.open()):
            found = reader.find_answer("k" * 64)
            assert found == {name: value for name, value in content.items() if name != "more"}
            found.clear()
            assert reader.find_answer("k" * 64)
        assert storage.find_answer("k" * 63) is None
        assert storage.events() == []

    def test_keeping_again_replaces(self) -> None:
        """Of one key there is the last answer."""
        storage = self.made()
        for i in range(3):
            storage.keep_answer("key", {"i": i})
            assert self.open().find_answer("key") == {"i": i}

    def test_newest_answers_are_kept(self) -> None:
        """The last 64 keys stay; one that is kept again counts as new."""
        storage = self.made()
        storage.keep_answer("old", {})
        storage.keep_answer("renewed", {"i": 1})
        for i in range(62):
            storage.keep_answer(f"key {i}", {})
        storage.keep_answer("renewed", {"i": 2})
        assert storage.find_answer("old") == {}
        storage.keep_answer("newest", {})
        assert storage.find_answer("old") is None and storage.find_answer("renewed") == {"i": 2}
        assert all(storage.find_answer(f"key {i}") == {} for i in range(62))

    def test_what_cannot_be_kept(self) -> None:
        """Keys are short, and answers JSON."""
        storage = self.made()
        assert _raises(InvalidInputError, lambda: storage.keep_answer("k" * 65, {}))
        assert _raises(InvalidInputError, lambda: storage.keep_answer("", {}))
        assert _raises(InvalidInputError, lambda: storage.keep_answer("key", {"a": object()}))
        assert storage.find_answer("key") is None

    def test_answers_and_names_beside_writers(self) -> None:
        """Threads with storages of their own keep answers, name rows and write the log at once."""
        self.made()
        storages = [self.open() for _ in range(3)]

        def work(number: int, storage: Storage) -> None:
            for i in range(10):
                storage.keep_answer(f"{number} {i}", {"number": number})
                storage.name_rows({i: number, 100 + 10 * number + i: "mine"})
                with storage.transaction() as log:
                    log.append([_event(i)])
                    log.name_rows({i: "late"})
                assert storage.find_answer(f"{number} {i}") == {"number": number}

        _in_threads([lambda n=n, s=s: work(n, s) for n, s in enumerate(storages)])
        names = self.open().row_names()
        assert all(names[i] in (0, 1, 2) for i in range(10))
        assert [names[i] for i in range(100, 130)] == ["mine"] * 30
        assert [e.id for e in self.open().events()] == list(range(1, 31))

    # --- people ---

    def test_annotators(self) -> None:
        """Annotators are kept by name; a second one of the same name takes the place of the first."""
        storage = self.made()
        assert storage.annotators() == []
        ben = Annotator("ben", Role.ANNOTATOR, "k2", "d" * 64, NOON)
        ana = Annotator("ana", Role.OWNER, "k1", "e" * 64, NOON)
        storage.add_annotator(ben)
        storage.add_annotator(ana)
        assert self.open().annotators() == [ana, ben]
        newer = replace(ben, key="k3", role=Role.OWNER)
        storage.add_annotator(newer)
        assert storage.annotators() == [ana, newer]
        assert storage.remove_annotator("ben") is True
        assert storage.remove_annotator("ben") is False
        assert storage.annotators() == [ana]

    def test_sign_ins(self) -> None:
        """Sign-ins are found by their hash, and go with their annotator."""
        storage = self.made()
        later = datetime.now(UTC).replace(microsecond=1) + timedelta(hours=1)
        storage.add_annotator(Annotator("ana", Role.ANNOTATOR, "k1", "e" * 64, NOON))
        first, second = SignIn("a" * 64, "ana", later), SignIn("b" * 64, "ana", later)
        storage.add_sign_in(first)
        storage.add_sign_in(second)
        assert self.open().find_sign_in("a" * 64) == first
        storage.remove_sign_in("a" * 64)
        assert storage.find_sign_in("a" * 64) is None
        storage.remove_annotator("ana")
        assert storage.find_sign_in("b" * 64) is None

    def test_many_sign_in_at_once(self) -> None:
        """No sign-in is lost when several threads of one storage keep theirs."""
        storage = self.made()
        storage.add_annotator(Annotator("ana", Role.ANNOTATOR, "k1", "e" * 64, NOON))
        later = datetime.now(UTC) + timedelta(hours=1)

        def work(number: int) -> None:
            for i in range(20):
                storage.add_sign_in(SignIn(f"{number:032}{i:032}", "ana", later))

        _in_threads([lambda n=n: work(n) for n in range(4)])
        assert all(storage.find_sign_in(f"{n:032}{i:032}") is not None for n in range(4) for i in range(20))

    def test_old_sign_ins_are_cleared_away(self) -> None:
        """Keeping a new sign-in forgets those that have expired."""
        storage = self.made()
        now = datetime.now(UTC)
        storage.add_sign_in(SignIn("a" * 64, "ana", now - timedelta(seconds=1)))
        storage.add_sign_in(SignIn("b" * 64, "ana", now + timedelta(hours=1)))
        assert storage.find_sign_in("a" * 64) is None

    def test_place_is_named(self) -> None:
        """Messages can say where the study is."""
        assert self.open().place


def _event(row: int) -> Event:
    return Event(Kind.SKIPPED, row, "ana", NOON)


def _raises(kind: type[Exception], call: object) -> bool:
    assert callable(call)
    try:
        call()
    except kind:
        return True
    return False


def _in_threads(work: list[object]) -> None:
    """Run all at once; an error in one of them is raised here."""
    errors: list[BaseException] = []

    def run(one: object) -> None:
        assert callable(one)
        try:
            one()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def _append(storage: Storage, event: Event) -> None:
    with storage.transaction() as log:
        log.append([event])
