"""Which outcomes of an attempt are retried, and after how long. Performs no input or output."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ._errors import ConnectionError, ProblemError, StateClientError, TimeoutError, UnexpectedAnswerError
from ._errors import retry_after_seconds
from ._options import RetryLimits


@dataclass(frozen=True)
class Answer:
    """A complete response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Outcome = Answer | ConnectionError | TimeoutError

_BACKOFF_MS = 250
_STREAM_WAIT_MAX_MS = 30_000
# The service rejected the request before it did anything.
_REFUSED = (429, 503)
# A proxy got no response from the service, which may have processed the request.
_LOST_BY_PROXY = (502, 504)
# Statuses under 500 that another attempt can fix.
_PASSING = (408, 429)


@dataclass
class Retries:
    """The retries of one call.

    429 and 503 stored nothing. When a response is lost, only a repeatable request is resent.
    """

    limits: RetryLimits
    is_repeatable: bool
    #: Returns a number from 0 (inclusive) to 1 (exclusive).
    random: Callable[[], float] = field(default=random.random)
    _retries: int = 0
    _waited_ms: float = 0

    def next_wait_ms(self, outcome: Outcome) -> float | None:
        """Returns the wait before the next attempt. None when the call ends with this outcome."""
        wait_ms = self._wait_ms(outcome)
        if wait_ms is None or self._retries >= self.limits.max_retries:
            return None
        if self._waited_ms + wait_ms > self.limits.wait_budget_ms:
            return None
        self._retries += 1
        self._waited_ms += wait_ms
        return wait_ms

    def _wait_ms(self, outcome: Outcome) -> float | None:
        # Random, so that clients rejected together do not retry together.
        jitter_ms: float = round(self.random() * _BACKOFF_MS * 2**self._retries)
        if isinstance(outcome, Answer) and _is_refused(outcome):
            seconds = retry_after_seconds(outcome.headers)
            return (1 if seconds is None else seconds) * 1000 + jitter_ms
        is_lost = not isinstance(outcome, Answer) or outcome.status in _LOST_BY_PROXY
        return jitter_ms if is_lost and self.is_repeatable else None


@dataclass
class Reconnects:
    """The connections of one stream.

    The limits apply to the first connection. After it, the stream connects again until an error occurs that another
    attempt cannot fix.
    """

    limits: RetryLimits
    random: Callable[[], float] = field(default=random.random)
    _has_connected: bool = False
    _is_open: bool = False
    _failures: int = 0
    _waited_ms: float = 0

    def connected(self) -> None:
        """Notes that bytes of the stream arrived."""
        self._has_connected = self._is_open = True

    def wait_ms(self, error: StateClientError | None, retry_ms: int) -> float:
        """Returns the wait before the next connection. Raises the error that ends the stream.

        `error` is None if the service ended the connection. `retry_ms` is the wait that the service asked for.
        """
        self._failures = 0 if self._is_open else self._failures + 1
        self._is_open = False
        if error is None:
            return retry_ms
        backoff_ms = retry_ms * 2.0 ** min(self._failures, 20) * (1 + self.random() / 2)
        stated_s = error.retry_after_seconds if isinstance(error, ProblemError) else None
        wait_ms = max((stated_s or 0) * 1000, round(min(backoff_ms, _STREAM_WAIT_MAX_MS)))
        self._waited_ms += wait_ms
        is_over = self._failures > self.limits.max_retries or self._waited_ms > self.limits.wait_budget_ms
        if _is_final(error) or (is_over and not self._has_connected):
            raise error
        return wait_ms


@dataclass
class Resumes:
    """The connections of one export.

    The limits apply to attempts without a row: after a row, they start anew.
    """

    limits: RetryLimits
    random: Callable[[], float] = field(default=random.random)
    _cursor: str | None = None
    _failures: int = 0
    _waited_ms: float = 0

    def wait_ms(self, error: StateClientError, cursor: str | None) -> float:
        """Returns the wait before the next attempt. Raises the error that ends the export.

        `cursor` is that of the last row.
        """
        if cursor != self._cursor:
            self._cursor, self._failures, self._waited_ms = cursor, 0, 0
        backoff_ms = _BACKOFF_MS * 2.0 ** min(self._failures, 20) * (1 + self.random() / 2)
        stated_s = error.retry_after_seconds if isinstance(error, ProblemError) else None
        wait_ms = max((stated_s or 0) * 1000, round(min(backoff_ms, _STREAM_WAIT_MAX_MS)))
        self._failures += 1
        self._waited_ms += wait_ms
        is_over = self._failures > self.limits.max_retries or self._waited_ms > self.limits.wait_budget_ms
        if _is_final(error) or is_over:
            raise error
        return wait_ms


def _is_refused(answer: Answer) -> bool:
    # A 409 with Retry-After: the first request with this Idempotency-Key runs. Any other 409 is final.
    return answer.status in _REFUSED or (answer.status == 409 and retry_after_seconds(answer.headers) is not None)


def _is_final(error: StateClientError) -> bool:
    if not isinstance(error, (ProblemError, UnexpectedAnswerError)):
        return False
    return error.status < 500 and error.status not in _PASSING
