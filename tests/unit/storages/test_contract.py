from contextlib import ExitStack

import pytest
from machines import postgres_url, sqlite_url

from activefs.storages import MemoryStorage, open_storage
from activefs.testing import StorageContract


class TestMemory(StorageContract):
    @pytest.fixture(autouse=True)
    def _place(self):
        self.storage = MemoryStorage()

    def open(self):
        return self.storage


class OnDatabase(StorageContract):
    __test__ = False
    database = None

    @pytest.fixture(autouse=True)
    def _place(self):
        self.opened = []
        with ExitStack() as stack:
            self.url = stack.enter_context(type(self).database())
            yield
            for storage in self.opened:
                storage.close()

    def open(self):
        self.opened.append(open_storage(self.url))
        return self.opened[-1]


class TestSQLite(OnDatabase):
    __test__ = True
    database = staticmethod(sqlite_url)


class TestPostgreSQL(OnDatabase):
    __test__ = True
    database = staticmethod(postgres_url)
