"""Versions of the tables: which one a database has, and bringing it up to date.

Alembic does the second; it takes half a second to import, so that happens only when there is something to make.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from activefs.exceptions import StorageError
from activefs.storages._registry import missing_packages

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection

VERSION_TABLE = "activefs_version"
NEWEST = "0005"
"""Version that this release of activefs works with: the last of the scripts in `migrations`."""


def check_known(version: str, place: str) -> None:
    """Refuse a database that a later release of activefs has written."""
    from alembic.script import ScriptDirectory

    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if version not in known:
        raise StorageError(
            f"the study at {place} has schema version {version}, this activefs knows versions up to {NEWEST}: "
            "update activefs (pip install --upgrade activefs)"
        )


def upgrade(connection: Connection, to: str = "head") -> None:
    """Bring the tables to a version, inside the connection's transaction."""
    from alembic import command

    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def check_installed() -> None:
    """Say what to install if tables must be made, and what makes them is missing."""
    try:
        import alembic.command  # noqa: F401
    except ImportError as error:
        raise missing_packages(error) from error


def _config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "activefs.storages:migrations")
    config.set_main_option("path_separator", "os")
    return config
