"""The statistics of Nsight Systems."""

from __future__ import annotations

import csv
import io

import pytest

from evaluator.profiling import nsys
from evaluator.profiling.bounded import Unreadable

HEADER = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"
TEXT = f"""Generating SQLite file timeline.sqlite from timeline.nsys-rep
Processing [timeline.sqlite] with [cuda_gpu_kern_sum.py]...

{HEADER}
10.0,"1,500",3,500.0,500.0,400,600,100.0,small(int)
90.0,13500,3,4500.0,4500.5,4400,4600,100.0,"void large<int, float>(T *)"
"""


def test_kernels_by_time() -> None:
    large, small = nsys.kernels(TEXT)

    assert (large.name, large.launches, large.total_us, large.median_us) == ("void large<int, float>(T *)", 3, 13.5, 4.5005)
    assert (small.total_us, small.min_us, small.max_us) == (1.5, 0.4, 0.6)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "SKIPPED: timeline.sqlite does not contain CUDA kernel data.",
        HEADER,
        f"{HEADER}\n1,2",
        f"{HEADER}\n1,x,3,4,5,6,7,8,name",
        "Time (%),Name\n1,2\n",
        f'{HEADER}\n1,"' + "x" * 200_000,
    ],
    ids=lambda text: text[:40],
)
def test_no_statistics(text: str) -> None:
    with pytest.raises(Unreadable):
        nsys.kernels(text)


def test_only_so_many_rows_are_read() -> None:
    text = f"{HEADER}\n" + "1,2,3,4,5,6,7,8,name\n" * (nsys.MOST_ROWS + 10)

    assert len(nsys.kernels(text)) == nsys.MOST_ROWS


def test_the_file_is_of_our_own_writing() -> None:
    found = nsys.kernels(f"{HEADER}\n1,2000,3,4,5000,6000,7000,8,@SUM(A1)\n")

    assert list(csv.reader(io.StringIO(nsys.rewritten(found))))[1] == ["'@SUM(A1)", "3", "2.0", "5.0", "6.0", "7.0"]
