"""`python -m submissions QUEUE [GPU]`: a worker process, as `kb worker` starts it."""

from __future__ import annotations

import os
import sys

import django


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbweb.settings")
    django.setup()
    from submissions.worker import run

    return run(sys.argv[1] if len(sys.argv) > 1 else "", gpu_index=int(sys.argv[2]) if len(sys.argv) > 2 else None)


if __name__ == "__main__":
    sys.exit(main())
