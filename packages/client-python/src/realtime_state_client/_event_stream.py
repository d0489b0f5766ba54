"""Server-Sent Events and the position in a stream. Performs no input or output."""

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

from ._constants import STREAM_RETRY_MS
from ._errors import ConnectionError, StateClientError
from ._operations import Operation
from .schemas import StateReading, StreamedStateChange, StreamEventType

# Larger than any event of the service. More without an end of line is not from the service.
_LINE_LENGTH_MAX = 1_000_000


@dataclass(frozen=True)
class ReadingEvent:
    """A stored reading and the state after it, as ingest returned it."""

    #: Pass it as `last_event_id` to continue after this event.
    id: str
    data: StateReading
    type: Literal["reading"] = "reading"


@dataclass(frozen=True)
class StateChangeEvent:
    """A change of a session's state, as webhooks deliver it."""

    id: str
    data: StreamedStateChange
    type: Literal["state_change"] = "state_change"


StreamEvent = ReadingEvent | StateChangeEvent

#: Called when a connection has ended, with its error and the wait in ms. No error: the service ended the connection.
OnDisconnect = Callable[[StateClientError | None, float], None]


@dataclass
class Position:
    """Where a stream continues after a lost connection."""

    session_id: str | None
    subject_id: str | None
    events: StreamEventType | None
    last_event_id: str | None
    #: Wait before the next connection, as the service asked for it.
    retry_ms: int = STREAM_RETRY_MS

    def operation(self) -> Operation[None]:
        """Returns the request for the events after this position."""
        headers = {"Accept": "text/event-stream"}
        if self.last_event_id is not None:
            headers["Last-Event-ID"] = self.last_event_id
        query = {"session_id": self.session_id, "subject_id": self.subject_id, "events": self.events}
        return Operation("GET", "/v1/stream", query, headers=headers)


class EventReader:
    """Parses the bytes of one connection, and moves the position behind each event."""

    def __init__(self, position: Position, base_url: str) -> None:
        self._position, self._base_url = position, base_url
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._fields: dict[str, str] = {}

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Returns the events that the bytes complete. Raises ConnectionError for bytes that are not from the service."""
        self._text += self._decoder.decode(chunk)
        # A line ends at CR LF, LF or CR. A CR at the end of the text may be the first half of CR LF.
        *lines, self._text = re.split("\r\n|\n|\r(?!\\Z)", self._text)
        if len(self._text) > _LINE_LENGTH_MAX:
            raise ConnectionError(self._base_url)
        return [event for line in lines if (event := self._end_line(line)) is not None]

    def _end_line(self, line: str) -> StreamEvent | None:
        if line == "":
            fields, self._fields = self._fields, {}
            return self._event_of(fields) if "data" in fields else None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "retry" and re.fullmatch("[0-9]{1,9}", value):
            self._position.retry_ms = int(value)
        elif name == "data" and name in self._fields:
            self._fields[name] += f"\n{value}"
        elif name in ("id", "event", "data"):
            self._fields[name] = value
        return None

    def _event_of(self, fields: dict[str, str]) -> StreamEvent | None:
        """Returns the event. None for `ready`, and for a type that this client does not know."""
        event_id = self._position.last_event_id = fields.get("id", self._position.last_event_id)
        try:
            data = json.loads(fields["data"])
        except ValueError as cause:
            raise ConnectionError(self._base_url) from cause
        if event_id is not None and fields.get("event") == "reading":
            return ReadingEvent(event_id, cast(StateReading, data))
        if event_id is not None and fields.get("event") == "state_change":
            return StateChangeEvent(event_id, cast(StreamedStateChange, data))
        return None
