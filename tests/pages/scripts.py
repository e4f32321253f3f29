"""The JavaScript that a page makes a browser fetch: its script tags and all that these modules import."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from django.contrib.staticfiles import finders

SCRIPT = re.compile(r'<script[^>]*\bsrc="/static/([^"?]+)"|<link[^>]*\brel="modulepreload"[^>]*\bhref="/static/([^"?]+)"')
IMPORT = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.{1,2}/[^"']+)["']""")


def shipped(html: str) -> set[Path]:
    """All files, also those that are imported later."""
    found: set[Path] = set()
    waiting = [_file(one or other) for one, other in SCRIPT.findall(html)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += [(path.parent / name).resolve() for name in IMPORT.findall(path.read_text())]
    return found


def gzipped(paths: set[Path]) -> int:
    """Bytes on the wire."""
    return sum(len(gzip.compress(path.read_bytes(), 6)) for path in paths)


def _file(name: str) -> Path:
    path = finders.find(name)
    assert isinstance(path, str), f"no static file {name}"
    return Path(path).resolve()
