from contextlib import ExitStack

import pytest
from machines import DATABASES

from activefs.storages import SCHEMES, MemoryStorage, Storage, open_storage
from activefs.testing import StorageContract


def test_every_storage_is_checked_here():
    assert set(SCHEMES) == {"memory", *DATABASES}


class TestMemory(StorageContract):
    @pytest.fixture(autouse=True)
    def _place(self):
        self.storage = MemoryStorage()

    def open(self):
        return self.storage


class TestDatabase(StorageContract):
    @pytest.fixture(autouse=True, params=DATABASES)
    def _place(self, request):
        self.opened: list[Storage] = []
        with ExitStack() as stack:
            self.url = stack.enter_context(DATABASES[request.param]())
            yield
            for storage in self.opened:
                storage.close()

    def open(self):
        self.opened.append(open_storage(self.url))
        return self.opened[-1]
