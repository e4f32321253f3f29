"""Webhooks: what a person or a bot wants to be told, signed, and sent until it arrives (`docs/webhooks.md`)."""
