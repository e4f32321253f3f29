from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    name = "leaderboard"

    def ready(self) -> None:
        from django.db.models.signals import post_save

        from leaderboard.housekeeping import keep_house
        from leaderboard.imported import ImportedRows
        from leaderboard.lost_records import on_record_saved
        from leaderboard.models import Record
        from leaderboard.receivers import on_evaluation_done
        from leaderboard.standing import Standings
        from submissions.known_ops import provide
        from submissions.pages import beside
        from submissions.signals import evaluation_done, housekeeping

        evaluation_done.connect(on_evaluation_done, dispatch_uid="leaderboard.entries")
        housekeeping.connect(keep_house, dispatch_uid="leaderboard.boards")
        post_save.connect(on_record_saved, sender=Record, dispatch_uid="leaderboard.lost_records")
        provide(ImportedRows())
        beside.provide(Standings())
