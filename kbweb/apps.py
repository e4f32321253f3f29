from django.apps import AppConfig
from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.core.exceptions import ImproperlyConfigured


class KbwebConfig(AppConfig):
    """Refuses to start an unsafe production: web servers and workers do not run Django's system checks by themselves."""

    name = "kbweb"

    def ready(self) -> None:
        from kbweb.accounts.recent import on_signed_in
        from kbweb.api import schema  # noqa: F401 (registers itself)
        from kbweb.checks import production_is_safe

        user_logged_in.connect(on_signed_in, dispatch_uid="kbweb.signed_in_at")
        if settings.PRODUCTION and (found := production_is_safe(None)):
            raise ImproperlyConfigured("\n".join(["This production site is not safe:", *(f"{one.msg}. {one.hint}" for one in found)]))
