"""The CSV of Nsight Compute, as it is documented and as somebody hostile would write it."""

from __future__ import annotations

import csv
import io

import pytest

from evaluator.profiling import ncu_csv
from evaluator.profiling.bounded import Unreadable
from evaluator.profiling.ncu_metrics import DURATION, SHOWN

FIRST = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"]
SM = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
REGISTERS = "launch__registers_per_thread"
READ = "dram__bytes_read.sum"


def table(*launches: dict[str, str], units: dict[str, str] | None = None, names: list[str] | None = None) -> str:
    """A page of raw metrics: names, units, a row a launch, everything in quotes."""
    units = {SM: "%", DURATION: "second", REGISTERS: "register/thread", READ: "byte"} | (units or {})
    metrics = [name for name in dict.fromkeys(key for launch in launches for key in launch) if name not in FIRST]
    written = io.StringIO()
    rows = csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\n")
    rows.writerow([*FIRST, *metrics])
    rows.writerow([*[""] * len(FIRST), *(units.get(name, "") for name in metrics)])
    for number, launch in enumerate(launches):
        own = {"ID": str(number), "Kernel Name": "relu_kernel", "Block Size": "(128, 1, 1)", "Grid Size": "(64, 1, 1)"} | launch
        rows.writerow([own.get(name, "") for name in [*FIRST, *metrics]])
    return written.getvalue()


def test_metrics_with_units() -> None:
    (launch,) = ncu_csv.launches(table({SM: "42.5", DURATION: "0.0000123", REGISTERS: "32"}))

    assert (launch.kernel, launch.grid, launch.block) == ("relu_kernel", "(64, 1, 1)", "(128, 1, 1)")
    assert launch.metrics == {SM: (42.5, "%"), DURATION: (0.0000123, "second"), REGISTERS: (32.0, "register/thread")}


def test_what_the_tool_prints_around_the_table_is_left_out() -> None:
    around = '==PROF== Profiling "relu" - 0: 0%....50%....100% - 9 passes\n{}==PROF== Disconnected from process 7\n==WARNING== a, b, c\n'

    assert len(ncu_csv.launches(around.format(table({SM: "1"}, {SM: "2"})))) == 2


def test_a_kernel_name_of_several_lines_with_quotes() -> None:
    name = 'void f<"a", b>(int,\n  float)'

    (launch,) = ncu_csv.launches(table({"Kernel Name": name, SM: "3"}))

    assert launch.kernel == 'void f<"a", b>(int,   float)'
    assert launch.metrics[SM] == (3.0, "%")


@pytest.mark.parametrize(
    ("shown", "value"),
    [
        ("1,234,567", 1234567.0),
        ("1,234.5", 1234.5),
        ("0", 0.0),
        ("-3.25", -3.25),
        ("4.0e-05", 4e-5),
        (" 7 ", 7.0),
        ("12,34", None),
        ("1.234,5", None),
        ("n/a", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("1e999", None),
        ("1" * 65, None),
        ("12 (3; 4; 5)", None),
        ("0x10", None),
        ("1_000", None),
        ("١٢", None),
    ],
)
def test_numbers(shown: str, value: float | None) -> None:
    assert ncu_csv.number(shown) == value


@pytest.mark.parametrize(
    ("value", "unit", "base"),
    [
        (2.5, "Mbyte", (2.5e6, "byte")),
        (41.28, "usecond", (41.28e-6, "second")),
        (117.0, "ns", (117e-9, "second")),
        (1.5, "Ghz", (1.5e9, "hz")),
        (2.0, "Gbyte/second", (2e9, "byte/second")),
        (3.0, "Tbyte/s", (3e12, "byte/second")),
        (4.0, "byte/block", (4.0, "byte/block")),
        (7.0, "furlong", (7.0, "furlong")),
        (1.0, "", (1.0, "")),
        (9.0, "register/thread", (9.0, "register/thread")),
    ],
)
def test_base_units(value: float, unit: str, base: tuple[float, str]) -> None:
    found, stem = ncu_csv.in_base_units(value, unit)

    assert stem == base[1]
    assert found == pytest.approx(base[0])


def test_a_missing_value_is_missing_and_no_zero() -> None:
    (launch,) = ncu_csv.launches(table({SM: "n/a", READ: "10,240"}))

    assert launch.metrics == {READ: (10240.0, "byte")}
    assert launch.duration_s == 0.0


def test_columns_that_are_no_metrics_are_left_out() -> None:
    (launch,) = ncu_csv.launches(table({SM: "1", "Evil": "2", "=cmd__x": "3", "a__" + "x" * 200: "4"}))

    assert set(launch.metrics) == {SM}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "==ERROR== The application returned an error code (11).",
        '"ID","Process ID","Kernel Name"\n',
        '"ID","Process ID","Something"\n"",""\n',
        '"ID","Process ID","Kernel Name"\n"0","1","no units"\n',
        '"ID","Process ID","Kernel Name"\n"","",""\n"0","1","' + "x" * 200_000,
        '"ID","Process ID",' + ",".join(["x"] * 6000) + "\n",
    ],
    ids=lambda text: text[:40],
)
def test_what_is_no_such_table_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        ncu_csv.launches(text)


def test_rows_of_other_lengths_are_left_out() -> None:
    assert len(ncu_csv.launches(table({SM: "1"}) + '"1","2"\n' + '"x",' * 20)) == 1


def test_only_so_many_launches_are_read() -> None:
    assert len(ncu_csv.launches(table(*[{SM: "1"}] * (ncu_csv.MOST_LAUNCHES + 50)))) == ncu_csv.MOST_LAUNCHES


def test_a_kernel_is_shown_by_its_longest_launch() -> None:
    found = ncu_csv.launches(
        table(
            {"Kernel Name": "short", DURATION: "1e-06", SM: "1"},
            {"Kernel Name": "long", DURATION: "5e-06", SM: "50"},
            {"Kernel Name": "long", DURATION: "9e-06", SM: "90"},
        )
    )

    first, second = ncu_csv.summary(found)

    assert (first.name, first.launches) == ("long", 2)
    assert first.duration_us == pytest.approx(14.0)
    assert next((m.group, m.label, m.value, m.unit) for m in first.metrics) == ("speed of light", "compute throughput", 90.0, "%")
    assert second.name == "short"


def test_only_so_many_kernels_are_shown() -> None:
    found = ncu_csv.launches(table(*({"Kernel Name": f"k{number}", DURATION: "1e-06"} for number in range(60))))

    assert len(ncu_csv.summary(found)) == ncu_csv.MOST_KERNELS


def test_no_figure_is_shown_twice() -> None:
    names = [name for shown in SHOWN for name in shown.names]
    labels = [(shown.group, shown.label) for shown in SHOWN]

    assert len(set(labels)) == len(labels)
    assert names.count(READ) == 1


def test_the_file_is_of_our_own_writing() -> None:
    found = ncu_csv.launches(table({"Kernel Name": '=HYPERLINK("x")', SM: "42.5", READ: "7"}))

    written, left_out = ncu_csv.rewritten(found)

    rows = list(csv.reader(io.StringIO(written.decode())))
    assert left_out == 0
    assert rows[0] == ["kernel", "launch", "grid", "block", "metric", "value", "unit"]
    assert rows[1] == ['\'=HYPERLINK("x")', "0", "(64, 1, 1)", "(128, 1, 1)", SM, "42.5", "%"]


def test_no_cell_of_the_file_is_a_formula() -> None:
    cells = {"Kernel Name": "@SUM(A1)", "Grid Size": "=1+1", "Block Size": "-2", SM: "-1"}
    found = ncu_csv.launches(table(cells, units={SM: "+cmd|x"}))

    (_, row) = csv.reader(io.StringIO(ncu_csv.rewritten(found)[0].decode()))

    assert row == ["'@SUM(A1)", "0", "'=1+1", "'-2", SM, "-1.0", "'+cmd|x"]


def test_the_largest_table_that_is_read_stays_small() -> None:
    """As wide, as long and under names as long as a hostile one can be: bounded by launches times columns, and by the size of a file."""
    names = [f"a__{'x' * 100}{number}" for number in range(ncu_csv.MOST_COLUMNS - len(FIRST))]
    head = ",".join((*FIRST, *names)) + "\n" + "," * (len(FIRST) + len(names) - 1) + "\n"
    row = ",".join(("7", "1", "", "", "k" * 5000, *[""] * 6, *["1"] * len(names))) + "\n"

    found = ncu_csv.launches(head + row * 400)
    written, left_out = ncu_csv.rewritten(found, 1 << 20)

    assert len(found) == ncu_csv.MOST_LAUNCHES
    assert sum(len(launch.metrics) for launch in found) <= ncu_csv.MOST_LAUNCHES * ncu_csv.MOST_COLUMNS
    assert len(written) <= 1 << 20
    assert written.endswith(b"\n")
    assert left_out == sum(len(launch.metrics) for launch in found) + 1 - written.count(b"\n")
