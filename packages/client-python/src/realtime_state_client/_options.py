"""Options of a client and of a call."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypedDict


@dataclass(frozen=True)
class ResponseInfo:
    """The final response of a call."""

    status: int
    headers: Mapping[str, str]
    #: `X-Request-Id`. Quote it in support requests. None for a response that is not from the service.
    request_id: str | None


class RetryOptions(TypedDict, total=False):
    """Limits of a call. Those of a call override those of the client."""

    # Maximum number of retries per call. Default: 4.
    max_retries: int
    # Total time in ms that a call may wait between its attempts. A longer wait fails the call. Default: 10,000.
    wait_budget_ms: float
    # Timeout of one attempt in ms. Default: 30,000.
    timeout_ms: float


class CallOptions(RetryOptions, total=False):
    """Options of one call."""

    # Called with the final response, also with an error response, before the call returns.
    on_response: Callable[[ResponseInfo], None]


@dataclass(frozen=True)
class RetryLimits:
    """The limits of a call, complete."""

    max_retries: int = 4
    wait_budget_ms: float = 10_000
    timeout_ms: float = 30_000

    def with_options(self, options: RetryOptions) -> "RetryLimits":
        """Returns the limits with those that the options override."""
        return RetryLimits(
            max_retries=options.get("max_retries", self.max_retries),
            wait_budget_ms=options.get("wait_budget_ms", self.wait_budget_ms),
            timeout_ms=options.get("timeout_ms", self.timeout_ms),
        )


def setting(value: str | None, variable: str, argument: str) -> str:
    """Returns an argument of the client, or the environment variable in its place."""
    found = value or os.environ.get(variable)
    if not found:
        raise ValueError(f"{argument} is missing: pass it to the client or set {variable}")
    if not value and variable == "SERVICE_URL" and not found.startswith(("http://", "https://")):
        raise ValueError("SERVICE_URL must start with http:// or https://")
    return found
