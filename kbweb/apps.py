from django.apps import AppConfig


class KbwebConfig(AppConfig):
    name = "kbweb"

    def ready(self) -> None:
        from kbweb import checks  # noqa: F401 (registers the system checks)
