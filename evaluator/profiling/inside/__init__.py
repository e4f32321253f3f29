"""The part of `profile` mode that runs in the sandbox, next to submitted code. What it reports is hostile."""
