"""A signature as torch writes it (`softmax(Tensor self, int dim) -> Tensor`) as parameters of a Python function."""

from __future__ import annotations

import ast
import keyword
import re

ANY = ["*args", "**kwargs"]
_CONSTANTS = {"True", "False", "None"}


def python_parameters(signature: str) -> list[str]:
    """Parameters such as `["self", "dim", "*", "dtype=None"]`; `*args, **kwargs` where the signature cannot be read."""
    found = re.search(r"\((.*)\)\s*->", signature, re.DOTALL)
    if found is None:
        return ANY
    parameters = [_parameter(text.strip()) for text in _split(found.group(1)) if text.strip()]
    return parameters if _are_parameters(parameters) else ANY


def _are_parameters(texts: list[str]) -> bool:
    """Whether a function can be declared with them, and they say nothing but that: `x:f()` and `x):f()#` are no names."""
    if not all(name == "*" or name.isidentifier() for name in (text.partition("=")[0] for text in texts)):
        return False
    try:
        ast.parse(f"def f({', '.join(texts)}): pass")
    except (SyntaxError, ValueError):
        return False
    return True


def call_text(parameters: list[str]) -> str:
    """What a function with these parameters writes to pass all of them on."""
    if parameters == ANY:
        return ", ".join(ANY)
    names, keywords = [], False
    for parameter in parameters:
        name = parameter.partition("=")[0]
        if name == "*":
            keywords = True
        else:
            names.append(f"{name}={name}" if keywords else name)
    return ", ".join(names)


def _split(text: str) -> list[str]:
    """At commas outside of brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


def _parameter(text: str) -> str:
    if text == "*":
        return text
    declared, has_default, default = text.partition("=")
    name = declared.split()[-1] if declared.split() else ""
    if keyword.iskeyword(name):
        name += "_"
    return f"{name}={_default(default.strip())}" if has_default else name


def _default(text: str) -> str:
    """A default that Python can write; others are None, which torch takes as left out or refuses by name."""
    if text in _CONSTANTS or re.fullmatch(r"-?\d+(\.\d*)?(e-?\d+)?|'[^'\\]*'|\"[^\"\\]*\"", text):
        return text
    items = re.fullmatch(r"\[([-\d., ]*)\]", text)
    if items is not None:
        values = [item.strip() for item in items.group(1).split(",") if item.strip()]
        return f"({', '.join(values)}{',' if len(values) == 1 else ''})"
    return "None"
