"""The reference of an op given as data: the torch function that its `target` names."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops.recorded.signature import call_text, python_parameters
from evaluator.ops.recorded.targets import callable_text, resolve

if typing.TYPE_CHECKING:
    import torch


class Reference:
    """Calls the target. torch is imported, and the target looked up and checked, when it is called first.

    An `in_place` target that returns the very argument that it wrote to returns None here: the written argument is judged as such,
    and what a kernel returns besides does not matter.
    """

    def __init__(self, target: str, *, in_place: bool = False) -> None:
        self.target = target
        self.in_place = in_place
        self._function: Callable[..., object] | None = None

    def __call__(self, *args: object, **kwargs: object) -> torch.Tensor | tuple[torch.Tensor, ...]:
        if self._function is None:
            self._function = resolve(self.target)
        returned = self._function(*args, **kwargs)
        if self.in_place and any(returned is argument for argument in (*args, *kwargs.values())):
            returned = None
        return typing.cast("torch.Tensor", returned)

    @property
    def direct(self) -> Callable[..., object]:
        """The target itself where nothing needs to be done about what it returns: what is timed must not pay for this class."""
        return self if self.in_place else resolve(self.target)

    def text(self, signature: str) -> str:
        """The reference as a reader sees it: Python source."""
        parameters = python_parameters(signature)
        return f"def reference({', '.join(parameters)}):\n    return {callable_text(self.target)}({call_text(parameters)})\n"
