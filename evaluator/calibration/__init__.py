"""What this machine really does: bandwidth, peaks and launches, measured (`docs/speed-of-light.md`)."""
