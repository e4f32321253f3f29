"""Statistics against distributions whose figures are known in closed form: how often intervals hold the truth, where quantiles lie.

Simulations have fixed seeds; what they may be off by is four standard errors of the share that they count.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable

import pytest

from evaluator.contract import CaseTiming
from evaluator.timing.stats import BETWEEN_PROCESSES, StopRule, across_processes, quad_ratio, ratio_estimate, sample_stats, summary

NORMAL = statistics.NormalDist()
Draw = Callable[[random.Random], float]
KNOWN: dict[str, tuple[Draw, float]] = {
    "log-normal": (lambda source: source.lognormvariate(0.2, 0.5), math.exp(0.2)),
    "exponential": (lambda source: source.expovariate(1.0), math.log(2)),
    "Pareto, no variance": (lambda source: source.paretovariate(1.5), 2 ** (1 / 1.5)),
    "Cauchy, no mean": (lambda source: 50 + math.tan(math.pi * (source.random() - 0.5)), 50.0),
}
"""How to draw, and the median."""


def covered(shares: int, trials: int, exact: float) -> bool:
    """Whether a simulated share is that probability, but for chance."""
    return abs(shares / trials - exact) <= 4 * math.sqrt(exact * (1 - exact) / trials)


def probability(n: int) -> float:
    """How often the interval of n values holds the median: of ranks k and n + 1 - k, for the k that `ratio_estimate` takes."""
    estimate = ratio_estimate([float(value) for value in range(1, n + 1)])
    return 1 - 2 * sum(math.comb(n, below) for below in range(int(estimate.low))) / 2**n


@pytest.mark.parametrize("n", [6, 21, 60])
@pytest.mark.parametrize("name", KNOWN)
def test_the_interval_holds_the_median_as_often_as_the_binomial_says(name: str, n: int) -> None:
    draw, median = KNOWN[name]
    source, trials = random.Random(f"{name} {n}"), 1500

    estimates = [ratio_estimate([draw(source) for _ in range(n)]) for _ in range(trials)]
    hits = sum(estimate.low <= median <= estimate.high for estimate in estimates)

    assert probability(n) >= 0.95
    assert covered(hits, trials, probability(n))


NOISES: dict[str, Draw] = {
    "quiet": lambda source: source.gauss(0, 0.005),
    "heavy tails": lambda source: max(-9.0, min(9.0, 0.002 * math.tan(math.pi * (source.random() - 0.5)))),
}


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("drift", [0.0, 0.02, -0.05])
def test_quads_hold_the_ratio_while_the_clock_drifts(noise: str, drift: float) -> None:
    """Every command is slower than the last by the drift, and wanders; the order of each quad is drawn, as the judge does."""
    source, truth, quads, trials = random.Random(f"{noise} {drift}"), 1.3, 20, 500

    hits = sum(_estimate(source, truth, quads, drift, NOISES[noise]) for _ in range(trials))

    assert covered(hits, trials, probability(quads))


def _estimate(source: random.Random, truth: float, quads: int, drift: float, noise: Draw) -> bool:
    level, ratios = 0.0, []
    for _ in range(quads):
        baseline_first = source.random() < 0.5
        times: dict[bool, list[float]] = {True: [], False: []}
        for is_baseline in (baseline_first, not baseline_first, not baseline_first, baseline_first):
            level += drift + source.gauss(0, 0.001)
            times[is_baseline].append(math.exp(level + noise(source)) * (truth if is_baseline else 1.0))
        (a1, a2), (b1, b2) = times[True], times[False]
        ratios.append(quad_ratio(a1, b1, b2, a2))
    found = ratio_estimate(ratios)
    return found.low <= truth <= found.high


def test_the_wider_interval_holds_what_other_processes_measure_too() -> None:
    """Each pair of processes has a ratio of its own about the true one; its quads wander about that, as at 5 µs on an H200."""
    source, between, trials = random.Random("processes"), BETWEEN_PROCESSES["cuda"], 2000
    narrow = wide = 0
    for _ in range(trials):
        own = math.exp(source.gauss(0, between))
        found = ratio_estimate([own * math.exp(source.gauss(0, 0.0016)) for _ in range(15)])
        wider = across_processes(found, between)
        narrow += found.low <= 1 <= found.high
        wide += wider.low <= 1 <= wider.high

    assert narrow < 0.65 * trials
    assert 0.94 * trials < wide < 0.98 * trials


def test_an_interval_stays_as_it_is_where_processes_do_not_differ() -> None:
    found = ratio_estimate([1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.9])
    same = across_processes(found, 0.0)

    assert (same.median, same.low, same.high) == pytest.approx((found.median, found.low, found.high))


def test_one_after_the_other_the_same_drift_misleads() -> None:
    """What the quads are for: pairs in one order alone see the drift as a difference."""
    pairs = [math.exp(0.02 * (2 * n)) / math.exp(0.02 * (2 * n + 1)) for n in range(20)]

    assert ratio_estimate(pairs).high < 0.99


def spread(inverse: Callable[[float], float], n: int = 4001) -> list[float]:
    """A sample that fills a distribution evenly: its quantiles at the middles of n equal shares."""
    return [inverse((number + 0.5) / n) for number in range(n)]


def test_figures_of_an_exponential_distribution() -> None:
    stats = sample_stats(spread(lambda share: -math.log(1 - share)))

    assert stats.median_us == pytest.approx(math.log(2), rel=1e-3)
    assert stats.p5_us == pytest.approx(-math.log(0.95), rel=1e-2)
    assert stats.p95_us == pytest.approx(-math.log(0.05), rel=1e-3)
    assert stats.mean_us == pytest.approx(1, rel=1e-3)
    assert stats.cv == pytest.approx(1, rel=1e-2)
    assert stats.mad_us == pytest.approx(math.log((1 + math.sqrt(5)) / 2), rel=1e-3)


def test_figures_of_a_log_normal_distribution() -> None:
    sigma = 0.3
    stats = sample_stats(spread(lambda share: math.exp(sigma * NORMAL.inv_cdf(share))))

    assert stats.median_us == pytest.approx(1, rel=1e-6)
    assert stats.p5_us == pytest.approx(math.exp(-1.6449 * sigma), rel=1e-3)
    assert stats.p95_us == pytest.approx(math.exp(1.6449 * sigma), rel=1e-3)
    assert stats.mean_us == pytest.approx(math.exp(sigma**2 / 2), rel=1e-3)
    assert stats.cv == pytest.approx(math.sqrt(math.exp(sigma**2) - 1), rel=1e-2)


@pytest.mark.parametrize("n", [1, 2, 5, 20, 400])
def test_quantiles_of_equal_steps_are_linear(n: int) -> None:
    stats = sample_stats([float(value) for value in range(n)])

    assert stats.p5_us == pytest.approx(0.05 * (n - 1))
    assert stats.p95_us == pytest.approx(0.95 * (n - 1))
    assert stats.median_us == (n - 1) / 2


RULE = StopRule(budget_s=2.0, min_quads=5, max_quads=400)


@pytest.mark.parametrize(
    ("quads", "elapsed_s", "half_width", "reason"),
    [
        (4, 99.0, 0.0, None),
        (5, 2.0, 0.0, "budget"),
        (20, 2.0, 0.0, "budget"),
        (400, 2.0, 0.0, "budget"),
        (400, 1.9, 0.0, "precise"),
        (400, 1.9, 0.1, "max_quads"),
        (400, 1.9, None, "max_quads"),
        (401, 1.9, 0.0, "max_quads"),
        (25, 1.9, 0.0, None),
        (20, 1.9, RULE.target_half_width, "precise"),
        (20, 1.9, None, None),
    ],
)
def test_reasons_to_stop_have_an_order(quads: int, elapsed_s: float, half_width: float | None, reason: str | None) -> None:
    assert RULE.reason(quads, elapsed_s, half_width) == reason


def case(speedup: float, error: float) -> CaseTiming:
    stats = sample_stats([10.0, 10.0])
    return CaseTiming("wall", stats, stats, speedup, speedup * math.exp(-1.96 * error), speedup * math.exp(1.96 * error), 20, "precise")


def test_the_score_s_interval_holds_the_true_geometric_mean_as_often_as_its_cases_theirs() -> None:
    source, trials = random.Random(11), 2000
    truths, errors = (0.8, 1.1, 2.5, 6.0), (0.002, 0.01, 0.03, 0.005)
    true = statistics.geometric_mean(truths)
    hits = 0

    for _ in range(trials):
        measured = [case(truth * math.exp(source.gauss(0, error)), error) for truth, error in zip(truths, errors, strict=True)]
        total = summary(measured)
        hits += total.low <= true <= total.high

    assert covered(hits, trials, 0.95)


def test_the_score_s_error_is_the_root_of_the_sum_of_squares_over_the_number_of_cases() -> None:
    errors = (0.002, 0.01, 0.03, 0.005)

    total = summary([case(2.0, error) for error in errors])

    assert math.log(total.high / total.speedup) == pytest.approx(1.96 * math.sqrt(sum(error**2 for error in errors)) / 4)
    assert math.log(total.speedup / total.low) == pytest.approx(math.log(total.high / total.speedup))
