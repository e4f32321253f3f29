"""Traces as files: text, parquet, folders. What is wrong is reported with its place, and the rest is used."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from pathlib import Path

import pytest

from evaluator.ops.admission import Complaint
from evaluator.ops.definition import TensorSpec
from evaluator.ops.traces.load import SAMPLE, SourceError, load
from evaluator.ops.traces.parquet import ParquetError
from evaluator.ops.traces.recipe import Recipe
from evaluator.ops.traces.text import read_lines

GOOD = "((T([8, 16], f32),), {})"


def complaints(found: Sequence[Recipe | Complaint]) -> list[tuple[str, str]]:
    return [(one.where, one.reason) for one in found if isinstance(one, Complaint)]


def recipes(found: Sequence[Recipe | Complaint]) -> list[Recipe]:
    return [one for one in found if isinstance(one, Recipe)]


class TestText:
    def test_calls_belong_to_the_operator_above(self) -> None:
        found = list(
            read_lines(
                ["# note", "Operator: aten.relu.default\n", f"cnt: 3, {GOOD}\n", "", "Operator: aten.sum.SymInt", f"cnt: 0, {GOOD}"], "t"
            )
        )

        assert found == [
            Recipe("aten.relu.default", (TensorSpec((8, 16)),), {}, 3, "t:3"),
            Recipe("aten.sum.dim_IntList", (TensorSpec((8, 16)),), {}, 0, "t:6"),
        ]

    def test_each_wrong_line_is_reported_and_the_rest_is_used(self) -> None:
        lines = [
            f"cnt: 1, {GOOD}",
            "Operator: aten.relu.default",
            "cnt: 1, ((T([8, 16], f33),), {})",
            "cnt: many, ((), {})",
            "what is this",
            f"cnt: 1, (({'[' * 5000}{']' * 5000},), {{}})",
            f"cnt: 1, {'x' * 40_000}",
            f"cnt: 2, {GOOD}",
        ]

        found = list(read_lines(lines, "trace.txt"))

        assert [one.count for one in recipes(found)] == [2]
        assert complaints(found) == [
            ("trace.txt:1", "a call before the first `Operator:` line"),
            ("trace.txt:3", "aten.relu.default: the name 'f33' is not known here"),
            ("trace.txt:4", "neither `Operator: …` nor `cnt: …, (…)`: 'cnt: many, ((), {})'"),
            ("trace.txt:5", "neither `Operator: …` nor `cnt: …, (…)`: 'what is this'"),
            ("trace.txt:6", "aten.relu.default: brackets are nested 5002 deep, 12 are allowed"),
            ("trace.txt:7", "the line has 40008 characters, 32768 are allowed"),
        ]

    def test_the_sample_is_without_fault(self) -> None:
        found = list(load(SAMPLE))

        assert complaints(found) == []
        assert len({one.target for one in recipes(found)}) >= 15


class TestParquet:
    @pytest.fixture
    def table(self, tmp_path: Path) -> Path:
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = tmp_path / "trace.parquet"
        rows = [
            {"op_name": "aten.relu.default", "args": GOOD, "count": 4, "runnable": True, "included_in_benchmark": True},
            {"op_name": "aten.relu.default", "args": f"'{GOOD}'", "is_overhead_dominated_op": True},
            {"op_name": "aten.gelu.default", "args": GOOD, "included_in_benchmark": False, "why_excluded": ["too fast", "too dull"]},
            {"op_name": "aten.gelu.default", "args": GOOD, "runnable": False},
            {"op_name": "aten.gelu.default", "args": "((eval('1'),), {})"},
            {"op_name": None, "args": GOOD},
        ]
        names = ["op_name", "args", "count", "runnable", "included_in_benchmark", "is_overhead_dominated_op", "why_excluded"]
        pq.write_table(pa.table({name: [row.get(name) for row in rows] for name in names}), file)
        return file

    def test_rows_are_calls_and_flags_are_heeded(self, table: Path) -> None:
        found = list(load(table))

        assert [(one.target, one.count, one.timed) for one in recipes(found)] == [
            ("aten.relu.default", 4, True),
            ("aten.relu.default", 1, False),
        ]
        assert complaints(found) == [
            ("trace.parquet:3", "aten.gelu.default: left out by the table: too fast; too dull"),
            ("trace.parquet:4", "aten.gelu.default: left out by the table: no reason given"),
            ("trace.parquet:5", "aten.gelu.default: eval('1') is not known here"),
            ("trace.parquet:6", "op_name and args must be texts"),
        ]

    def test_a_table_without_the_columns_is_refused(self, tmp_path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"a": [1], "op_name": ["x"]}), tmp_path / "x.parquet")

        with pytest.raises(ParquetError, match=r"x.parquet has no column args; it has a, op_name"):
            list(load(tmp_path / "x.parquet"))

    def test_what_is_no_parquet_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "x.parquet").write_bytes(b"PAR1 no")

        with pytest.raises(ParquetError, match=r"x.parquet cannot be read as parquet"):
            list(load(tmp_path / "x.parquet"))

    def test_without_pyarrow_it_is_said_what_to_install(self, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real = builtins.__import__

        def absent(name: str, *args: object, **kwargs: object) -> object:
            if name.startswith("pyarrow"):
                raise ImportError(name)
            return real(name, *args, **kwargs)  # type: ignore[arg-type]

        monkeypatch.setattr(builtins, "__import__", absent)

        with pytest.raises(ParquetError, match="pip install pyarrow"):
            list(load(table))


class TestFolders:
    def test_all_traces_below_are_read_in_order(self, tmp_path: Path) -> None:
        (tmp_path / "b").mkdir()
        for name in ("b/two.txt", "one.txt"):
            (tmp_path / name).write_text(f"Operator: aten.relu.default\ncnt: 1, {GOOD}\n")
        (tmp_path / "readme.md").write_text("no trace")

        assert [one.where for one in load(tmp_path)] == ["two.txt:2", "one.txt:2"]

    def test_what_is_not_there_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match=r"holds 0 files of the kinds .txt and .parquet"):
            list(load(tmp_path))
        with pytest.raises(SourceError, match="nothing does not exist"):
            list(load(tmp_path / "nothing"))
        (tmp_path / "a.csv").write_text("x")
        with pytest.raises(SourceError, match=r"a.csv is neither .txt nor .parquet"):
            list(load(tmp_path / "a.csv"))
