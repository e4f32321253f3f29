"""What tests of the evaluator share when they run side by side on a busy machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("side by side", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("side by side")


@pytest.fixture(scope="session", autouse=True)
def own_device_locks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every test process has device locks of its own, so that none waits for another."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KB_LOCK_DIR", str(tmp_path_factory.mktemp("locks")))
        yield
