"""Are elements set to zero by independent coins with a known bias? Tests that seldom refuse a mask that is.

Let b be 1 where an element is zero, p the probability of it, and n the number of elements looked at. Counts k of n independent coins are
refused when n KL(k/n, p) > c, where KL(a, p) = a ln(a/p) + (1 - a) ln((1 - a)/(1 - p)): W. Hoeffding ("Probability inequalities for sums of
bounded random variables", Journal of the American Statistical Association 58, 1963, theorem 1) proves that either side of it has a
probability of at most exp(-c), for every n. That is exact for small n, where a normal approximation is not.

Counted are: all elements; those above zero and those of large magnitude (a mask that follows the values is no coin); every index of
every dimension and every row (a whole row or column left out); and, for many distances d, the pairs (i, i + d) of which one is zero and
the other is not, which have a probability of q = 2p(1 - p) each. Pairs at one distance split into two sets of pairs without a common
element (i // d even or odd), each a sum of independent terms. By the inequality of Cauchy and Schwarz the moment generating function of
their sum is at most the root of the product of those at twice the argument, so that n/2 KL(k/n, q) takes the place of n KL(k/n, q). Masks
that repeat, stripes and blocks show at some distance: all up to half of `CHUNK` are counted (by Fourier transform), beyond that those
of the tensor's dimensions and the powers of two. Last, a run of r zeros among n elements has a probability of at most n p^r.

Each of the five groups of tests gets a fifth of `FALSE_ALARM`, shared out evenly among its tests, so that an honest mask is refused
with a probability of at most `FALSE_ALARM` in all, however the tests depend on each other.
"""

from __future__ import annotations

import math
import typing

if typing.TYPE_CHECKING:
    import torch

FALSE_ALARM = 1e-9
GROUPS = 5
CHUNK = 1 << 17
"""Elements whose pairs are counted at all distances."""
SEGMENT = 1 << 22
"""Elements that are looked at together where a result needs many bytes for each."""


def structure(zero: torch.Tensor, known: torch.Tensor, values: torch.Tensor, p: float) -> str:
    """What shows that a mask was not drawn element by element with probability `p` of zero; "" when nothing does.

    `zero` and `known` are bool tensors of the shape of `values`; elements that are not known say nothing. 0 < p < 1.
    """
    dropped, counted = zero & known, known
    return (
        _count("elements", dropped, counted, p)
        or _by_value(dropped, counted, values, p)
        or _by_place(dropped, counted, p)
        or _pairs(dropped, counted, p)
        or _runs(dropped, counted, p)
    )


def surprise(k: torch.Tensor, n: torch.Tensor, p: float) -> torch.Tensor:
    """n KL(k/n, p), element by element; 0 where n is 0."""
    import torch

    k, n = k.double(), n.double()
    share = k / n.clamp(min=1)
    of_k = torch.special.xlogy(share, share) - share * math.log(p)
    of_rest = torch.special.xlogy(1 - share, 1 - share) - (1 - share) * math.log1p(-p)
    found: torch.Tensor = n * (of_k + of_rest).clamp(min=0)
    return found


def limit(tests: int) -> float:
    """The surprise that a count may have which is one of `tests` in its group, either side counted."""
    return math.log(2 * GROUPS * tests / FALSE_ALARM)


def _count(what: str, dropped: torch.Tensor, counted: torch.Tensor, p: float, tests: int = 1) -> str:
    k, n = dropped.sum(), counted.sum()
    return _too_many_or_few(int(k), int(n), what, p) if float(surprise(k, n, p)) > limit(tests) else ""


def _too_many_or_few(k: int, n: int, what: str, p: float) -> str:
    return f"{k} of {n} {what} are zero, about {p * n:.6g} are expected"


def _by_value(dropped: torch.Tensor, counted: torch.Tensor, values: torch.Tensor, p: float) -> str:
    import torch

    positive = counted & (values > 0)
    size = torch.where(counted, values.abs(), 0)
    large = counted & (size > float(size.sum(dtype=torch.float64)) / max(int(counted.sum()), 1))
    return _count("positive elements", dropped & positive, positive, p, 2) or _count("large elements", dropped & large, large, p, 2)


def _by_place(dropped: torch.Tensor, counted: torch.Tensor, p: float) -> str:
    """Every index of every dimension, and every row of the last dimension."""
    dims = range(dropped.dim())
    groups = {f"at index {{}} of dimension {dim}": [d for d in dims if d != dim] for dim in dims}
    if dropped.dim() > 2:
        groups["in row {}"] = [dropped.dim() - 1]
    counts = {name: ((dropped.sum(over), counted.sum(over)) if over else (dropped.long(), counted.long())) for name, over in groups.items()}
    tests = sum(n.numel() for _, n in counts.values())
    for name, (k, n) in counts.items():
        odd = (surprise(k, n, p) > limit(tests)).reshape(-1).nonzero().reshape(-1)
        if odd.numel():
            place = int(odd[0])
            return _too_many_or_few(int(k.reshape(-1)[place]), int(n.reshape(-1)[place]), f"elements {name.format(place)}", p)
    return ""


def _pairs(dropped: torch.Tensor, counted: torch.Tensor, p: float) -> str:
    import torch

    zero, known, total = dropped.reshape(-1), counted.reshape(-1), dropped.numel()
    distances, differing, pairs = _near_pairs(zero, known)
    far = sorted({d for d in _far_distances(tuple(dropped.shape)) if len(distances) < d < total})
    for distance in far:
        both = known[:-distance] & known[distance:]
        differing = torch.cat((differing, ((zero[:-distance] != zero[distance:]) & both).sum().reshape(1)))
        pairs = torch.cat((pairs, both.sum().reshape(1)))
    distances += far
    if not distances:
        return ""
    q = 2 * p * (1 - p)
    found = surprise(differing, pairs, q) / 2
    worst = int(found.argmax())
    if float(found[worst]) <= limit(len(distances)):
        return ""
    k, n = int(differing[worst]), int(pairs[worst])
    return f"elements {distances[worst]} apart: {k} of {n} pairs differ in being zero, about {q * n:.6g} are expected"


def _near_pairs(zero: torch.Tensor, known: torch.Tensor) -> tuple[list[int], torch.Tensor, torch.Tensor]:
    """Distances 1, 2, … within chunks; how many known pairs differ at each, and how many there are."""
    import torch

    total = zero.numel()
    width = min(CHUNK, total)
    spectrum_differing = torch.zeros(width + 1, dtype=torch.float64, device=zero.device)
    spectrum_pairs = torch.zeros_like(spectrum_differing)
    for start in range(0, total, width):
        part = slice(start, start + width)
        of_zero = torch.fft.rfft(zero[part].double(), n=2 * width)
        of_kept = torch.fft.rfft((known[part] & ~zero[part]).double(), n=2 * width)
        spectrum_differing += 2 * (of_zero * of_kept.conj()).real
        spectrum_pairs += (of_zero + of_kept).abs().square()
    most = max(width // 2, 1)
    differing, pairs = (torch.fft.irfft(s, n=2 * width)[1 : most + 1].round().long() for s in (spectrum_differing, spectrum_pairs))
    return list(range(1, len(pairs) + 1)), differing, pairs


def _far_distances(shape: tuple[int, ...]) -> list[int]:
    total = math.prod(shape)
    return [math.prod(shape[dim:]) for dim in range(1, len(shape))] + [1 << bit for bit in range(total.bit_length())]


def _runs(dropped: torch.Tensor, counted: torch.Tensor, p: float) -> str:
    """The longest run of zeros and of kept elements, among those known, in order."""
    n = int(counted.sum())
    for what, is_zero, chance in (("zero", True, p), ("kept", False, 1 - p)):
        run = _longest(dropped.reshape(-1), counted.reshape(-1), is_zero)
        if n and math.log(n) + run * math.log(chance) < -limit(1):
            return f"{run} elements in a row are {what}"
    return ""


def _longest(dropped: torch.Tensor, counted: torch.Tensor, is_zero: bool) -> int:
    """The length of the longest run, found segment by segment."""
    import torch

    longest = current = 0
    for zero, known in zip(torch.split(dropped, SEGMENT), torch.split(counted, SEGMENT), strict=True):
        ends = zero[known] != is_zero
        places = ends.nonzero().reshape(-1)
        if not len(places):
            current += len(ends)
            continue
        inside = int(places.diff().max()) - 1 if len(places) > 1 else 0
        longest = max(longest, current + int(places[0]), inside)
        current = len(ends) - 1 - int(places[-1])
    return max(longest, current)
