"""The own words of a message are the same as in packages/text/own-words.ts."""

import json
from pathlib import Path

import pytest

from realtime_state_client import keep_own_words

CASES = json.loads((Path(__file__).parents[3] / "packages/text/own-words.cases.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_own_words(case: dict[str, str]) -> None:
    assert keep_own_words(case["text"]) == case["own"]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("end", ["\r\n", "\r", "\u2028"])
def test_line_ends(case: dict[str, str], end: str) -> None:
    message = case["text"].replace("\n", end)
    assert keep_own_words(message) == (message if case["own"] == case["text"] else case["own"])
