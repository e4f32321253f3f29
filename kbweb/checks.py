"""System checks that refuse an unsafe production (`KB_PRODUCTION=true`)."""

from __future__ import annotations

from collections.abc import Sequence

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register


@register()
def production_is_safe(app_configs: Sequence[AppConfig] | None, **kwargs: object) -> list[CheckMessage]:
    """Each finding names the variable to set. Nothing is checked outside production."""
    if not settings.PRODUCTION:
        return []
    findings = [
        (settings.DEBUG, "KB_DEBUG shows source code and settings to everyone", "Unset KB_DEBUG."),
        (not settings.SECRET_KEY_GIVEN, "KB_SECRET_KEY is not set", "Set KB_SECRET_KEY or KB_SECRET_KEY_FILE to 50 random characters."),
        (len(settings.SECRET_KEY) < 32, "KB_SECRET_KEY is shorter than 32 characters", "Use a longer random value."),
        ("*" in settings.ALLOWED_HOSTS, "KB_ALLOWED_HOSTS allows every host name", "List the site's own host names."),
        (not settings.HTTPS, f"KB_SITE_URL={settings.SITE_URL} is not https", "Set KB_SITE_URL to the public https:// address."),
        (settings.SITE_HOST not in settings.ALLOWED_HOSTS, "KB_ALLOWED_HOSTS lacks the host of KB_SITE_URL", "Add it to KB_ALLOWED_HOSTS."),
        (settings.SANDBOX == "off", "KB_SANDBOX=off runs everyone's code without isolation", "Set KB_SANDBOX=strict."),
    ]
    return [Error(message, hint=hint, id=f"kbweb.E{n:03}") for n, (found, message, hint) in enumerate(findings, 1) if found]
