"""The image for containers, which no test builds: what Containerfile, compose.yaml and the guide say is run.

A box is what stands for a container. Where tests run as root on Linux it has a root of its own that cannot be written,
an empty /tmp, a volume at /data, and a user who may do nothing, not even be known by name; the one thing that this
user may besides is to read what others may not, because Python may lie in somebody's home.
"""

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
import sqlalchemy
import yaml
from machines import PATIENCE, held_port, line_of, postgres_database
from platforms import IS_ROOT
from pyarrow.csv import write_csv
from searched import found_in

from activefs.cli import every_command
from activefs.datasets import sample_table

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
PORT = "8000"
on_posix = pytest.mark.skipif(sys.platform == "win32", reason="the image is one of Linux; what is run has its paths")


@dataclass
class Stage:
    """A part of a Containerfile, from one FROM to the next."""

    base: str
    name: str = ""
    lines: list[tuple[str, str]] = field(default_factory=list)

    def all(self, word: str) -> list[str]:
        return [rest for first, rest in self.lines if first == word]

    def one(self, word: str) -> str:
        (rest,) = self.all(word)
        return rest

    def listed(self, word: str) -> list[str]:
        """A command in its exec form, which no shell looks at."""
        words: list[str] = json.loads(self.one(word))
        return words

    def env(self) -> dict[str, str]:
        words = shlex.split(" ".join(self.all("ENV")))
        return {name: value for name, _, value in (word.partition("=") for word in words)}


def stages() -> list[Stage]:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
    known: dict[str, str] = {}
    found: list[Stage] = []
    for line in filter(None, map(str.strip, text.replace("\\\n", " ").splitlines())):
        word, _, rest = line.partition(" ")
        for name, value in known.items():
            rest = rest.replace(f"${{{name}}}", value)
        if word == "FROM":
            base, *named = rest.split()
            found.append(Stage(base, named[1] if named else ""))
        elif not found:
            assert word == "ARG", line
            name, _, known[name] = rest.partition("=")
        else:
            found[-1].lines.append((word, rest.strip()))
    return found


BUILD, IMAGE = stages()
SERVE = [*IMAGE.listed("ENTRYPOINT"), *IMAGE.listed("CMD")]
COMPOSED: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSED["services"]


def health_command() -> list[str]:
    words: list[str] = json.loads(IMAGE.one("HEALTHCHECK").partition("CMD ")[2])
    return words


class Box:
    """Runs commands with the variables of the image, where folders of `folder` stand for what is mounted."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        self.data, self.secrets = folder / "data", folder / "secrets"
        self.before, self.user = ["env", "-i"], list[str]()

    def here(self, word: str) -> str:
        """What is said in the image, as it is called in this box."""
        word = word.replace(PORT, str(self.port)).replace("$PATH", os.environ["PATH"])
        for inside, outside in {"/data": self.data, "/run/secrets": self.secrets, "/opt/activefs": sys.prefix}.items():
            word = re.sub(rf"^{inside}\b", str(outside), word)
        return word

    def command(self, words: Sequence[str], env: Mapping[str, str]) -> list[str]:
        """The command that runs these words inside."""
        variables = [f"{name}={self.here(value)}" for name, value in {**IMAGE.env(), **env}.items()]
        return [*self.before, *variables, *self.user, *map(self.here, words)]

    def run(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        command = self.command(words, env)
        return subprocess.run(command, cwd=self.data, capture_output=True, text=True, timeout=PATIENCE, check=False)

    @contextmanager
    def serving(self, *words: str, **env: str) -> Iterator[None]:
        """Start a server; when it is reached it takes requests, and at the end it stops as containers are stopped."""
        pipe = subprocess.PIPE
        command = self.command(words, env)
        with subprocess.Popen(command, cwd=self.data, stdout=pipe, stderr=pipe, text=True) as server:
            try:
                said = line_of(server.stdout)
                assert said.startswith("Serving "), said + server.communicate(timeout=PATIENCE)[1]
                yield
                server.terminate()
                log = server.communicate(timeout=PATIENCE)[1]
                assert "activefs.web: stopped" in log and "Traceback" not in log, log
            finally:
                server.kill()


class LockedBox(Box):
    """The same behind a root of its own, as the user of the image; `process` is one that is inside."""

    def __init__(self, folder: Path, port: int, process: int) -> None:
        super().__init__(folder, port)
        uid, gid = IMAGE.one("USER").split(":")
        self.before = ["nsenter", "--target", str(process), "--mount", "--root"]
        self.before += ["env", "-i", f"--chdir={IMAGE.one('WORKDIR')}"]
        self.user = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--no-new-privs"]
        self.user += [f"--{kind}-caps=-all,+dac_read_search" for kind in ("inh", "ambient")]
        self.user += ["--bounding-set=-all,+dac_read_search"]

    def here(self, word: str) -> str:
        return word.replace(PORT, str(self.port)).replace("$PATH", os.environ["PATH"])


# What was made of the file system is gone when the last process in there is.
LOCK = """
mount -t tmpfs tmpfs "$folder/outside"
cd "$folder/outside"
mkdir upper work root
mount -t overlay -o "lowerdir=/,upperdir=$PWD/upper,workdir=$PWD/work" overlay root
cd root
mkdir -p ./data ./opt/activefs ./run/secrets
mount -t tmpfs tmpfs ./tmp
for path in $readable; do
    mkdir -p ".$path"
    mount --bind "$path" ".$path"
    mount -o remount,bind,ro ".$path"
done
mount --bind "$prefix" ./opt/activefs
mount -o remount,bind,ro ./opt/activefs
mount --bind "$folder/secrets" ./run/secrets
mount -o remount,bind,ro ./run/secrets
mount --bind "$folder/data" ./data
mount --rbind /dev ./dev
mount -t proc proc ./proc
mount -o remount,bind,ro .
exec chroot . sh -c 'echo ready && exec sleep infinity'
"""


@contextmanager
def locked_box(folder: Path, port: int) -> Iterator[LockedBox]:
    needed = ("unshare", "nsenter", "setpriv", "chroot")
    if platform.system() != "Linux" or not IS_ROOT or not all(map(shutil.which, needed)):
        pytest.skip("a root of its own needs Linux, and root")
    uid, gid = map(int, IMAGE.one("USER").split(":"))
    shutil.chown(folder / "data", uid, gid)
    readable = {str(path) for path in (ROOT, sys.prefix, sys.base_prefix)} - {"/usr"}
    env = {**os.environ, "folder": str(folder), "prefix": sys.prefix, "readable": " ".join(sorted(readable))}
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-euc", LOCK]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            if line_of(process.stdout) != "ready\n":
                pytest.skip(f"a root of its own cannot be made here: {process.communicate()[1].strip()}")
            yield LockedBox(folder, port, process.pid)
        finally:
            process.kill()


@pytest.fixture(params=["as it is", "locked"])
def box(request, tmp_path):
    for name in ("data", "secrets", "outside"):
        (tmp_path / name).mkdir(mode=0o700)
    held, port = held_port()
    with held, locked_box(tmp_path, port) if request.param == "locked" else nullcontext(Box(tmp_path, port)) as made:
        yield made


def guided(*engine: str) -> list[list[str]]:
    """What the guide lets containers run, such as `docker run`: the words after the name of the image or service."""
    text = (ROOT / "docs/guide/container.md").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [shlex.split(line[2:].partition(" > ")[0]) for line in text.splitlines() if line.startswith("$ ")]
    chosen = [words for words in lines if tuple(words[: len(engine)]) == engine and "activefs" in words]
    return [words[words.index("activefs") + 1 :] for words in chosen]


class TestImage:
    def test_its_python_is_one_that_is_tested(self):
        assert BUILD.base == IMAGE.base  # what was installed for one Python is copied to the same
        version = found_in(IMAGE.base, r"python:(\d+\.\d+)-slim$")
        assert f"Programming Language :: Python :: {version}" in PROJECT["classifiers"]

    def test_its_user_may_do_nothing(self):
        uid, gid = IMAGE.one("USER").split(":")  # as numbers, so that Kubernetes sees that it is not root
        assert min(int(uid), int(gid)) >= 1000
        (made,) = IMAGE.all("RUN")
        assert f"--uid {uid} --gid {gid}" in made and f"--owner={uid} --group={gid} --mode=0700 /data" in made
        assert "--chown" not in IMAGE.one("COPY")  # the code belongs to root
        words = [word for word, _ in IMAGE.lines]
        assert words.index("USER") > max(i for i, word in enumerate(words) if word in ("RUN", "COPY"))
        assert IMAGE.one("VOLUME") == IMAGE.one("WORKDIR") == "/data"
        assert words.index("VOLUME") > words.index("RUN")  # what is changed in a volume after that is lost

    def test_it_is_served_where_it_is_said_and_looked_at(self):
        command = IMAGE.listed("CMD")
        assert IMAGE.one("EXPOSE") == command[command.index("--port") + 1] == PORT
        assert PORT in " ".join(health_command())
        assert IMAGE.env()["PATH"].startswith(f"{IMAGE.one('COPY').split()[-1]}/bin:")

    def test_what_is_installed_is_there(self):
        (install,) = BUILD.all("RUN")
        asked = found_in(install, r"'\.\[([a-z,-]+)\]'").split(",")
        assert set(asked) <= set(EXTRAS)
        assert {"uvicorn", "psycopg[binary]", "sqlalchemy"} <= {found_in(one, r"^([^<>=]+)") for one in needs(asked)}
        assert found_in(install, r"venv --without-pip (\S+)") == IMAGE.one("COPY").split()[-1]

    def test_the_wheel_is_made_of_what_is_copied(self, tmp_path):
        """No more of the tree is let through than is copied, and that makes all of the package."""
        let_in = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("*\n", 1)[1].splitlines()
        copied = [word for line in BUILD.all("COPY") for word in line.split()[:-1]]
        assert [line.removeprefix("!") for line in let_in if line.startswith("!")] == copied
        left_out = [line.removeprefix("**/") for line in let_in if not line.startswith("!")]
        source = tmp_path / "source"
        source.mkdir()
        for name in copied:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns(*left_out))
            else:
                shutil.copy(ROOT / name, source / name)
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
        subprocess.run(command, cwd=source, check=True, capture_output=True)
        (wheel,) = tmp_path.glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            made = {name for name in packed.namelist() if name.startswith("activefs/")}
        files = {path.relative_to(ROOT / "src") for path in (ROOT / "src/activefs").rglob("*") if path.is_file()}
        assert made == {path.as_posix() for path in files if "__pycache__" not in path.parts}


def needs(extras: Sequence[str]) -> set[str]:
    found = {one for extra in extras for one in EXTRAS[extra]}
    own = {one for one in found if one.startswith("activefs[")}
    deeper = [name for one in own for name in found_in(one, r"\[(.*)\]").split(",")]
    return (found - own) | (needs(deeper) if deeper else set())


@on_posix
class TestRunning:
    def test_first_steps(self, box):
        """As the guide tells them: an owner, the server; it is well, and ends when it is told."""
        refused = box.run(*SERVE)
        assert refused.returncode == 2 and "nobody has a token" in refused.stderr, refused.stderr
        token = first_owner(box)
        assert box.run(*health_command()).returncode != 0  # nobody there
        with box.serving(*SERVE):
            assert box.run(*health_command()).returncode == 0
            assert studies(box, token) == []
        assert {path.name for path in box.data.iterdir()} == {".activefs-server.db", ".cache"}

    @pytest.mark.long  # everything is compiled anew
    def test_a_study_with_labels_and_a_report(self, box):
        token = first_owner(box)
        with box.serving(*SERVE):
            label_some(box, token)
        written = {path.name for path in box.data.iterdir()}
        assert written == {".activefs-server.db", ".activefs-uploads", ".cache", "tumours.csv", "tumours.db"}
        assert {path.name for path in (box.data / ".cache").iterdir()} >= {"numba", "matplotlib"}
        assert list(box.data.glob(".cache/numba/**/*.nbi")) and list(box.data.glob(".cache/matplotlib/*.json"))

    @pytest.mark.parametrize("box", ["locked"], indirect=True)
    def test_nothing_else_can_be_written(self, box):
        for folder, code in {"/data": 0, "/tmp": 0, "/": 1, "/opt/activefs": 1, "/var/tmp": 1}.items():
            assert box.run("touch", f"{folder}/something").returncode == code, folder
        who = box.run("id", "-u").stdout.strip(), box.run("id", "-g").stdout.strip()
        assert ":".join(who) == IMAGE.one("USER")
        status = box.run("grep", "^Cap", "/proc/self/status").stdout
        assert set(re.findall(r"(\d+)$", status, re.MULTILINE)) == {f"{1 << 2:016x}"}  # to read, and nothing more


def first_owner(box: Box) -> str:
    """Make the first owner as the guide tells, and take the token from the link."""
    owner = box.run(*IMAGE.listed("ENTRYPOINT"), *guided("docker", "run")[0])
    assert owner.returncode == 0, owner.stderr
    return found_in(owner.stdout, rf"http://localhost:{box.port}/join#(afs_\S+)")


def at(box: Box, token: str) -> httpx.Client:
    base = f"http://127.0.0.1:{box.port}"
    return httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE)


def studies(box: Box, token: str) -> Any:
    with at(box, token) as client:
        return done(client.get("/api/v1/studies"))


def label_some(box: Box, token: str) -> None:
    """Make a study of the sample table, and label so many rows that a model is needed."""
    table, sent = sample_table(), pa.BufferOutputStream()
    write_csv(table, sent)
    truth = dict(zip(table["patient"].to_pylist(), table["diagnosis"].to_pylist(), strict=True))
    study = "/s/tumours/api/v1"
    with at(box, token) as client:
        content = sent.getvalue().to_pybytes()
        upload = done(client.post("/api/v1/uploads", params={"name": "patients.csv"}, content=content))["id"]
        said = {"upload": upload, "name": "tumours", "k": 5, "budget": 60, "id_column": "patient"}
        said |= {"classes": ["benign", "malignant"], "ignore": ["diagnosis"]}
        done(client.post("/api/v1/studies", json=said))
        (asked,) = done(client.post(f"{study}/questions", json={}))["questions"]
        for _ in range(12):
            answer = {"question": asked["id"], "label": truth[asked["row"]], "next": True}
            (asked,) = done(client.post(f"{study}/answers", json=answer))["next"]["questions"]
        assert len(done(client.get(f"{study}/answers"))) == 12
        report = client.get(f"{study}/report")
        assert report.status_code == 200 and "data:image" in report.text


def done(response: httpx.Response) -> Any:
    assert response.is_success, response.text
    return response.json()


class TestCompose:
    def test_what_is_named_is_there(self):
        assert set(COMPOSED) == {"name", "services", "networks", "volumes", "secrets"}
        for service in SERVICES.values():
            for kind in ("networks", "secrets"):
                assert set(service[kind]) <= set(COMPOSED[kind])
            assert {volume.partition(":")[0] for volume in service["volumes"]} <= set(COMPOSED["volumes"])
        build = SERVICES["activefs"]["build"]
        assert (ROOT / build["context"] / build["dockerfile"]).samefile(ROOT / "Containerfile")
        assert SERVICES["activefs"]["volumes"][0].split(":")[1] == IMAGE.one("VOLUME")

    def test_the_server_may_do_little(self):
        served, db = SERVICES["activefs"], SERVICES["db"]
        assert served["read_only"] and served["init"] and served["cap_drop"] == ["ALL"] and served["tmpfs"] == ["/tmp"]
        assert "privileged" not in served and "user" not in served
        assert served["ports"] == [f"127.0.0.1:{PORT}:{IMAGE.one('EXPOSE')}"]
        assert (
            "ports" not in db and db["networks"] == ["inside"] and COMPOSED["networks"]["inside"] == {"internal": True}
        )
        for service in (served, db):
            assert service["security_opt"] == ["no-new-privileges:true"]

    def test_no_password_stands_in_the_file(self):
        for service in SERVICES.values():
            said = [(name, value) for name, value in service["environment"].items() if "PASS" in name]
            assert said and all(name.endswith("_FILE") and value == "/run/secrets/db_password" for name, value in said)
        # Neither git nor the image gets it.
        assert COMPOSED["secrets"] == {"db_password": {"file": "./secrets/db_password"}}
        assert "secrets" not in " ".join(BUILD.all("COPY"))

    def test_the_database_is_waited_for(self):
        db, url = SERVICES["db"], sqlalchemy.make_url(SERVICES["activefs"]["command"][1])
        assert SERVICES["activefs"]["depends_on"] == {"db": {"condition": "service_healthy"}}
        environment = db["environment"]
        assert (url.host, url.username, url.database) == (
            "db",
            environment["POSTGRES_USER"],
            environment["POSTGRES_DB"],
        )
        assert url.password is None
        asked = db["healthcheck"]["test"]
        assert asked[0] == "CMD"
        if shutil.which("pg_isready") is None:
            pytest.skip("no pg_isready: install Debian's package postgresql-client")
        with postgres_database() as there:
            port = str(sqlalchemy.make_url(there).port or 5432)
            assert subprocess.run([*asked[1:], "--port", port], capture_output=True, check=False).returncode == 0
        assert subprocess.run([*asked[1:], "--port", "1"], capture_output=True, check=False).returncode != 0


@on_posix
class TestWithPostgreSQL:
    @pytest.fixture
    def database(self):
        """A URL without a password, the password, and whether it is asked for."""
        with postgres_database() as there:
            url = sqlalchemy.make_url(there)
            yield url._replace(password=None).render_as_string(hide_password=False), str(url.password or "none")

    def test_the_server_of_the_compose_file(self, box, database):
        """The first steps that the guide tells, with the password in a file that everybody may read."""
        url, password = database
        secret = box.secrets / "db_password"
        secret.write_text(f"{password}\n", encoding="utf-8")
        secret.chmod(0o644)
        served = SERVICES["activefs"]
        entry = [word.replace("$$", "$") for word in served["entrypoint"]]
        there, variables = served["command"][1], served["environment"]
        (first,) = guided("docker", "compose", "run")
        assert there in first
        owner = box.run(*entry, *(url if word == there else word for word in first), **variables)
        assert owner.returncode == 0, owner.stderr
        token = found_in(owner.stdout, r"/join#(afs_\S+)")
        command = [url if word == there else word for word in served["command"]]
        with box.serving(*entry, *command, **variables):
            assert box.run(*health_command()).returncode == 0
            assert studies(box, token) == []
        secret.unlink()
        without = box.run(*entry, *command, **variables)
        assert without.returncode != 0 and "db_password" in without.stderr

    @pytest.mark.parametrize("box", ["as it is"], indirect=True)  # in a locked one everything can be read
    def test_a_file_that_pgpassfile_names_is_for_its_owner_alone(self, box, database):
        url, password = database
        secret = box.secrets / "pgpass"
        secret.write_text(f"*:*:*:*:{password}\n", encoding="utf-8")
        codes = []
        for mode in (0o600, 0o644):
            secret.chmod(mode)
            command = [*IMAGE.listed("ENTRYPOINT"), "server", "owner", "add", url, "olga"]
            codes.append(box.run(*command, PGPASSFILE="/run/secrets/pgpass").returncode)
        if codes == [0, 0]:
            pytest.skip("this PostgreSQL asks for no password")
        assert codes == [0, 1]


class TestGuide:
    def test_commands_that_containers_run_are_there(self):
        """With the options that are given; those that follow no engine are looked up with those of other pages."""
        known = dict(every_command())
        told = [*guided("docker", "run"), *guided("docker", "exec"), *guided("docker", "compose", "run")]
        told = [words[1:] if words[:1] == ["activefs"] else words for words in told if words]
        told += [IMAGE.listed("CMD"), SERVICES["activefs"]["command"]]
        assert len(told) > 7
        for words in told:
            command = next(known[name] for n in (3, 2, 1) if (name := " ".join(words[:n])) in known)
            options = {name for parameter in command.params for name in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= options, words

    def test_variables(self):
        text = (ROOT / "docs/guide/container.md").read_text(encoding="utf-8")
        told = dict(re.findall(r"^\| `([A-Z_]+)` \| `([^`]+)` \|", text, re.MULTILINE))
        assert told == {name: value for name, value in IMAGE.env().items() if name != "PATH"}
