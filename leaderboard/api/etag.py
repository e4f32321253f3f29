"""Answers that a client need not fetch twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponseBase, HttpResponseNotModified
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response

IF_NONE_MATCH = OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description="ETag of the answer you have.")
NOT_MODIFIED = OpenApiResponse(description="You have it already.")


def conditional(request: Request, data: object, respond: Callable[[], Response]) -> HttpResponseBase:
    """`respond()` with an ETag of `data` and of the format that was agreed on; 304 without a body when the client has it already.

    Caches must ask again each time (`no-cache`), which costs them a 304.
    """
    renderer = getattr(request, "accepted_renderer", None)
    shown = [getattr(renderer, "format", ""), data]
    digest = hashlib.sha256(json.dumps(shown, cls=DjangoJSONEncoder, sort_keys=True).encode()).hexdigest()
    etag = f'"{digest[:32]}"'
    fresh = get_conditional_response(request._request, etag=etag)
    response = fresh if isinstance(fresh, HttpResponseNotModified) else respond()
    response["ETag"] = etag
    patch_cache_control(response, private=True, no_cache=True)
    patch_vary_headers(response, ["Accept", "Authorization", "Cookie"])
    return response
