"""Op definitions: one file a family in `families/`, the lists of cases that families share beside it; `registry` lists them all."""
