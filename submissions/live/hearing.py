"""Whether whoever opened an event stream of an evaluation may still hear it: people leave groups, and tokens are revoked."""

from __future__ import annotations

import time

from django.db.models import Model

from submissions.access import Reader, visible_evaluations
from submissions.models import Evaluation, Visibility

ASK_AGAIN_S = 15.0
"""How often it is asked at least. What not everybody may see is asked for before each page of events."""


class Hearing:
    """Call it before each page. `token`: the row of the token that the request came with."""

    def __init__(self, user: Reader, token: object, evaluation: Evaluation) -> None:
        self._user = user
        self._token = token if isinstance(token, Model) else None
        self._evaluation_id = evaluation.pk
        self._public = evaluation.submission.visibility != Visibility.PRIVATE
        self._asked_at = time.monotonic()

    def __call__(self) -> bool:
        if self._public and time.monotonic() - self._asked_at < ASK_AGAIN_S:
            return True
        self._asked_at = time.monotonic()
        return self._token_stands() and visible_evaluations(self._user).filter(pk=self._evaluation_id).exists()

    def _token_stands(self) -> bool:
        return self._token is None or type(self._token)._default_manager.filter(pk=self._token.pk).exists()
