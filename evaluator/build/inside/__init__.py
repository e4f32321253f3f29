"""The part of a build that runs in the sandbox. Standard library only; it parses submitted code and never runs it."""
