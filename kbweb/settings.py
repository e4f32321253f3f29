"""All settings. Defaults run locally; system checks (`kbweb/checks.py`) refuse an unsafe production."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from csp.constants import NONE, SELF

from evaluator.contract import Limits
from kbweb.embedded.credentials import database_url
from kbweb.env import EnvError, env_bool, env_int, env_list, env_str
from kbweb.logging import logging_config
from kbweb.secret_key import stored_key

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env_str("KB_DATA_DIR", str(BASE_DIR / ".kb"))).absolute()

DEBUG = env_bool("KB_DEBUG", False)
PRODUCTION = env_bool("KB_PRODUCTION", False)
SECRET_KEY_GIVEN = bool(env_str("KB_SECRET_KEY"))
SECRET_KEY = env_str("KB_SECRET_KEY") or stored_key(DATA_DIR)
ALLOWED_HOSTS = env_list("KB_ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
PORT = env_int("KB_PORT", 8000, low=1, high=65535)
SITE_URL = env_str("KB_SITE_URL", f"http://127.0.0.1:{PORT}").rstrip("/")
SITE_HOST = urlsplit(SITE_URL).hostname or ""
SANDBOX = env_str("KB_SANDBOX", "strict" if PRODUCTION else "best-effort")
if SANDBOX not in ("strict", "best-effort", "off"):
    raise EnvError(f"KB_SANDBOX={SANDBOX!r} is not one of strict, best-effort, off")
try:
    LIMITS = Limits.parse(env_list("KB_LIMITS", []))
except ValueError as error:
    raise EnvError(f"KB_LIMITS: {error}") from None
EXAMPLES = env_bool("KB_EXAMPLES", True)

# What one author may have (`submissions/limits.py`), and how long the site's own evaluations wait behind everybody's

KB_OPEN_EVALUATIONS = env_int("KB_OPEN_EVALUATIONS", 200, low=1)
KB_SUBMISSIONS_PER_HOUR = env_int("KB_SUBMISSIONS_PER_HOUR", 600, low=1)
KB_ARTEFACT_BYTES_PER_AUTHOR = env_int("KB_ARTEFACT_BYTES_PER_AUTHOR", 256 * 1024**2, low=0)
KB_WEBHOOKS_PER_USER = env_int("KB_WEBHOOKS_PER_USER", 5, low=0)
KB_HOUSE_PATIENCE_S = env_int("KB_HOUSE_PATIENCE_S", 15 * 60, low=0)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "channels",
    "csp",
    "django_filters",
    "django_structlog",
    "kbweb.queue_app.QueueConfig",
    "drf_spectacular",
    "knox",
    "rest_framework",
    "submissions",
    "leaderboard",
    "kbweb",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "kbweb.middleware.RequestLog",
    "kbweb.middleware.refuse_large",
    "kbweb.middleware.refuse_nul",
    "kbweb.middleware.keep_private",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "kbweb.middleware.tell_what_is_not_allowed",
]

ROOT_URLCONF = "kbweb.urls"
ASGI_APPLICATION = "kbweb.asgi.application"
APPEND_SLASH = True

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.context.moderation",
            ],
        },
    },
]

# Database: one PostgreSQL, given by URL or embedded in the data directory


def database(url: str, pool_size: int = 0) -> dict[str, object]:
    """Django's connection settings of a `postgresql://user:password@host:port/name?option=value` URL."""
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise EnvError(f"DATABASE_URL must start with postgresql://, not {parts.scheme or 'nothing'}://")
    options: dict[str, object] = dict(parse_qsl(parts.query))
    host = str(options.pop("host", "") or unquote(parts.hostname or ""))
    if pool_size:
        options["pool"] = {"min_size": 1, "max_size": pool_size, "timeout": 10}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or ""),
        "OPTIONS": options,
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
    }


DATABASE_URL = env_str("DATABASE_URL") or database_url(DATA_DIR) or "postgresql:///kbweb"
if _password := env_str("KB_DATABASE_PASSWORD"):
    _parts = urlsplit(DATABASE_URL)
    DATABASE_URL = _parts._replace(netloc=f"{_parts.username}:{quote(_password, safe='')}@{_parts.netloc.rpartition('@')[2]}").geturl()
DATABASES = {"default": database(DATABASE_URL, env_int("KB_DB_POOL", 0, low=0, high=200))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Queue and live events. Empty: the database itself does it (`kbweb/broker.py`, `submissions/live`)

BROKER_URL = env_str("KB_BROKER_URL")
LISTEN_URL = env_str("KB_LISTEN_URL")
CHANNEL_URL = env_str("KB_CHANNEL_URL")
if CHANNEL_URL:
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [CHANNEL_URL]}}}
else:
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

# What each process remembers: who asked how often (throttles, sign-ins that failed), and what was costly to make

LOCAL = "django.core.cache.backends.locmem.LocMemCache"
CACHES = {
    "default": {"BACKEND": LOCAL, "LOCATION": "default", "OPTIONS": {"MAX_ENTRIES": 100_000}},
    "rendered": {"BACKEND": LOCAL, "LOCATION": "rendered", "OPTIONS": {"MAX_ENTRIES": 200}},
}

# Accounts

AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend", "allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator", "NumericPasswordValidator")
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
ACCOUNT_LOGOUT_REDIRECT_URL = "home"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_USERNAME_VALIDATORS = "kbweb.accounts.names.validators"
ACCOUNT_RATE_LIMITS = {"export": "6/h/user"}
_FORMS = "login signup add_email change_password set_password reset_password reset_password_from_key reauthenticate"
ACCOUNT_FORMS = {name: f"kbweb.accounts.forms.{name.title().replace('_', '')}Form" for name in _FORMS.split()}
ALLAUTH_TRUSTED_PROXY_COUNT = env_int("KB_PROXIES", 0, low=0, high=9)
ACCOUNT_USERNAME_BLACKLIST = ["examples", "kb", "root", "system", "torch_eager", "torch_compile"]
SOCIALACCOUNT_QUERY_EMAIL = True
SOCIALACCOUNT_ADAPTER = "kbweb.accounts.github.SocialAdapter"
GITHUB_CLIENT_ID = env_str("KB_GITHUB_CLIENT_ID")
GITHUB_APP = {"client_id": GITHUB_CLIENT_ID, "secret": env_str("KB_GITHUB_CLIENT_SECRET"), "key": ""}
SOCIALACCOUNT_PROVIDERS = {"github": {"APPS": [GITHUB_APP] if GITHUB_CLIENT_ID else [], "SCOPE": ["read:user", "user:email"]}}
EMAIL_HOST = env_str("KB_EMAIL_HOST")
EMAIL_PORT = env_int("KB_EMAIL_PORT", 25, low=1, high=65535)
EMAIL_HOST_USER = env_str("KB_EMAIL_USER")
EMAIL_HOST_PASSWORD = env_str("KB_EMAIL_PASSWORD")
EMAIL_USE_TLS = env_bool("KB_EMAIL_TLS", False)
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
DEFAULT_FROM_EMAIL = env_str("KB_EMAIL_FROM", "kbweb@localhost")

# Webhooks: addresses that are not on the public internet are for a site that only its own network reaches

WEBHOOKS_PRIVATE = env_bool("KB_WEBHOOKS_PRIVATE", False)

# REST

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "kbweb.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly", "kbweb.api.permissions.TokenScope"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "kbweb.api.parsers.BoundedJSONParser",
        "rest_framework.parsers.MultiPartParser",
        "rest_framework.parsers.FormParser",
    ],
    "DEFAULT_PAGINATION_CLASS": "kbweb.api.pagination.CursorPages",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_SCHEMA_CLASS": "kbweb.api.schema.ScopedSchema",
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.AnonRateThrottle", "rest_framework.throttling.UserRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"anon": env_str("KB_API_RATE_ANON", "600/min"), "user": env_str("KB_API_RATE_USER", "3000/min")},
    "EXCEPTION_HANDLER": "kbweb.api.problem.exception_handler",
    "NUM_PROXIES": ALLAUTH_TRUSTED_PROXY_COUNT,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
KNOX_TOKEN_MODEL = "kbweb.Token"
REST_KNOX = {"AUTH_HEADER_PREFIX": "Bearer", "TOKEN_TTL": timedelta(days=90), "TOKEN_PREFIX": "kb_"}
SPECTACULAR_SETTINGS = {
    "TITLE": "kbweb",
    "DESCRIPTION": "Hand in GPU kernels, follow their evaluation, read the leaderboards.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
}

# Safety of pages

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF, "https://github.com"],
        "frame-ancestors": [NONE],
    },
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
HTTPS = SITE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SECURE_HSTS_SECONDS = env_int("KB_HSTS_SECONDS", 31536000 if HTTPS else 0, low=0)
SECURE_SSL_REDIRECT = env_bool("KB_SSL_REDIRECT", False)
CSRF_FAILURE_VIEW = "kbweb.csrf.failed"
CSRF_TRUSTED_ORIGINS = [SITE_URL, *env_list("KB_TRUSTED_ORIGINS", [])]
if env_bool("KB_BEHIND_PROXY", False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024**2
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024**2

# Time, language, static files, logs

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
STATIC_URL = "/static/"
STATIC_ROOT = env_str("KB_STATIC_ROOT") or (str(BASE_DIR / "staticfiles") if PRODUCTION else None)
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_STORAGE_NAME = (
    "whitenoise.storage.CompressedManifestStaticFilesStorage" if PRODUCTION else "django.contrib.staticfiles.storage.StaticFilesStorage"
)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": STATICFILES_STORAGE_NAME},
}
WHITENOISE_USE_FINDERS = not PRODUCTION
WHITENOISE_AUTOREFRESH = False
LOG_FORMAT = env_str("KB_LOG_FORMAT", "json" if PRODUCTION else "console")
LOGGING = logging_config(LOG_FORMAT, env_str("KB_LOG_LEVEL", "INFO"))
