"""The tables of a study, as they are now; how older ones get there is in `migrations`."""

from __future__ import annotations

from sqlalchemy import Integer, MetaData, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# Times are text in ISO 8601, in UTC and always of the same width: the same in every database, sortable, and readable
# in any tool. Labels and settings are JSON text, so that 1, "1" and true stay apart.
TIME = String(32)
NAME = String(200)


class Base(DeclarativeBase):
    """The tables; their names have a prefix because a PostgreSQL database may hold other things as well."""

    metadata = MetaData()


class StudyRow(Base):
    """The study itself: one row, which writers lock."""

    __tablename__ = "activefs_study"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    settings: Mapped[str] = mapped_column(Text)
    fingerprint: Mapped[str] = mapped_column(Text)
    created: Mapped[str] = mapped_column(TIME)


class EventRow(Base):
    """The log. Numbers are given by the writer, who is alone: no gaps, and a second writer would be an error."""

    __tablename__ = "activefs_events"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(String(16))
    row: Mapped[int] = mapped_column(Integer)
    annotator: Mapped[str] = mapped_column(NAME)
    time: Mapped[str] = mapped_column(TIME)
    label: Mapped[str | None] = mapped_column(Text)
    about: Mapped[int | None] = mapped_column(Integer)
    until: Mapped[str | None] = mapped_column(TIME)
    origin: Mapped[str | None] = mapped_column(Text)


class AnnotatorRow(Base):
    """Who may sign in."""

    __tablename__ = "activefs_annotators"

    name: Mapped[str] = mapped_column(NAME, primary_key=True)
    role: Mapped[str] = mapped_column(String(16))
    key: Mapped[str] = mapped_column(String(32), unique=True)
    digest: Mapped[str] = mapped_column(String(64))
    created: Mapped[str] = mapped_column(TIME)


class SignInRow(Base):
    """Browsers that are signed in."""

    __tablename__ = "activefs_sign_ins"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    annotator: Mapped[str] = mapped_column(NAME)
    expires: Mapped[str] = mapped_column(TIME)
