"""Pictures of results as SVG from the server: no script, no inline style (a strict CSP stays strict), colours by class and `currentColor`.

Each picture has a `…_table` twin with the same numbers for whoever cannot see it.
"""

from leaderboard.charts.distribution import DistributionRow, distribution_svg, distribution_table
from leaderboard.charts.records import RecordRow, record_sparkline_svg, record_table
from leaderboard.charts.speedups import SpeedupBar, speedup_bars_svg, speedup_table

__all__ = [
    "DistributionRow",
    "RecordRow",
    "SpeedupBar",
    "distribution_svg",
    "distribution_table",
    "record_sparkline_svg",
    "record_table",
    "speedup_bars_svg",
    "speedup_table",
]
