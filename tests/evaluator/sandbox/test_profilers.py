"""The sandbox of profilers: TCP within the run, and nothing of the host by it."""

from __future__ import annotations

import dataclasses
import socket

import pytest

from evaluator.sandbox import Sandbox, SandboxUnavailable, bubblewrap, profilers
from evaluator.sandbox.profilers import profiler_sandbox, prove, proven
from tests.evaluator.sandbox.running import output, start

LOOPBACK = """
import socket
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname())
other, _ = server.accept()
client.sendall(b'hello')
print('got', other.recv(5))
"""


@pytest.fixture(autouse=True)
def namespaces(needs) -> None:  # type: ignore[no-untyped-def]
    needs(bubblewrap.find(), "bubblewrap")


def test_two_processes_of_a_run_can_talk() -> None:
    assert "got b'hello'" in output(LOOPBACK, profiler_sandbox("best-effort", None))


def test_the_usual_sandbox_makes_no_such_socket() -> None:
    refused = "import socket\ntry:\n    socket.socket()\nexcept OSError as error:\n    print('refused', error.errno)"

    assert "refused 1" in output(refused)


def test_a_port_of_this_host_is_out_of_reach() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = (
            "import socket\ntry:\n"
            f"    socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 2)\n"
            "except OSError as error:\n    print('refused', type(error).__name__)"
        )

        assert "refused ConnectionRefusedError" in output(code, profiler_sandbox("best-effort", None))


def test_other_families_stay_refused() -> None:
    code = (
        "import socket\nfor family in (10, 16, 17):\n"
        "    try:\n        socket.socket(family, 3)\n"
        "    except OSError as error:\n        print(family, error.errno)"
    )

    assert output(code, profiler_sandbox("best-effort", None)).splitlines()[:3] == ["10 1", "16 1", "17 1"]


def test_other_protocols_stay_refused() -> None:
    """UDP, SCTP by stream and by packet, MPTCP, raw: whatever the kernel has of them, the filter answers first."""
    code = (
        "import socket\nfor kind, protocol in ((2, 0), (2, 17), (1, 132), (5, 132), (1, 262), (3, 6)):\n"
        "    try:\n        socket.socket(2, kind, protocol)\n"
        "    except OSError as error:\n        print(error.errno)"
    )

    assert output(code, profiler_sandbox("best-effort", None)).split()[:6] == ["1"] * 6


def test_it_is_proven_by_attempts_once_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profilers, "_held", {})
    row = proven("best-effort", None, 60.0)

    assert (row.name, row.proven) == ("profilers", True)
    assert proven("best-effort", None, 60.0) is row
    monkeypatch.setattr(profilers, "_GOOD_FOR_S", 0.0)
    assert proven("best-effort", None, 60.0) is not row


def test_what_did_not_hold_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profilers, "_held", {})
    with monkeypatch.context() as absent:
        absent.setattr(bubblewrap, "find", lambda: None)
        assert proven("best-effort", None, 60.0).proven is False

    assert proven("best-effort", None, 60.0).proven is True


def test_a_proof_is_given_no_longer_than_it_may_take() -> None:
    row = prove("best-effort", None, timeout_s=0.0)

    assert row.proven is False
    assert "no answer" in row.detail


def test_without_a_network_of_its_own_nothing_is_started() -> None:
    with pytest.raises(SandboxUnavailable, match="network namespace"):
        start("pass", Sandbox("best-effort", loopback=True, without=frozenset({"network_namespace"})))


def test_without_namespaces_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "find", lambda: None)

    with pytest.raises(SandboxUnavailable, match="network namespace of its own"):
        start("pass", profiler_sandbox("best-effort", None))
    assert dataclasses.asdict(prove("best-effort", None))["proven"] is False


def test_switched_off_is_not_proven() -> None:
    assert prove("off", None).proven is None
