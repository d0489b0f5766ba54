"""The person's own words of a message: the same as in packages/text/own-words.ts, with the same lists."""

import re
from collections import Counter

from ._generated._own_words import (
    ANY_TAG,
    FENCE,
    FORMS,
    LEAD_IN,
    LINE_END,
    MAY_HAVE_OTHERS,
    NAMED_FENCE,
    NO_WORDS,
    OWN_SPEAKERS,
    OWN_TAGS,
    PLAIN_FENCE,
    PROMPTS,
    QUOTE_MARK,
    QUOTED_OTHERS,
    RESULT_HEADER,
    SPEAKER,
    SPOKEN_LINE,
    TAGS,
)


def keep_own_words(message: str) -> str:
    """Returns a message without code, quoted replies, and what front ends and agents add. "" if nothing remains.

    Text after a tag or a fence that nothing closes stays.
    """
    text = LINE_END.sub("\n", message)
    if not MAY_HAVE_OTHERS.search(text):
        return message
    asked = _without_prompt(text)
    unblocked = _without_blocks(asked)
    words = _without_quoted_lines(_without_fences(unblocked))
    if not words.strip() and _is_plain_quote(asked, unblocked):
        return QUOTE_MARK.sub("", PLAIN_FENCE.sub("", unblocked)).strip()
    for form in FORMS:
        words = form.sub(" ", words)
    words = _without_transcript(words)
    return message if words == text else "" if NO_WORDS.search(words) else words.strip()


def _is_plain_quote(asked: str, unblocked: str) -> bool:
    return not (LEAD_IN.search(asked) or QUOTED_OTHERS.search(unblocked) or NAMED_FENCE.search(unblocked))


def _without_transcript(text: str) -> str:
    lines = text.split("\n")
    found = [SPEAKER.search(line) for line in lines]
    names = [match[1] if match else "" for match in found]
    counts = Counter(filter(None, names))
    spoken = any(counts[name] > 1 and SPOKEN_LINE.search(line) for line, name in zip(lines, names, strict=True))
    if len(counts) < 2 or not spoken:
        return text
    return "\n".join(line for line, name in zip(lines, names, strict=True) if name in ("", *OWN_SPEAKERS))


def _without_prompt(text: str) -> str:
    for begin, until, end in PROMPTS:
        if begin.search(text):
            if until is None:
                return ""
            borders = list(until.finditer(text))
            rest = text[borders[-1].end() :] if borders else text
            return end.split(rest, 1)[0] if borders and end else rest
    return text


def _without_blocks(text: str) -> str:
    opened: dict[str, list[int]] = {}
    blocks: list[tuple[int, int]] = []
    borders: list[int] = []
    for match in ANY_TAG.finditer(text):
        name, is_closing = match[2].lower(), match[1] != ""
        if name in OWN_TAGS or (name in TAGS and not is_closing):
            borders.append(match.start())
        if name in OWN_TAGS:
            blocks.append(match.span())
        if name not in TAGS:
            continue
        starts = opened.setdefault(name, [])
        if not is_closing:
            starts.append(match.start())
        elif starts:
            blocks.append((starts.pop(), match.end()))
    lead_ins = [line.span() for line in LEAD_IN.finditer(text)]
    return _remove_ranges(text, blocks + lead_ins + _list_results(text, borders))


def _list_results(text: str, borders: list[int]) -> list[tuple[int, int]]:
    results: list[tuple[int, int]] = []
    at = 0
    for header in RESULT_HEADER.finditer(text):
        while at < len(borders) and borders[at] < header.start():
            at += 1
        if at < len(borders):
            results.append((header.start(), borders[at]))
    return results


def _remove_ranges(text: str, ranges: list[tuple[int, int]]) -> str:
    kept: list[str] = []
    at = 0
    for start, end in sorted(ranges, key=lambda it: it[0]):
        if start > at:
            kept.append(f"{text[at:start]} ")
        at = max(at, end)
    return "".join(kept) + text[at:]


def _without_fences(text: str) -> str:
    kept: list[str] = []
    # The lines since the opening fence, which stay if nothing closes it.
    pending: list[str] = []
    opening = ""
    for line in text.split("\n"):
        match = FENCE.search(line)
        marks, rest = (match[1], match[2]) if match else ("", "")
        if not opening and marks and "`" not in rest:
            opening, pending = marks, [line]
        elif not opening:
            kept.append(re.sub(r"```[^`]*```", " ", line))
        elif marks.startswith(opening) and not rest.strip():
            opening, pending = "", []
        else:
            pending.append(line)
    return "\n".join(kept + (pending if opening else []))


def _without_quoted_lines(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith(">"))
