"""The filter program, run by a small interpreter of classic BPF."""

from __future__ import annotations

import errno
import struct

import pytest

from evaluator.sandbox.inside import seccomp

ALLOW = 0x7FFF0000
EPERM, ENOSYS = 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
MACHINES = ["x86_64", "aarch64"]


def verdict(machine: str, number: int, *args: int, arch: int | None = None, inet: bool = False) -> int:
    data = struct.pack("=IIQ6Q", number, arch or seccomp.AUDIT_ARCH[machine], 0, *(*args, 0, 0, 0, 0, 0, 0)[:6])
    code = list(struct.iter_unpack("=HBBI", seccomp.assemble(machine, inet=inet)))
    accumulator = at = 0
    while True:
        operation, jump_true, jump_false, value = code[at]
        at += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, value)
            case 0x06:
                return int(value)
            case 0x15:
                at += jump_true if accumulator == value else jump_false
            case 0x35:
                at += jump_true if accumulator >= value else jump_false
            case 0x54:
                accumulator &= value
            case 0x45:
                at += jump_true if accumulator & value else jump_false
            case _:
                raise AssertionError(operation)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_denied_call_is_refused(machine: str) -> None:
    for name, numbers in seccomp.DENIED.items():
        number = numbers[MACHINES.index(machine)]
        if number is not None:
            assert verdict(machine, number) == EPERM, name


@pytest.mark.parametrize("machine", MACHINES)
def test_sockets_are_unix_only(machine: str) -> None:
    for number in ({"x86_64": 41, "aarch64": 198}[machine], {"x86_64": 53, "aarch64": 199}[machine]):
        assert verdict(machine, number, 1) == ALLOW
        assert [verdict(machine, number, family) for family in (2, 10, 16, 17, 40)] == [EPERM] * 5


@pytest.mark.parametrize("machine", MACHINES)
def test_a_loopback_adds_tcp_and_changes_nothing_else(machine: str) -> None:
    socket, socketpair = {"x86_64": (41, 53), "aarch64": (198, 199)}[machine]
    numbers = [*range(500), 0x4000_0001]

    assert [verdict(machine, socket, 2, kind, protocol, inet=True) for kind in (1, 0x801, 0x80801) for protocol in (0, 6)] == [ALLOW] * 6
    assert verdict(machine, socketpair, 2, 1, inet=True) == EPERM
    for number in (socket, socketpair):
        assert verdict(machine, number, 1, 2, inet=True) == ALLOW
        assert [verdict(machine, number, family, 1, inet=True) for family in (10, 16, 17, 40)] == [EPERM] * 4
    assert [verdict(machine, number, inet=True) for number in numbers] == [verdict(machine, number) for number in numbers]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("kind", "protocol"),
    [(2, 0), (2, 17), (2, 136), (1, 132), (1, 262), (1, 33), (5, 0), (5, 132), (3, 6), (6, 33), (0, 0), (2 | 0x80000, 0), (10, 0), (1, 17)],
    ids=lambda number: str(number),
)
def test_of_the_internet_family_nothing_but_tcp_passes(machine: str, kind: int, protocol: int) -> None:
    """UDP, UDP-Lite, SCTP, MPTCP, DCCP, raw and packet sockets."""
    assert verdict(machine, {"x86_64": 41, "aarch64": 198}[machine], 2, kind, protocol, inet=True) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_threads_and_forks_pass_and_new_namespaces_do_not(machine: str) -> None:
    clone = {"x86_64": 56, "aarch64": 220}[machine]

    assert verdict(machine, clone, 0x3D0F00) == ALLOW
    assert verdict(machine, clone, 17) == ALLOW
    assert verdict(machine, clone, 0x10000000 | 17) == EPERM
    assert verdict(machine, 435) == ENOSYS


def test_terminal_injection_is_refused_and_other_ioctls_pass() -> None:
    assert verdict("x86_64", 16, 0, 0x5412) == EPERM
    assert verdict("x86_64", 16, 0, 0xC020462A) == ALLOW


def test_other_abis_are_refused() -> None:
    assert verdict("x86_64", 0, arch=0x40000003) == EPERM
    assert verdict("x86_64", 0x40000000 | 41, 1) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_ordinary_calls_pass(machine: str) -> None:
    for number in {"x86_64": (0, 1, 9, 59, 202, 319), "aarch64": (63, 64, 222, 221, 98, 279)}[machine]:
        assert verdict(machine, number) == ALLOW


def test_a_machine_without_a_filter_is_named() -> None:
    with pytest.raises(OSError, match="riscv64"):
        seccomp.assemble("riscv64")
