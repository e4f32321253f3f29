"""The site's settings over a PostgreSQL of this test run.

Without a given `DATABASE_URL` the first process of the run starts one embedded server (fsync off) and hands its URL on through the
environment, so that all xdist workers share it; pytest-django gives each worker a database of its own.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from kbweb.embedded.postgres import EmbeddedPostgres

if "KB_TEST_DATA_DIR" not in os.environ:
    _directory = Path(tempfile.mkdtemp(prefix="kbtest-"))
    _directory.chmod(0o711)
    os.environ["KB_TEST_DATA_DIR"] = str(_directory)
    atexit.register(shutil.rmtree, _directory, ignore_errors=True)
    if not os.environ.get("DATABASE_URL"):
        _server = EmbeddedPostgres(_directory / "database", fsync=False, createdb=True)
        os.environ["DATABASE_URL"] = _server.start()
        atexit.register(_server.stop)

os.environ["KB_DATA_DIR"] = os.environ["KB_TEST_DATA_DIR"]

from kbweb.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
