"""Pictures of results as SVG from the server: no script, no inline style (a strict CSP stays strict), colours by class and `currentColor`.

Each picture has a `…_table` twin with the same numbers for whoever cannot see it.
"""

from leaderboard.charts.activity import activity_svg
from leaderboard.charts.distribution import DistributionRow, distribution_svg, distribution_table
from leaderboard.charts.fast_p import Curve, FastPTable, fast_p_svg, fast_p_table
from leaderboard.charts.record_steps import record_steps_svg
from leaderboard.charts.records import RecordRow, record_sparkline_svg, record_table
from leaderboard.charts.roofline import LimitRow, limits_table, roofline_svg, why_no_roofline
from leaderboard.charts.speedups import SpeedupBar, speedup_bars_svg, speedup_table
from leaderboard.charts.strip import strip_svg

__all__ = [
    "Curve",
    "DistributionRow",
    "FastPTable",
    "LimitRow",
    "RecordRow",
    "SpeedupBar",
    "activity_svg",
    "distribution_svg",
    "distribution_table",
    "fast_p_svg",
    "fast_p_table",
    "limits_table",
    "record_sparkline_svg",
    "record_steps_svg",
    "record_table",
    "roofline_svg",
    "speedup_bars_svg",
    "speedup_table",
    "strip_svg",
    "why_no_roofline",
]
