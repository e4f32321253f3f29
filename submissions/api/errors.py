"""Intake's refusals as REST errors."""

from __future__ import annotations

from http import HTTPStatus

from rest_framework.exceptions import APIException, ValidationError

from submissions.intake_errors import IdempotencyError, IntakeError, QuotaError


class Conflict(ValidationError):
    """The idempotency key stands for other content."""

    status_code = HTTPStatus.CONFLICT


class QuotaExceeded(APIException):
    """429 with `Retry-After` (DRF takes it from `wait`)."""

    status_code = HTTPStatus.TOO_MANY_REQUESTS
    default_code = "quota"

    def __init__(self, error: QuotaError) -> None:
        self.wait = error.retry_after_s
        super().__init__(" ".join(error.errors["quota"]))


def as_api_error(error: IntakeError) -> APIException:
    if isinstance(error, QuotaError):
        return QuotaExceeded(error)
    kind = Conflict if isinstance(error, IdempotencyError) else ValidationError
    return kind(error.errors)
