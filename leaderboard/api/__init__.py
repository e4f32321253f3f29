"""Ops, devices, leaderboards and the site's status over REST."""
