"""What a client does without a service."""

import builtins
import inspect
import json
import re
from collections.abc import Sequence
from typing import assert_type, cast

import httpx
import pytest

from realtime_state_client import (
    AsyncStateClient,
    AsyncTokenClient,
    AsyncWebhookClient,
    ConnectionError,
    Pages,
    ProblemError,
    ResponseInfo,
    StateClient,
    StreamEvent,
    TokenClient,
    UnexpectedAnswerError,
    WebhookClient,
    clean_intervals,
    now,
)
from realtime_state_client._constants import BODY_MAX_BYTES, RR_INTERVALS_MAX
from realtime_state_client._fit_body import fit_body, to_json
from realtime_state_client.schemas import (
    BatchResult,
    Consent,
    Feedback,
    History,
    SessionList,
    SessionSummary,
    SessionToken,
    StateReading,
    Submission,
    TriggerProfile,
    Webhook,
)


def test_impossible_intervals_are_left_out() -> None:
    assert clean_intervals([250, 812.4, 249, float("nan"), 2501, 2500]) == {"rr_intervals_ms": [250, 812, 2500]}
    assert clean_intervals([]) == {}
    assert clean_intervals([0, 65_535]) == {}
    many = list(range(700, 700 + RR_INTERVALS_MAX + 2))
    assert clean_intervals(many) == {"rr_intervals_ms": many[2:]}


def submission(**texts: str) -> Submission:
    return cast(Submission, {"session_id": "s1", "timestamp": "2026-11-21T09:30:00.000Z", **texts})


@pytest.mark.parametrize("character", ["a", "é", "😰", '"', "\n", "\ud83d"])
def test_a_text_is_cut_to_the_last_character_that_fits(character: str) -> None:
    cut = fit_body(submission(user_message=character * 5000))
    assert len(to_json(cut)) <= BODY_MAX_BYTES
    assert len(to_json(submission(user_message=cut["user_message"] + character))) > BODY_MAX_BYTES


def test_the_shorter_text_stays_whole() -> None:
    cut = fit_body(submission(user_message="a" * 5000, ai_response="b" * 1000))
    assert cut["ai_response"] == "b" * 1000
    assert len(to_json(cut)) == BODY_MAX_BYTES


def test_a_text_that_would_become_empty_is_omitted() -> None:
    assert "user_message" not in fit_body(submission(user_message="a"), max_bytes=75)


def test_a_submission_that_fits_is_unchanged() -> None:
    short = submission(user_message="a")
    assert fit_body(short) is short


def test_lone_surrogates_are_escaped() -> None:
    assert json.loads(to_json({"a": "\ud83d"})) == {"a": "\ud83d"}


def test_url_and_key_default_to_the_environment_and_a_missing_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_URL", "http://127.0.0.1:9")
    monkeypatch.delenv("SERVICE_KEY", raising=False)
    with pytest.raises(ValueError, match="key is missing: pass it to the client or set SERVICE_KEY"):
        StateClient()
    monkeypatch.setenv("SERVICE_KEY", "sk_1")
    with StateClient(max_retries=0) as client, pytest.raises(ConnectionError, match="no response from http://127"):
        client.state("s1")
    monkeypatch.setenv("SERVICE_URL", "notaurl")
    with pytest.raises(ValueError, match="SERVICE_URL must start with http:// or https://"):
        StateClient()


@pytest.mark.parametrize(
    ("synchronous", "asynchronous"),
    [(StateClient, AsyncStateClient), (TokenClient, AsyncTokenClient), (WebhookClient, AsyncWebhookClient)],
)
def test_both_clients_have_the_same_methods_and_arguments(synchronous: type, asynchronous: type) -> None:
    def methods_of(client: type) -> dict[str, list[str]]:
        found = [(name, it) for name, it in inspect.getmembers(client, inspect.isfunction) if not name.startswith("_")]
        return {name: list(inspect.signature(it).parameters) for name, it in found}

    assert methods_of(asynchronous) == methods_of(synchronous)


def test_the_message_of_an_error_ends_with_its_hint() -> None:
    problem = {"code": "invalid_api_key", "status": 401, "detail": "Invalid", "request_id": "r", "hint": "Send it."}
    assert str(ProblemError(problem, {})) == "Invalid. Send it."


def test_a_builtin_handler_catches_a_connection_error() -> None:
    assert issubclass(ConnectionError, builtins.ConnectionError)


def test_a_key_and_a_token_together_are_an_error() -> None:
    with pytest.raises(ValueError, match="either key or token"):
        StateClient("http://127.0.0.1:9", "sk_1", token="t")


def test_a_response_that_is_not_from_the_service_has_its_status() -> None:
    http = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(502, text="<html>Bad Gateway</html>")))
    client = StateClient("http://x", "sk_1", http_client=http, max_retries=0)
    with pytest.raises(UnexpectedAnswerError) as raised:
        client.state("s1")
    assert raised.value.status == 502


def test_a_call_shows_the_headers_and_request_id_of_its_response() -> None:
    problem = {"type": "t", "title": "t", "status": 404, "detail": "No data", "code": "c", "request_id": "r1"}
    response = httpx.Response(404, json=problem, headers={"X-Request-Id": "r1"})
    client = StateClient("http://x", "sk_1", http_client=httpx.Client(transport=httpx.MockTransport(lambda _: response)))
    seen: list[ResponseInfo] = []
    with pytest.raises(ProblemError):
        client.state("s1", on_response=seen.append)
    assert [(info.status, info.request_id) for info in seen] == [(404, "r1")]


@pytest.mark.parametrize("unusable", [".", ".."])
def test_an_id_that_urls_remove_sends_no_request(unusable: str) -> None:
    with StateClient("http://127.0.0.1:9", "sk_1", max_retries=0) as client, pytest.raises(ValueError, match="must not be"):
        client.delete_subject(unusable)
    with StateClient("http://127.0.0.1:9", "sk_1", max_retries=0) as client, pytest.raises(ValueError, match="must not be"):
        client.delete_trigger("anna", unusable)


def check_types(client: StateClient) -> None:
    """mypy checks these types. No test calls this function."""
    reading = submission()
    assert_type(client.ingest(reading, timeout_ms=1)["topics_detected"], list[str])
    assert_type(client.ingest_batch([reading], on_response=print), BatchResult)
    assert_type(client.state(subject_id="p1"), StateReading)
    assert_type(client.history("s1", 5, until="2026-11-21T09:30:00Z"), History)
    assert_type(client.sessions(state=["calm"], sort="score", points=2), Pages[SessionList, SessionSummary])
    assert_type(client.triggers("p1"), TriggerProfile)
    assert_type(client.submit_feedback({"session_id": "s1", "timestamp": now(), "stress": 7}), Feedback)
    assert_type(client.consent("p1"), Consent)
    assert_type(client.tokens.create({"session_id": "s1", "scopes": ["read"]}), SessionToken)
    assert_type(client.webhooks.register({"url": "http://x", "events": ["state_change"]}), Webhook)
    assert_type(client.webhooks.list(), Sequence[Webhook])
    assert_type(next(client.stream(session_id="s1", events="reading", last_event_id="0")), StreamEvent)
    assert_type(next(client.export_readings(session_id="s1"))["reading"].get("heart_rate"), float | None)


def test_the_time_of_a_reading_is_in_utc() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", now())
