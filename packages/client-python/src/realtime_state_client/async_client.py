"""The asynchronous client. `npm run generate` writes `client.py` from this file, without `async` and `await`."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from types import TracebackType
from typing import Generic, TypeVar, Unpack

import httpx

from . import _operations as operations
from ._async_sender import AsyncSender, Events, Rows
from ._batches import Batch
from ._credential import AsyncCredential, AsyncTokenSource
from ._event_stream import OnDisconnect, Position
from ._export import ExportPosition
from ._operations import Listing, Operation
from ._options import CallOptions, RetryLimits, RetryOptions, setting
from .schemas import (
    Access,
    AccessList,
    Agreement,
    BatchResult,
    Consent,
    ConsentSubmission,
    ConsentVersions,
    Delivery,
    DeliveryList,
    DeliveryOutcome,
    Erasure,
    FailedDelivery,
    FailedDeliveryList,
    FailedDeliverySort,
    Feedback,
    FeedbackList,
    FeedbackSubmission,
    History,
    ReceiptKey,
    RetryAccepted,
    RetryRequest,
    SessionList,
    SessionOrder,
    SessionState,
    SessionSummary,
    SessionToken,
    StateReading,
    StreamEventType,
    SubjectProfile,
    SubjectSummary,
    Submission,
    SummaryInterval,
    SummaryRow,
    TestAccepted,
    TokenRequest,
    TriggerProfile,
    Webhook,
    WebhookRegistration,
)

Listed = TypeVar("Listed")
Item = TypeVar("Item")


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


class AsyncStateClient:
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
        self._sender = AsyncSender(url, AsyncCredential(key, token), RetryLimits().with_options(limits), self._http)
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

    async def submit_feedback(self, report: FeedbackSubmission, **call: Unpack[CallOptions]) -> Feedback:
        """Stores how stressed the person feels. An identical report is stored once."""
        return await self._sender.send(operations.submit_feedback(report), call)

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

    async def triggers(self, subject_id: str, **call: Unpack[CallOptions]) -> TriggerProfile:
        return await self._sender.send(operations.triggers(subject_id), call)

    def sessions(
        self,
        *,
        subject_id: str | None = None,
        state: Sequence[SessionState] | None = None,
        sort: SessionOrder | None = None,
        points: int | None = None,
        cursor: str | None = None,
        **call: Unpack[CallOptions],
    ) -> AsyncPages[SessionList, SessionSummary]:
        """Returns the sessions, newest first, or as a snapshot in the order of `sort`."""
        states = None if state is None else ",".join(state)
        query = {"subject_id": subject_id, "state": states, "sort": sort, "points": points, "cursor": cursor}
        listing = operations.sessions(query)
        return AsyncPages(listing, lambda page: self._sender.send(page, call))

    async def subject(self, subject_id: str, **call: Unpack[CallOptions]) -> SubjectProfile:
        """Returns what the service has learned about a person: the baseline."""
        return await self._sender.send(operations.subject(subject_id), call)

    def summary(
        self,
        subject_id: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        interval: SummaryInterval | None = None,
        time_zone: str | None = None,
        cursor: str | None = None,
        **call: Unpack[CallOptions],
    ) -> AsyncPages[SubjectSummary, SummaryRow]:
        """Returns the hours or days of a person with data, oldest first. `from_` and `to` are times in RFC 3339."""
        query = {"from": from_, "to": to, "interval": interval, "time_zone": time_zone, "cursor": cursor}
        listing = operations.summary(subject_id, query)
        return AsyncPages(listing, lambda page: self._sender.send(page, call))

    def feedback(
        self, *, subject_id: str | None = None, cursor: str | None = None, **call: Unpack[CallOptions]
    ) -> AsyncPages[FeedbackList, Feedback]:
        """Returns the reports of the account or of a person, newest first."""
        listing = operations.feedback({"subject_id": subject_id, "cursor": cursor})
        return AsyncPages(listing, lambda page: self._sender.send(page, call))

    async def agreement(self, **call: Unpack[CallOptions]) -> Agreement:
        """Returns how well the published score agrees with the reports of all people."""
        return await self._sender.send(operations.agreement(), call)

    async def subject_agreement(self, subject_id: str, **call: Unpack[CallOptions]) -> Agreement:
        """Returns how well the published score agrees with the reports of a person."""
        return await self._sender.send(operations.subject_agreement(subject_id), call)

    def accesses(
        self, subject_id: str, *, cursor: str | None = None, **call: Unpack[CallOptions]
    ) -> AsyncPages[AccessList, Access]:
        """Returns who read, exported or erased the data of a person, newest first."""
        listing = operations.accesses(subject_id, cursor)
        return AsyncPages(listing, lambda page: self._sender.send(page, call))

    async def receipt_keys(self, **call: Unpack[CallOptions]) -> Sequence[ReceiptKey]:
        """Returns the public keys that verify receipts, newest first."""
        answer = await self._sender.send(operations.receipt_keys(), call)
        return answer["keys"]

    async def consent(self, subject_id: str, **call: Unpack[CallOptions]) -> Consent:
        """Returns the newest version of a person's consent."""
        return await self._sender.send(operations.consent(subject_id), call)

    async def put_consent(
        self, subject_id: str, submission: ConsentSubmission, **call: Unpack[CallOptions]
    ) -> Consent:
        """Records what a person allows.

        Fewer categories than before are a withdrawal, which applies to every later reading.
        """
        return await self._sender.send(operations.put_consent(subject_id, submission), call)

    def consent_versions(
        self, subject_id: str, *, cursor: str | None = None, **call: Unpack[CallOptions]
    ) -> AsyncPages[ConsentVersions, Consent]:
        """Returns all versions of a person's consent, newest first."""
        listing = operations.consent_versions(subject_id, {"cursor": cursor})
        return AsyncPages(listing, lambda page: self._sender.send(page, call))

    async def delete_trigger(self, subject_id: str, topic: str, **call: Unpack[CallOptions]) -> None:
        """Removes one topic of a person, e.g. because the person says that it is wrong."""
        await self._sender.send(operations.delete_trigger(subject_id, topic), call)

    async def delete_subject(self, subject_id: str, **call: Unpack[CallOptions]) -> Erasure:
        """Erases all data about a person."""
        return await self._sender.send(operations.delete_subject(subject_id), call)

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


class AsyncTokenClient:
    """Session tokens."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def create(self, request: TokenRequest, **call: Unpack[CallOptions]) -> SessionToken:
        """Issues a token for one session, for code that must not hold the key."""
        return await self._sender.send(operations.create_token(request), call)


class AsyncWebhookClient:
    """Webhooks and their deliveries.

    An `idempotency_key` makes it safe to resend a call within 24 hours. Use a new key per call. Default: a new UUID.
    """

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def register(
        self, registration: WebhookRegistration, *, idempotency_key: str | None = None, **call: Unpack[CallOptions]
    ) -> Webhook:
        """`secret` is present only in the response that creates the webhook. Store it."""
        return await self._sender.send(operations.register_webhook(registration, idempotency_key), call)

    async def list(self, **call: Unpack[CallOptions]) -> Sequence[Webhook]:
        answer = await self._sender.send(operations.list_webhooks(), call)
        return answer["webhooks"]

    async def remove(self, webhook_id: str, **call: Unpack[CallOptions]) -> None:
        await self._sender.send(operations.remove_webhook(webhook_id), call)

    async def rotate_secret(
        self, webhook_id: str, *, idempotency_key: str | None = None, **call: Unpack[CallOptions]
    ) -> Webhook:
        """Returns the new `secret`. For 24 hours, deliveries are signed with both the new and the old secret."""
        return await self._sender.send(operations.rotate_secret(webhook_id, idempotency_key), call)

    async def test(
        self, webhook_id: str, *, idempotency_key: str | None = None, **call: Unpack[CallOptions]
    ) -> TestAccepted:
        """Sends a signed sample event."""
        return await self._sender.send(operations.test_webhook(webhook_id, idempotency_key), call)

    def deliveries(
        self,
        *,
        status: DeliveryOutcome | None = None,
        webhook_id: str | None = None,
        session_id: str | None = None,
        since: str | None = None,
        cursor: str | None = None,
        **call: Unpack[CallOptions],
    ) -> AsyncPages[DeliveryList, Delivery]:
        """Returns the delivery log, newest first."""
        query = {"webhook_id": webhook_id, "session_id": session_id, "since": since, "cursor": cursor}
        listing = operations.deliveries({"status": status, **query})
        return AsyncPages(listing, lambda page: self._sender.send(page, call))

    async def delivery(self, delivery_id: str, **call: Unpack[CallOptions]) -> Delivery:
        """Returns one delivery of any status, by its `webhook-id`."""
        return await self._sender.send(operations.delivery(delivery_id), call)

    def failed_deliveries(
        self,
        *,
        webhook_id: str | None = None,
        session_id: str | None = None,
        since: str | None = None,
        sort: FailedDeliverySort | None = None,
        cursor: str | None = None,
        **call: Unpack[CallOptions],
    ) -> AsyncPages[FailedDeliveryList, FailedDelivery]:
        """Returns the failed deliveries, newest first. With `sort="event_time"`, the newest event first."""
        query = {"webhook_id": webhook_id, "session_id": session_id, "since": since, "cursor": cursor}
        return AsyncPages(operations.failed_deliveries({"sort": sort, **query}), lambda page: self._sender.send(page, call))

    async def retry(self, deliveries: RetryRequest, **call: Unpack[CallOptions]) -> RetryAccepted:
        """Queues failed deliveries again."""
        return await self._sender.send(operations.retry_deliveries(deliveries), call)
