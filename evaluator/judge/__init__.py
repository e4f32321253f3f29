"""The trusted side: makes inputs, owns the auditing clock, compares outputs, writes the verdict. Never runs submitted code."""
