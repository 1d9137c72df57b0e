"""Studies: sessions that are kept in a database and shared by several annotators."""

from activefs.study._engine import Engine
from activefs.study._open import create_engine, open_engine
from activefs.study._rules import Imported, Person
from activefs.study._settings import Settings
from activefs.study._status import Place, Point, Reader, Share, Status
from activefs.study._study import Study

__all__ = [
    "Engine",
    "Imported",
    "Person",
    "Place",
    "Point",
    "Reader",
    "Settings",
    "Share",
    "Status",
    "Study",
    "create_engine",
    "open_engine",
]
