"""The API does what its OpenAPI description says, whatever is sent."""

import tempfile

import numpy as np
import schemathesis
from catalogs import catalog_of
from hypothesis import HealthCheck, settings

from activefs.storages import MemoryStorage, Role
from activefs.study import create_engine
from activefs.study._tokens import new_annotator
from activefs.web import create_app, create_hub

X = np.random.default_rng(0).integers(0, 3, size=(400, 4))
engine = create_engine(MemoryStorage(), X, k=2, classes=["yes", "no"], random_state=0, when_certified="continue")
owner, TOKEN = new_annotator("eva", Role.OWNER)
engine.storage.add_annotator(owner)
app = create_app(engine)
schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)


@schema.parametrize()
@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_api(case):
    # What is well-formed may still be refused: a label that is no class, a row that does not exist.
    excluded = [schemathesis.checks.positive_data_acceptance]
    if case.method == "GET":  # the header that was left out on purpose is added again here
        excluded.append(schemathesis.checks.negative_data_rejection)
    case.call_and_validate(headers={"Authorization": f"Bearer {TOKEN}"}, excluded_checks=excluded)


def test_description_is_complete():
    from fastapi.testclient import TestClient

    description = TestClient(app).get("/api/v1/openapi.json").json()
    assert description["components"]["securitySchemes"]
    for path, operations in description["paths"].items():
        assert path.startswith("/api/v1/")
        for operation in operations.values():
            assert operation["summary"] and operation["description"]
            assert {"401", "403", "409", "413", "422"} <= set(operation["responses"])


FOLDER = tempfile.TemporaryDirectory()
hub = create_hub(catalog_of(FOLDER.name), max_upload=100_000)
_server_owner, SERVER_TOKEN = new_annotator("olga", Role.OWNER)
hub.state.service.gate.storage.add_annotator(_server_owner)
hub_schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", hub)


@hub_schema.parametrize()
@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_api_of_a_server_of_several_studies(case):
    excluded = [schemathesis.checks.positive_data_acceptance]
    if case.method in ("GET", "DELETE"):
        excluded.append(schemathesis.checks.negative_data_rejection)
    case.call_and_validate(headers={"Authorization": f"Bearer {SERVER_TOKEN}"}, excluded_checks=excluded)
