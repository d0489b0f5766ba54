import base64
import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def is_genuine(body: bytes, headers: dict[str, str], secret: str, now: float | None = None) -> bool:
    """Returns True if the delivery was signed at most five minutes ago. Header names are lower case."""
    delivery_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()):
        return False
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    own = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    standard = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return includes(headers.get("x-service-signature", "").split(","), own) and includes(
        headers.get("webhook-signature", "").split(" "), standard
    )


def includes(signatures: list[str], expected: str) -> bool:
    """Returns True if one of the signatures is the expected one. Compares in constant time."""
    return any(hmac.compare_digest(it.strip().encode(), expected.encode()) for it in signatures)
