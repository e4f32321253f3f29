"""All settings. Defaults run locally; system checks (`kbweb/checks.py`) refuse an unsafe production."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from kbweb.env import EnvError, env_bool, env_int, env_list, env_str

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env_str("KB_DATA_DIR", str(BASE_DIR / ".kb"))).absolute()

DEBUG = env_bool("KB_DEBUG", False)
PRODUCTION = env_bool("KB_PRODUCTION", False)
SECRET_KEY = env_str("KB_SECRET_KEY", "")
ALLOWED_HOSTS = env_list("KB_ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
SITE_URL = env_str("KB_SITE_URL", f"http://127.0.0.1:{env_int('KB_PORT', 8000, low=1, high=65535)}")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "channels",
    "csp",
    "django_filters",
    "django_htmx",
    "django_structlog",
    "dramatiq_postgres.django",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "knox",
    "rest_framework",
    "submissions",
    "leaderboard",
    "kbweb",
]

ROOT_URLCONF = "kbweb.urls"
ASGI_APPLICATION = "kbweb.asgi.application"


def database(url: str) -> dict[str, object]:
    """Django's connection settings of a `postgresql://user:password@host:port/name?option=value` URL."""
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise EnvError(f"DATABASE_URL must start with postgresql://, not {parts.scheme or 'nothing'}://")
    options: dict[str, object] = dict(parse_qsl(parts.query))
    host = str(options.pop("host", "") or unquote(parts.hostname or ""))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or ""),
        "OPTIONS": options,
        "CONN_MAX_AGE": 0,
    }


DATABASES = {"default": database(env_str("DATABASE_URL", "postgresql:///kbweb"))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
