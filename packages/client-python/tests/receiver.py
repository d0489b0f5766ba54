"""A receiver of webhooks on loopback."""

import queue
import threading
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

_WAIT_SECONDS = 30


@dataclass(frozen=True)
class Received:
    headers: Message
    body: bytes


class Receiver:
    """Responds with 204 and keeps the deliveries."""

    def __init__(self) -> None:
        received: "queue.Queue[Received]" = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                received.put(Received(self.headers, self.rfile.read(int(self.headers["content-length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._received = received
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hooks"

    def next(self) -> Received:
        return self._received.get(timeout=_WAIT_SECONDS)

    def __enter__(self) -> "Receiver":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
