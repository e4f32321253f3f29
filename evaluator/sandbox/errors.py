"""What can go wrong with the sandbox itself: always our fault, never the submission's."""

from __future__ import annotations


class SandboxError(RuntimeError):
    """The sandbox could not start a process."""


class SandboxUnavailable(SandboxError):
    """This host cannot give the wanted isolation. The message says what is missing and what to do."""
