"""Versions of the tables: which one a database has, and bringing it up to date (alembic)."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from activefs.exceptions import StorageError

VERSION_TABLE = "activefs_version"


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", "activefs.storages:migrations")
    config.set_main_option("path_separator", "os")
    return config


def newest() -> str:
    """Version that this release of activefs works with.

    Examples
    --------
    >>> newest() >= "0002"
    True
    """
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None
    return head


def current(connection: Connection) -> str | None:
    """Version of a database; None if it holds no study."""
    return MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()


def check_known(version: str, place: str) -> None:
    """Refuse a database that a later release of activefs has written."""
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if version not in known:
        raise StorageError(
            f"the study at {place} has schema version {version}, this activefs knows versions up to {newest()}: "
            "update activefs (pip install --upgrade activefs)"
        )


def upgrade(connection: Connection, to: str = "head") -> None:
    """Bring the tables to a version, inside the connection's transaction."""
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, to)
