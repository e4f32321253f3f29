"""Proof that the catalogue is sound: torch and the starters are accepted, generated wrong kernels are refused."""
