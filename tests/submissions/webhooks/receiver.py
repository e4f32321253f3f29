"""A server that takes webhooks, on a port of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Receiver:
    """Answers with `status`; keeps headers (lower case) and body of each request."""

    url: str = ""
    status: int = 204
    location: str = ""
    trickle: bool = False
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            if receiver.trickle:
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
                while not receiver.ended.wait(0.05):
                    self.wfile.write(b"x")
                return
            self.send_response(receiver.status)
            if receiver.location:
                self.send_header("Location", receiver.location)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_request(self, code: object = "-", size: object = "-") -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook?for=me"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
