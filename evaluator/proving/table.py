"""Findings as text: a line an op, and a Markdown table of ops and kinds of mutants."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.proving.finding import Finding, Status

RIGHT = (Status.ACCEPTED, Status.REFUSED)


def line(slug: str, findings: Sequence[Finding]) -> str:
    """One op in one line, and a line for each finding that is not as it must be."""
    right = [f"{f.kernel} {f.status}" for f in findings if f.status in RIGHT]
    wrong = [f for f in findings if f.status not in RIGHT]
    killed = sum(f.status is Status.KILLED for f in wrong)
    seconds = sum(f.seconds for f in findings)
    text = f"{slug:28} {', '.join(right)}; {killed} of {len(wrong)} mutants killed ({seconds:.1f} s)"
    return "\n".join([text, *(f"  {explained(f)}" for f in findings if not f.right)])


def explained(finding: Finding) -> str:
    """What is wrong, or why it is not, in one line."""
    if finding.status is Status.SAME:
        return f"{finding.kernel}: not a mutant: {finding.reason or 'the same as torch on every case, for no reason that we know'}"
    where = f" on {finding.case}" if finding.case else ""
    reason = finding.reason.splitlines()[0] if finding.reason else f"passes all {finding.cases} cases"
    return f"{finding.kernel}: {finding.status}{where}: {finding.verdict} {reason}".rstrip()


def markdown(findings: Sequence[Finding]) -> str:
    """Ops by kinds of mutants: killed of all that differ, `=` for mutants that cannot differ; then every exception in words."""
    wrong = [f for f in findings if f.status not in RIGHT]
    ops = list(dict.fromkeys(sorted(f.op for f in findings)))
    kinds = list(dict.fromkeys(f.kind for f in wrong))
    lines = [_row(["op", "cases", "right kernels", *kinds]), _row(["---"] * (len(kinds) + 3))]
    for op in ops:
        of_op = [f for f in findings if f.op == op]
        accepted = [f for f in of_op if f.status in RIGHT]
        right = f"{sum(f.status is Status.ACCEPTED for f in accepted)} of {len(accepted)}"
        cells = [_cell([f for f in of_op if f.kind == kind and f.status not in RIGHT]) for kind in kinds]
        lines.append(_row([f"`{op}`", str(max(f.cases for f in of_op)), right, *cells]))
    differ = [f for f in wrong if f.status is not Status.SAME]
    killed = sum(f.status is Status.KILLED for f in differ)
    refused = [f for f in findings if f.status is Status.REFUSED]
    lines += ["", f"{len(ops)} ops; {killed} of {len(differ)} mutants that differ are killed; {len(refused)} right kernels refused.", ""]
    lines += [f"- `{f.op}`, {explained(f)}" for f in findings if f.status not in (Status.ACCEPTED, Status.KILLED)]
    return "\n".join(lines) + "\n"


def _cell(findings: Sequence[Finding]) -> str:
    if not findings:
        return ""
    differ = [f for f in findings if f.status is not Status.SAME]
    return f"{sum(f.status is Status.KILLED for f in differ)}/{len(differ)}" if differ else "="


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
