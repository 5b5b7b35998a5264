"""The web application: the page, its files, and the API."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import TypeAlias

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from softlearn.errors import SoftlearnError
from softlearn.show.views.values import Json
from softlearn.web.endpoints import ENDPOINTS, Endpoint
from softlearn.web.openapi import DESCRIPTION, listing, openapi
from softlearn.web.parameters import read_parameters
from softlearn.web.safety import Access, App, Guard
from softlearn.web.session import NoTableError, Session
from softlearn.web.work import BusyError, Work, as_json

Answering: TypeAlias = Callable[[Request], Awaitable[Response]]

_LOG = logging.getLogger(__name__)
_TYPES = {
    "css": "text/css",
    "html": "text/html",
    "js": "text/javascript",
    "svg": "image/svg+xml",
}


def application(session: Session, access: Access, work: Work, version: str) -> App:
    """Return the application with its security checks."""
    routes = [
        *(Route(endpoint.path, _answering(endpoint, work)) for endpoint in ENDPOINTS),
        Route("/api", _always(as_json(listing()))),
        Route(DESCRIPTION, _always(as_json(openapi(version)))),
        *_page_routes(),
    ]
    app = Starlette(routes=routes, exception_handlers={404: _not_found})
    app.router.redirect_slashes = False
    return Guard(app, access)


def _page_routes() -> list[Route]:
    """Return a route for each file of the page; other files are not served."""
    routes = []
    for file in sorted(files("softlearn.web").joinpath("page").iterdir(), key=lambda one: one.name):
        kind = _TYPES.get(file.name.rpartition(".")[2])
        if kind is not None:
            path = "/" if file.name == "index.html" else f"/{file.name}"
            routes.append(Route(path, _always(file.read_bytes(), f"{kind}; charset=utf-8")))
    return routes


def _always(body: bytes, kind: str = "application/json") -> Answering:
    """Return an endpoint that always answers with the same bytes."""

    async def answer(request: Request) -> Response:
        return Response(body, media_type=kind, headers={"cache-control": "no-cache"})

    return answer


def _answering(endpoint: Endpoint, work: Work) -> Answering:
    async def answer(request: Request) -> Response:
        given: dict[str, list[str]] = {}
        for name, value in request.query_params.multi_items():
            given.setdefault(name, []).append(value)
        try:
            body = await work.answer(endpoint, read_parameters(endpoint.parameters, given))
        except NoTableError as error:
            return _failure(404, error)
        except SoftlearnError as error:
            return _failure(400, error)
        except BusyError as error:
            return _failure(503, error)
        except Exception as error:
            _LOG.exception("no answer for %s", endpoint.path)
            return _failure(500, RuntimeError(f"no answer: {type(error).__name__}"))
        return Response(body, headers={"cache-control": "no-store", **_kind(endpoint)})

    return answer


def _kind(endpoint: Endpoint) -> dict[str, str]:
    if endpoint.schema is not None:
        return {"content-type": "application/json"}
    attachment = 'attachment; filename="drawn-rows.csv"'
    return {"content-type": "text/csv; charset=utf-8", "content-disposition": attachment}


async def _not_found(request: Request, error: Exception) -> Response:
    return _failure(404, LookupError("there is nothing here; /api lists what can be asked"))


def _failure(status: int, error: Exception) -> Response:
    content: Json = {"error": {"kind": type(error).__name__, "message": str(error)}}
    return Response(as_json(content), status, media_type="application/json")
