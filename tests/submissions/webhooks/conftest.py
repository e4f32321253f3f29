"""A receiver on this machine, and the setting that allows it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from tests.submissions.webhooks.receiver import Receiver, receiving


@pytest.fixture
def receiver(settings: LazySettings) -> Iterator[Receiver]:
    settings.WEBHOOKS_PRIVATE = True
    with receiving() as running:
        yield running
