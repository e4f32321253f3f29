"""Why a submission was not taken."""

from __future__ import annotations


class IntakeError(Exception):
    """Nothing was stored. `errors` maps each wrong field to sentences that say what is wrong and what to do."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        self.errors = errors
        super().__init__("; ".join(f"{field}: {' '.join(messages)}" for field, messages in errors.items()))


class QuotaError(IntakeError):
    """The author has too much going. `retry_after_s` says when it can succeed."""

    def __init__(self, message: str, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        super().__init__({"quota": [message]})


class IdempotencyError(IntakeError):
    """The idempotency key was used for something else."""

    def __init__(self, key: str) -> None:
        super().__init__({"idempotency_key": [f"The key {key!r} was used for another submission. Use a new key for new content."]})
