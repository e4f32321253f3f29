"""One POST to a server that is slow, wrong or hostile ends in time and says why it failed."""

from __future__ import annotations

import datetime as dt
import http.server
import socket
import ssl
import threading
import time
from pathlib import Path

import pytest

from submissions.webhooks import sender
from submissions.webhooks.sender import post
from submissions.webhooks.targets import Target, parse
from tests.submissions.webhooks.receiver import Receiver


def test_it_arrives_whole(receiver: Receiver) -> None:
    answer = post(parse(receiver.url), b'{"a": 1}', {"Content-Type": "application/json", "webhook-id": "x1"})

    assert (answer.status, answer.error) == (204, "")
    ((headers, body),) = receiver.got
    assert body == b'{"a": 1}'
    assert (headers["webhook-id"], headers["content-type"]) == ("x1", "application/json")
    assert headers["host"] == receiver.url.split("/")[2]


def test_the_connection_goes_to_the_address_that_was_checked_and_not_to_a_second_lookup(receiver: Receiver) -> None:
    port = parse(receiver.url).port
    connection = sender._Pinned(Target("http", "name.invalid", port, "/"), ["127.0.0.2", "127.0.0.1"])

    connection.request("POST", "/", b"", {})

    assert connection.getresponse().status == 204
    assert receiver.got[0][0]["host"] == f"name.invalid:{port}"
    connection.close()


@pytest.mark.parametrize("status", [301, 307, 400, 410, 500])
def test_anything_but_2xx_is_a_failure(receiver: Receiver, status: int) -> None:
    receiver.status, receiver.location = status, receiver.url

    answer = post(parse(receiver.url), b"{}", {})

    assert answer.status == status
    assert str(status) in answer.error
    assert len(receiver.got) == 1, "redirects are not followed"


def test_an_answer_that_trickles_in_is_cut(receiver: Receiver) -> None:
    receiver.trickle = True
    started = time.monotonic()

    answer = post(parse(receiver.url), b"{}", {}, within_s=0.4)

    assert (answer.status, answer.error) == (None, "No answer within 0.4 s.")
    assert time.monotonic() - started < 5


def test_nobody_there(receiver: Receiver) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    assert "refused" in post(parse(f"http://127.0.0.1:{port}/"), b"", {}).error


@pytest.mark.parametrize(
    ("said", "why"), [(b"", "without an answer"), (b"220 mail.example.org ESMTP\r\n", "not HTTP"), (b"HTTP/1.1 banana\r\n\r\n", "not HTTP")]
)
def test_what_speaks_something_else(receiver: Receiver, said: bytes, why: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(said)

        thread = threading.Thread(target=answer)
        thread.start()
        got = post(parse(f"http://127.0.0.1:{listening.getsockname()[1]}/"), b"{}", {})
        thread.join()

    assert why in got.error


def test_a_certificate_that_nobody_vouches_for_is_refused(receiver: Receiver, tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed(tmp_path))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()

    answer = post(parse(f"https://localhost:{server.server_port}/"), b"{}", {})
    server.shutdown()
    server.server_close()

    assert answer.status is None
    assert "certificate" in answer.error


def test_https_where_only_http_is_spoken(receiver: Receiver) -> None:
    answer = post(parse(receiver.url.replace("http://", "https://")), b"{}", {})

    assert answer.error == "TLS failed: does it speak https on this port?"


def self_signed(folder: Path) -> Path:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    file = folder / "self.pem"
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(private + certificate.public_bytes(pem))
    return file
