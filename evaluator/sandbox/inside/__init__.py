"""The part of the sandbox that runs inside it, before the hostile code. Standard library only: it starts without site-packages."""
