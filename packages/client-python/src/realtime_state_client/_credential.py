"""What authenticates the calls: a key, a session token, or a function that returns tokens."""

import threading
from collections.abc import Awaitable, Callable
from inspect import isawaitable

import anyio

from ._options import setting

#: A session token, or a function that returns one. It is called once, and again when the token is rejected.
TokenSource = str | Callable[[], str]
AsyncTokenSource = str | Callable[[], str | Awaitable[str]]

Headers = dict[str, str]


class Credential:
    """Authenticates the requests of a client. Threads share a token."""

    def __init__(self, key: str | None, token: TokenSource | None) -> None:
        self._current = _fixed_headers(key, token)
        self._source = None if self._current else token
        self._lock = threading.Lock()

    def headers(self) -> Headers:
        with self._lock:
            if self._current is None and callable(self._source):
                self._current = _bearer(self._source())
            return self._current or {}

    def renews(self, rejected: Headers) -> bool:
        """Forgets the headers of a request that got a 401. Returns whether new ones can be requested."""
        if self._source is None:
            return False
        with self._lock:
            if self._current is rejected:
                self._current = None
        return True


class AsyncCredential:
    """Authenticates the requests of an asynchronous client. Tasks share a token."""

    def __init__(self, key: str | None, token: AsyncTokenSource | None) -> None:
        self._current = _fixed_headers(key, token)
        self._source = None if self._current else token
        self._lock = anyio.Lock()

    async def headers(self) -> Headers:
        async with self._lock:
            if self._current is None and callable(self._source):
                token = self._source()
                self._current = _bearer(await token if isawaitable(token) else token)
            return self._current or {}

    def renews(self, rejected: Headers) -> bool:
        """Forgets the headers of a request that got a 401. Returns whether new ones can be requested."""
        if self._source is None:
            return False
        if self._current is rejected:
            self._current = None
        return True


def _fixed_headers(key: str | None, token: object) -> Headers | None:
    """Returns the headers of a key or token. None for a function. Reads `SERVICE_KEY` without both."""
    if token is None:
        return {"X-Service-Key": setting(key, "SERVICE_KEY", "key")}
    if key is not None:
        raise ValueError("pass either key or token")
    return _bearer(token) if isinstance(token, str) else None


def _bearer(token: str) -> Headers:
    return {"Authorization": f"Bearer {token}"}
