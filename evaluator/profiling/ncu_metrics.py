"""Which figures of Nsight Compute are shown, by section, and what a person calls them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SECTIONS = (
    "SpeedOfLight",
    "LaunchStats",
    "Occupancy",
    "MemoryWorkloadAnalysis",
    "ComputeWorkloadAnalysis",
)
EXTRA = (
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
)
"""Asked for by name besides the sections. Left out where a GPU does not know one of them."""
DURATION = "gpu__time_duration.sum"


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure under the names that versions of the tool give it, newest first."""

    group: str
    label: str
    names: tuple[str, ...]


def _group(group: str, *rows: tuple[str, str]) -> Sequence[Shown]:
    return [Shown(group, label, tuple(names.split())) for label, names in rows]


SHOWN: tuple[Shown, ...] = (
    *_group(
        "speed of light",
        ("compute throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
        ("memory throughput", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
        ("DRAM throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed dram__throughput.avg.pct_of_peak_sustained_elapsed"),
        ("L2 throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed"),
        ("L1 throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active"),
        ("duration", DURATION),
        ("SM clock", "gpc__cycles_elapsed.avg.per_second smsp__cycles_elapsed.avg.per_second"),
    ),
    *_group(
        "occupancy",
        ("achieved", "sm__warps_active.avg.pct_of_peak_sustained_active"),
        ("theoretical", "sm__maximum_warps_per_active_cycle_pct"),
        ("blocks by registers", "launch__occupancy_limit_registers"),
        ("blocks by shared memory", "launch__occupancy_limit_shared_mem"),
        ("blocks by warps", "launch__occupancy_limit_warps"),
        ("blocks by SM", "launch__occupancy_limit_blocks"),
    ),
    *_group(
        "memory workload",
        ("DRAM rate", "dram__bytes.sum.per_second"),
        ("DRAM read", "dram__bytes_read.sum"),
        ("DRAM written", "dram__bytes_write.sum"),
        ("L1 hit rate", "l1tex__t_sector_hit_rate.pct"),
        ("L2 hit rate", "lts__t_sector_hit_rate.pct"),
        ("memory busy", "gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed"),
        ("largest bandwidth share", "gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed"),
    ),
    *_group(
        "compute workload",
        ("instructions a cycle", "sm__inst_executed.avg.per_cycle_active sm__inst_executed.avg.per_cycle_elapsed"),
        (
            "issue slots busy",
            "sm__inst_issued.avg.pct_of_peak_sustained_active sm__instruction_throughput.avg.pct_of_peak_sustained_active",
        ),
        ("tensor pipe active", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"),
    ),
    *_group(
        "launch",
        ("registers a thread", "launch__registers_per_thread"),
        ("static shared memory", "launch__shared_mem_per_block_static"),
        ("dynamic shared memory", "launch__shared_mem_per_block_dynamic"),
        ("threads", "launch__thread_count"),
        ("waves an SM", "launch__waves_per_multiprocessor"),
    ),
    *_group(
        "spills",
        ("local memory read", "l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum"),
        ("local memory written", "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum"),
        ("spilling instructions", "sass__inst_executed_register_spilling derived__local_spilling_requests"),
    ),
)
