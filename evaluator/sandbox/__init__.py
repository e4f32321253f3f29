"""Run hostile Python so that it can do nothing: `Sandbox` starts it, `probe` proves that the layers hold."""

from evaluator.sandbox.errors import SandboxError, SandboxUnavailable
from evaluator.sandbox.process import SandboxedProcess, Usage
from evaluator.sandbox.sandbox import Mode, Sandbox

__all__ = ["Mode", "Sandbox", "SandboxError", "SandboxUnavailable", "SandboxedProcess", "Usage"]
