"""Readings as JSON that fits into a request."""

import json
import re

from ._constants import BODY_MAX_BYTES
from .schemas import Submission

_TEXTS = ("user_message", "ai_response")


def fit_body(submission: Submission, max_bytes: int = BODY_MAX_BYTES) -> Submission:
    """Returns the submission with texts cut at their end to fit the body limit.

    The reading matters more than the end of a text. Keeps the shorter text whole if it uses at most half of the
    available space. Omits texts that would become empty.
    """
    if len(to_json(submission)) <= max_bytes:
        return submission
    texts = {name: text for name, text in submission.items() if name in _TEXTS and isinstance(text, str)}
    room = max_bytes - len(to_json({**submission, **dict.fromkeys(texts, "")}))
    cut = {}
    shortest_first = sorted(texts, key=lambda name: _escaped_bytes(texts[name]))
    for index, name in enumerate(shortest_first):
        cut[name] = _cut_to(texts[name], room // (len(texts) - index))
        room -= _escaped_bytes(cut[name])
    return {name: cut.get(name, value) for name, value in submission.items() if cut.get(name) != ""}  # type: ignore[return-value]


def to_json(value: object) -> bytes:
    """Returns compact JSON in UTF-8. Escapes lone surrogates, which UTF-8 cannot encode."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def _cut_to(text: str, max_bytes: int) -> str:
    """Returns the longest start of a text that fits into `max_bytes` of JSON."""
    size = 0
    for length, character in enumerate(text):
        size += _escaped_bytes(character)
        if size > max_bytes:
            return text[:length]
    return text


def _escaped_bytes(text: str) -> int:
    """Returns the JSON size of a text without its quotes."""
    return len(to_json(text)) - 2
