"""Runs the calls of journeys, one per line of standard input: `npx vitest run packages/client/tests/journeys`."""

import asyncio
import inspect
import json
import keyword
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from itertools import islice
from typing import Any

from realtime_state_client import AsyncStateClient, ResponseInfo, StateClient, StateClientError
from realtime_state_client.webhooks import verify_webhook


def to_python(name: str) -> str:
    snake = re.sub("[A-Z]", lambda capital: "_" + capital[0].lower(), name)
    return f"{snake}_" if keyword.iskeyword(snake) else snake


def to_options(options: Mapping[str, Any]) -> dict[str, Any]:
    return {to_python(name): value for name, value in options.items()}


def to_json(value: object) -> object:
    """Returns a dataclass with the names of the TypeScript client."""
    assert is_dataclass(value) and not isinstance(value, type)
    return {re.sub("_(.)", lambda it: it[1].upper(), name): member for name, member in asdict(value).items()}


def describe(error: BaseException | None) -> dict[str, Any]:
    members = ("status", "code", "faults", "result")
    found = {name: getattr(error, name) for name in members if hasattr(error, name)}
    cause = {"cause": describe(error.__cause__)} if error and isinstance(error.__cause__, StateClientError) else {}
    return {"name": type(error).__name__, "message": str(error), **found, **cause}


async def settle(found: Any, take: int | str | None) -> object:
    """Returns a result, the first page of a list, or the first items, of both kinds of client."""
    if take is None:
        found = found.first() if hasattr(found, "first") else found
        return await found if inspect.isawaitable(found) else found
    count = None if take == "all" else int(take)
    if not hasattr(found, "__aiter__"):
        items = list(islice(found, count))
        if inspect.isgenerator(found):
            found.close()
        return items
    items = []
    async for item in found:
        items.append(item)
        if len(items) == count:
            await found.aclose()
            break
    return items


class Clients:
    def __init__(self, kind: type[StateClient] | type[AsyncStateClient]) -> None:
        self._kind, self._clients = kind, dict[str, Any]()

    async def connect(self, name: str, options: dict[str, Any]) -> None:
        if name in self._clients:
            await settle(self._clients[name].close(), None)
        tokens = options.get("token")
        if isinstance(tokens, list):
            options = {**options, "token": lambda: tokens.pop(0)}
        self._clients[name] = self._kind(**to_options(options))

    async def send(self, request: Mapping[str, Any]) -> dict[str, Any]:
        seen: list[object] = []

        def note(it: ResponseInfo | StateClientError | None, _wait_ms: float = 0) -> None:
            seen.append(it.status if isinstance(it, ResponseInfo) else type(it).__name__)

        watched = {request["watch"]: note} if request["watch"] else {}
        options = to_options({**request["options"], **watched})
        method: Any = self._clients[request["on"]]
        for name in request["call"].split("."):
            method = verify_webhook if name == "verifyWebhook" else getattr(method, to_python(name))
        try:
            value = await settle(method(*request["args"], **options), request["take"])
            return {"value": value, "seen": seen}
        except Exception as error:
            return {"error": describe(error), "seen": seen}


async def main(kind: str) -> None:
    clients = Clients(StateClient if kind == "sync" else AsyncStateClient)
    for line in sys.stdin:
        request = json.loads(line)
        is_call = "call" in request
        answer = await (clients.send(request) if is_call else clients.connect(request["connect"], request["options"]))
        print(json.dumps(answer, default=to_json), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
