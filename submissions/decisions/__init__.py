"""What moderators decided on evaluations. `leaderboard/moderation.py` makes and withdraws decisions, because boards follow them."""
