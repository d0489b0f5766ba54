"""Lists in pages."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Generic, TypeVar

from ._operations import Listing, Operation

Listed = TypeVar("Listed")
Item = TypeVar("Item")


class Pages(Generic[Listed, Item]):
    """A list in pages. `first()` returns the first page, and `for` iterates the items of all pages."""

    def __init__(self, listing: Listing[Listed, Item], send: Callable[[Operation[Listed]], Listed]) -> None:
        self._listing, self._send = listing, send

    def first(self) -> Listed:
        return self._send(self._listing.page_at(None))

    def __iter__(self) -> Iterator[Item]:
        page = self.first()
        yield from self._listing.items_of(page)
        while (cursor := self._listing.next_cursor_of(page)) is not None:
            page = self._send(self._listing.page_at(cursor))
            yield from self._listing.items_of(page)


class AsyncPages(Generic[Listed, Item]):
    """A list in pages. `await first()` returns the first page, and `async for` iterates the items of all pages."""

    def __init__(self, listing: Listing[Listed, Item], send: Callable[[Operation[Listed]], Awaitable[Listed]]) -> None:
        self._listing, self._send = listing, send

    async def first(self) -> Listed:
        return await self._send(self._listing.page_at(None))

    async def __aiter__(self) -> AsyncIterator[Item]:
        page = await self.first()
        while True:
            for item in self._listing.items_of(page):
                yield item
            cursor = self._listing.next_cursor_of(page)
            if cursor is None:
                return
            page = await self._send(self._listing.page_at(cursor))
