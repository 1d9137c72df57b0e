"""Every snippet of README and documentation runs as it is printed."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib
import traceback
from pathlib import Path

import pytest
from platforms import needs_bash
from tools.snippets import ROOT, Snippet, alike, pages, prints_alike, same_text, snippets_of

from activefs.cli import every_command

PAGES = pages()
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
COMMANDS = dict(every_command())
PATIENCE = 120
EXACT = prints_alike()
"""Elsewhere snippets are run, too, but figures may differ."""
LOOKED_AT = ("pip install", "make ")
"""Commands that are compared with what there is, and not run."""


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def test_there_are_pages():
    assert {"README.md", "docs/start.md", "docs/guide/studies.md"} <= {name_of(page) for page in PAGES}


def commands(code: str) -> list[str]:
    """Commands of a block, without comments; a line that ends in a backslash goes on."""
    joined = code.replace("\\\n", " ")
    return [line for line in map(str.strip, joined.splitlines()) if line and not line.startswith("#")]


def runs_commands(page: Path) -> bool:
    shell = [snippet.code for snippet in snippets_of(page) if snippet.language == "sh"]
    return any(not line.startswith(LOOKED_AT) for code in shell for line in commands(code))


@pytest.mark.parametrize(
    "path", [pytest.param(page, id=name_of(page), marks=[needs_bash] * runs_commands(page)) for page in PAGES]
)
def test_snippets_run_as_printed(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("MPLBACKEND", "agg")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for snippet in snippets_of(path):
        where = f"{name_of(path)}:{snippet.line}"
        if snippet.language == "python":
            if snippet.file:
                with (tmp_path / snippet.file).open("a", encoding="utf-8") as file:
                    file.write(f"{snippet.code}\n\n")
            printed = run_python(snippet, namespace, where)
        elif snippet.language == "sh":
            printed = run_shell(snippet, where)
        else:
            check_commands(snippet, where)
            continue
        if snippet.output is not None:
            compare = same_text if EXACT else alike
            assert compare(printed, snippet.output), f"{where} prints:\n{printed}"


def run_python(snippet: Snippet, namespace: dict[str, object], where: str) -> str:
    out = io.StringIO()
    code = compile("\n" * (snippet.line - 1) + snippet.code, where.rpartition(":")[0], "exec")
    with contextlib.redirect_stdout(out):
        try:
            exec(code, namespace)
        except Exception:
            pytest.fail(f"{where} does not run:\n{traceback.format_exc(limit=-4)}", pytrace=False)
    return out.getvalue()


def run_shell(snippet: Snippet, where: str) -> str:
    """Run a block; its servers go on until its end."""
    printed = ""
    servers: list[subprocess.Popen[str]] = []
    script: list[str] = []
    try:
        for line in [*commands(snippet.code), None]:
            if line is None or re.match(r"activefs serve ", line):
                printed += run_script(script, where)
                script = []
                if line is not None:
                    servers.append(started(line, where))
            elif line.startswith("pip install"):
                check_requirement(line, where)
            elif line.startswith("make "):
                assert line.split()[1] in TARGETS, f"{where}: {line}"
            else:
                script.append(line)
    finally:
        for server in servers:
            server.send_signal(signal.SIGINT)
        codes = [server.wait(PATIENCE) for server in servers]
    assert set(codes) <= {0, 130}, f"{where}: servers ended with {codes}"
    return printed


def run_script(lines: list[str], where: str) -> str:
    if not lines:
        return ""
    script = "\n".join(lines)
    done = subprocess.run(["bash", "-ec", script], capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False)
    assert done.returncode == 0, f"{where}: {script}\n{done.stdout}{done.stderr}"
    return done.stdout


def started(line: str, where: str) -> subprocess.Popen[str]:
    """Start a server, on a port that is free whatever else runs here, and wait until it answers."""
    words = shlex.split(line, comments=True)
    if "--port" in words:
        at = words.index("--port")
        del words[at : at + 2]
    server = subprocess.Popen(
        [*words, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    assert server.stdout is not None
    told, end = "", time.monotonic() + PATIENCE
    while time.monotonic() < end and "http://" not in told:
        read = server.stdout.readline()
        told += read
        if not read and server.poll() is not None:
            pytest.fail(f"{where}: {line} ended with {server.returncode}:\n{told}", pytrace=False)
    assert "http://" in told, f"{where}: {line} shows no address:\n{told}"
    return server


def check_requirement(line: str, where: str) -> None:
    for asked in shlex.split(line, comments=True)[2:]:
        if found := re.fullmatch(r"activefs(?:\[([a-z,-]+)\])?", asked):
            unknown = set(filter(None, (found[1] or "").split(","))) - set(EXTRAS)
            assert not unknown, f"{where}: no such extra: {unknown}"


def check_commands(snippet: Snippet, where: str) -> None:
    """Commands that are not run exist, and so do their options."""
    lines = [line[2:] for line in commands(snippet.code) if line.startswith("$ ")]
    assert lines, f"{where}: a console has lines that begin with '$ '"
    for line in lines:
        if line.startswith("pip install"):
            check_requirement(line, where)
        typed = shlex.split(line, comments=True)
        while typed and re.fullmatch(r"[A-Z_]+=.*", typed[0]):
            typed = typed[1:]
        if typed[:1] != ["activefs"] or typed[1:] in (["--help"], ["--version"]):
            continue
        known = [words for words in COMMANDS if typed[1:][: len(words.split())] == words.split()]
        assert known, f"{where}: no such command: {line}"
        command = COMMANDS[max(known, key=len)]
        options = {name for p in command.params for name in (*p.opts, *p.secondary_opts)} | {"--help"}
        given = {word.partition("=")[0] for word in typed if word.startswith("--")}
        assert given <= options, f"{where}: no such option: {given - options}"
