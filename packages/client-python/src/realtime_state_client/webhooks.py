"""Verification of webhook deliveries."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, cast

from .schemas import StateChange, WebhookEvent

VerificationFault = Literal["header_missing", "timestamp_invalid", "timestamp_out_of_tolerance", "signature_mismatch"]

class Headers(Protocol):
    """The headers of a request, as every web framework has them."""

    def items(self) -> Iterable[tuple[str, str]]: ...


_SECRET_PREFIX = "whsec_"


class WebhookVerificationError(Exception):
    """The delivery is not from the service, or is a replay of an old one. Respond with 401."""

    def __init__(self, fault: VerificationFault) -> None:
        self.fault = fault
        super().__init__(fault.replace("_", " "))


@dataclass(frozen=True)
class Verified:
    """A genuine delivery."""

    event: StateChange
    #: Id of the delivery. All its attempts have this id. Use it to detect duplicates.
    delivery_id: str

    @property
    def any_event(self) -> WebhookEvent:
        """The event of a webhook with `alert` or `trigger_active` in its `events`. Its "event" is the kind."""
        return self.event


def verify_webhook(
    *,
    headers: Headers,
    body: str | bytes,
    secret: str | Sequence[str],
    tolerance_seconds: float = 300,
    now: Callable[[], float] = time.time,
) -> Verified:
    """Returns the event of a delivery that the service signed within the tolerance.

    `body` is the raw body: parsing and serializing it again may change its bytes. `secret` is as issued, `whsec_…`.
    Pass the old and the new one during a rotation. A delivery then has two signatures, and one match is enough. `now`
    returns epoch seconds. Raises WebhookVerificationError.
    """
    delivery_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    standard = [it for text in _header(headers, "webhook-signature").split(" ") for it in _base64_after("v1,", text)]
    own = [it for text in _header(headers, "x-service-signature").split(",") for it in _hex_after("sha256=", text)]
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("timestamp_invalid")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{delivery_id}.{timestamp}.".encode() + raw
    secrets = [secret] if isinstance(secret, str) else secret
    if not any([_is_signed(it, standard, signed, own, raw) for it in secrets]):
        raise WebhookVerificationError("signature_mismatch")
    if abs(now() - int(timestamp)) > tolerance_seconds:
        raise WebhookVerificationError("timestamp_out_of_tolerance")
    return Verified(cast(StateChange, json.loads(raw)), delivery_id)


def _is_signed(secret: str, standard: list[bytes], signed: bytes, own: list[bytes], raw: bytes) -> bool:
    """Checks both kinds of signature."""
    return any(_matches_any(key, standard, signed) for key in _base64_after(_SECRET_PREFIX, secret)) and _matches_any(
        secret.encode(), own, raw
    )


def _header(headers: Headers, name: str) -> str:
    """Finds a header by its lower-case name. Some frameworks keep the case of header names."""
    value = next((it for key, it in headers.items() if key.lower() == name), None)
    if not isinstance(value, str) or value == "":
        raise WebhookVerificationError("header_missing")
    return value


def _matches_any(key: bytes, signatures: list[bytes], signed: bytes) -> bool:
    """Checks an HMAC-SHA256 in constant time."""
    expected = hmac.new(key, signed, hashlib.sha256).digest()
    return any([hmac.compare_digest(expected, it) for it in signatures])


def _base64_after(prefix: str, value: str) -> list[bytes]:
    """Decodes base64 after a prefix. The result is empty for any other text."""
    text = value.strip()
    if not text.startswith(prefix) or text == prefix:
        return []
    try:
        return [base64.b64decode(text[len(prefix) :], validate=True)]
    except (binascii.Error, ValueError):
        return []


def _hex_after(prefix: str, value: str) -> list[bytes]:
    """Decodes hex digits after a prefix. The result is empty for any other text."""
    text = value.strip()
    if not text.startswith(prefix) or not re.fullmatch(r"(?:[0-9a-f]{2})+", text[len(prefix) :]):
        return []
    return [bytes.fromhex(text[len(prefix) :])]
