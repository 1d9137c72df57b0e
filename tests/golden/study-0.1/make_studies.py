"""Makes the studies of this folder; run in it with activefs 0.1.0."""

import csv
import sqlite3
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from activefs import Study

RNG = np.random.default_rng(0)
ROWS = [
    {
        "patient": f"P{i:03d}",
        "age": int(RNG.integers(20, 80)),
        "marker": int(RNG.integers(4)),
        "sex": "fm"[i % 2],
        "dose": round(float(RNG.normal()), 3),
    }
    for i in range(80)
]


DAYS = [{"day": date(2024, 1, 1) + timedelta(days=i), **row} for i, row in enumerate(ROWS)]


def note_what_comes_next(study, name):
    row = study.ask()
    study._engine.release(study._me)
    Path(name).write_text(f"{row}\n{' '.join(study.selection().names)}\n")


def forget_where(database):
    """The table is found beside the study, wherever that is."""
    with sqlite3.connect(database) as connection:
        here = f"{Path.cwd()}/"
        connection.execute("UPDATE activefs_study SET settings = replace(settings, ?, '/data/')", (here,))
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.execute("VACUUM")
    connection.close()


def make():
    with Path("patients.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ROWS[0])
        writer.writeheader()
        writer.writerows(ROWS)

    options = {"id_column": "patient", "annotator": "ana"}
    with Study.create(
        "study.db",
        "patients.csv",
        2,
        budget=40,
        classes=["healthy", "ill"],
        random_state=7,
        title="Made by 0.1",
        **options,
    ) as study:
        for i in range(25):
            row = study.ask()
            if i == 5:
                study.skip(row)
            else:
                study.tell(row, "ill" if ROWS[row]["marker"] > 1 else "healthy")
        study.correct(int(study.labelled[3]), "healthy")
        free = [row for row in range(80) if row not in study.labelled and row not in study.skipped]
        study.tell(free[:3], ["ill", "healthy", "ill"])
        Path("labels.csv").write_text(study.export_csv())
        note_what_comes_next(study, "next.txt")
    forget_where("study.db")

    with Study.create("free.db", "patients.csv", 2, strategy="afs", random_state=3, **options) as study:
        for _ in range(10):
            row = study.ask()
            study.tell(row, ROWS[row]["marker"] % 2)
        Path("free.csv").write_text(study.export_csv())
        note_what_comes_next(study, "free-next.txt")
    forget_where("free.db")


def make_what_later_releases_join():
    """Rows named by dates; labels that are one class since 0.2: equal, or written alike."""
    with Path("days.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, DAYS[0])
        writer.writeheader()
        writer.writerows(DAYS)
    options = {"strategy": "afs", "random_state": 3, "annotator": "ana", "ignore": ["patient"]}
    with Study.create("days.db", "days.csv", 2, id_column="day", **options) as study:
        for label in (1, "1", 0, "0", True, 1.0, "x ", " x"):
            study.tell(study.ask(), label)
        study.skip(study.ask())
        Path("days-labels.csv").write_text(study.export_csv())
    forget_where("days.db")

    classes = ["a ", " a", "\u00e9", "e\u0301"]
    with Study.create("alike.db", "patients.csv", 2, classes=classes, **options) as study:
        for label in classes:
            study.tell(study.ask(), label)
        Path("alike.csv").write_text(study.export_csv())
    forget_where("alike.db")


if __name__ == "__main__":
    make()
    make_what_later_releases_join()
