"""Op definitions: one file an op, `registry` lists them."""
