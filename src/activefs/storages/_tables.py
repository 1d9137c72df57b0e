"""The tables of a study, as they are now; how older ones get there is in `migrations`.

Times are text in ISO 8601, in UTC and always of the same width: the same in every database, sortable, and readable in
any tool. Labels, settings, names of rows and kept answers are JSON text, so that 1, "1" and true stay apart.
"""

from __future__ import annotations

from typing import NamedTuple


class SQLTable(NamedTuple):
    """A table: its name, with a prefix because a PostgreSQL database may hold other things as well, and its columns."""

    name: str
    columns: tuple[str, ...]

    @property
    def insert(self) -> str:
        """Statement that adds a row.

        Examples
        --------
        >>> SQLTable("t", ("row", "name")).insert
        'INSERT INTO t ("row", "name") VALUES (:row, :name)'
        """
        names = ", ".join(f'"{column}"' for column in self.columns)
        values = ", ".join(f":{column}" for column in self.columns)
        return f"INSERT INTO {self.name} ({names}) VALUES ({values})"


STUDY_TABLE = "activefs_study"
STUDY = SQLTable(STUDY_TABLE, ("id", "settings", "fingerprint", "created"))
"""The study itself: one row, which writers lock."""

EVENTS = SQLTable(
    "activefs_events",
    ("id", "kind", "row", "annotator", "time", "label", "about", "until", "origin", "chance", "details"),
)
"""The log. Numbers are given by the writer, who is alone: no gaps, and a second writer would be an error."""

ANNOTATORS = SQLTable("activefs_annotators", ("name", "role", "key", "digest", "created"))
"""Who may sign in."""

SIGN_INS = SQLTable("activefs_sign_ins", ("digest", "annotator", "expires"))
"""Browsers that are signed in."""

ROW_NAMES = SQLTable("activefs_row_names", ("row", "name"))
"""What people call the rows that the log speaks of."""

KEPT_ANSWERS = SQLTable("activefs_kept_answers", ("key", "number", "content"))
"""What was computed for a state of the study; the higher the number, the newer."""

TABLES = (STUDY, EVENTS, ANNOTATORS, SIGN_INS, ROW_NAMES, KEPT_ANSWERS)
