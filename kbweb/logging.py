"""Structured logs: lines for people on a terminal, JSON where a machine reads them (`KB_LOG_FORMAT`)."""

from __future__ import annotations

import logging

import structlog

from kbweb.env import EnvError

SHARED: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]


class NotYetReady(logging.Filter):
    """Drops what Django and django-structlog say about a 503 of `/readyz`: whoever polls it reads the answer itself."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "/readyz" not in f"{record.msg} {record.args}"


def logging_config(style: str, level: str) -> dict[str, object]:
    """Configure structlog and return Django's LOGGING. `style` is `console` or `json`."""
    if style not in ("console", "json"):
        raise EnvError(f"KB_LOG_FORMAT={style!r} is neither console nor json")
    if level not in ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"):
        raise EnvError(f"KB_LOG_LEVEL={level!r} is not one of DEBUG, INFO, WARNING, ERROR, CRITICAL")
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    last: list[structlog.typing.Processor] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        if style == "json"
        else [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": SHARED,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
            }
        },
        "filters": {"not yet ready": {"()": NotYetReady}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["not yet ready"]}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django.server": {"handlers": ["stderr"], "level": level, "propagate": False},
            "django_structlog": {"level": "WARNING" if style == "console" else level},
            "uvicorn.access": {"level": "WARNING"},
            "httpx": {"level": "WARNING"},
        },
    }
