"""A seccomp deny-list, assembled as classic BPF by hand so that no library is needed.

Refused calls fail with EPERM, so that libraries fall back instead of dying; `clone3` fails with ENOSYS, because its flags lie in
memory that a filter cannot read and libc then uses `clone`. Sockets are AF_UNIX only (CUDA needs those), and TCP over AF_INET where a
run may use the loopback of its own network namespace.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from evaluator.sandbox.inside import kernel

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_COLUMN = {"x86_64": 0, "aarch64": 1}

# name: (number on x86_64, number on aarch64); None where the architecture has no such call.
DENIED: dict[str, tuple[int | None, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    # large kernel interfaces that no kernel needs
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "modify_ldt": (154, None),
    "iopl": (172, None),
    "ioperm": (173, None),
    "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42),
    "uselib": (134, None),
    "personality": (135, 92),
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    # keys, accounting, the machine and its clock
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    # memory and messages that outlive a process or that no limit counts
    "shmget": (29, 194),
    "shmat": (30, 196),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "memfd_secret": (447, 447),
}
_SOCKET, _SOCKETPAIR = (41, 198), (53, 199)
_CLONE = (56, 220)
_CLONE3 = (435, 435)
_IOCTL = (16, 29)

NAMESPACE_FLAGS = 0x0002_0000 | 0x0200_0000 | 0x0400_0000 | 0x0800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
AF_UNIX, AF_INET = 1, 2
SOCK_STREAM, IPPROTO_TCP = 1, 6
_TYPE_MASK = 0xF
"""The bits of a socket's type that are not flags (SOCK_CLOEXEC, SOCK_NONBLOCK)."""

_LOAD, _AND, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_SET, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _ARG0, _ARG1, _ARG2 = 0, 4, 16, 24, 32
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_X32 = 0x40000000

_SET_MODE_FILTER = 1
_SYS_SECCOMP = {"x86_64": 317, "aarch64": 277}


class Unsupported(OSError):
    """This machine has no filter here."""


def _op(code: int, value: int, jump_true: int = 0, jump_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, jump_true, jump_false, value & 0xFFFFFFFF)


def _refuse(error: int) -> bytes:
    return _op(_RETURN, _ERRNO | error)


_TCP = [  # followed by a refusal and, behind that, the permission
    _op(_JUMP_EQUAL, AF_INET, 0, 6),
    _op(_LOAD, _ARG1),
    _op(_AND, _TYPE_MASK),
    _op(_JUMP_EQUAL, SOCK_STREAM, 0, 3),
    _op(_LOAD, _ARG2),
    _op(_JUMP_EQUAL, 0, 2, 0),
    _op(_JUMP_EQUAL, IPPROTO_TCP, 1, 0),
]


def assemble(machine: str, *, inet: bool = False) -> bytes:
    """The filter program for `machine` (`x86_64` or `aarch64`); `inet` lets TCP over AF_INET pass. Raises `Unsupported` for any other."""
    if machine not in AUDIT_ARCH:
        raise Unsupported(errno.ENOSYS, f"no seccomp filter is written for {machine}")
    column = _COLUMN[machine]
    code = [_op(_LOAD, _ARCH), _op(_JUMP_EQUAL, AUDIT_ARCH[machine], 1, 0), _refuse(errno.EPERM), _op(_LOAD, _NUMBER)]
    if machine == "x86_64":
        code += [_op(_JUMP_GREATER_EQUAL, _X32, 0, 1), _refuse(errno.EPERM)]
    for numbers in DENIED.values():
        number = numbers[column]
        if number is not None:
            code += [_op(_JUMP_EQUAL, number, 0, 1), _refuse(errno.EPERM)]
    code += [_op(_JUMP_EQUAL, _CLONE3[column], 0, 1), _refuse(errno.ENOSYS)]
    for call, rest in ((_SOCKET, _TCP if inet else []), (_SOCKETPAIR, [])):
        code += [
            _op(_JUMP_EQUAL, call[column], 0, 4 + len(rest)),
            _op(_LOAD, _ARG0),
            _op(_JUMP_EQUAL, AF_UNIX, 1 + len(rest), 0),
            *rest,
            _refuse(errno.EPERM),
            _op(_RETURN, _ALLOW),
        ]
    code += [
        _op(_JUMP_EQUAL, _CLONE[column], 0, 4),
        _op(_LOAD, _ARG0),
        _op(_JUMP_SET, NAMESPACE_FLAGS, 0, 1),
        _refuse(errno.EPERM),
        _op(_RETURN, _ALLOW),
        _op(_JUMP_EQUAL, _IOCTL[column], 0, 4),
        _op(_LOAD, _ARG1),
        _op(_JUMP_EQUAL, TIOCSTI, 1, 0),
        _op(_JUMP_EQUAL, TIOCLINUX, 0, 1),
        _refuse(errno.EPERM),
        _op(_RETURN, _ALLOW),
    ]
    return b"".join(code)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


def apply(*, inet: bool = False) -> None:
    """Put the filter on this process for good. Needs no_new_privs. Raises `OSError`."""
    code = assemble(kernel.MACHINE, inet=inet)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.addressof(buffer))
    kernel.syscall(_SYS_SECCOMP[kernel.MACHINE], _SET_MODE_FILTER, 0, ctypes.addressof(program))
