"""The synchronous client."""

# Generated from async_client.py by `npm run generate`. Edit that file instead.

from collections.abc import Iterator, Callable, Sequence
from types import TracebackType
from typing import Generic, TypeVar, Unpack

import httpx

from . import _operations as operations
from ._sender import Sender, Events, Rows
from ._batches import Batch
from ._credential import Credential, TokenSource
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


class StateClient:
    """Client of the API.

    Every method retries retryable errors. It raises ProblemError for an error of the service, ConnectionError or
    TimeoutError without a response, and UnexpectedAnswerError for a response that is not from the service. Threads may
    share a client.
    """

    def __init__(
        self,
        base_url: str | None = None,
        key: str | None = None,
        *,
        token: TokenSource | None = None,
        http_client: httpx.Client | None = None,
        **limits: Unpack[RetryOptions],
    ) -> None:
        """Creates a client.

        `base_url` and `key` default to `SERVICE_URL` and `SERVICE_KEY`. `token` replaces the key: a session token, or a
        function that returns one. `http_client` replaces the client's own httpx.Client, and stays open.
        """
        url = setting(base_url, "SERVICE_URL", "base_url").rstrip("/")
        self._http = http_client or httpx.Client()
        self._owns_http = http_client is None
        self._sender = Sender(url, Credential(key, token), RetryLimits().with_options(limits), self._http)
        self.tokens = TokenClient(self._sender)
        self.webhooks = WebhookClient(self._sender)

    def ingest(self, submission: Submission, **call: Unpack[CallOptions]) -> StateReading:
        """Sends a reading. Cuts texts if the body would be too large."""
        return self._sender.send(operations.ingest(submission), call)

    def ingest_batch(self, submissions: Sequence[Submission], **call: Unpack[CallOptions]) -> BatchResult:
        """Sends readings, in several requests if they exceed 1,000 readings or 1 MB. Returns one result per reading.

        The results are in the order of the readings. Check `rejected`: an invalid reading raises no error. Cuts texts
        like `ingest`. The options of the call apply to each request. If a request after the first one fails, raises
        PartialBatchError with the results so far.
        """
        batch = Batch(submissions)
        for operation in batch.operations():
            with batch.errors_with_result():
                batch.add(operation, self._sender.send(operation, call))
        return batch.result

    def submit_feedback(self, report: FeedbackSubmission, **call: Unpack[CallOptions]) -> Feedback:
        """Stores how stressed the person feels. An identical report is stored once."""
        return self._sender.send(operations.submit_feedback(report), call)

    def state(
        self, session_id: str | None = None, *, subject_id: str | None = None, **call: Unpack[CallOptions]
    ) -> StateReading:
        """Returns the state of a session, or of a person over all of its sessions."""
        return self._sender.send(operations.state(session_id, subject_id), call)

    def history(
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
        return self._sender.send(operations.history(query), call)

    def triggers(self, subject_id: str, **call: Unpack[CallOptions]) -> TriggerProfile:
        return self._sender.send(operations.triggers(subject_id), call)

    def sessions(
        self,
        *,
        subject_id: str | None = None,
        state: Sequence[SessionState] | None = None,
        sort: SessionOrder | None = None,
        points: int | None = None,
        cursor: str | None = None,
        **call: Unpack[CallOptions],
    ) -> Pages[SessionList, SessionSummary]:
        """Returns the sessions, newest first, or as a snapshot in the order of `sort`."""
        states = None if state is None else ",".join(state)
        query = {"subject_id": subject_id, "state": states, "sort": sort, "points": points, "cursor": cursor}
        listing = operations.sessions(query)
        return Pages(listing, lambda page: self._sender.send(page, call))

    def subject(self, subject_id: str, **call: Unpack[CallOptions]) -> SubjectProfile:
        """Returns what the service has learned about a person: the baseline."""
        return self._sender.send(operations.subject(subject_id), call)

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
    ) -> Pages[SubjectSummary, SummaryRow]:
        """Returns the hours or days of a person with data, oldest first. `from_` and `to` are times in RFC 3339."""
        query = {"from": from_, "to": to, "interval": interval, "time_zone": time_zone, "cursor": cursor}
        listing = operations.summary(subject_id, query)
        return Pages(listing, lambda page: self._sender.send(page, call))

    def feedback(
        self, *, subject_id: str | None = None, cursor: str | None = None, **call: Unpack[CallOptions]
    ) -> Pages[FeedbackList, Feedback]:
        """Returns the reports of the account or of a person, newest first."""
        listing = operations.feedback({"subject_id": subject_id, "cursor": cursor})
        return Pages(listing, lambda page: self._sender.send(page, call))

    def agreement(self, **call: Unpack[CallOptions]) -> Agreement:
        """Returns how well the published score agrees with the reports of all people."""
        return self._sender.send(operations.agreement(), call)

    def subject_agreement(self, subject_id: str, **call: Unpack[CallOptions]) -> Agreement:
        """Returns how well the published score agrees with the reports of a person."""
        return self._sender.send(operations.subject_agreement(subject_id), call)

    def accesses(
        self, subject_id: str, *, cursor: str | None = None, **call: Unpack[CallOptions]
    ) -> Pages[AccessList, Access]:
        """Returns who read, exported or erased the data of a person, newest first."""
        listing = operations.accesses(subject_id, cursor)
        return Pages(listing, lambda page: self._sender.send(page, call))

    def receipt_keys(self, **call: Unpack[CallOptions]) -> Sequence[ReceiptKey]:
        """Returns the public keys that verify receipts, newest first."""
        answer = self._sender.send(operations.receipt_keys(), call)
        return answer["keys"]

    def consent(self, subject_id: str, **call: Unpack[CallOptions]) -> Consent:
        """Returns the newest version of a person's consent."""
        return self._sender.send(operations.consent(subject_id), call)

    def put_consent(
        self, subject_id: str, submission: ConsentSubmission, **call: Unpack[CallOptions]
    ) -> Consent:
        """Records what a person allows.

        Fewer categories than before are a withdrawal, which applies to every later reading.
        """
        return self._sender.send(operations.put_consent(subject_id, submission), call)

    def consent_versions(
        self, subject_id: str, *, cursor: str | None = None, **call: Unpack[CallOptions]
    ) -> Pages[ConsentVersions, Consent]:
        """Returns all versions of a person's consent, newest first."""
        listing = operations.consent_versions(subject_id, {"cursor": cursor})
        return Pages(listing, lambda page: self._sender.send(page, call))

    def delete_trigger(self, subject_id: str, topic: str, **call: Unpack[CallOptions]) -> None:
        """Removes one topic of a person, e.g. because the person says that it is wrong."""
        self._sender.send(operations.delete_trigger(subject_id, topic), call)

    def delete_subject(self, subject_id: str, **call: Unpack[CallOptions]) -> Erasure:
        """Erases all data about a person."""
        return self._sender.send(operations.delete_subject(subject_id), call)

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

    def close(self) -> None:
        """Closes the connections. Does not close an `http_client` of the caller."""
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> "StateClient":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class TokenClient:
    """Session tokens."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def create(self, request: TokenRequest, **call: Unpack[CallOptions]) -> SessionToken:
        """Issues a token for one session, for code that must not hold the key."""
        return self._sender.send(operations.create_token(request), call)


class WebhookClient:
    """Webhooks and their deliveries.

    An `idempotency_key` makes it safe to resend a call within 24 hours. Use a new key per call. Default: a new UUID.
    """

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def register(
        self, registration: WebhookRegistration, *, idempotency_key: str | None = None, **call: Unpack[CallOptions]
    ) -> Webhook:
        """`secret` is present only in the response that creates the webhook. Store it."""
        return self._sender.send(operations.register_webhook(registration, idempotency_key), call)

    def list(self, **call: Unpack[CallOptions]) -> Sequence[Webhook]:
        answer = self._sender.send(operations.list_webhooks(), call)
        return answer["webhooks"]

    def remove(self, webhook_id: str, **call: Unpack[CallOptions]) -> None:
        self._sender.send(operations.remove_webhook(webhook_id), call)

    def rotate_secret(
        self, webhook_id: str, *, idempotency_key: str | None = None, **call: Unpack[CallOptions]
    ) -> Webhook:
        """Returns the new `secret`. For 24 hours, deliveries are signed with both the new and the old secret."""
        return self._sender.send(operations.rotate_secret(webhook_id, idempotency_key), call)

    def test(
        self, webhook_id: str, *, idempotency_key: str | None = None, **call: Unpack[CallOptions]
    ) -> TestAccepted:
        """Sends a signed sample event."""
        return self._sender.send(operations.test_webhook(webhook_id, idempotency_key), call)

    def deliveries(
        self,
        *,
        status: DeliveryOutcome | None = None,
        webhook_id: str | None = None,
        session_id: str | None = None,
        since: str | None = None,
        cursor: str | None = None,
        **call: Unpack[CallOptions],
    ) -> Pages[DeliveryList, Delivery]:
        """Returns the delivery log, newest first."""
        query = {"webhook_id": webhook_id, "session_id": session_id, "since": since, "cursor": cursor}
        listing = operations.deliveries({"status": status, **query})
        return Pages(listing, lambda page: self._sender.send(page, call))

    def delivery(self, delivery_id: str, **call: Unpack[CallOptions]) -> Delivery:
        """Returns one delivery of any status, by its `webhook-id`."""
        return self._sender.send(operations.delivery(delivery_id), call)

    def failed_deliveries(
        self,
        *,
        webhook_id: str | None = None,
        session_id: str | None = None,
        since: str | None = None,
        sort: FailedDeliverySort | None = None,
        cursor: str | None = None,
        **call: Unpack[CallOptions],
    ) -> Pages[FailedDeliveryList, FailedDelivery]:
        """Returns the failed deliveries, newest first. With `sort="event_time"`, the newest event first."""
        query = {"webhook_id": webhook_id, "session_id": session_id, "since": since, "cursor": cursor}
        return Pages(operations.failed_deliveries({"sort": sort, **query}), lambda page: self._sender.send(page, call))

    def retry(self, deliveries: RetryRequest, **call: Unpack[CallOptions]) -> RetryAccepted:
        """Queues failed deliveries again."""
        return self._sender.send(operations.retry_deliveries(deliveries), call)
