"""Names of the event streams."""

from __future__ import annotations

CHANNEL = "kb_events"
FEED = "feed"


def evaluation_stream(evaluation_id: str) -> str:
    return f"evaluation:{evaluation_id}"


def competition_stream(competition_id: int) -> str:
    """All boards of a competition. Read by those alone who may see it."""
    return f"competition:{competition_id}"


def board_stream(op: str, device: str) -> str:
    return f"board:{op}/{device}"
