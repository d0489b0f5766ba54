"""Client of the Real-time State Service."""

from datetime import datetime, timezone

from ._clean_intervals import clean_intervals
from ._errors import (
    ConnectionError,
    PartialBatchError,
    ProblemError,
    StateClientError,
    TimeoutError,
    UnexpectedAnswerError,
)
from ._event_stream import ReadingEvent, StateChangeEvent, StreamEvent
from ._options import CallOptions, ResponseInfo, RetryOptions
from ._own_words import keep_own_words
from .async_client import AsyncPages, AsyncStateClient, AsyncTokenClient, AsyncWebhookClient
from .client import Pages, StateClient, TokenClient, WebhookClient

__all__ = [
    "AsyncPages",
    "AsyncStateClient",
    "AsyncTokenClient",
    "AsyncWebhookClient",
    "CallOptions",
    "ConnectionError",
    "Pages",
    "PartialBatchError",
    "ProblemError",
    "ReadingEvent",
    "ResponseInfo",
    "RetryOptions",
    "StateChangeEvent",
    "StateClient",
    "StateClientError",
    "StreamEvent",
    "TimeoutError",
    "TokenClient",
    "UnexpectedAnswerError",
    "WebhookClient",
    "clean_intervals",
    "keep_own_words",
    "now",
]


def now() -> str:
    """Returns the current time as the `timestamp` of a reading."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")
