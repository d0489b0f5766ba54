"""Verification of deliveries that this test signs as the service does."""

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest

from realtime_state_client.schemas import WebhookEvent
from realtime_state_client.webhooks import Verified, WebhookVerificationError, verify_webhook

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
BODY = '{"event":"state_change","session_id":"süß"}'
NOW = 1_795_253_400


def signed(secret: str = SECRET, body: str = BODY) -> dict[str, str]:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    standard = hmac.new(key, f"dlv_1.{NOW}.{body}".encode(), hashlib.sha256).digest()
    return {
        "webhook-id": "dlv_1",
        "webhook-timestamp": str(NOW),
        "webhook-signature": "v1," + base64.b64encode(standard).decode(),
        "X-Service-Signature": "sha256=" + hmac.new(secret.encode(), body.encode(), hashlib.sha256).hexdigest(),
    }


def verify(**changes: Any) -> Verified:
    delivery: dict[str, Any] = {"headers": signed(), "body": BODY, "secret": SECRET, "now": lambda: NOW, **changes}
    return verify_webhook(**delivery)


def fault_of(**changes: Any) -> str:
    with pytest.raises(WebhookVerificationError) as raised:
        verify(**changes)
    return raised.value.fault


@pytest.mark.parametrize("body", [BODY, BODY.encode(), bytearray(BODY.encode())])
def test_accepts_a_body_as_text_or_bytes(body: object) -> None:
    assert verify(body=body) == Verified(json.loads(BODY), "dlv_1")


TIME = "2026-11-21T09:31:00.000Z"
CHANGE: WebhookEvent = {
    "event": "state_change",
    "session_id": "s",
    "previous_state": "focused",
    "new_state": "stressed",
    "stress_score": 70,
    "timestamp": TIME,
}
ALERT: WebhookEvent = {
    "event": "alert",
    "alert_id": "alr_1",
    "subject_id": "anna",
    "condition": "no_data",
    "timestamp": TIME,
}
TOPIC: WebhookEvent = {"event": "trigger_active", "subject_id": "anna", "topic": "exams", "timestamp": TIME}


@pytest.mark.parametrize(("sent", "content"), [(CHANGE, "stressed"), (ALERT, "no_data"), (TOPIC, "exams")])
def test_an_event_of_each_kind_has_its_own_fields(sent: WebhookEvent, content: str) -> None:
    body = json.dumps(sent)
    event = verify(headers=signed(body=body), body=body).any_event
    assert event == sent
    # mypy accepts these fields only because the type of the event follows from its kind.
    if event["event"] == "alert":
        assert event["condition"] == content
    elif event["event"] == "trigger_active":
        assert event["topic"] == content
    else:
        assert event["new_state"] == content


def test_finds_headers_in_any_case() -> None:
    for change in (str.lower, str.upper, str.title):
        assert verify(headers={change(name): value for name, value in signed().items()}).delivery_id == "dlv_1"


def test_one_of_two_signatures_and_one_of_two_secrets_is_enough() -> None:
    other = "whsec_" + base64.b64encode(bytes(32)).decode()
    both = {name: value if value == signed()[name] else "" for name, value in signed(other).items()}
    both["webhook-signature"] = signed(other)["webhook-signature"] + " " + signed()["webhook-signature"]
    both["X-Service-Signature"] = signed(other)["X-Service-Signature"] + "," + signed()["X-Service-Signature"]
    assert verify(headers=both).delivery_id == "dlv_1"
    assert verify(headers=both, secret=other).delivery_id == "dlv_1"
    assert verify(secret=[other, SECRET]).delivery_id == "dlv_1"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("webhook-id", "dlv_2"),
        ("webhook-timestamp", "1"),
        ("webhook-signature", "v1,"),
        ("webhook-signature", "v1,not base64"),
        ("X-Service-Signature", "sha256="),
        ("X-Service-Signature", "sha256=zz"),
    ],
)
def test_rejects_a_changed_header(name: str, value: str) -> None:
    assert fault_of(headers={**signed(), name: value}) == "signature_mismatch"


def test_rejects_an_extra_byte_and_another_secret() -> None:
    assert fault_of(body=BODY + " ") == "signature_mismatch"
    secrets: list[str | list[str]] = ["whsec_" + base64.b64encode(bytes(32)).decode(), "whsec_", "", []]
    for secret in secrets:
        assert fault_of(secret=secret) == "signature_mismatch"


@pytest.mark.parametrize("name", list(signed()))
def test_rejects_a_delivery_without_a_header(name: str) -> None:
    assert fault_of(headers={**signed(), name: ""}) == "header_missing"
    assert fault_of(headers={key: value for key, value in signed().items() if key != name}) == "header_missing"


def test_rejects_a_timestamp_that_is_no_number() -> None:
    assert fault_of(headers={**signed(), "webhook-timestamp": "soon"}) == "timestamp_invalid"


def test_rejects_a_replay_and_a_delivery_from_the_future() -> None:
    assert verify(now=lambda: NOW + 300).delivery_id == "dlv_1"
    assert fault_of(now=lambda: NOW + 301) == "timestamp_out_of_tolerance"
    assert fault_of(now=lambda: NOW - 301) == "timestamp_out_of_tolerance"
    assert fault_of(now=lambda: NOW + 11, tolerance_seconds=10) == "timestamp_out_of_tolerance"
