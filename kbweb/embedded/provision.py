"""The role and the database of the site, made inside a running server. Safe to run at every start."""

from __future__ import annotations

import psycopg
from psycopg import sql

from kbweb.embedded.credentials import DATABASE, ROLE, Credentials


def provision(credentials: Credentials, *, createdb: bool) -> None:
    """Make role `kbweb` (no superuser; may make databases only in tests) the owner of database `kbweb`, and close it for others."""
    with psycopg.connect(credentials.url(superuser=True, database="postgres"), autocommit=True) as connection:
        verifier = connection.pgconn.encrypt_password(credentials.password.encode(), ROLE.encode(), b"scram-sha-256").decode()
        role, database = sql.Identifier(ROLE), sql.Identifier(DATABASE)
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone():
            connection.execute(sql.SQL("CREATE ROLE {}").format(role))
        rights = sql.SQL("CREATEDB" if createdb else "NOCREATEDB")
        connection.execute(
            sql.SQL("ALTER ROLE {} LOGIN NOSUPERUSER NOCREATEROLE NOREPLICATION {} PASSWORD {}").format(role, rights, sql.Literal(verifier))
        )
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(database, role))
        connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(database))
