"""What the evaluator costs and how well it repeats itself on this machine: `python -m evaluator bench` (or `make bench`).

    python -m evaluator bench [--device cpu|cuda|cuda:N] [--part NAME]… [--repeats N] [--fresh N] [--length US]… [--op SLUG]… [--quick]
        [--json OUT] [--markdown OUT]

What it measures (in brackets the name for `--part`), all but the last two through the real judge with real sandboxed candidates:

1. *A/A* (`ops`): torch's own op handed in as the submission, each time to a fresh candidate. Every speedup would be 1 if clocks were
   perfect; shown are the median of the runs, how far apart the runs lie, the width of their own confidence intervals and the scatter
   of each side's samples. Beside it the same ratio from two sequential calls of what other tools use: `triton.testing.do_bench` on a
   GPU, 10 warm-up and 100 timed calls (`cpu_bench`) on a CPU.
2. *A/A by length* (`lengths`): the same for a product of two vectors or matrices of about 5 µs, 50 µs, 0.5 ms and 5 ms, or of each
   `--length`, each run in a fresh process.
3. *Planted slowdowns* (`planted`; GPU): a kernel that does 1, 2 or 5 % of its blocks twice, against itself without: how often it is
   ranked below.
4. *Agreement* (`agreement`; GPU): the judge's time beside `gpu__time_duration` of Nsight Compute, where that can be had.
5. *Cost* (with 1 and 2): seconds that timing one case takes, beside the other method's, and how long that would take for the same
   spread.
6. *Stages* (`stages`): seconds for building, importing, checking and timing, and from handing in a source to its outcome, through
   `LocalRunner` with a warm spare. On a CPU Triton is interpreted.
7. *Audit* (with 1 and 2): the ratio by the judge's own clock over the claimed one in these A/A runs, and how many of them were called
   suspect.
8. *Channel* (`channel`): round trip of a command with no calls, to a sandboxed candidate and to the baseline, and the start time of a
   spare.
9. *Checking* (`checking`): what the judge pays for one call with an output of 64 MB: inputs, oracle, torch's own answer, comparison.
   Beside it the time in which the device reads that output ten times; on a GPU the comparison should take at most three times as long.

Progress goes to the terminal, then the tables. `--json` keeps everything with the environment, `--markdown` the tables alone.
`--quick` takes few and short runs of one op and does not time interpreted Triton; its figures mean little. Ends with 0, with 1 when an
A/A run was not accepted, and with 3 when something of ours failed. Nothing else should run on the machine meanwhile. Figures from a
CPU are marked as such: they say nothing about a GPU.
"""
