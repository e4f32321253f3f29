"""The sandbox, proven from inside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from evaluator.host_gpus import host_gpus
from evaluator.sandbox import probe
from kbweb.doctor.finding import Finding
from kbweb.env import env_str

TODO = {
    "enforcing": "",
    "degraded": "See the lines below. In a container: allow user namespaces, or run as root. With KB_SANDBOX=strict nothing is judged so.",
    "off": "KB_SANDBOX=off runs everyone's code without isolation: only for code of people you trust.",
}


def isolation() -> Iterator[Finding]:
    """One line for the whole, one for each attempt from inside: refused, or what is lost because it was not."""
    mode = env_str("KB_SANDBOX", "best-effort")
    table = probe(mode, gpu_index=0 if host_gpus() else None)
    worst: Literal["warn", "fail"] = "fail" if mode == "strict" else "warn"
    level = "ok" if table.overall == "enforcing" else worst
    yield Finding(
        level,
        "sandbox",
        f"{table.overall} (mode {mode}, {table.seconds:.1f} s){': ' + table.error if table.error else ''}",
        TODO[table.overall],
    )
    for row in table.rows:
        if row.proven is False:
            yield Finding(worst, f"  {row.layer}", f"not so: {row.wanted}" + (f" ({row.detail})" if row.detail else ""), row.consequence)
        elif row.proven is None:
            yield Finding("ok", f"  {row.layer}", f"not tried: {row.wanted}" + (f" ({row.detail})" if row.detail else ""))
        elif not row.name.startswith("layer:"):
            yield Finding("ok", f"  {row.layer}", row.wanted)
