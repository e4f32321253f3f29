from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "submissions"

    def ready(self) -> None:
        from submissions import events
        from submissions.signals import evaluation_done, housekeeping
        from submissions.webhooks.delivering import forget_old
        from submissions.webhooks.receivers import on_evaluation_done

        evaluation_done.connect(on_evaluation_done, dispatch_uid="submissions.webhooks")
        housekeeping.connect(forget_old, dispatch_uid="submissions.webhooks")
        housekeeping.connect(events.forget_old, dispatch_uid="submissions.events")
