"""What is concluded from commands of many calls, from single ones, and from the judge's own work; on times that are written here."""

from __future__ import annotations

import pytest

from evaluator.contract import CaseTiming, Flag
from evaluator.judge.audit import Audit, Commanded
from evaluator.judge.doubts import Doubts, hides_in_many, shares_the_gpu, waits_for_the_gpu, works_early
from evaluator.timing.stats import RatioEstimate, sample_stats


def audits(torch_us: float, kernel_us: float, **more: tuple[float, float]) -> list[Audit]:
    """Ten quads at these times a call; `more` names further readings, torch's and the kernel's."""
    theirs, ours = (
        Commanded(us, us * 5, us * 5 + 80, 0.0, **{name: pair[side] for name, pair in more.items()})
        for side, us in enumerate((torch_us, kernel_us))
    )
    return [Audit((theirs, theirs), (ours, ours))] * 10


@pytest.mark.parametrize(
    ("many", "single", "hides"),
    [
        ((100, 50), (100, 50), False),
        ((100, 50), (102, 52), False),  # a launch that is colder, for both alike
        ((100, 50), (100, 58), False),  # within a tenth and 4 µs
        ((100, 50), (100, 60), True),
        ((39.22, 24.2), (44.37, 32.21), False),  # two kernels of a right submission against torch's one, on an H100
        ((5, 0.2), (8, 12), True),  # one launch for all calls of a graph
        ((100, 20), (100, 100), True),  # all work in the first call
        ((100, 50), (130, 79), False),
        ((4.84, 4.84), (8.40, 9.06), False),  # torch against itself, on an H200
        ((1.55, 1.38), (4.61, 4.58), False),  # there in Triton: one short kernel
        ((4.58, 9.04), (7.90, 15.04), False),  # there: much code
        ((32.50, 22.40), (34.59, 26.83), False),  # there: the catalogue's coldest
        ((3.69, 2.57), (7.09, 7.76), False),  # there: one launch for all calls, which saves a gap a call
        ((2.31, 0.04), (5.70, 4.61), True),  # there a kernel of 1.7 µs, had it claimed what one launch for all might take
        ((1.44, 0.04), (4.70, 4.35), True),  # one of 1.38 µs, likewise
        ((2, 6), (7, 17), False),  # many small kernels against torch's one: colder, and slower than it claims by no means
    ],
)
def test_a_single_call_tells_what_many_hide(many: tuple[float, float], single: tuple[float, float], hides: bool) -> None:
    assert hides_in_many(audits(*many), audits(*single), graph=True) is hides


def test_a_call_from_python_may_be_colder_than_one_in_a_graph() -> None:
    many, single = audits(10.9, 38), audits(10.2, 54)  # a kernel that looks at a result, on an H100

    assert not hides_in_many(many, single, graph=False)
    assert hides_in_many(many, single, graph=True)
    assert hides_in_many(audits(200, 20), audits(200, 200), graph=False)


def test_what_waits_in_each_call_is_no_forgery() -> None:
    assert waits_for_the_gpu(128 * 32.0, 128, graph=False)
    assert not waits_for_the_gpu(128 * 32.0, 128, graph=True), "nothing of a graph's launch is left out of its events"
    assert not waits_for_the_gpu(5 * 150.0, 5, graph=False)


@pytest.mark.parametrize(("writing", "early"), [((200, 210), None), ((200, 350), None), ((200, 1000), 5.0)])
def test_who_works_before_the_calls_slows_the_judge_down(writing: tuple[float, float], early: float | None) -> None:
    assert works_early(audits(100, 50, writing_us=writing)) == early


def test_a_neighbour_slows_the_judge_before_torchs_calls() -> None:
    assert shares_the_gpu(audits(100, 50, flushing_us=(900, 90)), 80.0)
    assert shares_the_gpu(audits(100, 50, flushing_us=(365, 2460)), 80.0), "as a kernel that works on between calls had it on an H100"
    assert not shares_the_gpu(audits(100, 50, flushing_us=(115, 2000)), 80.0)
    assert not shares_the_gpu(audits(100, 50, flushing_us=(900, 900)), None)


def test_the_lowest_figure_is_stored_and_each_doubt_has_its_reason() -> None:
    stats = sample_stats([10.0, 11.0])
    timing = CaseTiming("graph", stats, stats, 9.0, 8.9, 9.1, 20, "precise", audit_speedup=3.0, audit_low=2.9, audit_high=3.1, calls=60)
    doubts = Doubts(clocks_disagree=True, drift=0.07, batched=RatioEstimate(1.5, 1.4, 1.6), early=4.0)

    believed = doubts.believed(timing)
    reasons = doubts.reasons("long", timing)

    assert (believed.speedup, believed.low, believed.high) == (1.5, 1.4, 1.6)
    assert [reason.code for reason in reasons] == ["clocks_disagree", "baseline_drift", "batched_calls", "works_early"]
    assert "60 calls in a row gave 9.00×, single calls give 1.50×" in reasons[2].message
    assert doubts.flags() == [Flag.CLOCKS_DISAGREE, Flag.DISTURBED]
    assert Doubts(waits=True).believed(timing).speedup == 3.0 and Doubts(waits=True).flags() == [Flag.WAITS]
    assert not Doubts(waits=True), "it need not be measured again"
    assert Doubts(early=4.0) and not Doubts()
    assert Doubts().believed(timing) == timing
