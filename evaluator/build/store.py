"""Where results of builds are kept: small sets of files under a content-addressed key."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

_KEY = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_MANIFEST = "manifest.json"
_STALE_S = 3600.0
_DEFAULT_CAP_BYTES = 2 << 30


class ArtefactStore(Protocol):
    """Maps a key to files. Build host and device host may differ: whatever is shared between them implements this."""

    def get(self, key: str) -> Mapping[str, bytes] | None:
        """The files of `key`, None when there are none or they are damaged."""
        ...

    def put(self, key: str, files: Mapping[str, bytes]) -> None:
        """Publish all `files` at once. When `key` exists already the earlier files stay."""
        ...

    def drop(self, key: str) -> None: ...


class DirectoryStore:
    """A directory that several processes use at once: entries appear whole by one rename, damaged ones are dropped, and the least
    recently used go when `cap_bytes` is passed. Raises `ValueError` on keys and names that are not plain."""

    def __init__(self, root: Path, *, cap_bytes: int = _DEFAULT_CAP_BYTES) -> None:
        self._root = root
        self._cap_bytes = cap_bytes
        self._since_check: int | None = None
        for directory in (root, self._objects, self._incoming):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)

    @property
    def _objects(self) -> Path:
        return self._root / "objects"

    @property
    def _incoming(self) -> Path:
        return self._root / "incoming"

    def get(self, key: str) -> Mapping[str, bytes] | None:
        place = self._place(key)
        try:
            manifest = json.loads((place / _MANIFEST).read_bytes())
            files = {_checked_name(name): (place / name).read_bytes() for name in manifest}
            if any(hashlib.sha256(data).hexdigest() != manifest[name] for name, data in files.items()):
                raise ValueError("a file does not have its hash")
            os.utime(place)
        except FileNotFoundError:
            if place.exists():
                self.drop(key)
            return None
        except (OSError, ValueError, TypeError, AttributeError):
            self.drop(key)
            return None
        return files

    def put(self, key: str, files: Mapping[str, bytes]) -> None:
        place = self._place(key)
        private = self._incoming / f"{os.getpid()}-{secrets.token_hex(8)}"
        private.mkdir(mode=0o700)
        try:
            for name, data in files.items():
                _write(private / _checked_name(name), data)
            manifest = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
            _write(private / _MANIFEST, json.dumps(manifest).encode())
            place.parent.mkdir(mode=0o700, exist_ok=True)
            with contextlib.suppress(FileExistsError, OSError):
                if not place.exists():
                    private.rename(place)
        finally:
            shutil.rmtree(private, ignore_errors=True)
        self._keep_below_cap(sum(map(len, files.values())) + 4096)

    def drop(self, key: str) -> None:
        self._remove(self._place(key))

    def _place(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key!r} is not a build key")
        return self._objects / key[:2] / key

    def _remove(self, place: Path) -> None:
        """Out of sight by one rename, so that no reader sees half of it, then deleted."""
        doomed = self._incoming / f"doomed-{os.getpid()}-{secrets.token_hex(8)}"
        try:
            place.rename(doomed)
        except OSError:
            return
        shutil.rmtree(doomed, ignore_errors=True)

    def _keep_below_cap(self, added_bytes: int) -> None:
        """Look at the whole store at the first publication and whenever a twentieth of the cap was added since."""
        if self._since_check is not None:
            self._since_check += added_bytes
            if self._since_check < self._cap_bytes // 20:
                return
        self._since_check = 0
        with self._alone() as mine:
            if mine:
                self._evict()

    def _evict(self) -> None:
        entries = []
        for place in self._objects.glob("*/*"):
            with contextlib.suppress(OSError):
                entries.append((place.stat().st_mtime_ns, _size(place), place))
        total = sum(size for _, size, _ in entries)
        for _, size, place in sorted(entries, key=lambda entry: entry[0]):
            if total <= self._cap_bytes:
                break
            self._remove(place)
            total -= size
        for left in self._incoming.iterdir():
            with contextlib.suppress(OSError):
                if time.time() - left.stat().st_mtime > _STALE_S:
                    shutil.rmtree(left, ignore_errors=True)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[bool]:
        handle = os.open(self._root / "evict.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield True
        except BlockingIOError:
            yield False
        finally:
            os.close(handle)


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name == _MANIFEST:
        raise ValueError(f"{name!r} is not a plain file name")
    return name


def _write(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def _size(place: Path) -> int:
    return sum(4096 * -(-file.stat().st_size // 4096) for file in place.iterdir()) + 4096
