from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    name = "leaderboard"

    def ready(self) -> None:
        from leaderboard.imported import ImportedRows
        from leaderboard.receivers import on_evaluation_done
        from submissions.known_ops import provide
        from submissions.signals import evaluation_done

        evaluation_done.connect(on_evaluation_done, dispatch_uid="leaderboard.entries")
        provide(ImportedRows())
