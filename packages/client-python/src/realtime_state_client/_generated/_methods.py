"""Synchronous methods."""

# Generated from openapi.yaml by `npm run generate`. Edit that file instead.

from collections.abc import Sequence
from typing import Unpack

from .._sender import Pages, Sender
from .._operations import Listing, Operation, get, in_path, list_pages, with_key
from .._options import CallOptions
from ..schemas import (
    DeviceRequest,
    Device,
    DeviceList,
    SourceKeyRequest,
    SourceKey,
    SourceKeyList,
    LinkRequest,
    Link,
    LinkList,
    TokenRequest,
    SessionToken,
    SessionSummary,
    SessionState,
    SessionOrder,
    SessionList,
    TriggerProfile,
    SubjectProfile,
    SummaryInterval,
    SummaryRow,
    SubjectSummary,
    FactSubmission,
    Fact,
    FactList,
    FeedbackSubmission,
    Feedback,
    FeedbackList,
    Agreement,
    ConsentSubmission,
    Consent,
    ConsentVersions,
    Erasure,
    Access,
    AccessList,
    ReceiptKey,
    ReceiptKeyList,
    WebhookRegistration,
    Webhook,
    WebhookList,
    AlertRuleRequest,
    AlertRule,
    AlertRuleList,
    TestAccepted,
    DeliveryOutcome,
    Delivery,
    DeliveryList,
    FailedDelivery,
    FailedDeliverySort,
    FailedDeliveryList,
    RetryRequest,
    RetryAccepted,
)


class AccountMethods:
    """Methods that follow from the operations of the contract."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

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
        """Returns the account's sessions with their latest state.

        The session that started last comes first, 50 per page. New readings do not change the order, so the pages
        contain every session once. A session expires 192 hours after its last reading, or after the time that the
        deployment sets. A filter value that does not exist returns an empty list. Requires the scope `read`.
        """
        listing: Listing[SessionList, SessionSummary] = list_pages(
            "/v1/sessions", {"subject_id": subject_id, "state": ",".join(state) if state is not None else None, "sort": sort, "points": points, "cursor": cursor}, lambda page: page["sessions"], lambda page: page["next_cursor"]
        )
        return Pages(listing, lambda page: self._sender.send(page, call))

    def create_source_key(
        self,
        request: SourceKeyRequest,
        **call: Unpack[CallOptions],
    ) -> SourceKey:
        """Creates a key with which one app writes data of one person.

        The key is shown only in this response. It ends when it expires or is removed, when the person is erased, and
        when the key that created it expires or is revoked. After a rotation, it belongs to the successor. A person may
        have 20 source keys.
        """
        operation: Operation[SourceKey] = Operation("POST", "/v1/source-keys", {}, request, is_repeatable=False)
        return self._sender.send(operation, call)

    def source_keys(
        self,
        *,
        subject_id: str | None = None,
        **call: Unpack[CallOptions],
    ) -> SourceKeyList:
        """Returns the newest 500 source keys of the account that are valid, or all of a person, without the keys
        themselves.

        `last_post` says what the newest request contained, which few apps show.
        """
        operation: Operation[SourceKeyList] = get("/v1/source-keys", {"subject_id": subject_id})
        return self._sender.send(operation, call)

    def remove_source_key(
        self,
        source_key_id: str,
        **call: Unpack[CallOptions],
    ) -> None:
        """Ends a source key.

        A later request with it gets 401. Stored readings stay.
        """
        operation: Operation[None] = Operation("DELETE", f"/v1/source-keys/{in_path(source_key_id)}", {}, is_repeatable=False)
        self._sender.send(operation, call)

    def triggers(
        self,
        subject_id: str,
        **call: Unpack[CallOptions],
    ) -> TriggerProfile:
        """Returns the topics of this person's concerns, with the stress that was measured with each topic.

        Send conversation turns to `ingest` (`user_message`, `ai_response` and `subject_id`). The service reads their
        text in memory and never stores it. Requires the scope `read`.
        """
        operation: Operation[TriggerProfile] = get("/v1/triggers", {"subject_id": subject_id})
        return self._sender.send(operation, call)

    def subject(
        self,
        subject_id: str,
        **call: Unpack[CallOptions],
    ) -> SubjectProfile:
        """Returns what the service has learned about a person across sessions: the baseline, e.g. the resting heart
        rate, and the status changes of the person's topics.

        A reading of this person is compared with the baseline as of the time of the request. Baseline and topics are
        stored until the subject is erased. They contain no text, because texts are never stored. Requires the scope
        `read`.
        """
        operation: Operation[SubjectProfile] = get(f"/v1/subjects/{in_path(subject_id)}", {})
        return self._sender.send(operation, call)

    def delete_subject(
        self,
        subject_id: str,
        **call: Unpack[CallOptions],
    ) -> Erasure:
        """Erases the subject's triggers, baseline, summaries, feedback, sessions and their history.

        Also erases the events and deliveries of all of its sessions, including expired sessions, and removes webhooks
        for the person and for these sessions. The data is invisible as soon as the erasure begins. Readings that
        arrive in the meantime start without earlier data. Live conversation turns with a `timestamp` at or before the
        erasure are rejected (`subject_erased`). The response is sent when all data is erased. If the service stops
        before, it completes the erasure after its restart. Store the `receipt`, because the service does not.
        """
        operation: Operation[Erasure] = Operation("DELETE", f"/v1/subjects/{in_path(subject_id)}", {}, is_repeatable=False)
        return self._sender.send(operation, call)

    def delete_trigger(
        self,
        subject_id: str,
        topic: str,
        **call: Unpack[CallOptions],
    ) -> None:
        """Removes one topic of a person, for example because the person says that it is wrong.

        The readings of the person remain. The next turn about the topic is its first sighting.
        """
        operation: Operation[None] = Operation("DELETE", f"/v1/subjects/{in_path(subject_id)}/triggers/{in_path(topic)}", {}, is_repeatable=False)
        self._sender.send(operation, call)

    def consent(
        self,
        subject_id: str,
        **call: Unpack[CallOptions],
    ) -> Consent:
        """Returns the newest version of the person's consent.

        Readings are checked against it only if the account enforces consent. Requires the scope `read`.
        """
        operation: Operation[Consent] = get(f"/v1/subjects/{in_path(subject_id)}/consent", {})
        return self._sender.send(operation, call)

    def put_consent(
        self,
        subject_id: str,
        submission: ConsentSubmission,
        **call: Unpack[CallOptions],
    ) -> Consent:
        """Records what a person allows, as a new version that replaces the earlier ones.

        Every version is stored until the subject is erased. Sending the newest version again changes nothing. Requires
        the scope `consent`.
        """
        operation: Operation[Consent] = Operation("PUT", f"/v1/subjects/{in_path(subject_id)}/consent", {}, submission, is_repeatable=True)
        return self._sender.send(operation, call)

    def consent_versions(
        self,
        subject_id: str,
        *,
        cursor: str | None = None,
        **call: Unpack[CallOptions],
    ) -> Pages[ConsentVersions, Consent]:
        """Returns all versions of the person's consent, newest first.

        They are stored until the subject is erased. Requires the scope `read`.
        """
        listing: Listing[ConsentVersions, Consent] = list_pages(
            f"/v1/subjects/{in_path(subject_id)}/consent/versions", {"cursor": cursor}, lambda page: page["versions"], lambda page: page["next_cursor"]
        )
        return Pages(listing, lambda page: self._sender.send(page, call))

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
        """Returns the hours or days of a person, oldest first: how long each state lasted, and the means and extremes
        of the score and of the heart rate.

        Hours stay readable after their readings expire: 90 days, or the time that the deployment sets. A deployment
        that stores no hours summarizes the stored readings. Requires the scope `read`.
        """
        listing: Listing[SubjectSummary, SummaryRow] = list_pages(
            f"/v1/subjects/{in_path(subject_id)}/summary", {"from": from_, "to": to, "interval": interval, "time_zone": time_zone, "cursor": cursor}, lambda page: page["rows"], lambda page: page["next_cursor"]
        )
        return Pages(listing, lambda page: self._sender.send(page, call))

    def create_link(
        self,
        subject_id: str,
        request: LinkRequest,
        **call: Unpack[CallOptions],
    ) -> Link:
        """Creates a link to a page for one person: today, the week, topics, what is collected and who read it.

        The link contains no key. The person opens it once, within 24 hours, with a tap. The page then works in this
        browser until `expires_at`. A preview of the link opens nothing.
        """
        operation: Operation[Link] = Operation("POST", f"/v1/subjects/{in_path(subject_id)}/links", {}, request, is_repeatable=False)
        return self._sender.send(operation, call)

    def links(
        self,
        subject_id: str,
        **call: Unpack[CallOptions],
    ) -> Sequence[Link]:
        """Returns the links of a person that are valid, without their URLs.

        The list is empty for an unknown person.
        """
        operation: Operation[LinkList] = get(f"/v1/subjects/{in_path(subject_id)}/links", {})
        answer = self._sender.send(operation, call)
        return answer["links"]

    def remove_link(
        self,
        subject_id: str,
        link_id: str,
        **call: Unpack[CallOptions],
    ) -> None:
        """Ends a link within a second, with its streams and the source keys that the person made through it.

        Stored readings stay.
        """
        operation: Operation[None] = Operation("DELETE", f"/v1/subjects/{in_path(subject_id)}/links/{in_path(link_id)}", {}, is_repeatable=False)
        self._sender.send(operation, call)

    def accesses(
        self,
        subject_id: str,
        *,
        cursor: str | None = None,
        **call: Unpack[CallOptions],
    ) -> Pages[AccessList, Access]:
        """Returns who read, exported or erased this person's data, newest first.

        An entry means one or more requests of a key in a minute. It appears within a second after the first of these
        requests. Requires the scope `read`.
        """
        listing: Listing[AccessList, Access] = list_pages(
            f"/v1/subjects/{in_path(subject_id)}/accesses", {"cursor": cursor}, lambda page: page["accesses"], lambda page: page["next_cursor"]
        )
        return Pages(listing, lambda page: self._sender.send(page, call))

    def receipt_keys(
        self,
        **call: Unpack[CallOptions],
    ) -> Sequence[ReceiptKey]:
        """Returns the public keys that verify deletion receipts, newest first, as a JSON Web Key Set (RFC 7517).

        Requires no API key, because whoever has a receipt may verify it. Keep a copy: a receipt can then be verified
        offline. The list is empty before the first erasure.
        """
        operation: Operation[ReceiptKeyList] = get("/v1/receipt-keys", {})
        answer = self._sender.send(operation, call)
        return answer["keys"]

    def subject_agreement(
        self,
        subject_id: str,
        **call: Unpack[CallOptions],
    ) -> Agreement:
        """Returns how well the published score agrees with the reports of this person.

        The fields are those of `GET /v1/agreement`, which describes them. Reports of one day (UTC) are one group,
        because they are not independent. Requires the scope `read`.
        """
        operation: Operation[Agreement] = get(f"/v1/subjects/{in_path(subject_id)}/agreement", {})
        return self._sender.send(operation, call)

    def create_device(
        self,
        request: DeviceRequest,
        **call: Unpack[CallOptions],
    ) -> Device:
        """Names a device of a person.

        It then sends readings with `device_id` instead of `session_id`, to `POST /v1/ingest` and in batches. The
        service knows the person, sets `source_device` to the `device_id`, and keeps one session per UTC day of the
        timestamp: `<device_id>-<day>`. The first reading of a day continues the session of the day before if it is at
        most 300 s newer than that session: its state, and the event of a change.
        """
        operation: Operation[Device] = Operation("POST", "/v1/devices", {}, request, is_repeatable=True)
        return self._sender.send(operation, call)

    def devices(
        self,
        subject_id: str,
        **call: Unpack[CallOptions],
    ) -> Sequence[Device]:
        """Returns the devices of a person, newest first, with the time of their newest reading.

        The source keys of the person are among them, with the `source` of their app: they post to `POST
        /v1/sources/{source}`, and their id is no `device_id` of a reading. The list is empty for an unknown person.
        Requires the scope `read`.
        """
        operation: Operation[DeviceList] = get("/v1/devices", {"subject_id": subject_id})
        answer = self._sender.send(operation, call)
        return answer["devices"]

    def device(
        self,
        device_id: str,
        *,
        subject_id: str | None = None,
        **call: Unpack[CallOptions],
    ) -> Device:
        """Returns a device, also a source key of a person, with the time of its newest reading.

        Requires the scope `read`.
        """
        operation: Operation[Device] = get(f"/v1/devices/{in_path(device_id)}", {"subject_id": subject_id})
        return self._sender.send(operation, call)

    def remove_device(
        self,
        device_id: str,
        **call: Unpack[CallOptions],
    ) -> None:
        """Removes a device: within a second, its readings are rejected.

        Of a source key, it ends the key, as `DELETE /v1/source-keys/{id}` does. Stored readings stay. The connection
        of a hub is no device.
        """
        operation: Operation[None] = Operation("DELETE", f"/v1/devices/{in_path(device_id)}", {}, is_repeatable=False)
        self._sender.send(operation, call)

    def put_fact(
        self,
        fact_id: str,
        submission: FactSubmission,
        **call: Unpack[CallOptions],
    ) -> Fact:
        """Stores what happened to a person in an interval, for example a workout.

        What counts at a time is what a reading itself states (`activity_level`), otherwise the facts that cover it,
        otherwise its steps. The order of arrival does not matter: readings that are stored already are scored again,
        each from its own values, before the response is sent. This changes history, summaries that are not stored yet
        and export, and no event, trigger, baseline or current state. The next reading follows a fact that covers the
        present. Requires the scope `ingest`.
        """
        operation: Operation[Fact] = Operation("PUT", f"/v1/facts/{in_path(fact_id)}", {}, submission, is_repeatable=True)
        return self._sender.send(operation, call)

    def delete_fact(
        self,
        fact_id: str,
        subject_id: str,
        **call: Unpack[CallOptions],
    ) -> None:
        """Removes a fact.

        Readings that it covers are scored again, as after `PUT`. Requires the scope `ingest`.
        """
        operation: Operation[None] = Operation("DELETE", f"/v1/facts/{in_path(fact_id)}", {"subject_id": subject_id}, is_repeatable=False)
        self._sender.send(operation, call)

    def facts(
        self,
        subject_id: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        cursor: str | None = None,
        **call: Unpack[CallOptions],
    ) -> Pages[FactList, Fact]:
        """Returns the facts of a person that cover a part of the range, by `start`, up to 500 per page.

        Requires the scope `read`.
        """
        listing: Listing[FactList, Fact] = list_pages(
            "/v1/facts", {"subject_id": subject_id, "from": from_, "to": to, "cursor": cursor}, lambda page: page["facts"], lambda page: page["next_cursor"]
        )
        return Pages(listing, lambda page: self._sender.send(page, call))

    def submit_feedback(
        self,
        report: FeedbackSubmission,
        **call: Unpack[CallOptions],
    ) -> Feedback:
        """Stores how stressed a person was at one time, in the person's own words: a number and a code, never text.

        Send either `session_id` or `subject_id`. The report is durable before the response is sent. Requires the scope
        `feedback`.
        """
        operation: Operation[Feedback] = Operation("POST", "/v1/feedback", {}, report, is_repeatable=True)
        return self._sender.send(operation, call)

    def feedback(
        self,
        *,
        subject_id: str | None = None,
        cursor: str | None = None,
        **call: Unpack[CallOptions],
    ) -> Pages[FeedbackList, Feedback]:
        """Returns the reports of the account or of a person, newest `timestamp` first, up to 500 per page.

        A person without reports has an empty list. An agreement can be computed again from this list. Requires the
        scope `read`.
        """
        listing: Listing[FeedbackList, Feedback] = list_pages(
            "/v1/feedback", {"subject_id": subject_id, "cursor": cursor}, lambda page: page["feedback"], lambda page: page["next_cursor"]
        )
        return Pages(listing, lambda page: self._sender.send(page, call))

    def agreement(
        self,
        **call: Unpack[CallOptions],
    ) -> Agreement:
        """Returns how well the published score agrees with the reports of people: the accuracy of this deployment on
        its own people.

        It covers the newest 10,000 reports. Only reports with a score of the current model version count. Requires the
        scope `read`.
        """
        operation: Operation[Agreement] = get("/v1/agreement", {})
        return self._sender.send(operation, call)

    def create_alert_rule(
        self,
        request: AlertRuleRequest,
        **call: Unpack[CallOptions],
    ) -> AlertRule:
        """Creates a rule that watches people.

        When its condition is true for a person, the service sends one `alert` event to the webhooks of the account
        whose `events` contain `alert`, and that watch this person or everyone. An equal rule that exists is returned
        with 200, so that a request can be sent again.
        """
        operation: Operation[AlertRule] = Operation("POST", "/v1/alerts", {}, request, is_repeatable=True)
        return self._sender.send(operation, call)

    def alert_rules(
        self,
        **call: Unpack[CallOptions],
    ) -> Sequence[AlertRule]:
        """Returns all alert rules of the account, oldest first."""
        operation: Operation[AlertRuleList] = get("/v1/alerts", {})
        answer = self._sender.send(operation, call)
        return answer["alerts"]

    def remove_alert_rule(
        self,
        alert_id: str,
        **call: Unpack[CallOptions],
    ) -> None:
        """Removes the rule.

        An alert that already fired is still delivered.
        """
        operation: Operation[None] = Operation("DELETE", f"/v1/alerts/{in_path(alert_id)}", {}, is_repeatable=False)
        self._sender.send(operation, call)


class TokenClient:
    """Session tokens."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def create(
        self,
        request: TokenRequest,
        **call: Unpack[CallOptions],
    ) -> SessionToken:
        """Issues a token for one session, for code that must not hold a key: browsers and apps.

        Send it as `Authorization: Bearer …` to ingest (scope `ingest`), feedback (scope `feedback`), state, history,
        stream and export (scope `read`). Every other operation or session responds with 401. The token expires after
        `expires_in` seconds, or when the key that issued it is revoked or expires. The session may be without data.
        The networks of the key do not apply to its tokens.
        """
        operation: Operation[SessionToken] = Operation("POST", "/v1/tokens", {}, request, is_repeatable=True)
        return self._sender.send(operation, call)


class WebhookClient:
    """Webhooks and their deliveries.

    An `idempotency_key` makes it safe to resend a call within 24 hours. Use a new key per call. Default: a new UUID.
    """

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def register(
        self,
        registration: WebhookRegistration,
        *,
        idempotency_key: str | None = None,
        **call: Unpack[CallOptions],
    ) -> Webhook:
        """Sends later events of the kinds in `events` to `url`.

        State changes: with `session_id` those of the session, with `subject_id` those of all sessions of the person,
        and without both those of all sessions of the account. The response contains the secret that signs the
        deliveries. The secret is shown only once.
        """
        operation: Operation[Webhook] = with_key("/webhooks/register", idempotency_key, registration)
        return self._sender.send(operation, call)

    def list(
        self,
        **call: Unpack[CallOptions],
    ) -> Sequence[Webhook]:
        """Returns all webhooks of the account, oldest first, without their secrets.

        Each entry shows the health of its receiver: consecutive failures, the newest failure and success, and the
        number of queued deliveries.
        """
        operation: Operation[WebhookList] = get("/webhooks", {})
        answer = self._sender.send(operation, call)
        return answer["webhooks"]

    def remove(
        self,
        webhook_id: str,
        **call: Unpack[CallOptions],
    ) -> None:
        """Removes the webhook, its queued deliveries and its failed deliveries.

        No further events are sent to it.
        """
        operation: Operation[None] = Operation("DELETE", f"/webhooks/{in_path(webhook_id)}", {}, is_repeatable=False)
        self._sender.send(operation, call)

    def rotate_secret(
        self,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
        **call: Unpack[CallOptions],
    ) -> Webhook:
        """Issues a new secret, which is shown only once.

        For 24 hours, deliveries are signed with both the new and the previous secret, so that a receiver can switch
        without rejecting a delivery. A second rotation within these 24 hours returns 409, because it would end the
        previous secret early.
        """
        operation: Operation[Webhook] = with_key(f"/webhooks/{in_path(webhook_id)}/rotate-secret", idempotency_key)
        return self._sender.send(operation, call)

    def test(
        self,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
        **call: Unpack[CallOptions],
    ) -> TestAccepted:
        """Queues a signed sample event of the session `webhook-test`, which is retried like any other delivery.

        If it fails, it is listed among the failed deliveries under the returned id.
        """
        operation: Operation[TestAccepted] = with_key(f"/webhooks/{in_path(webhook_id)}/test", idempotency_key)
        return self._sender.send(operation, call)

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
        """Returns the deliveries whose last retry failed, newest first, 50 per page.

        Failed deliveries are kept for 7 days by default. A filter value that does not exist returns an empty list.
        `sort` selects whether the newest failures or the newest events come first.
        """
        listing: Listing[FailedDeliveryList, FailedDelivery] = list_pages(
            "/webhooks/retries", {"webhook_id": webhook_id, "session_id": session_id, "since": since, "sort": sort, "cursor": cursor}, lambda page: page["deliveries"], lambda page: page["next_cursor"]
        )
        return Pages(listing, lambda page: self._sender.send(page, call))

    def retry(
        self,
        deliveries: RetryRequest,
        **call: Unpack[CallOptions],
    ) -> RetryAccepted:
        """Queues failed deliveries again.

        `delivery_ids` selects deliveries by id. `webhook_id` selects at most the newest 1,000 failed deliveries of a
        webhook, with `since` only deliveries that failed at or after this time. A retried delivery keeps its
        `webhook-id`, gets a new schedule, is sent immediately, and is exempt from the order of its session. Ids that
        are not listed as failed are ignored. The response lists the queued ids.
        """
        operation: Operation[RetryAccepted] = Operation("POST", "/webhooks/retries", {}, deliveries, is_repeatable=False)
        return self._sender.send(operation, call)

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
        """Returns the delivery log: delivered and failed deliveries, newest first, 50 per page.

        The log keeps a delivery for 7 days by default. If no delivery matches the filters, the list is empty. With
        `status` pending, it returns the deliveries that are still queued, and `since` is the time of the event.
        """
        listing: Listing[DeliveryList, Delivery] = list_pages(
            "/webhooks/deliveries", {"status": status, "webhook_id": webhook_id, "session_id": session_id, "since": since, "cursor": cursor}, lambda page: page["deliveries"], lambda page: page["next_cursor"]
        )
        return Pages(listing, lambda page: self._sender.send(page, call))

    def delivery(
        self,
        delivery_id: str,
        **call: Unpack[CallOptions],
    ) -> Delivery:
        """Returns a pending, delivered or failed delivery of a state change by its `webhook-id`.

        The log keeps a settled delivery for 7 days by default. The lists contain the deliveries of other kinds of
        events, in `event_deliveries`.
        """
        operation: Operation[Delivery] = get(f"/webhooks/deliveries/{in_path(delivery_id)}", {})
        return self._sender.send(operation, call)
