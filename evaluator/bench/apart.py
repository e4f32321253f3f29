"""A process of its own for what needs torch or changes cores, so that the bench itself stays small and the judge starts clean."""

from __future__ import annotations

import multiprocessing
import typing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

Given = typing.ParamSpec("Given")
Found = typing.TypeVar("Found")


def apart(function: Callable[Given, Found], *args: Given.args, **kwargs: Given.kwargs) -> Found:
    """Call a module's function in a fresh Python. What it raises is raised here."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *args, **kwargs).result()
