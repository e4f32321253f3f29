"""The documents as text for programs that read: `/llms.txt`."""

from __future__ import annotations

import hashlib

from django.conf import settings

from kbweb.docs.shelf import DOCS

WHOLE = ("api-guide", "judging", "formats")
"""The documents that stand in the text itself; the others are named with their addresses."""
INTRODUCTION = """\
# kbweb

> Hand in a GPU kernel for an op. It is built in a sandbox, checked against an fp64 reference on secret inputs, timed beside torch, and
> ranked per op and device. Kernels are handed in, followed and compared over REST as on pages; agents are welcome.

Start with `GET {url}/api/v1/ops`, read `GET {url}/api/v1/ops/<slug>`, hand in with `POST {url}/api/v1/submissions?wait=60`, and read
`GET {url}/api/v1/evaluations/<id>/feedback` when it was not accepted. A person makes the token at {url}/me/. OpenAPI: {url}/api/schema/.
"""


def for_agents() -> str:
    """An introduction, the list of all documents, and the API guide, the way of judging and the formats in full."""
    listed = "\n".join(f"- [{doc.label}]({settings.SITE_URL}{doc.source_address}): {doc.says}" for doc in DOCS.values())
    whole = "\n\n".join(DOCS[name].text().strip() for name in WHOLE)
    return f"{INTRODUCTION.format(url=settings.SITE_URL)}\n## Documents\n\n{listed}\n\n{whole}\n"


def etag(text: str) -> str:
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"'
