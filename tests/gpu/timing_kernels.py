"""Kernels for the bench's products (`evaluator/bench/products.py`) that try to be timed well without being fast."""

from __future__ import annotations

from evaluator.bench import products

LOOKS = f"""
import torch

def {products.ENTRY}(x, y):
    out = torch.mul(x, y)
    out.flatten()[0].item()
    return out
"""
LEFT_RUNNING = f"""
import torch
side = torch.cuda.Stream()

def {products.ENTRY}(x, y):
    out = torch.empty_like(x)
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(2_000_000)
        torch.mul(x, y, out=out)
    return out
"""
ANOTHER_CURRENT_STREAM = f"""
import torch
side = torch.cuda.Stream()

def {products.ENTRY}(x, y):
    torch.cuda.set_stream(side)
    return torch.mul(x, y)
"""
NOTHING_WHILE_CAPTURED = f"""
import torch

def {products.ENTRY}(x, y):
    return torch.empty_like(x) if torch.cuda.is_current_stream_capturing() else torch.mul(x, y)
"""
SAME_BUFFER_WHILE_CAPTURED = f"""
import torch
kept = {{}}

def {products.ENTRY}(x, y):
    if not torch.cuda.is_current_stream_capturing():
        return torch.mul(x, y)
    out = kept.setdefault(x.numel(), torch.empty_like(x))
    return torch.mul(x, y, out=out)
"""
FORGED_GRAPH = f"""
import sys, torch
graphs = sys.modules["evaluator.candidate.graphs"]
honest = graphs.GraphClock.collect
graphs.GraphClock.collect = lambda self: ([max(1, honest(self)[0][0] // {{by}})], *honest(self)[1:])

def {products.ENTRY}(x, y):
    return torch.mul(x, y)
"""
ANSWERS_BEFORE_IT_IS_DONE = f"""
import sys, torch
for name in ("clocks", "graphs"):
    sys.modules["evaluator.candidate." + name]._synchronize = lambda: None
clocks, graphs = (sys.modules["evaluator.candidate." + name] for name in ("clocks", "graphs"))
for clock in (clocks.EventClock, graphs.GraphClock):
    clock.collect = lambda self, honest=clock.collect: ([1000] * len(honest(self)[0]), *honest(self)[1:])

def {products.ENTRY}(x, y):
    return torch.mul(x, y)
"""
ALL_IN_THE_FIRST_CALL = f"""
import sys, torch
done = {{}}

def {products.ENTRY}(x, y):
    clock = sys._getframe(1).f_locals.get("self")
    calls = getattr(clock, "_calls", ())
    if not calls:
        return torch.mul(x, y)
    if x.data_ptr() not in done:
        done.update((call.args[0].data_ptr(), torch.mul(*call.args)) for call in calls)
    return done.pop(x.data_ptr())
"""
ALL_IN_ONE_LAUNCH = f"""
import sys, torch
done = {{}}

def {products.ENTRY}(x, y):
    frame, calls = sys._getframe(1), ()
    while frame is not None and not calls:
        calls, frame = frame.f_locals.get("calls") or (), frame.f_back
    if not torch.cuda.is_current_stream_capturing() or len(calls) < 2:
        return torch.mul(x, y)
    if x.data_ptr() not in done:
        outs = torch._foreach_mul([call.args[0] for call in calls], [call.args[1] for call in calls])
        done.update((call.args[0].data_ptr(), out) for call, out in zip(calls, outs))
    return done.pop(x.data_ptr())
"""
BESIDE_THE_FLUSH = f"""
import sys, torch
side, done = torch.cuda.Stream(), {{}}

def {products.ENTRY}(x, y):
    calls = getattr(sys._getframe(1).f_locals.get("self"), "_calls", ())
    if len(calls) < 2 or torch.cuda.is_current_stream_capturing():
        return torch.mm(x, y)
    if x.data_ptr() == calls[0].args[0].data_ptr():
        done.clear()
        with torch.cuda.stream(side):
            for call in calls[1:]:
                done[call.args[0].data_ptr()] = torch.mm(*call.args)
        return torch.mm(x, y)
    torch.cuda.current_stream().wait_stream(side)
    return done[x.data_ptr()]
"""
WORKS_WHILE_IT_WAITS = f"""
import threading, torch

def busy():
    torch.cuda.set_device(0)
    with torch.cuda.stream(torch.cuda.Stream()):
        while True:
            torch.cuda._sleep(20_000_000)
            torch.cuda.current_stream().synchronize()

threading.Thread(target=busy, daemon=True).start()

def {products.ENTRY}(x, y):
    return torch.mul(x, y)
"""
DROPS_AFTER_A_LOOK = f"""
import torch

def {products.ENTRY}(x, y):
    torch.nn.functional.dropout(x, 0.5)
    x.flatten()[0].item()
    return torch.mul(x, y)
"""
TAKES_ALL_MEMORY = f"""
import torch
held = []

def {products.ENTRY}(x, y):
    if x.numel() > 20_000 and not held:
        free, _ = torch.cuda.mem_get_info()
        held.append(torch.empty(free - (64 << 20), dtype=torch.uint8, device="cuda"))
    return torch.mul(x, y)
"""
