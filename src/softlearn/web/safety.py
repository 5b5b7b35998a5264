"""Security checks for every request: its host, its token if required, and that it only reads."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from functools import lru_cache
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlencode

from softlearn.web.work import as_json

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_EVERYWHERE = ("0.0.0.0", "::")
HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


@dataclass(frozen=True)
class Access:
    """Which requests are allowed.

    Attributes
    ----------
    host, port
        Where the server listens.
    token
        The secret that a request must contain; None if only this machine has access.
    """

    host: str
    port: int
    token: str | None = None

    def knows(self, host: str) -> bool:
        """Return whether a ``Host`` header names this server, and not another that points here."""
        name, _, port = host.rpartition(":") if not host.endswith("]") else (host, "", "80")
        if not name:
            name, port = host, "80"
        if port != str(self.port):
            return False
        if name.lower() in _LOOPBACK:
            return is_loopback(self.host) or self.host in _EVERYWHERE
        if is_loopback(self.host):
            return False
        if self.host not in _EVERYWHERE:
            return name.strip("[]").lower() == self.host.lower()
        own = {socket.gethostname().lower(), socket.getfqdn().lower()}
        return _is_address(name.strip("[]")) or name.lower() in own

    @property
    def cookie(self) -> str:
        """The name of the cookie that remembers the token."""
        return f"softlearn-{self.port}"

    def admits(self, token: str | None) -> bool:
        """Return whether a token is the right one."""
        if self.token is None:
            return True
        return token is not None and secrets.compare_digest(token.encode(), self.token.encode())


@lru_cache(maxsize=16)
def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


class Guard:
    """ASGI middleware that only passes allowed requests."""

    def __init__(self, app: App, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _reply(send, *refusal)
            return
        if self._access.token is not None and _offered(scope) is not None:
            await self._remember(scope, send)
            return

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        await self._app(scope, receive, with_headers)

    def _refusal(self, scope: Scope, headers: dict[bytes, str]) -> tuple[int, str] | None:
        """Return the status and the reason, if a request is refused."""
        if not self._access.knows(headers.get(b"host", "")):
            return 421, "the Host header names another server"
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "the explorer only answers GET"
        if headers.get(b"content-length", "0") != "0" or b"transfer-encoding" in headers:
            return 413, "requests have no body"
        if self._access.token is not None and not self._access.admits(self._token(scope, headers)):
            return 401, "open the address with the token that the terminal shows"
        return None

    def _token(self, scope: Scope, headers: dict[bytes, str]) -> str | None:
        """Return the token of a request: a header, a cookie, or a part of the page's address."""
        if headers.get(b"authorization", "").startswith("Bearer "):
            return headers[b"authorization"][len("Bearer ") :]
        if (offered := _offered(scope)) is not None:
            return offered
        try:
            cookies = SimpleCookie(headers.get(b"cookie", ""))
        except CookieError:
            return None
        found = cookies.get(self._access.cookie)
        return str(found.value) if found is not None else None

    async def _remember(self, scope: Scope, send: Send) -> None:
        """Keep the token in a cookie and take it out of the address, which may be shared."""
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        cookie = f"{self._access.cookie}={self._access.token}; HttpOnly; SameSite=Strict; Path=/"
        headers = [(b"location", f"/?{rest}".encode()), (b"set-cookie", cookie.encode())]
        await send({"type": "http.response.start", "status": 303, "headers": [*headers, *HEADERS]})
        await send({"type": "http.response.body", "body": b""})


def _offered(scope: Scope) -> str | None:
    """Return the token in the address of the page."""
    if scope["path"] != "/":
        return None
    return dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("token")


async def _reply(send: Send, status: int, reason: str) -> None:
    body = as_json({"error": {"kind": "Refused", "message": reason}})
    headers = [(b"content-type", b"application/json"), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
