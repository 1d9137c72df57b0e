"""Imports and compiles all that a server needs, before processes are forked."""

import tempfile

import numpy as np
import uvicorn.lifespan.on
import uvicorn.loops.auto
import uvicorn.protocols.http.auto
import uvicorn.protocols.websockets.auto  # noqa: F401

import activefs.storages._postgresql
import activefs.storages._schema
import activefs.storages._sqlite
import activefs.web  # noqa: F401
from activefs.study import Study, open_engine
from activefs.web import create_app

X = np.random.default_rng(0).integers(0, 3, size=(60, 5))
with tempfile.TemporaryDirectory() as folder:
    study = Study.create(f"{folder}/warm.db", X, 2, random_state=0)
    for _ in range(4):
        row = study.ask(1)
        study.tell(row, ["yes"])
    study.close()
    engine = open_engine(f"{folder}/warm.db", X)
    create_app(engine)
    engine.close()
