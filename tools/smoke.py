"""Install a wheel, without extras, in an environment of its own, and use it as README says.

python -m tools.smoke dist/activefs-0.2.0-py3-none-any.whl
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools.snippets import ROOT, Snippet, alike, same_text, snippets_of

SMALL_TABLE = "id,age,label\n" + "".join(f"r{i},{20 + i % 7},{i % 2}\n" for i in range(60))

SELECT = "activefs select patients.csv --label diagnosis --id patient --k 5 --budget 60 --seeds 1"

NEEDS_EXTRA = {
    "activefs study create heart.db --data small.csv --k 1 --budget 5": "sql",
    "activefs serve heart.db": "web",
    "activefs label-studio heart.db --url http://127.0.0.1:9 --project 1": "label-studio",
    "activefs select sheet.xlsx --label label --k 1 --budget 5": "excel",
    "activefs select small.csv --label label --id id --k 1 --budget 5 --workers 1": "dask",
    "activefs select small.csv --label label --id id --k 1 --budget 5 --strategy activeml": "activeml",
}
"""What a plain install cannot do, and the extra that it names then."""


def problems(wheel: Path, folder: Path) -> Iterator[str]:
    """Install the wheel in a new environment below a folder; say what is wrong with it, one line each."""
    environment, home = folder / "environment", folder / "home"
    home.mkdir()
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    programs = environment / ("Scripts" if sys.platform == "win32" else "bin")
    python = programs / "python"
    pip: list[Path | str] = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", wheel], check=True)
    yield from _complaints([*pip, "check"], home)
    yield from _wrong_snippets(snippets_of(ROOT / "README.md"), python, home)
    for command in ("activefs --version", "activefs --help", "activefs sample patients.csv", SELECT):
        yield from _complaints([programs / "activefs", *command.split()[1:]], home)
    (home / "small.csv").write_text(SMALL_TABLE, encoding="utf-8")
    (home / "sheet.xlsx").write_bytes(b"PK\x03\x04")
    for command, extra in NEEDS_EXTRA.items():
        done = _run([programs / "activefs", *command.split()[1:]], home)
        if done.returncode not in (1, 2) or f"activefs[{extra}]" not in done.stderr or "Traceback" in done.stderr:
            yield f"{command} does not ask for activefs[{extra}], but ends with {done.returncode}: {done.stderr}"


def _run(command: list[Path | str], home: Path) -> subprocess.CompletedProcess[str]:
    # Neither the checkout nor what else is installed may help.
    ours = ("PYTHON", "ACTIVEFS_", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    settings = {**kept, "MPLBACKEND": "agg", "COLUMNS": "500", "PYTHONUTF8": "1"}
    return subprocess.run(
        command, cwd=home, env=settings, capture_output=True, text=True, encoding="utf-8", check=False, timeout=600
    )


def _complaints(command: list[Path | str], home: Path) -> Iterator[str]:
    done = _run(command, home)
    if done.returncode != 0:
        yield f"{' '.join(map(str, command))} ends with {done.returncode}: {done.stdout}{done.stderr}"


def _wrong_snippets(snippets: list[Snippet], python: Path, home: Path) -> Iterator[str]:
    """Run Python of a page as one program; what each piece prints ends with a line that no piece prints."""
    end = "--- end of a snippet ---"
    ours = [snippet for snippet in snippets if snippet.language == "python"]
    program = home / "snippets.py"
    program.write_text("".join(f"{snippet.code}\nprint({end!r})\n" for snippet in ours), encoding="utf-8")
    done = _run([python, program], home)
    if done.returncode != 0:
        yield f"the snippets of README end with {done.returncode}: {done.stderr}"
        return
    asked = (
        f"import sys; sys.path.append({str(ROOT)!r}); from tools.snippets import prints_alike; print(prints_alike())"
    )
    compare = same_text if _run([python, "-c", asked], home).stdout.strip() == "True" else alike
    for snippet, printed in zip(ours, done.stdout.split(f"{end}\n"), strict=False):
        if snippet.output is not None and not compare(printed, snippet.output):
            yield f"README.md:{snippet.line} prints:\n{printed}"


def main() -> int:
    """Say what is wrong with the wheel that is named."""
    wheel = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        found = list(problems(wheel, Path(folder)))
    print("\n".join([*found, f"{wheel.name}: {len(found)} problems"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
