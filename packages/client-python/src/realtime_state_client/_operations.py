"""The requests of the client. Performs no input or output."""

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast
from urllib.parse import quote

from ._errors import UnexpectedAnswerError, error_of
from ._fit_body import fit_body, to_json
from ._retry import Answer, Outcome
from .schemas import BatchResult, History, StateReading, Submission

Result = TypeVar("Result")
Listed = TypeVar("Listed")
Item = TypeVar("Item")
Query = Mapping[str, str | int | None]


@dataclass(frozen=True)
class Operation(Generic[Result]):
    """A request whose response is a Result."""

    method: str
    path: str
    #: Entries that are None are not sent.
    query: Query = field(default_factory=dict)
    body: object = None
    #: JSON texts with their line breaks, sent instead of `body`.
    lines: Sequence[bytes] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Whether a repeated request gets the same response and changes nothing.
    is_repeatable: bool = False

    @property
    def content(self) -> bytes | None:
        if self.lines is not None:
            return b"".join(self.lines)
        return None if self.body is None else to_json(self.body)

    @property
    def media_type(self) -> str:
        return "application/json" if self.lines is None else "application/x-ndjson"

    @property
    def parameters(self) -> dict[str, str | int]:
        return {name: value for name, value in self.query.items() if value is not None}

    def result_of(self, outcome: Outcome) -> Result:
        """Returns the result. Raises the error of an unsuccessful outcome."""
        if isinstance(outcome, Exception):
            raise outcome
        body = _parsed(outcome)
        if not 200 <= outcome.status < 300:
            raise error_of(body, outcome.status, outcome.headers)
        if body is None and outcome.status != 204:
            raise UnexpectedAnswerError(outcome.status)
        return cast(Result, body)


@dataclass(frozen=True)
class Listing(Generic[Listed, Item]):
    """A list in pages."""

    #: Returns the request for the page at a cursor, without one for the first page.
    page_at: Callable[[str | None], Operation[Listed]]
    items_of: Callable[[Listed], Sequence[Item]]
    next_cursor_of: Callable[[Listed], str | None]


def ingest(submission: Submission) -> Operation[StateReading]:
    return Operation("POST", "/v1/ingest", body=fit_body(submission), is_repeatable=True)


def ingest_lines(lines: Sequence[bytes]) -> Operation[BatchResult]:
    return Operation("POST", "/v1/ingest/batch", lines=lines, is_repeatable=True)


def state(session_id: str | None, subject_id: str | None) -> Operation[StateReading]:
    return get("/v1/state", {"session_id": session_id, "subject_id": subject_id})


def history(query: Query) -> Operation[History]:
    return get("/v1/history", query)


def get(path: str, query: Query) -> Operation[Result]:
    return Operation("GET", path, query, is_repeatable=True)


def list_pages(
    path: str,
    query: Query,
    items_of: Callable[[Listed], Sequence[Item]],
    next_cursor_of: Callable[[Listed], str | None],
) -> Listing[Listed, Item]:
    def page_at(cursor: str | None) -> Operation[Listed]:
        return get(path, query if cursor is None else {**query, "cursor": cursor})

    return Listing(page_at, items_of, next_cursor_of)


def with_key(path: str, idempotency_key: str | None, body: object = None) -> Operation[Result]:
    """Adds an Idempotency-Key, so that the request can be resent when its response is lost."""
    headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
    return Operation("POST", path, body=body, headers=headers, is_repeatable=True)


def in_path(value: str) -> str:
    # URL rules remove both from a path, so the request would have another path.
    if value in (".", ".."):
        raise ValueError(f'an id must not be "{value}"')
    return quote(value, safe="")


def _parsed(answer: Answer) -> object:
    """Returns the JSON of a response, None for any other body."""
    try:
        return cast(object, json.loads(answer.body)) if answer.body else None
    except ValueError:
        return None
