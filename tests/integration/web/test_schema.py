"""The API does what its OpenAPI description says, whatever is sent."""

import numpy as np
import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from activefs.storages import MemoryStorage
from activefs.study import create_engine
from activefs.web import create_app


@pytest.fixture(scope="module")
def served_app():
    X = np.random.default_rng(0).integers(0, 3, size=(400, 4))
    engine = create_engine(MemoryStorage(), X, k=2, classes=["yes", "no"], random_state=0, when_certified="continue")
    yield create_app(engine)
    engine.close()


@pytest.fixture(scope="module")
def api(served_app):
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", served_app)


schema = schemathesis.pytest.from_fixture("api")


@schema.parametrize()
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_api(case):
    case.call_and_validate()


def test_description_is_complete(served_app):
    from fastapi.testclient import TestClient

    description = TestClient(served_app).get("/api/v1/openapi.json").json()
    assert description["components"]["securitySchemes"]
    for path, operations in description["paths"].items():
        assert path.startswith("/api/v1/")
        for operation in operations.values():
            assert operation["summary"] and operation["description"]
            assert {"401", "403", "409", "413", "422"} <= set(operation["responses"])
