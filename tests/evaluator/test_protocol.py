"""Frames over a socket pair: whatever the other side sends, the reader ends with a frame or one of three errors."""

from __future__ import annotations

import array
import contextlib
import gc
import json
import os
import socket
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.protocol import Channel, ChannelClosed, ChannelTimeout, ProtocolError, pair

LIMIT = 4096
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())
MESSAGES = st.dictionaries(st.text(), st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3), max_leaves=6), max_size=4)


@pytest.fixture
def ends() -> Iterator[tuple[Channel, socket.socket]]:
    with _ends() as both:
        yield both


@contextlib.contextmanager
def _ends() -> Iterator[tuple[Channel, socket.socket]]:
    ours, theirs = pair()
    with ours, theirs:
        yield Channel(ours, max_frame_bytes=LIMIT), theirs


def frame(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


def soon() -> float:
    return time.monotonic() + 0.01


@given(st.one_of(st.binary(max_size=200), st.binary(max_size=200).map(frame), st.lists(st.binary(max_size=50).map(frame)).map(b"".join)))
def test_any_bytes(data: bytes) -> None:
    with _ends() as (channel, theirs):
        theirs.sendall(data)
        theirs.close()

        with pytest.raises((ProtocolError, ChannelClosed)):
            while True:
                assert isinstance(channel.receive(deadline=time.monotonic() + 5), dict)


@given(st.binary(max_size=200))
def test_any_bytes_of_somebody_who_stays(data: bytes) -> None:
    with _ends() as (channel, theirs):
        theirs.sendall(data)

        with pytest.raises((ProtocolError, ChannelTimeout)):
            while True:
                channel.receive(deadline=soon())


@given(st.lists(MESSAGES, min_size=1, max_size=4), st.data())
def test_frames_split_anywhere(messages: list[dict[str, object]], data: st.DataObject) -> None:
    stream = b"".join(frame(json.dumps(message).encode()) for message in messages)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    received: list[dict[str, object]] = []

    with _ends() as (channel, theirs):
        for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
            theirs.sendall(stream[start:end])
            with contextlib.suppress(ChannelTimeout):
                while True:
                    received.append(channel.receive(deadline=time.monotonic()))

    assert received == messages


@given(MESSAGES)
def test_what_is_sent_arrives(message: dict[str, object]) -> None:
    with _ends() as (channel, theirs):
        channel.send(message, deadline=time.monotonic() + 5)

        frame_back, descriptors = Channel(theirs, max_frame_bytes=1 << 20).receive_with_fds()

    assert frame_back == json.loads(json.dumps(message))
    assert descriptors == []


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"null", b"3", b'"text"', b"{", b"\xff\xfe{}", b'{"a":"\xff"}', b"[" * 4000, b'{"a":' * 800, b"1" * 4096, b"{}{}"],
)
def test_frames_that_are_none(ends: tuple[Channel, socket.socket], body: bytes) -> None:
    channel, theirs = ends
    theirs.sendall(frame(body))

    with pytest.raises(ProtocolError):
        channel.receive(deadline=time.monotonic() + 5)


@pytest.mark.parametrize("length", [LIMIT + 1, 2**31, 2**32 - 1])
def test_oversized_frame_is_refused_by_its_header(ends: tuple[Channel, socket.socket], length: int) -> None:
    channel, theirs = ends
    theirs.sendall(struct.pack(">I", length))

    with pytest.raises(ProtocolError, match=f"{length} bytes"):
        channel.receive(deadline=time.monotonic() + 5)


def test_largest_frame_is_taken(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    body = json.dumps({"a": "x" * (LIMIT - 9)}).encode()
    assert len(body) == LIMIT
    theirs.sendall(frame(body))

    assert len(str(channel.receive(deadline=time.monotonic() + 5)["a"])) == LIMIT - 9


def test_half_a_frame_times_out_and_is_kept(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    whole = frame(b'{"id": 7}')
    theirs.sendall(whole[:6])

    with pytest.raises(ChannelTimeout):
        channel.receive(deadline=soon())
    theirs.sendall(whole[6:])

    assert channel.receive(deadline=time.monotonic() + 5) == {"id": 7}


def test_a_sender_who_never_stops_is_left_at_the_deadline() -> None:
    """Byte after byte of one large frame, always one more in the buffer when the reader looks."""
    ours, theirs = pair()
    done = threading.Event()

    def drip() -> None:
        with contextlib.suppress(OSError):
            theirs.sendall(struct.pack(">I", 1 << 30))
            while not done.is_set():
                theirs.sendall(b" " * 64)

    with ours, theirs:
        thread = threading.Thread(target=drip)
        thread.start()
        started = time.monotonic()
        with pytest.raises(ChannelTimeout):
            Channel(ours, max_frame_bytes=1 << 30).receive(deadline=started + 0.2)
        took = time.monotonic() - started
        done.set()
        ours.shutdown(socket.SHUT_RDWR)
        thread.join(10)

    assert took < 5


def test_somebody_who_does_not_read_is_left_at_the_deadline(ends: tuple[Channel, socket.socket]) -> None:
    channel, _theirs = ends

    with pytest.raises(ChannelTimeout):
        channel.send({"a": "x" * (8 << 20)}, deadline=time.monotonic() + 0.05)


@pytest.mark.parametrize("how", ["close", "shutdown"])
def test_sending_to_somebody_who_is_gone(ends: tuple[Channel, socket.socket], how: str) -> None:
    channel, theirs = ends
    if how == "close":
        theirs.close()
    else:
        theirs.shutdown(socket.SHUT_RDWR)

    with pytest.raises(ChannelClosed):
        channel.send({"a": 1}, deadline=time.monotonic() + 5)
    with pytest.raises(ChannelClosed):
        channel.receive(deadline=time.monotonic() + 5)


def test_sending_descriptors_to_somebody_who_is_gone(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    theirs.close()

    with pytest.raises(ChannelClosed):
        channel.send({"a": 1}, [0], deadline=time.monotonic() + 5)


def test_a_channel_that_we_closed_ourselves_is_closed(ends: tuple[Channel, socket.socket]) -> None:
    ours, _ = ends
    ours.close()

    with pytest.raises(ChannelClosed):
        ours.send({"cmd": "unmap"}, deadline=time.monotonic() + 1)
    with pytest.raises(ChannelClosed):
        ours.receive(deadline=time.monotonic() + 1)


def test_not_a_number_is_never_sent(ends: tuple[Channel, socket.socket]) -> None:
    with pytest.raises(ValueError, match="JSON"):
        ends[0].send({"a": float("nan")})


def test_descriptors_reach_the_candidate(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    handle = os.memfd_create("sent")
    os.write(handle, b"hello")
    channel.send({"id": 1}, [handle, handle])

    message, descriptors = Channel(theirs, max_frame_bytes=LIMIT).receive_with_fds()

    assert message == {"id": 1}
    assert [os.pread(d, 10, 0) for d in descriptors] == [b"hello", b"hello"]
    for each in (handle, *descriptors):
        os.close(each)


def test_descriptors_from_the_candidate_are_dropped(ends: tuple[Channel, socket.socket]) -> None:
    channel, theirs = ends
    handle = os.memfd_create("planted")
    before = _descriptors()
    for _ in range(20):
        _send_with_rights(theirs, frame(b"{}"), [handle] * 10)

    assert [channel.receive(deadline=time.monotonic() + 5) for _ in range(20)] == [{}] * 20
    assert _descriptors() == before
    os.close(handle)


@settings(max_examples=30)
@given(st.integers(0, 8))
def test_ready_says_whether_something_came(size: int) -> None:
    with _ends() as (channel, theirs):
        theirs.sendall(b"\x00" * size)

        assert channel.ready(0) == (size > 0)


def _send_with_rights(sock: socket.socket, data: bytes, handles: Sequence[int]) -> None:
    sock.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", handles))])


def _descriptors() -> int:
    gc.collect()  # what earlier tests left must not be closed in between
    return len(list(Path("/proc/self/fd").iterdir()))
