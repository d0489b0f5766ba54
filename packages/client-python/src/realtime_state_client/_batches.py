"""The requests of a batch. Performs no input or output."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ._constants import BATCH_LINES_MAX, BATCH_MAX_BYTES
from ._errors import PartialBatchError, StateClientError, UnexpectedAnswerError
from ._fit_body import fit_body, to_json
from ._operations import Operation, ingest_lines
from .schemas import BatchResult, Submission


class Batch:
    """Splits readings into requests within the limits of a batch, and collects their results."""

    def __init__(self, submissions: Sequence[Submission]) -> None:
        self._submissions = submissions
        #: One result per reading that was sent, in the order of the readings.
        self.result: BatchResult = {"accepted": 0, "rejected": 0, "results": []}

    def operations(self) -> Iterator[Operation[BatchResult]]:
        """Yields the requests. Without readings, yields one request, which the service rejects."""
        lines: list[bytes] = []
        size = 0
        for submission in self._submissions:
            line = to_json(fit_body(submission)) + b"\n"
            if len(lines) == BATCH_LINES_MAX or (lines and size + len(line) > BATCH_MAX_BYTES):
                yield ingest_lines(lines)
                lines, size = [], 0
            lines.append(line)
            size += len(line)
        yield ingest_lines(lines)

    def add(self, operation: Operation[BatchResult], part: BatchResult) -> None:
        """Adds the results of a request. Raises UnexpectedAnswerError unless each of its readings has one."""
        results = part.get("results")
        if not isinstance(results, list) or len(results) != len(operation.lines or ()):
            raise UnexpectedAnswerError(200)
        before = len(self.result["results"])
        self.result["accepted"] += part["accepted"]
        self.result["rejected"] += part["rejected"]
        for it in results:
            it["line"] += before
        self.result["results"].extend(results)

    @contextmanager
    def errors_with_result(self) -> Iterator[None]:
        """Raises PartialBatchError for an error after the first request."""
        try:
            yield
        except StateClientError as error:
            if not self.result["results"]:
                raise
            raise PartialBatchError(self.result, error) from error
