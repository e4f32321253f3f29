"""The signature of a delivery, as standardwebhooks.com defines it, so that its ready libraries can check it.

HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, with the bytes that the secret holds in base64 behind `whsec_`.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, b64encode


def signed_headers(secret: str, delivery_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """`webhook-id`, `webhook-timestamp` (seconds since 1970) and `webhook-signature` (`v1,<base64>`)."""
    key = b64decode(secret.removeprefix("whsec_"))
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    return {
        "webhook-id": delivery_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{b64encode(digest).decode()}",
    }
