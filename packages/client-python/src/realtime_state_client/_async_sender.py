"""Asynchronous requests over httpx. `npm run generate` writes `_sender.py` from this file."""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any, Generic, TypeVar

import anyio
import httpx

from ._credential import AsyncCredential
from ._errors import ConnectionError, StateClientError, TimeoutError, UnexpectedAnswerError
from ._event_stream import EventReader, OnDisconnect, Position, StreamEvent
from ._exchange import SILENCE_MS, errors_of_client, is_export, report, request_of
from ._export import ExportPosition, RowReader
from ._operations import Listing, Operation
from ._options import CallOptions, RetryLimits
from ._retry import Answer, Outcome, Reconnects, Resumes, Retries
from .schemas import ExportedReading

Result = TypeVar("Result")
Listed = TypeVar("Listed")
Item = TypeVar("Item")
Events = AsyncGenerator[StreamEvent, None]
Rows = AsyncGenerator[ExportedReading, None]


class AsyncPages(Generic[Listed, Item]):
    """A list in pages. `await first()` returns the first page, and `async for` iterates the items of all pages."""

    def __init__(self, listing: Listing[Listed, Item], send: Callable[[Operation[Listed]], Awaitable[Listed]]) -> None:
        self._listing, self._send = listing, send

    async def first(self) -> Listed:
        return await self._send(self._listing.page_at(None))

    async def __aiter__(self) -> AsyncIterator[Item]:
        page = await self.first()
        while True:
            for item in self._listing.items_of(page):
                yield item
            cursor = self._listing.next_cursor_of(page)
            if cursor is None:
                return
            page = await self._send(self._listing.page_at(cursor))


class AsyncSender:
    """Sends operations and follows streams."""

    def __init__(self, base_url: str, credential: AsyncCredential, limits: RetryLimits, http: httpx.AsyncClient) -> None:
        self._base_url, self._credential, self._limits, self._http = base_url, credential, limits, http

    async def send(self, operation: Operation[Result], call: CallOptions) -> Result:
        """Returns the result. Raises StateClientError."""
        retries = Retries(self._limits.with_options(call), operation.is_repeatable)
        while True:
            outcome = await self._attempt(operation, retries.limits.timeout_ms)
            wait_ms = retries.next_wait_ms(outcome)
            if wait_ms is None:
                report(outcome, call)
                return operation.result_of(outcome)
            await anyio.sleep(wait_ms / 1000)

    async def follow(self, position: Position, on_disconnect: OnDisconnect | None, call: CallOptions) -> Events:
        """Yields the events. Connects again after each end of a connection."""
        reconnects = Reconnects(self._limits.with_options(call))
        while True:
            error: StateClientError | None = None
            try:
                async for event in self._connect(position, reconnects):
                    yield event
            except StateClientError as raised:
                error = raised
            wait_ms = reconnects.wait_ms(error, position.retry_ms)
            if on_disconnect:
                on_disconnect(error, wait_ms)
            await anyio.sleep(wait_ms / 1000)

    async def export(self, position: ExportPosition, call: CallOptions) -> Rows:
        """Yields the rows. Continues after the last row when the connection breaks."""
        resumes = Resumes(self._limits.with_options(call))
        while True:
            try:
                async for row in self._rows(position, resumes.limits.timeout_ms):
                    yield row
                return
            except StateClientError as error:
                wait_ms = resumes.wait_ms(error, position.cursor)
            await anyio.sleep(wait_ms / 1000)

    async def _attempt(self, operation: Operation[Any], timeout_ms: float) -> Outcome:
        """Returns after the whole body has arrived, so that the timeout covers the body too."""
        ends_at = time.monotonic() + timeout_ms / 1000
        try:
            with errors_of_client(self._base_url, timeout_ms):
                response = await self._open(operation, timeout_ms)
                try:
                    chunks = []
                    async for chunk in response.aiter_bytes():
                        if time.monotonic() > ends_at:
                            return TimeoutError(timeout_ms)
                        chunks.append(chunk)
                    return Answer(response.status_code, response.headers, b"".join(chunks))
                finally:
                    await response.aclose()
        except (ConnectionError, TimeoutError) as error:
            return error

    async def _connect(self, position: Position, reconnects: Reconnects) -> Events:
        """Yields the events of one connection until the service ends it. Raises any other end."""
        operation = position.operation()
        reader = EventReader(position, self._base_url)
        with errors_of_client(self._base_url, SILENCE_MS):
            response = await self._open(operation, SILENCE_MS)
            try:
                if response.status_code != httpx.codes.OK:
                    operation.result_of(Answer(response.status_code, response.headers, await response.aread()))
                async for chunk in response.aiter_bytes():
                    reconnects.connected()
                    for event in reader.feed(chunk):
                        yield event
            finally:
                await response.aclose()

    async def _rows(self, position: ExportPosition, timeout_ms: float) -> Rows:
        """Yields the rows of one connection. Raises unless the export is complete."""
        operation = position.operation()
        reader = RowReader(position, self._base_url)
        with errors_of_client(self._base_url, timeout_ms):
            response = await self._open(operation, timeout_ms)
            try:
                if not is_export(response):
                    operation.result_of(Answer(response.status_code, response.headers, await response.aread()))
                    raise UnexpectedAnswerError(response.status_code)
                async for chunk in response.aiter_bytes():
                    for row in reader.feed(chunk):
                        yield row
            finally:
                await response.aclose()

    async def _open(self, operation: Operation[Any], timeout_ms: float) -> httpx.Response:
        """Returns the response without its body. Sends the request once more with a new token after a 401."""
        headers = await self._credential.headers()
        request = request_of(self._http, self._base_url, operation, headers, timeout_ms)
        response = await self._http.send(request, stream=True)
        if response.status_code != httpx.codes.UNAUTHORIZED or not self._credential.renews(headers):
            return response
        await response.aclose()
        renewed = request_of(self._http, self._base_url, operation, await self._credential.headers(), timeout_ms)
        return await self._http.send(renewed, stream=True)
