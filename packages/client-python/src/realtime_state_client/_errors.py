"""The errors of the client. All derive from StateClientError."""

import builtins
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from .schemas import BatchResult, Fault, Problem


class StateClientError(Exception):
    """Base of every error that a call raises."""


class ProblemError(StateClientError):
    """An error response of the service. Branch on `code`.

    The message is for people: the problem's detail, or each validation error with its field, e.g.
    `sentiment: Input should be a valid number`, and then its hint.
    """

    def __init__(self, problem: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        self.problem = problem
        self.code: str = problem["code"]
        self.status: int = problem["status"]
        #: The first validation errors. `problem["errors_omitted"]` is the number of the others. Empty unless the status is 422.
        self.faults: Sequence[Fault] = problem.get("errors", [])
        #: Quote it in support requests.
        self.request_id: str = problem["request_id"]
        #: Seconds after which the same request may be resent. None without a `Retry-After` header.
        self.retry_after_seconds = retry_after_seconds(headers)
        #: The exceeded limits. Empty unless the status is 429.
        self.violated_policies: Sequence[str] = problem.get("violated_policies", [])
        omitted = [f"{problem['errors_omitted']} more errors"] if "errors_omitted" in problem else []
        text = "; ".join([*map(_describe, self.faults), *omitted]) or problem["detail"]
        super().__init__(f"{text}. {problem['hint']}" if "hint" in problem else text)


class UnexpectedAnswerError(StateClientError):
    """A response that is not from the service, e.g. from a proxy."""

    def __init__(self, status: int) -> None:
        self.status = status
        without = "a result" if status < 400 else "a problem"
        super().__init__(f"status {status} without {without} of the service")


class PartialBatchError(StateClientError):
    """Some requests of a batch succeeded before one failed. `__cause__` is the error of the failed request.

    Its readings may be stored. Send the readings from `len(result["results"])` on again: resending is safe.
    """

    def __init__(self, result: BatchResult, cause: StateClientError) -> None:
        #: The results of the first readings, in their order.
        self.result = result
        sent = len(result["results"])
        super().__init__(
            f"the first {sent} readings were sent, then a request failed: {cause}. "
            f"Send the readings from index {sent} on again"
        )


class ConnectionError(StateClientError, builtins.ConnectionError):
    """No response: the service could not be reached, or the connection broke. `__cause__` is the error of httpx."""

    def __init__(self, base_url: str) -> None:
        super().__init__(f"no response from {base_url}")


class TimeoutError(StateClientError, builtins.TimeoutError):
    """The last attempt of a call took longer than `timeout_ms`."""

    def __init__(self, timeout_ms: float) -> None:
        self.timeout_ms = timeout_ms
        super().__init__(f"no complete response within {timeout_ms:g} ms")


def error_of(body: object, status: int, headers: Mapping[str, str]) -> StateClientError:
    """Returns the error for an error response."""
    return ProblemError(body, headers) if _is_problem(body) else UnexpectedAnswerError(status)


def retry_after_seconds(headers: Mapping[str, str]) -> int | None:
    """Returns `Retry-After` in seconds. The service never sends a date."""
    text = headers.get("retry-after", "")
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def _describe(fault: Fault) -> str:
    """Returns the detail with its field. An error of the whole body has an empty pointer and no field."""
    field = fault.get("parameter") or fault.get("pointer", "")[1:].replace("~1", "/").replace("~0", "~")
    hint = f" (did you mean {fault['suggestion']}?)" if "suggestion" in fault else ""
    return f"{field}: {fault['detail']}{hint}" if field else fault["detail"]


def _is_problem(body: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(body, dict) and Problem.__required_keys__ <= body.keys()
