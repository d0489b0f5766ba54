"""The scenario of all clients. `packages/client/tests/scenario.test.ts` is the same in TypeScript."""

import base64
import json
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta, timezone
from itertools import islice
from typing import cast
from uuid import uuid4

import pytest
from conftest import Connect
from receiver import Receiver

from realtime_state_client import PartialBatchError, ProblemError, ResponseInfo, StateClient, UnexpectedAnswerError, now
from realtime_state_client.schemas import ConsentSubmission, Submission
from realtime_state_client.webhooks import verify_webhook

Inject = Callable[..., None]


def reading(session_id: str, **fields: object) -> Submission:
    return cast(Submission, {"session_id": session_id, "timestamp": now(), "heart_rate": 90, **fields})


def unique(name: str) -> str:
    """Returns an id with characters that require encoding in a path."""
    return f"{name}/{uuid4()}?#&+%"


def test_a_reading_is_stored_read_back_and_erased(client: StateClient) -> None:
    session_id, subject_id = unique("s"), unique("p")
    turn = {"user_message": "My exam is tomorrow.", "ai_response": "Which part of the exam worries you?"}
    answered = client.ingest(reading(session_id, subject_id=subject_id, **turn))
    assert answered["topics_detected"] == ["exams"]
    assert client.state(session_id)["stress_score"] == answered["stress_score"]
    assert client.state(subject_id=subject_id)["session_id"] == session_id
    assert client.history(subject_id=subject_id)["datapoints"][0]["session_id"] == session_id
    assert client.history(session_id)["minutes"] == 5
    assert len(client.history(session_id, 60)["datapoints"]) == 1
    assert client.history(session_id, 60, until="2026-01-01T00:00:00Z")["datapoints"] == []
    assert list(client.triggers(subject_id)["triggers"]) == ["exams"]
    assert client.subject(subject_id)["baseline"]["heart_rate"]["latest"]["bpm"] == 90
    assert isinstance(list(client.accesses(subject_id)), list)
    erased = client.delete_subject(subject_id)
    assert erased["sessions_removed"] == erased["triggers_removed"] == 1
    header = erased["receipt"].split(".")[0]
    kid = json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))["kid"]
    assert kid in [key["kid"] for key in client.receipt_keys()]


@pytest.mark.parametrize("fault", ["bad gateway", "dropped", "lost", "slow", "rate limited"])
def test_a_reading_with_a_fault_is_retried_and_stored_once(client: StateClient, inject: Inject, fault: str) -> None:
    session_id = unique("s")
    inject(fault)
    assert client.ingest(reading(session_id), timeout_ms=2000)["session_id"] == session_id
    assert len(client.history(session_id)["datapoints"]) == 1


def test_feedback_whose_response_is_lost_is_retried_and_stored_once(client: StateClient, inject: Inject) -> None:
    session_id, subject_id = unique("s"), unique("p")
    answered = client.ingest(reading(session_id, subject_id=subject_id))
    inject("lost")
    stored = client.submit_feedback(
        {"session_id": session_id, "timestamp": answered["timestamp"], "stress": 7, "note_code": "workload"},
    )
    assert stored["published"]["stress_score"] == answered["stress_score"]
    assert [report["id"] for report in client.feedback(subject_id=subject_id)] == [stored["id"]]


def test_a_consent_whose_response_is_lost_is_retried_and_recorded_once(client: StateClient, inject: Inject) -> None:
    subject_id = unique("p")
    decision: ConsentSubmission = {
        "categories": ["vocal"],
        "purposes": ["adapt"],
        "context": "care",
        "event_time": now(),
    }
    inject("lost")
    recorded = client.put_consent(subject_id, decision)
    assert (recorded["version"], recorded["categories"]) == (1, ["vocal"])
    assert client.consent(subject_id) == recorded
    assert list(client.consent_versions(subject_id)) == [recorded]
    decision["categories"], decision["event_time"] = [], "2026-01-01T00:00:00Z"
    with pytest.raises(ProblemError) as outdated:
        client.put_consent(subject_id, decision)
    assert outdated.value.code == "consent_outdated"


def test_the_agreement_covers_the_reports_of_a_person_or_of_the_account(client: StateClient) -> None:
    people = [unique("p"), unique("p")]
    for subject_id in people:
        timestamp = client.ingest(reading(unique("s"), subject_id=subject_id))["timestamp"]
        client.submit_feedback({"subject_id": subject_id, "timestamp": timestamp, "stress": 2})
    listed = list(client.feedback())
    assert set(people) <= {report.get("subject_id") for report in listed}
    agreement = client.subject_agreement(people[0])
    assert (agreement["subject_id"], agreement["status"]) == (people[0], "not_enough_reports")
    assert agreement["reports"] == agreement["scored_reports"] == 1
    account = client.agreement()
    assert "subject_id" not in account
    assert account["reports"] == len(listed)


def test_a_batch_whose_response_is_lost_is_retried_and_each_reading_is_stored_once(
    client: StateClient, inject: Inject
) -> None:
    session_id = unique("s")
    inject("lost")
    text = {"user_message": '😰"é\n' * 2000, "ai_response": "Yes?", "subject_id": unique("p")}
    invalid = reading(session_id, heart_rate=700)
    result = client.ingest_batch([reading(session_id, **text), invalid])
    assert (result["accepted"], result["rejected"]) == (1, 1)
    accepted, rejected = result["results"]
    assert accepted["state"]["session_id"] == session_id
    assert rejected["error"]["status"] == 422
    assert rejected["error"]["errors"][0]["pointer"] == "/heart_rate"
    assert len(client.history(session_id)["datapoints"]) == 1


def fill_two_requests(session_id: str, **texts: str) -> list[Submission]:
    """Returns readings that fill two requests. Backfilled ones do not use up the limit of their session."""
    count = 300 if texts else 1200
    times = [datetime.now(timezone.utc) - timedelta(seconds=count - index) for index in range(count)]
    # Each reading has its own heart rate, and one is invalid.
    rates = [700 if index == 250 else 40 + index / 10 for index in range(count)]
    return [
        reading(session_id, timestamp=time.isoformat(), heart_rate=rate, backfill=True, **texts)
        for time, rate in zip(times, rates, strict=True)
    ]


@pytest.mark.parametrize("texts", [{}, {"subject_id": "p", "user_message": '😰"é\n' * 2000, "ai_response": "Yes?"}])
def test_a_batch_above_the_limits_is_split_in_the_order_of_the_readings(
    client: StateClient, texts: dict[str, str]
) -> None:
    session_id = unique("s")
    readings = fill_two_requests(session_id, **texts)
    responses: list[ResponseInfo] = []
    result = client.ingest_batch(readings, on_response=responses.append)
    assert [response.status for response in responses] == [200, 200]
    assert (result["accepted"], result["rejected"]) == (len(readings) - 1, 1)
    assert [line["line"] for line in result["results"]] == list(range(1, len(readings) + 1))
    assert [index for index, line in enumerate(result["results"]) if line["status"] != 200] == [250]
    stored = [row["reading"].get("heart_rate") for row in client.export_readings(session_id=session_id)]
    assert stored == [it.get("heart_rate") for it in readings if it.get("heart_rate") != 700]


def test_a_batch_whose_second_request_fails_reports_the_results_of_the_first_one(
    client: StateClient, inject: Inject
) -> None:
    readings = fill_two_requests(unique("s"))
    inject("none", "bad gateway")
    with pytest.raises(PartialBatchError, match="the first 1000 readings were sent") as raised:
        client.ingest_batch(readings, max_retries=0)
    assert isinstance(raised.value.__cause__, UnexpectedAnswerError)
    result = raised.value.result
    assert (result["accepted"], result["rejected"]) == (999, 1)
    assert client.ingest_batch(readings[len(result["results"]) :])["accepted"] == 200
    inject("bad gateway")
    with pytest.raises(UnexpectedAnswerError):
        client.ingest_batch(readings, max_retries=0)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("bad gateway", "UnexpectedAnswerError"),
        ("dropped", "ConnectionError"),
        ("lost", "ConnectionError"),
        ("slow", "TimeoutError"),
    ],
)
def test_an_erasure_with_a_fault_fails_and_is_not_retried(
    client: StateClient, inject: Inject, fault: str, error: str
) -> None:
    session_id, subject_id = unique("s"), unique("p")
    client.ingest(reading(session_id, subject_id=subject_id))
    inject(fault)
    with pytest.raises(Exception) as raised:
        client.delete_subject(subject_id, timeout_ms=1000)
    assert raised.type.__name__ == error
    is_erased = fault == "lost"
    assert len(client.sessions(subject_id=subject_id).first()["sessions"]) == (0 if is_erased else 1)


def test_a_message_alone_yields_a_state_when_its_sentiment_is_derived(client: StateClient) -> None:
    message: Submission = {
        "session_id": unique("s"),
        "timestamp": now(),
        "user_message": "I cannot stop crying and I am so scared of losing everything.",
        "derive_sentiment": True,
    }
    answered = client.ingest(message)
    assert answered["derived"]["sentiment"] < -0.5
    assert answered["signals_received"] == ["textual"]


def test_an_error_names_every_invalid_field(client: StateClient) -> None:
    with pytest.raises(ProblemError) as raised:
        client.ingest(reading("s1", heart_rate=700, sentiment=7))
    assert (raised.value.status, raised.value.code) == (422, "validation_failed")
    assert sorted(fault["pointer"] for fault in raised.value.faults) == ["/heart_rate", "/sentiment"]
    assert "heart_rate: Input should be less than or equal to 220" in str(raised.value)
    with pytest.raises(ProblemError, match="No data for this session") as raised:
        client.state("none")
    assert (raised.value.code, raised.value.faults) == ("session_not_found", [])


def test_a_text_that_is_too_long_is_cut(client: StateClient) -> None:
    long_text = "My exam is tomorrow. " + '😰"\n' * 2000
    turn = {"user_message": long_text, "ai_response": "Which part of the exam?"}
    answered = client.ingest(reading(unique("s"), subject_id=unique("p"), **turn))
    assert answered["topics_detected"] == ["exams"]


def test_every_session_of_all_pages_is_iterated(client: StateClient) -> None:
    subject_id = unique("p")
    ids = {unique(f"s{number}") for number in range(51)}
    for session_id in ids:
        client.ingest(reading(session_id, subject_id=subject_id))
    assert {session["session_id"] for session in client.sessions(subject_id=subject_id)} == ids
    page = client.sessions(subject_id=subject_id).first()
    assert len(page["sessions"]) == 50
    assert isinstance(page["next_cursor"], str)
    sorted_pages = client.sessions(subject_id=subject_id, state=["calm", "relaxed", "focused"], sort="score", points=2)
    found = list(sorted_pages)
    assert {session["session_id"] for session in found} == ids
    assert [len(session["points"]) for session in found] == [1] * 51


def test_the_hours_and_days_of_a_person_are_iterated(client: StateClient) -> None:
    subject_id = unique("p")
    for number in range(2):
        client.ingest(reading(unique(f"s{number}"), subject_id=subject_id))
    assert sum(hour["readings"] for hour in client.summary(subject_id, from_="2026-01-01T00:00:00Z")) == 2
    days = client.summary(subject_id, interval="day", time_zone="Europe/Vienna").first()
    assert [days["time_zone"], days["next_cursor"]] == ["Europe/Vienna", None]
    assert sum(day["readings"] for day in days["rows"]) == 2


def test_a_registration_whose_response_is_lost_still_returns_the_secret(
    client: StateClient, inject: Inject, receiver: Receiver
) -> None:
    inject("lost")
    webhook = client.webhooks.register({"url": receiver.url, "events": ["state_change"]})
    assert webhook["secret"].startswith("whsec_")
    client.webhooks.remove(webhook["id"])


def test_deliveries_are_verified_also_during_a_rotation(client: StateClient, receiver: Receiver) -> None:
    created = client.webhooks.register({"url": receiver.url, "events": ["state_change"]})
    assert "secret" not in client.webhooks.register({"url": receiver.url, "events": ["state_change"]})
    accepted = client.webhooks.test(created["id"])
    first = receiver.next()
    verified = verify_webhook(headers=first.headers, body=first.body, secret=created["secret"])
    assert (verified.delivery_id, verified.event["event"]) == (accepted["delivery_id"], "state_change")
    rotated = client.webhooks.rotate_secret(created["id"])
    client.webhooks.test(created["id"])
    second = receiver.next()
    for secret in (created["secret"], rotated["secret"], ["whsec_AAAA", created["secret"]]):
        verify_webhook(headers=second.headers, body=second.body, secret=secret)
    assert client.webhooks.delivery(accepted["delivery_id"])["status"] == "delivered"
    client.webhooks.remove(created["id"])
    assert created["id"] not in [webhook["id"] for webhook in client.webhooks.list()]


def test_a_token_reads_its_own_session_only(client: StateClient, connect: Connect, service_url: str) -> None:
    session_id = unique("s")
    client.ingest(reading(session_id))
    issued = client.tokens.create({"session_id": session_id, "scopes": ["read"]})
    reader = connect(base_url=service_url, token=issued["token"])
    assert reader.state(session_id)["session_id"] == session_id
    with pytest.raises(ProblemError) as raised:
        reader.state("another")
    assert raised.value.code == "invalid_token"


def test_a_token_of_the_scope_feedback_sends_reports_of_its_own_session_only(
    client: StateClient, connect: Connect, service_url: str
) -> None:
    session_id = unique("s")
    timestamp = client.ingest(reading(session_id))["timestamp"]
    issued = client.tokens.create({"session_id": session_id, "scopes": ["feedback"]})
    page = connect(base_url=service_url, token=issued["token"])
    assert page.submit_feedback({"session_id": session_id, "timestamp": timestamp, "stress": 0})["stress"] == 0
    with pytest.raises(ProblemError) as raised:
        page.submit_feedback({"session_id": "another", "timestamp": timestamp, "stress": 0})
    assert raised.value.code == "invalid_token"


def test_a_rejected_token_is_renewed_once(client: StateClient, connect: Connect, service_url: str) -> None:
    session_id = unique("s")
    client.ingest(reading(session_id))
    tokens = ["expired", client.tokens.create({"session_id": session_id, "scopes": ["read"]})["token"]]
    reader = connect(base_url=service_url, token=lambda: tokens.pop(0))
    assert reader.state(session_id)["session_id"] == session_id
    assert reader.history(session_id)["session_id"] == session_id
    assert tokens == []


def test_a_stream_continues_after_a_lost_connection(client: StateClient, inject: Inject) -> None:
    session_id = unique("s")
    sent = [client.ingest(reading(session_id, heart_rate=heart_rate)) for heart_rate in (70, 71, 72)]
    inject("cut after a reading")
    ended: list[str] = []
    stream = client.stream(
        session_id=session_id,
        events="reading",
        last_event_id="0",
        on_disconnect=lambda error, wait_ms: ended.append(type(error).__name__),
    )
    with closing(stream):
        received = list(islice(stream, 3))
    assert [event.data for event in received] == sent
    assert ended == ["ConnectionError"]


def test_an_export_continues_after_a_lost_connection(client: StateClient, inject: Inject) -> None:
    session_id, subject_id = unique("s"), unique("p")
    rates = [70, 71, 72]
    for heart_rate in rates:
        client.ingest(reading(session_id, subject_id=subject_id, heart_rate=heart_rate))
    inject("cut after a reading")
    rows = list(client.export_readings(session_id=session_id))
    assert [row["reading"].get("heart_rate") for row in rows] == rates
    assert list(client.export_readings(subject_id=subject_id, cursor=rows[0]["cursor"])) == rows[1:]
    with pytest.raises(ProblemError) as raised:
        list(client.export_readings(session_id="none"))
    assert raised.value.code == "session_not_found"


def test_a_stream_that_is_refused_raises_the_error(connect: Connect, service_url: str) -> None:
    stranger = connect(base_url=service_url, key="sk_" + "0" * 32)
    with pytest.raises(ProblemError) as raised:
        next(iter(stranger.stream()))
    assert raised.value.code == "invalid_api_key"
