"""The asynchronous client. `npm run generate` writes `client.py` from this file, without `async` and `await`."""

from collections.abc import Sequence
from types import TracebackType
from typing import Unpack

import httpx

from . import _operations as operations
from ._async_sender import AsyncPages, AsyncSender, Events, Rows
from ._batches import Batch
from ._credential import AsyncCredential, AsyncTokenSource
from ._event_stream import OnDisconnect, Position
from ._export import ExportPosition
from ._generated._async_methods import AsyncAccountMethods, AsyncTokenClient, AsyncWebhookClient
from ._options import CallOptions, RetryLimits, RetryOptions, setting
from .schemas import BatchResult, History, StateReading, StreamEventType, Submission

__all__ = ["AsyncPages", "AsyncStateClient", "AsyncTokenClient", "AsyncWebhookClient"]


class AsyncStateClient(AsyncAccountMethods):
    """Client of the API.

    Every method retries retryable errors. It raises ProblemError for an error of the service, ConnectionError or
    TimeoutError without a response, and UnexpectedAnswerError for a response that is not from the service. Tasks may
    share a client.
    """

    def __init__(
        self,
        base_url: str | None = None,
        key: str | None = None,
        *,
        token: AsyncTokenSource | None = None,
        http_client: httpx.AsyncClient | None = None,
        **limits: Unpack[RetryOptions],
    ) -> None:
        """Creates a client.

        `base_url` and `key` default to `SERVICE_URL` and `SERVICE_KEY`. `token` replaces the key: a session token, or a
        function that returns one. `http_client` replaces the client's own httpx.AsyncClient, and stays open.
        """
        url = setting(base_url, "SERVICE_URL", "base_url").rstrip("/")
        self._http = http_client or httpx.AsyncClient()
        self._owns_http = http_client is None
        credential = AsyncCredential(key, token)
        super().__init__(AsyncSender(url, credential, RetryLimits().with_options(limits), self._http))
        self.tokens = AsyncTokenClient(self._sender)
        self.webhooks = AsyncWebhookClient(self._sender)

    async def ingest(self, submission: Submission, **call: Unpack[CallOptions]) -> StateReading:
        """Sends a reading. Cuts texts if the body would be too large."""
        return await self._sender.send(operations.ingest(submission), call)

    async def ingest_batch(self, submissions: Sequence[Submission], **call: Unpack[CallOptions]) -> BatchResult:
        """Sends readings, in several requests if they exceed 1,000 readings or 1 MB. Returns one result per reading.

        The results are in the order of the readings. Check `rejected`: an invalid reading raises no error. Cuts texts
        like `ingest`. The options of the call apply to each request. If a request after the first one fails, raises
        PartialBatchError with the results so far.
        """
        batch = Batch(submissions)
        for operation in batch.operations():
            with batch.errors_with_result():
                batch.add(operation, await self._sender.send(operation, call))
        return batch.result

    async def state(
        self, session_id: str | None = None, *, subject_id: str | None = None, **call: Unpack[CallOptions]
    ) -> StateReading:
        """Returns the state of a session, or of a person over all of its sessions."""
        return await self._sender.send(operations.state(session_id, subject_id), call)

    async def history(
        self,
        session_id: str | None = None,
        minutes: int | None = None,
        *,
        subject_id: str | None = None,
        until: str | None = None,
        **call: Unpack[CallOptions],
    ) -> History:
        """Returns the last `minutes` minutes of a session or a person, 5 by default. They end now, or at `until`."""
        query = {"session_id": session_id, "subject_id": subject_id, "minutes": minutes, "until": until}
        return await self._sender.send(operations.history(query), call)

    def stream(
        self,
        *,
        session_id: str | None = None,
        subject_id: str | None = None,
        events: StreamEventType | None = None,
        last_event_id: str | None = None,
        on_disconnect: OnDisconnect | None = None,
        **call: Unpack[CallOptions],
    ) -> Events:
        """Yields readings and state changes while the service stores them.

        Connects again after each end of a connection and continues after the last event, so that no event is missing
        or repeated. The retry limits apply to the first connection. Raises for an error that another attempt cannot
        fix, e.g. 401. Ends when the caller closes the generator.
        """
        return self._sender.follow(Position(session_id, subject_id, events, last_event_id), on_disconnect, call)

    def export_readings(
        self,
        *,
        session_id: str | None = None,
        subject_id: str | None = None,
        cursor: str | None = None,
        **call: Unpack[CallOptions],
    ) -> Rows:
        """Yields stored readings with all accepted and computed fields, in the order of their acceptance.

        Without `session_id` and `subject_id`, yields the readings of the account, or of the token's session. Continues
        after the last row when the connection breaks. `cursor` continues an earlier export.
        """
        return self._sender.export(ExportPosition(session_id, subject_id, cursor), call)

    async def close(self) -> None:
        """Closes the connections. Does not close an `http_client` of the caller."""
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> "AsyncStateClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
