"""The OpenAPI description, generated from the endpoints."""

from __future__ import annotations

from softlearn.show.views.values import Json
from softlearn.web.endpoints import ENDPOINTS, Endpoint
from softlearn.web.schemas import ERROR

DESCRIPTION = "/api/openapi.json"


def listing() -> Json:
    """Return the answer of ``/api``: every endpoint with a line about it, and its description."""
    return {
        "about": "Exact answers about a model; every view of the page asks here.",
        "openapi": DESCRIPTION,
        "endpoints": [{"path": one.path, "about": one.about} for one in ENDPOINTS],
    }


def openapi(version: str) -> Json:
    """Return the OpenAPI document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "softlearn explorer",
            "version": version,
            "description": "Read-only questions about one model. Times are seconds since 1970 "
            "where they are places on an axis, and ISO text where they are cells.",
        },
        "paths": {one.path: {"get": _operation(one)} for one in ENDPOINTS},
        "components": {"schemas": {"Error": ERROR}},
    }


def _operation(endpoint: Endpoint) -> Json:
    content = (
        {"text/csv": {"schema": {"type": "string"}}}
        if endpoint.schema is None
        else {"application/json": {"schema": endpoint.schema}}
    )
    wrong = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {
        "operationId": endpoint.path.removeprefix("/api/").replace(".", "_"),
        "summary": endpoint.about,
        "parameters": [one.described() for one in endpoint.parameters],
        "responses": {
            "200": {"description": "The answer.", "content": content},
            "400": {"description": "A mistake in the question, in words.", "content": wrong},
            "404": {"description": "There is no table to ask about.", "content": wrong},
            "503": {"description": "Too much at once, or too long.", "content": wrong},
        },
    }
