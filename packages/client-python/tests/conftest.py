"""The clients of a test: the synchronous one, and the asynchronous one behind the same calls."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, cast

import httpx
import pytest
from anyio.from_thread import start_blocking_portal
from blocking import Blocking
from receiver import Receiver

from realtime_state_client import AsyncStateClient, StateClient

Connect = Callable[..., StateClient]


def _setting(name: str) -> str:
    value = os.environ.get(name)
    assert value, f"{name} is missing: run these tests with `npx vitest run packages/client/tests/scenario`"
    return value


@pytest.fixture
def service_url() -> str:
    """The URL of a proxy that injects faults in front of a running service."""
    return _setting("SERVICE_URL")


@pytest.fixture
def inject(service_url: str) -> Iterator[Callable[..., None]]:
    """Makes the proxy answer the next requests with faults."""

    def inject(*faults: str) -> None:
        httpx.put(f"{service_url}/faults", json=list(faults)).raise_for_status()

    yield inject
    httpx.put(f"{service_url}/faults", json=[]).raise_for_status()


@pytest.fixture(params=["sync", "async"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    """Creates clients with the given options. They close after the test."""
    with ExitStack() as stack:
        if request.param == "sync":
            yield lambda **options: stack.enter_context(StateClient(**options))
        else:
            portal = stack.enter_context(start_blocking_portal())

            def connect(**options: Any) -> StateClient:
                client = portal.call(lambda: AsyncStateClient(**options))
                stack.callback(lambda: portal.call(client.close))
                return cast(StateClient, Blocking(portal, client))

            yield connect


@pytest.fixture
def client(connect: Connect, service_url: str) -> StateClient:
    return connect(base_url=service_url, key=_setting("SERVICE_KEY"))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver
