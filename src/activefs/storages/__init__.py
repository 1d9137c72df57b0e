"""Where studies are kept: memory, SQLite, PostgreSQL."""

from activefs.storages._base import (
    Annotator,
    Event,
    Header,
    Kind,
    Label,
    Log,
    Origin,
    Role,
    SignIn,
    Storage,
)
from activefs.storages._memory import MemoryStorage
from activefs.storages._registry import SCHEMES, open_storage

__all__ = [
    "SCHEMES",
    "Annotator",
    "Event",
    "Header",
    "Kind",
    "Label",
    "Log",
    "MemoryStorage",
    "Origin",
    "Role",
    "SignIn",
    "Storage",
    "open_storage",
]
