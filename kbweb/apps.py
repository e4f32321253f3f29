from django.apps import AppConfig
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


class KbwebConfig(AppConfig):
    """Refuses to start an unsafe production: web servers and workers do not run Django's system checks by themselves."""

    name = "kbweb"

    def ready(self) -> None:
        from kbweb.api import schema  # noqa: F401 (registers itself)
        from kbweb.checks import production_is_safe

        if settings.PRODUCTION and (found := production_is_safe(None)):
            raise ImproperlyConfigured("\n".join(["This production site is not safe:", *(f"{one.msg}. {one.hint}" for one in found)]))
