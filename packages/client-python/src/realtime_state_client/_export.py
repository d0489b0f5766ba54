"""The rows of an export and the position in it. Performs no input or output."""

import json
from dataclasses import dataclass
from typing import cast

from ._errors import ConnectionError
from ._operations import Operation
from .schemas import ExportedReading

# Longer than any row of the service. More without an end of line is not from the service.
_LINE_LENGTH_MAX = 1_000_000


@dataclass
class ExportPosition:
    """Where an export continues after a lost connection."""

    session_id: str | None
    subject_id: str | None
    cursor: str | None

    def operation(self) -> Operation[None]:
        """Returns the request for the rows after this position."""
        query = {"session_id": self.session_id, "subject_id": self.subject_id, "cursor": self.cursor}
        return Operation("GET", "/v1/export", query)


class RowReader:
    """Parses the bytes of one connection, and moves the position behind each row."""

    def __init__(self, position: ExportPosition, base_url: str) -> None:
        self._position, self._base_url = position, base_url
        self._rest = b""

    def feed(self, chunk: bytes) -> list[ExportedReading]:
        """Returns the rows that the bytes complete. Raises ConnectionError for bytes that are not from the service."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > _LINE_LENGTH_MAX:
            raise ConnectionError(self._base_url)
        return [self._row_of(line) for line in lines]

    def _row_of(self, line: bytes) -> ExportedReading:
        try:
            row = cast(ExportedReading, json.loads(line))
            self._position.cursor = row["cursor"]
        except (ValueError, KeyError, TypeError) as cause:
            raise ConnectionError(self._base_url) from cause
        return row
