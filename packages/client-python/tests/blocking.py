"""Calls an asynchronous client from synchronous tests, so that one scenario runs with both."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from anyio.from_thread import BlockingPortal


class Blocking:
    """Runs each coroutine of a client to its end, and iterates asynchronous results."""

    def __init__(self, portal: BlockingPortal, target: Any) -> None:
        self._portal, self._target = portal, target

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        if not callable(value):
            return Blocking(self._portal, value)

        def call(*positional: Any, **named: Any) -> Any:
            result = self._portal.call(partial(value, *positional, **named))
            return Blocking(self._portal, result) if hasattr(result, "__aiter__") else result

        return call

    def close(self) -> None:
        self._portal.call(self._target.aclose)

    def __iter__(self) -> Iterator[Any]:
        iterator = self._target.__aiter__()

        async def step() -> list[Any]:
            try:
                return [await iterator.__anext__()]
            except StopAsyncIteration:
                return []

        while found := self._portal.call(step):
            yield found[0]
