"""Beat intervals that the service accepts."""

from collections.abc import Sequence
from typing import TypedDict

from ._constants import RR_INTERVAL_MAX_MS, RR_INTERVAL_MIN_MS, RR_INTERVALS_MAX


class Intervals(TypedDict, total=False):
    """A part of a submission. Empty without a possible interval."""

    rr_intervals_ms: list[int]


def clean_intervals(intervals_ms: Sequence[float]) -> Intervals:
    """Returns the newest possible beat intervals as a part of a submission: `{**clean_intervals(intervals)}`.

    One impossible interval, e.g. of a strap that lost contact, and an empty list are a 422. Without a possible interval,
    the part is empty.
    """
    possible = [it for it in intervals_ms if RR_INTERVAL_MIN_MS <= it <= RR_INTERVAL_MAX_MS][-RR_INTERVALS_MAX:]
    return {"rr_intervals_ms": [int(it + 0.5) for it in possible]} if possible else {}
