"""The socket of a competition: hints that its boards have changed, for whoever may see them, as long as they may."""

from __future__ import annotations

from channels.db import database_sync_to_async

from submissions.access import Reader
from submissions.competitions.access import access_competition, visible_competitions
from submissions.live.consumers import StreamConsumer
from submissions.streams import competition_stream


class CompetitionConsumer(StreamConsumer):
    """`/ws/competitions/<slug>/`. Whoever is removed from the group hears no more."""

    asks_again = True

    async def stream_for(self, reader: Reader) -> str:
        slug = str(self.scope["url_route"]["kwargs"]["slug"])
        competition = await database_sync_to_async(access_competition)(reader, slug)
        self.seen = visible_competitions(reader).filter(pk=competition.pk)
        return competition_stream(competition.pk)
