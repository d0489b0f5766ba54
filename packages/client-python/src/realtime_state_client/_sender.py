"""Synchronous requests over httpx."""

# Generated from _async_sender.py by `npm run generate`. Edit that file instead.

import time
from collections.abc import Generator, Iterator, Callable
from typing import Any, Generic, TypeVar

import httpx

from ._credential import Credential
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
Events = Generator[StreamEvent, None, None]
Rows = Generator[ExportedReading, None, None]


class Pages(Generic[Listed, Item]):
    """A list in pages. `first()` returns the first page, and `for` iterates the items of all pages."""

    def __init__(self, listing: Listing[Listed, Item], send: Callable[[Operation[Listed]], Listed]) -> None:
        self._listing, self._send = listing, send

    def first(self) -> Listed:
        return self._send(self._listing.page_at(None))

    def __iter__(self) -> Iterator[Item]:
        page = self.first()
        while True:
            yield from self._listing.items_of(page)
            cursor = self._listing.next_cursor_of(page)
            if cursor is None:
                return
            page = self._send(self._listing.page_at(cursor))


class Sender:
    """Sends operations and follows streams."""

    def __init__(self, base_url: str, credential: Credential, limits: RetryLimits, http: httpx.Client) -> None:
        self._base_url, self._credential, self._limits, self._http = base_url, credential, limits, http

    def send(self, operation: Operation[Result], call: CallOptions) -> Result:
        """Returns the result. Raises StateClientError."""
        retries = Retries(self._limits.with_options(call), operation.is_repeatable)
        while True:
            outcome = self._attempt(operation, retries.limits.timeout_ms)
            wait_ms = retries.next_wait_ms(outcome)
            if wait_ms is None:
                report(outcome, call)
                return operation.result_of(outcome)
            time.sleep(wait_ms / 1000)

    def follow(self, position: Position, on_disconnect: OnDisconnect | None, call: CallOptions) -> Events:
        """Yields the events. Connects again after each end of a connection."""
        reconnects = Reconnects(self._limits.with_options(call))
        while True:
            error: StateClientError | None = None
            try:
                yield from self._connect(position, reconnects)
            except StateClientError as raised:
                error = raised
            wait_ms = reconnects.wait_ms(error, position.retry_ms)
            if on_disconnect:
                on_disconnect(error, wait_ms)
            time.sleep(wait_ms / 1000)

    def export(self, position: ExportPosition, call: CallOptions) -> Rows:
        """Yields the rows. Continues after the last row when the connection breaks."""
        resumes = Resumes(self._limits.with_options(call))
        while True:
            try:
                yield from self._rows(position, resumes.limits.timeout_ms)
                return
            except StateClientError as error:
                wait_ms = resumes.wait_ms(error, position.cursor)
            time.sleep(wait_ms / 1000)

    def _attempt(self, operation: Operation[Any], timeout_ms: float) -> Outcome:
        """Returns after the whole body has arrived, so that the timeout covers the body too."""
        ends_at = time.monotonic() + timeout_ms / 1000
        try:
            with errors_of_client(self._base_url, timeout_ms):
                response = self._open(operation, timeout_ms)
                try:
                    chunks = []
                    for chunk in response.iter_bytes():
                        if time.monotonic() > ends_at:
                            return TimeoutError(timeout_ms)
                        chunks.append(chunk)
                    return Answer(response.status_code, response.headers, b"".join(chunks))
                finally:
                    response.close()
        except (ConnectionError, TimeoutError) as error:
            return error

    def _connect(self, position: Position, reconnects: Reconnects) -> Events:
        """Yields the events of one connection until the service ends it. Raises any other end."""
        operation = position.operation()
        reader = EventReader(position, self._base_url)
        with errors_of_client(self._base_url, SILENCE_MS):
            response = self._open(operation, SILENCE_MS)
            try:
                if response.status_code != httpx.codes.OK:
                    operation.result_of(Answer(response.status_code, response.headers, response.read()))
                for chunk in response.iter_bytes():
                    reconnects.connected()
                    yield from reader.feed(chunk)
            finally:
                response.close()

    def _rows(self, position: ExportPosition, timeout_ms: float) -> Rows:
        """Yields the rows of one connection. Raises unless the export is complete."""
        operation = position.operation()
        reader = RowReader(position, self._base_url)
        with errors_of_client(self._base_url, timeout_ms):
            response = self._open(operation, timeout_ms)
            try:
                if not is_export(response):
                    operation.result_of(Answer(response.status_code, response.headers, response.read()))
                    raise UnexpectedAnswerError(response.status_code)
                for chunk in response.iter_bytes():
                    yield from reader.feed(chunk)
            finally:
                response.close()

    def _open(self, operation: Operation[Any], timeout_ms: float) -> httpx.Response:
        """Returns the response without its body. Sends the request once more with a new token after a 401."""
        headers = self._credential.headers()
        request = request_of(self._http, self._base_url, operation, headers, timeout_ms)
        response = self._http.send(request, stream=True)
        if response.status_code != httpx.codes.UNAUTHORIZED or not self._credential.renews(headers):
            return response
        response.close()
        renewed = request_of(self._http, self._base_url, operation, self._credential.headers(), timeout_ms)
        return self._http.send(renewed, stream=True)
