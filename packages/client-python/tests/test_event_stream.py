"""Parsing of streams, whatever chunks the network makes of them."""

import json

import pytest

from realtime_state_client import ConnectionError, ReadingEvent, StateChangeEvent
from realtime_state_client._event_stream import EventReader, Position

STREAM = (
    'retry: 2500\nid: 5\nevent: ready\ndata: {"session_id":"s1"}\n\n'
    ':\n\nid: 6\nevent: reading\ndata: {"state":"ruhig ü\u2028"}\n\n'
    'id: 7\nevent: state_change\ndata: {"new_state":\ndata: "calm"}\n\nid: 8\nevent: newer\ndata: 1\n\n'
)


def read(chunks: list[bytes]) -> tuple[Position, list[object]]:
    position = Position(None, None, None, None)
    reader = EventReader(position, "http://x")
    return position, [event for chunk in chunks for event in reader.feed(chunk)]


@pytest.mark.parametrize("end_of_line", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_events_do_not_depend_on_chunks_and_line_ends(end_of_line: str, size: int) -> None:
    # Bytes after the last event decide whether a final CR is a line end.
    text = (STREAM + ":\n").replace("\n", end_of_line).encode()
    position, events = read([text[at : at + size] for at in range(0, len(text), size)])
    assert events == [
        ReadingEvent("6", {"state": "ruhig ü\u2028"}),  # type: ignore[typeddict-item]
        StateChangeEvent("7", {"new_state": "calm"}),  # type: ignore[typeddict-item]
    ]
    assert (position.retry_ms, position.last_event_id) == (2500, "8")


def test_an_incomplete_event_is_no_event() -> None:
    position, events = read([b'id: 6\nevent: reading\ndata: {"a":1}\n'])
    assert (events, position.last_event_id) == ([], None)


def test_a_stream_continues_after_its_last_event() -> None:
    position, _ = read([STREAM.encode()])
    assert position.operation().headers["Last-Event-ID"] == "8"


@pytest.mark.parametrize("text", ["event: reading\nid: 1\ndata: {\n\n", "x" * 1_000_001])
def test_bytes_that_are_not_from_the_service_are_a_broken_connection(text: str) -> None:
    with pytest.raises(ConnectionError):
        read([text.encode()])


def test_a_session_is_named_in_the_query() -> None:
    parameters = Position("s1", None, "reading", "3").operation().parameters
    assert json.dumps(parameters) == '{"session_id": "s1", "events": "reading"}'
