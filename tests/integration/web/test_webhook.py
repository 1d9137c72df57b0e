"""Whoever wants to know is told about milestones: signed, again and again until it works, over kills and restarts."""

import asyncio
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import numpy as np
import pytest
from machines import DATABASES, wait_until
from receivers import SECRET, is_signed, nobody_there, receiving, redirect_to
from servers import Server

from activefs import Study
from activefs.cli import main
from activefs.exceptions import InvalidInputError
from activefs.storages import Kind, MemoryStorage, Role, open_storage
from activefs.study import Person, Question, Reader, create_engine
from activefs.web import _webhook
from activefs.web._addresses import Address, checked_addresses, read_secret
from activefs.web._webhook import Webhook

OWNER = Person("eva", Role.OWNER)
X = np.random.default_rng(0).integers(0, 3, size=(300, 4))
OPTIONS: dict[str, Any] = {
    "classes": ["yes", "no"],
    "random_state": 0,
    "strategy": "random",
    "when_certified": "continue",
}


@pytest.fixture(autouse=True)
def in_no_time(monkeypatch):
    """Nobody waits for seconds here; what is measured is not time."""
    for name, value in {"PATIENCE": 1.0, "FIRST_DELAY": 0.05, "LONGEST_DELAY": 0.2, "_PAUSE": 0.02}.items():
        monkeypatch.setattr(_webhook, name, value)


def made(budget=8, **options):
    return create_engine(MemoryStorage(), X, k=1, budget=budget, **{**OPTIONS, **options})


def tell(engine, count, start=0):
    engine.tell(OWNER, [(row, "yes" if X[row, 1] else "no") for row in range(start, start + count)])


def watching(engine, *urls):
    return Webhook(checked_addresses(urls), SECRET.encode()).watching(engine, Reader(engine), "heart")


def told(engine):
    return [e.details for e in engine.storage.events() if e.kind is Kind.NOTIFIED]


def run(work):
    # In a thread of its own: where tests in the browser ran before, this one has an event loop already.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


async def until(reached):
    await asyncio.to_thread(wait_until, reached)


class TestMilestones:
    def test_each_of_them_once_and_signed(self):
        engine = made()

        async def work(receiver):
            async with watching(engine, receiver.url):
                for at, name in ((0, "first_label"), (2, "budget_25"), (4, "budget_50"), (6, "budget_75")):
                    tell(engine, 2 if at else 1, start=max(0, at - 1))
                    await asyncio.to_thread(receiver.wait_for, name)
                engine.pause(OWNER), engine.resume(OWNER)
                await asyncio.to_thread(receiver.wait_for, "paused", "resumed")
                tell(engine, 2, start=20)
                await asyncio.to_thread(receiver.wait_for, "budget_100", "finished")
                engine.archive(OWNER)
                await asyncio.to_thread(receiver.wait_for, "archived")
                engine.restore(OWNER)
                await until(lambda: len(told(engine)) == len(receiver.told) == 10)

        with receiving() as receiver:
            run(work(receiver))
            assert receiver.milestones == [
                "first_label", "budget_25", "budget_50", "budget_75", "paused", "resumed", "budget_100", "finished",
                "archived", "restored",
            ]  # fmt: skip
            assert all(map(is_signed, receiver.headers, receiver.bodies))
            assert not is_signed(receiver.headers[0], receiver.bodies[0] + b" ")
            assert len({said["id"] for said in receiver.told}) == 10

    def test_what_is_said(self):
        engine = made(budget=None, title="h\u00e9art")

        async def work(receiver):
            tell(engine, 40)
            async with watching(engine, receiver.url):
                await until(lambda: told(engine))

        with receiving() as receiver:
            run(work(receiver))
            (said,) = receiver.told
            assert (said["milestone"], said["study"]) == ("first_label", {"title": "h\u00e9art", "name": "heart"})
            assert said["counts"]["labels"] == 40 and said["counts"]["budget"] is None
            assert {c["label"]: c["count"] for c in said["counts"]["classes"]}.keys() == {"yes", "no"}
            assert [f["rank"] for f in said["features"]] == [1] and said["features"][0]["name"] in {
                f"x{j}" for j in range(4)
            }
            assert said["text"] == "h\u00e9art: the first label is there (40 labels)."
            assert receiver.headers[0]["Content-Type"] == "application/json"

    def test_the_price_of_labels(self):
        priced = np.column_stack([X, np.full(300, 2.5)])
        engine = create_engine(MemoryStorage(), priced, k=1, budget=10, cost="x4", **OPTIONS)

        async def work(receiver):
            async with watching(engine, receiver.url):
                tell(engine, 2)
                await asyncio.to_thread(receiver.wait_for, "budget_50")

        with receiving() as receiver:
            run(work(receiver))
            assert "budget_75" not in receiver.milestones and receiver.told[0]["counts"]["cost"] == 5

    def test_certified(self):
        table = np.repeat(np.eye(4, dtype=int)[:, :3], 60, axis=0)
        engine = create_engine(MemoryStorage(), table, k=1, strategy="random", random_state=0, budget=None)

        async def work(receiver):
            async with watching(engine, receiver.url):
                while isinstance(question := engine.question(OWNER), Question):
                    engine.answer(OWNER, question.id, int(table[question.row, 1]))
                await asyncio.to_thread(receiver.wait_for, "finished")

        with receiving() as receiver:
            run(work(receiver))
            certified = Reader(engine).status().certified
            assert ("certified" in receiver.milestones) == certified
            assert receiver.told[-1]["finished"]

    def test_what_was_reached_before_and_what_was_told_before(self):
        engine = made()
        tell(engine, 4)

        async def work(receiver, count):
            async with watching(engine, receiver.url):
                await until(lambda: len(told(engine)) == count)
                await asyncio.sleep(0.2)

        with receiving() as receiver, receiving() as other:
            run(work(receiver, 3))
            run(work(receiver, 3))
            assert receiver.milestones == ["first_label", "budget_25", "budget_50"]
            run(work(other, 6))  # an address that is new hears of all
            assert other.milestones == receiver.milestones and len(receiver.told) == 3

    def test_labels_that_were_taken_back_do_not_count(self):
        engine = made()
        tell(engine, 3)
        engine.undo(OWNER, lease=False), engine.undo(OWNER, lease=False)

        async def work(receiver):
            async with watching(engine, receiver.url):
                tell(engine, 1, start=50)
                await until(lambda: len(told(engine)) == 2)
                tell(engine, 2, start=60)
                await asyncio.to_thread(receiver.wait_for, "budget_50")

        with receiving() as receiver:
            run(work(receiver))
            assert receiver.milestones == ["first_label", "budget_25", "budget_50"]

    def test_annotators_who_disagree(self):
        engine = made(budget=None, overlap=1.0)
        ana, ben = Person("ana"), Person("ben")

        async def work(receiver):
            async with watching(engine, receiver.url):
                question = engine.question(ana)
                engine.answer(ana, question.id, "yes")
                await asyncio.to_thread(receiver.wait_for, "first_label")
                second = engine.question(ben)
                assert second.row == question.row
                engine.answer(ben, second.id, "no")
                await asyncio.to_thread(receiver.wait_for, "disagreement")

        with receiving() as receiver:
            run(work(receiver))
            assert receiver.milestones == ["first_label", "disagreement"]


class TestReceivers:
    def deliver(self, engine, *urls, until_told=1):
        async def work():
            async with watching(engine, *urls):
                tell(engine, 1)
                await until(lambda: len(told(engine)) >= until_told)

        run(work())

    @pytest.mark.parametrize("status", [500, 503, 404, 302, 400, 429])
    def test_one_that_fails_first(self, status, caplog):
        with receiving(status, status, status) as receiver:
            self.deliver(made(), receiver.url)
            assert receiver.milestones == ["first_label"] * 4 and len({said["id"] for said in receiver.told}) == 1
        (line,) = [r.getMessage() for r in caplog.records if "was not told" in r.getMessage()]
        assert f"it answered {status}" in line and "/hook" not in line

    def test_one_that_is_down_and_comes_back(self, caplog):
        engine = made()
        held, port, url = nobody_there()

        async def work():
            async with watching(engine, url):
                tell(engine, 1)
                await until(lambda: "was not told" in caplog.text)
                with receiving(port=port) as receiver:
                    await until(lambda: told(engine))
                    assert receiver.milestones == ["first_label"]

        run(work())
        held.close()
        assert "cannot be reached" in caplog.text and "works again" in caplog.text

    def test_one_that_hangs_and_others_that_do_not_wait_for_it(self, caplog):
        engine = made()

        async def work(slow, quick):
            async with watching(engine, slow.url, quick.url):
                for start in range(0, 8, 2):
                    tell(engine, 2, start)
                await asyncio.to_thread(quick.wait_for, "finished")
                assert slow.milestones == ["first_label"] * len(slow.told)  # in order, or not at all
                await asyncio.to_thread(slow.wait_for, "finished")

        with receiving() as slow, receiving() as quick:
            slow.answers += [slow.hang, slow.drip_headers]
            run(work(slow, quick))
            assert slow.milestones == ["first_label"] * 2 + quick.milestones
        assert "did not answer within 1 seconds" in caplog.text

    def test_a_body_without_end(self):
        with receiving() as receiver:
            receiver.answers.append(receiver.drip)
            self.deliver(made(), receiver.url)
            assert receiver.milestones == ["first_label"]

    @pytest.mark.parametrize("where", ["another host", "itself"])
    def test_redirects_are_not_followed(self, where, caplog):
        with receiving() as other, receiving() as receiver:
            receiver.answers.append(redirect_to(other.url if where == "another host" else f"{receiver.url}/more"))
            self.deliver(made(), receiver.url)
            assert other.told == [] and set(receiver.paths) == {"/hook"}
        assert "redirects are not followed" in caplog.text

    def test_no_secret_in_any_log(self, caplog):
        caplog.set_level(logging.DEBUG)
        logging.getLogger("httpx").setLevel(logging.DEBUG)
        engine = made()
        with receiving(500) as receiver:
            url = receiver.url.replace("http://", "http://me:password1@").replace(
                "/hook", "/path-token?key=query-token"
            )
            self.deliver(engine, url)
            assert receiver.headers[0]["Authorization"].startswith("Basic ")
        kept = json.dumps([str(e) for e in engine.storage.events()])
        said = [r.getMessage() for r in caplog.records if not r.name.startswith("httpcore")]
        for secret in ("password1", "path-token", "query-token", SECRET):
            assert secret not in kept and not [line for line in said if secret in line]

    def test_the_environment_sends_it_nowhere_else(self, monkeypatch):
        with receiving() as proxy, receiving() as receiver:
            monkeypatch.setenv("HTTP_PROXY", proxy.url)
            monkeypatch.setenv("http_proxy", proxy.url)
            self.deliver(made(), receiver.url)
            assert proxy.told == [] and receiver.milestones == ["first_label"]


@pytest.mark.parametrize("database", DATABASES)
class TestKills:
    @pytest.fixture
    def served(self, database, tmp_path, add_annotator):
        path = tmp_path / "table.csv"
        np.savetxt(path, X, fmt="%d", delimiter=",", header="a,b,c,d", comments="")
        with DATABASES[database]() as url:
            Study.create(url, path, 1, budget=4, **OPTIONS).close()
            storage = open_storage(url)
            token = add_annotator(storage, "ana")
            yield url, storage, token
            storage.close()

    def label(self, server, token):
        with httpx.Client(base_url=f"{server.base}/api/v1", headers={"Authorization": f"Bearer {token}"}) as client:
            question = client.post("/questions", json={}).json()["questions"][0]
            answer = client.post("/answers", json={"question": question["id"], "label": "yes"})
            assert answer.status_code == 200

    def test_between_milestone_and_delivery(self, served):
        url, storage, token = served
        held, port, address = nobody_there()
        server = Server(url, webhooks=[address], environment={"ACTIVEFS_WEBHOOK_SECRET": SECRET}).start()
        self.label(server, token)
        server.kill()
        with receiving(port=port) as receiver:
            server.start()
            receiver.wait_for("first_label", "budget_25")
            wait_until(lambda: sum(e.kind is Kind.NOTIFIED for e in storage.events()) == 2)
            server.kill()
            server.start()
            self.label(server, token)
            receiver.wait_for("budget_50")
            assert receiver.milestones == ["first_label", "budget_25", "budget_50"]
            assert all(map(is_signed, receiver.headers, receiver.bodies))
        server.stop()
        held.close()

    def test_between_delivery_and_its_note(self, served, tmp_path):
        url, storage, token = served
        (tmp_path / "secret").write_text(f"{SECRET}\n")
        with receiving() as receiver:
            receiver.answers.append(receiver.hang)  # it has arrived, but the server cannot know
            server = Server(url, webhooks=[receiver.url], secret_file=tmp_path / "secret").start()
            self.label(server, token)
            receiver.wait_for("first_label")
            server.kill()
            assert not [e for e in storage.events() if e.kind is Kind.NOTIFIED]
            server.start()
            receiver.wait_for("budget_25")
            assert receiver.milestones == ["first_label", "first_label", "budget_25"]
            first, second, _ = receiver.told
            assert first["id"] == second["id"]
            assert all(map(is_signed, receiver.headers, receiver.bodies))
            server.stop()


class TestSeveralStudies:
    def test_all_of_a_folder_are_told_about_also_those_that_nobody_visits(self, tmp_path):
        np.savetxt(tmp_path / "table.csv", X, fmt="%d", delimiter=",", header="a,b,c,d", comments="")
        for name in ("heart", "lung", "idle"):
            Study.create(tmp_path / f"{name}.db", tmp_path / "table.csv", 1, budget=4, **OPTIONS).close()
        with Study.open(tmp_path / "heart.db") as study:  # before there is a server
            study.tell(0, "yes")
        with receiving() as receiver:
            secret = {"ACTIVEFS_WEBHOOK_SECRET": SECRET}
            server = Server(tmp_path, webhooks=[receiver.url], environment=secret).start()
            receiver.wait_for("budget_25")
            with Study.open(tmp_path / "lung.db") as study:  # without it
                study.tell([0, 1], ["yes", "no"])
            receiver.wait_for("budget_50")
            server.stop()
            assert all(map(is_signed, receiver.headers, receiver.bodies))
            said = {(one["study"]["name"], one["milestone"]) for one in receiver.told}
            assert said == {
                *(("heart", name) for name in ("first_label", "budget_25")),
                *(("lung", name) for name in ("first_label", "budget_25", "budget_50")),
            }
            assert len({one["id"] for one in receiver.told}) == 5


class TestBadInput:
    @pytest.mark.parametrize(
        "said",
        [
            *("", "example.org/hook", "ftp://example.org", "file:///etc/passwd", "http://", "http://a b/"),
            *("http://x:0/", "http://x:65536/"),
        ],
    )
    def test_addresses(self, said):
        with pytest.raises(InvalidInputError, match="must be an address like https://"):
            Address.checked(said)

    def test_secrets(self, tmp_path):
        for environment in ({}, {"ACTIVEFS_WEBHOOK_SECRET": "short"}):
            with pytest.raises(InvalidInputError, match="16 to 4,096 characters") as caught:
                read_secret(None, environment)
            assert "short" not in str(caught.value)
        with pytest.raises(InvalidInputError, match="cannot be read from"):
            read_secret(tmp_path / "none", {"ACTIVEFS_WEBHOOK_SECRET": SECRET})
        (tmp_path / "secret").write_text(f"{SECRET}\r\n")
        assert read_secret(tmp_path / "secret", {}) == SECRET.encode()

    def test_command(self, tmp_path, capsys, monkeypatch):
        monkeypatch.delenv("ACTIVEFS_WEBHOOK_SECRET", raising=False)
        Study.create(tmp_path / "s.db", X, 1, **OPTIONS).close()
        assert main(["serve", str(tmp_path / "s.db"), "--webhook", "https://me:password1@example.org/hook"]) == 2
        said = capsys.readouterr().err
        assert "ACTIVEFS_WEBHOOK_SECRET" in said and "password1" not in said
