"""Imports and compiles all that a server needs, before processes are forked."""

import numpy as np
import uvicorn.lifespan.on
import uvicorn.loops.auto
import uvicorn.protocols.http.auto
import uvicorn.protocols.websockets.auto  # noqa: F401

import activefs.storages._postgresql
import activefs.storages._schema
import activefs.storages._sqlite
import activefs.web  # noqa: F401
from activefs.storages import MemoryStorage
from activefs.study import Study

study = Study.create(MemoryStorage(), np.random.default_rng(0).integers(0, 3, size=(60, 5)), 2, random_state=0)
for _ in range(4):
    row = study.ask(1)
    study.tell(row, ["yes"])
study.close()
