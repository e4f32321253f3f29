"""Services that `kb up` runs itself when none is given from outside: a private PostgreSQL."""
