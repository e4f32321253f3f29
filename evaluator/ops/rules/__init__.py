"""Tests of answers that are not unique: ties, rounding, random masks (`definition.Rule`)."""
