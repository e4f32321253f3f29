"""The engine that judges and times kernels. A plain library: no Django, no database, no settings."""

__version__ = "0.1.0"
