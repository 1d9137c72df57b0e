"""A body in JSON that is read after it is known who sends it; FastAPI would read it before."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

Body = TypeVar("Body", bound=BaseModel)


def described(model: type[BaseModel]) -> dict[str, Any]:
    """Describe such a body, for a route that reads it itself."""
    content = {"application/json": {"schema": model.model_json_schema()}}
    return {"requestBody": {"required": True, "content": content}}


async def read_json(request: Request, model: type[Body]) -> Body:
    """Read and check the body.

    Raises
    ------
    RequestValidationError
        If it is not what the model describes.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestValidationError([{"type": "missing", "loc": ("body",), "msg": "Field required"}])
    try:
        said = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        place = getattr(error, "pos", getattr(error, "start", 0))
        raise RequestValidationError([{"type": "json_invalid", "loc": ("body", place), "msg": str(error)}]) from None
    try:
        return model.model_validate(said)
    except ValidationError as error:
        found = [{**one, "loc": ("body", *one["loc"])} for one in error.errors(include_url=False)]
        raise RequestValidationError(found) from None
