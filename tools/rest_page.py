"""Sphinx extension: the page of the REST API, made from the OpenAPI description that servers give."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from tools.commands_page import plain, write_if_new

Json = dict[str, Any]

HEAD = """# REST API

Made from the OpenAPI description, which every server has at `/api/v1/openapi.json`. [](../guide/server.md#the-rest-api)
says how to sign in and what annotators and owners may do.

Send a token with every request: `Authorization: Bearer afs_...`. Requests and replies are JSON unless it is said
otherwise. Errors are `{"status": ..., "title": ..., "message": ...}`, with a message for a person:

| status | means |
|---|---|
"""


def rest_page() -> str:
    """Write what a study, and a server of several studies, answers to, as Markdown.

    Examples
    --------
    >>> "`POST /api/v1/answers`" in rest_page()
    True
    """
    study, server = _descriptions()
    usual = {**_usual_errors(server), **_usual_errors(study)}
    lines = [HEAD + "\n".join(f"| {status} | {plain(text)} |" for status, text in sorted(usual.items())), ""]
    lines += ["## A study", "", "Among several studies, these are below `/s/NAME`.", "", *_requests(study)]
    lines += ["## A server of several studies", "", *_requests(server)]
    lines += ["## What is sent", ""]
    schemas = server["components"]["schemas"] | study["components"]["schemas"]
    for name in sorted(schemas):
        lines += [f"(rest-{name.lower()})=", f"### {name}", "", *_schema(schemas[name])]
    return "\n".join(lines) + "\n"


def _descriptions() -> tuple[Json, Json]:
    import numpy as np

    from activefs.catalog import open_catalog
    from activefs.storages import MemoryStorage
    from activefs.study import create_engine
    from activefs.web import create_app, create_hub

    table = np.random.default_rng(0).integers(0, 3, size=(50, 4))
    app = create_app(create_engine(MemoryStorage(), table, k=2, classes=["healthy", "ill"], random_state=0))
    with tempfile.TemporaryDirectory() as folder:
        catalog = open_catalog(folder)
        assert catalog is not None, "a folder has several studies"
        return app.openapi(), create_hub(catalog).openapi()


def _operations(description: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _errors(operation: Json) -> dict[str, str]:
    return {status: reply["description"] for status, reply in operation["responses"].items() if status >= "4"}


def _usual_errors(description: Json) -> dict[str, str]:
    """Errors that any request may have; those of a single one are told with it."""
    each = [_errors(operation).items() for _, _, operation in _operations(description)]
    return dict(set.intersection(*map(set, each)))


def _requests(description: Json) -> Iterator[str]:
    usual = _usual_errors(description)
    for method, path, operation in _operations(description):
        yield f"### `{method} {path}`\n"
        yield plain(operation.get("description") or operation["summary"]) + "\n"
        parameters = [p for p in operation.get("parameters", []) if p["in"] != "header"]
        if parameters:
            yield "| parameter | in | type | |\n|---|---|---|---|"
            for p in parameters:
                needed = "" if p.get("required") else "optional"
                text = plain(p.get("description") or p["schema"].get("description"))
                yield f"| `{p['name']}` | {p['in']} | {_type(p['schema'])} | {text or needed} |"
            yield ""
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            yield f"Send: {_type(content.get('schema', {}))} ({kind}).\n"
            if content.get("schema", {}).get("properties"):
                yield from _schema(content["schema"])
        for status, reply in operation["responses"].items():
            if status < "4":
                for kind, content in reply.get("content", {}).items():
                    yield f"Reply {status}: {_type(content.get('schema', {}))} ({kind}).\n"
                if not reply.get("content"):
                    yield f"Reply {status}, without content.\n"
        for status, text in _errors(operation).items():
            if status not in usual:
                yield f"Error {status}: {plain(text)}\n"


def _without_sections(docstring: str | None) -> str:
    r"""What a docstring says before its first section; of Python, those who send requests need no examples.

    Examples
    --------
    >>> _without_sections("What it is.\n\nExamples\n--------\n>>> 1\n1")
    'What it is.'
    """
    return re.split(r"\n+\w[\w ]*\n-{3,}", docstring or "")[0]


def _schema(schema: Json) -> Iterator[str]:
    yield plain(_without_sections(schema.get("description"))) + "\n"
    if "enum" in schema:
        yield "One of " + ", ".join(f"`{value}`" for value in schema["enum"]) + ".\n"
    if schema.get("properties"):
        yield "| field | type | |\n|---|---|---|"
        required = schema.get("required", [])
        for name, field in schema["properties"].items():
            default = f"Default: `{field['default']}`." if field.get("default") not in (None, "") else ""
            needed = "Optional." if name not in required and not default else default
            yield f"| `{name}` | {_type(field)} | {' '.join(filter(None, [plain(field.get('description')), needed]))} |"
        yield ""


def _type(schema: Json) -> str:
    """The type of a field in words.

    Examples
    --------
    >>> _type({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]})
    'list of string or null'
    """
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#rest-{name.lower()})"
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(map(_type, schema[several])))
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type", "anything")
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    return str(kind)


def _write(app: Sphinx) -> None:
    write_if_new(Path(app.srcdir) / "reference" / "rest.md", rest_page())


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the page before any is read."""
    app.connect("builder-inited", _write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
