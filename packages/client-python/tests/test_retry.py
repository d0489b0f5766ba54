"""Waits and limits of retries, with a fixed jitter."""

import pytest

from realtime_state_client import ConnectionError, ProblemError, StateClientError, TimeoutError, UnexpectedAnswerError
from realtime_state_client._options import RetryLimits
from realtime_state_client._retry import Answer, Outcome, Reconnects, Retries

LIMITS = RetryLimits(max_retries=2, wait_budget_ms=60_000)


def answer(status: int, retry_after: str = "1") -> Answer:
    return Answer(status, {"retry-after": retry_after}, b"{}")


def lost() -> ConnectionError:
    return ConnectionError("http://x")


def waits(outcomes: list[Outcome], is_repeatable: bool = True, jitter: float = 0) -> list[float | None]:
    retries = Retries(LIMITS, is_repeatable, random=lambda: jitter)
    return [retries.next_wait_ms(outcome) for outcome in outcomes]


def test_a_retry_waits_for_retry_after_plus_jitter() -> None:
    assert waits([answer(503), answer(429, "7")], jitter=0.5) == [1125, 7250]


def test_a_wait_without_retry_after_is_one_second() -> None:
    assert waits([answer(503, "soon")]) == [1000]


def test_a_call_is_retried_at_most_max_retries_times() -> None:
    assert waits([answer(503)] * 4) == [1000, 1000, None, None]


def test_a_wait_over_the_budget_is_not_waited() -> None:
    assert waits([answer(429, "61")]) == [None]


def test_waits_of_one_call_never_exceed_its_budget_together() -> None:
    assert waits([answer(429, "40"), answer(429, "25")]) == [40_000, None]


@pytest.mark.parametrize("status", [200, 400, 401, 404, 413, 422, 500])
def test_other_statuses_are_not_retried(status: int) -> None:
    assert waits([answer(status)]) == [None]


@pytest.mark.parametrize("outcome", [answer(502), answer(504), lost(), TimeoutError(5)])
def test_a_lost_response_is_retried_only_where_that_is_safe(outcome: Outcome) -> None:
    assert waits([outcome]) == [0]
    assert waits([outcome], is_repeatable=False) == [None]


def test_a_request_that_stored_nothing_is_always_retried() -> None:
    assert waits([answer(409), answer(503)], is_repeatable=False) == [1000, 1000]


def test_a_409_without_retry_after_is_final() -> None:
    assert waits([Answer(409, {}, b"{}")]) == [None]


def test_options_of_a_call_override_those_of_the_client() -> None:
    assert LIMITS.with_options({"max_retries": 0}) == RetryLimits(max_retries=0, wait_budget_ms=60_000)


def problem(status: int, headers: dict[str, str]) -> ProblemError:
    body = {"type": "t", "title": "t", "status": status, "detail": "d", "code": "c", "request_id": "r"}
    return ProblemError(body, headers)


def test_a_stream_backs_off_until_it_connects() -> None:
    reconnects = Reconnects(RetryLimits(max_retries=2), random=lambda: 0)
    assert [reconnects.wait_ms(lost(), 1000) for _ in range(2)] == [2000, 4000]
    with pytest.raises(ConnectionError):
        reconnects.wait_ms(lost(), 1000)


def test_a_stream_that_connected_once_never_gives_up() -> None:
    reconnects = Reconnects(RetryLimits(max_retries=0, wait_budget_ms=0), random=lambda: 0)
    reconnects.connected()
    assert [reconnects.wait_ms(lost(), 1000) for _ in range(6)] == [1000, 2000, 4000, 8000, 16_000, 30_000]
    assert reconnects.wait_ms(None, 1500) == 1500


def test_a_wait_starts_anew_after_each_connection_that_was_open() -> None:
    reconnects = Reconnects(RetryLimits(), random=lambda: 0)
    for _ in range(40):
        reconnects.connected()
        assert reconnects.wait_ms(lost(), 1000) == 1000
    assert reconnects.wait_ms(lost(), 1000) == 2000


@pytest.mark.parametrize("status", [408, 429])
def test_a_stream_connects_again_after_an_error_that_another_attempt_can_fix(status: int) -> None:
    reconnects = Reconnects(RetryLimits(), random=lambda: 0)
    assert reconnects.wait_ms(UnexpectedAnswerError(status), 1000) == 2000


def test_a_stream_waits_for_retry_after() -> None:
    reconnects = Reconnects(RetryLimits(wait_budget_ms=60_000), random=lambda: 0)
    assert reconnects.wait_ms(problem(429, {"retry-after": "10"}), 1000) == 10_000


@pytest.mark.parametrize("error", [problem(401, {}), problem(422, {}), UnexpectedAnswerError(404)])
def test_a_stream_ends_with_an_error_that_another_attempt_cannot_fix(error: StateClientError) -> None:
    reconnects = Reconnects(RetryLimits())
    reconnects.connected()
    with pytest.raises(type(error)):
        reconnects.wait_ms(error, 1000)
