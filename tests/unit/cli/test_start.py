"""What starts quickly imports little; the list of commands and the commands agree."""

import inspect
import subprocess
import sys

import pytest

import activefs
from activefs.cli import main
from activefs.cli._commands import COMMANDS, CommandGroup
from activefs.cli._late import load

HEAVY = ["alembic", "fastapi", "joblib", "matplotlib", "numba", "numpy", "pandas", "psycopg", "pyarrow", "scipy",
         "sklearn", "sqlalchemy"]  # fmt: skip


def all_commands(group=COMMANDS, path=()):
    for member in group.members:
        if isinstance(member, CommandGroup):
            yield from all_commands(member, (*path, member.name))
        else:
            yield pytest.param((*path, member.name), member, id=" ".join((*path, member.name)))


def all_groups(group=COMMANDS, path=()):
    yield pytest.param(path, group, id=" ".join(("activefs", *path)))
    for member in group.members:
        if isinstance(member, CommandGroup):
            yield from all_groups(member, (*path, member.name))


def imported_by(code):
    code += f"\nimport sys; print('imported:', *sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.rpartition("imported:")[2].split()


class TestImports:
    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            (["--help"], 0),
            (["-h"], 0),
            (["--version"], 0),
            (["study", "--help"], 0),
            (["study", "annotator", "-h"], 0),
            (["nothing"], 2),
        ],
    )
    def test_help_imports_no_command(self, arguments, code):
        assert imported_by(f"from activefs.cli import main; assert main({arguments!r}) == {code}") == []

    def test_the_package_imports_nothing_before_it_is_used(self):
        assert imported_by("import activefs; activefs.__version__; dir(activefs)") == []
        assert "numpy" in imported_by("import activefs; activefs.Session")

    def test_annotators_are_listed_without_the_table(self, tmp_path):
        place = str(tmp_path / "s.db")
        made = imported_by(
            "from datetime import UTC, datetime; from activefs.storages import Header, open_storage; "
            f"open_storage({place!r}).create(Header({{}}, {{}}, datetime.now(UTC)))"
        )
        assert "alembic" in made  # the tables were made
        listed = f"from activefs.cli import main; assert main(['study', 'annotator', 'list', {place!r}]) == 0"
        assert imported_by(listed) == []

    def test_labels_go_in_and_out_without_the_table(self, tmp_path):
        (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{i % 3},{i % 2}\n" for i in range(40)))
        (tmp_path / "l.csv").write_text("row,label\n1,x\n2,y\n")
        table, place, labels = (str(tmp_path / name) for name in ("t.csv", "s.db", "l.csv"))
        made = ["study", "create", place, "--data", table, "--k", "1", "--budget", "9", "--classes", "x,y"]
        assert main(made) == 0
        for arguments in (["import", place, labels], ["export", place], ["undo", place], ["pause", place]):
            code = f"from activefs.cli import main; assert main({['study', *arguments]!r}) == 0"
            assert imported_by(code) == [], arguments[0]
        assert main(["study", "resume", place]) == main(["study", "status", place]) == 0  # computed, and kept
        assert imported_by(f"from activefs.cli import main; assert main(['study', 'status', {place!r}]) == 0") == [
            "numpy"
        ]


class TestHelp:
    @pytest.mark.parametrize(("path", "command"), list(all_commands()))
    def test_lines_are_those_of_the_commands(self, path, command):
        first = (inspect.getdoc(load(command)) or "").split("\n\n")[0]
        assert " ".join(first.split()) == command.help

    @pytest.mark.parametrize(("path", "group"), list(all_groups()))
    def test_groups_list_their_commands(self, path, group, capsys, monkeypatch):
        monkeypatch.setenv("COLUMNS", "200")
        for option in ("--help", "-h"):
            assert main([*path, option]) == 0
            shown = capsys.readouterr().out
            assert group.help in shown
            for member in group.members:
                assert any(member.name in line and member.help in line for line in shown.splitlines())

    @pytest.mark.parametrize(("path", "command"), list(all_commands()))
    def test_commands_have_their_own(self, path, command, capsys, monkeypatch):
        monkeypatch.setenv("COLUMNS", "200")
        assert main([*path, "-h"]) == 0
        shown = capsys.readouterr().out
        assert command.help in shown and " ".join((*path, "[OPTIONS]")) in shown

    def test_version(self, capsys):
        assert main(["--version"]) == 0
        assert capsys.readouterr().out == f"activefs {activefs.__version__}\n"

    def test_as_a_module(self):
        done = subprocess.run([sys.executable, "-m", "activefs", "--version"], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, f"activefs {activefs.__version__}\n")

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["nothing"], "No such command 'nothing'"),
            (["study", "nothing"], "No such command 'nothing'"),
            (["study", "annotator", "nothing"], "No such command 'nothing'"),
            (["--nothing"], "No such option: --nothing"),
            (["datasets", "list", "--nothing"], "No such option: --nothing"),
            (["datasets", "list", "more"], "more"),
        ],
    )
    def test_wrong_use(self, arguments, said, capsys):
        assert main(arguments) == 2
        err = capsys.readouterr().err
        assert said in err and "--help' for help" in err and "Traceback" not in err
