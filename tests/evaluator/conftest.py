"""Every test process has device locks of its own, so that tests that run side by side do not wait for each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_device_locks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KB_LOCK_DIR", str(tmp_path_factory.mktemp("locks")))
        yield
