from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    name = "leaderboard"

    def ready(self) -> None:
        from leaderboard.receivers import on_evaluation_done
        from submissions.signals import evaluation_done

        evaluation_done.connect(on_evaluation_done, dispatch_uid="leaderboard.entries")
