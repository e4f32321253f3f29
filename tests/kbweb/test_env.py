"""Environment variables: strict readers, secrets from files, sentences that name the variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbweb.env import EnvError, env_bool, env_int, env_list, env_str
from kbweb.secret_key import stored_key
from kbweb.settings import database


def test_a_default_stands_where_nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KB_X", raising=False)

    assert env_str("KB_X", "d") == "d"
    assert env_int("KB_X", 3) == 3
    assert env_bool("KB_X", True) is True
    assert env_list("KB_X", ["a"]) == ["a"]


def test_a_secret_comes_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s3cret\n")
    monkeypatch.setenv("KB_X_FILE", str(tmp_path / "secret"))

    assert env_str("KB_X") == "s3cret"

    monkeypatch.setenv("KB_X_FILE", str(tmp_path / "absent"))
    with pytest.raises(EnvError, match=r"KB_X_FILE.*cannot be read"):
        env_str("KB_X")


@pytest.mark.parametrize(("raw", "said"), [("8o", "not a whole number"), ("0", "outside 1..65535"), ("70000", "outside 1..65535")])
def test_a_wrong_number_is_named(monkeypatch: pytest.MonkeyPatch, raw: str, said: str) -> None:
    monkeypatch.setenv("KB_X", raw)

    with pytest.raises(EnvError, match=f"KB_X.*{said}"):
        env_int("KB_X", 1, low=1, high=65535)


def test_a_wrong_truth_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_X", "maybe")

    with pytest.raises(EnvError, match="KB_X='maybe' is neither true nor false"):
        env_bool("KB_X", False)


def test_lists_are_split_and_trimmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_X", " a, b ,,c")

    assert env_list("KB_X", []) == ["a", "b", "c"]


def test_a_database_url_is_taken_apart() -> None:
    tcp = database("postgresql://me:p%40ss@db.example:5433/site?sslmode=require")
    local = database("postgresql://me:x@/site?host=%2Frun%2Fpg")

    assert (tcp["USER"], tcp["PASSWORD"], tcp["HOST"], tcp["PORT"], tcp["NAME"]) == ("me", "p@ss", "db.example", "5433", "site")
    assert tcp["OPTIONS"] == {"sslmode": "require"}
    assert (local["HOST"], local["PORT"]) == ("/run/pg", "")
    with pytest.raises(EnvError, match="must start with postgresql://, not mysql://"):
        database("mysql://x")


def test_the_secret_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    first = stored_key(tmp_path / "data")

    assert stored_key(tmp_path / "data") == first
    assert len(first) >= 50
    assert (tmp_path / "data/secret_key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["secret_key"]
