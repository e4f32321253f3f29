"""`kb up`: every process of the site on one machine, started in order, kept alive, stopped in order."""
