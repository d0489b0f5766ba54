"""What synchronous and asynchronous requests over httpx share."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from ._constants import STREAM_HEARTBEAT_SECONDS
from ._errors import ConnectionError, TimeoutError
from ._operations import Operation
from ._options import CallOptions, ResponseInfo
from ._retry import Answer, Outcome

# Missing heartbeats after which the connection of a stream counts as lost.
_SILENT_HEARTBEATS = 3
#: Maximum wait for the next bytes of a stream. The service sends a comment more often.
SILENCE_MS = STREAM_HEARTBEAT_SECONDS * _SILENT_HEARTBEATS * 1000


def request_of(
    http: httpx.Client | httpx.AsyncClient,
    base_url: str,
    operation: Operation[Any],
    credential: Mapping[str, str],
    timeout_ms: float,
) -> httpx.Request:
    """Returns the request of an operation. `timeout_ms` limits each read and write, not the whole exchange."""
    headers = {**operation.headers, **credential}
    content = operation.content
    if content is not None:
        headers["Content-Type"] = operation.media_type
    return http.build_request(
        operation.method,
        base_url + operation.path,
        params=operation.parameters or None,
        headers=headers,
        content=content,
        timeout=timeout_ms / 1000,
    )


@contextmanager
def errors_of_client(base_url: str, timeout_ms: float) -> Iterator[None]:
    """Turns errors of httpx into ConnectionError and TimeoutError."""
    try:
        yield
    except httpx.TimeoutException as cause:
        raise TimeoutError(timeout_ms) from cause
    except httpx.RequestError as cause:
        raise ConnectionError(base_url) from cause


def is_export(response: httpx.Response) -> bool:
    """Returns whether a response is an export. A proxy may respond with a page of its own."""
    media_type: str = response.headers.get("content-type", "")
    return response.status_code == httpx.codes.OK and media_type.startswith("application/x-ndjson")


def report(outcome: Outcome, call: CallOptions) -> None:
    """Calls `on_response` with a response."""
    on_response = call.get("on_response")
    if on_response and isinstance(outcome, Answer):
        on_response(ResponseInfo(outcome.status, outcome.headers, outcome.headers.get("x-request-id")))
