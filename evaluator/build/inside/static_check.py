"""Parse one submission and say what it defines: `python -m evaluator.build.inside.static_check REQUEST_FD ANSWER_FD`.

The request is JSON {source, kernel_type, entry_point, reference_names}; the answer is JSON, see `check`.
"""

from __future__ import annotations

import ast
import json
import os
import sys
import warnings

from evaluator.build.inside.imports import add_missing_imports
from evaluator.build.inside.labels import label
from evaluator.build.inside.names import module_names

FILENAME = "submission.py"
OUT_OF_MEMORY = 71
_MAX_NAMES = 40
_MAX_NAME = 200


def check(source: str, kernel_type: str, entry_point: str, reference_names: list[str]) -> dict[str, object]:
    """Result of the check.

    `error` is None or {kind, message, line, column, text}, `kind` one of `syntax`, `too_deep`, `memory`; `entry` is `defined`, `dynamic`
    (only running the module can tell) or `missing`.
    """
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            compile(source.encode(), FILENAME, "exec", dont_inherit=True)
            tree = ast.parse(source.encode(), FILENAME)
        names = module_names(tree)
        prepared, added, shifted = add_missing_imports(source, tree, kernel_type)
        labels = label(tree, source, reference_names)
    except SyntaxError as error:
        return {"error": _syntax_error(error)}
    except RecursionError:
        return {"error": _plain("too_deep", "the source is nested too deeply to be parsed")}
    except MemoryError:
        return {"error": _plain("memory", "parsing the source needs too much memory")}
    except ValueError as error:
        return {"error": _plain("syntax", str(error))}
    return {
        "error": None,
        "entry": "defined" if entry_point in names.bound else "dynamic" if names.dynamic else "missing",
        "callables": [name[:_MAX_NAME] for name in names.callables[:_MAX_NAMES]],
        "kernels": [name[:_MAX_NAME] for name in names.kernels[:_MAX_NAMES]],
        "source": prepared,
        "added_imports": added,
        "shifted": shifted,
        "labels": [{"name": item.name, "detail": item.detail[:_MAX_NAME], "line": item.line} for item in labels],
        "warnings": [f"line {item.lineno}: {str(item.message)[:_MAX_NAME]}" for item in caught[:20]],
    }


def _syntax_error(error: SyntaxError) -> dict[str, object]:
    return {
        "kind": "syntax",
        "message": (error.msg or "invalid syntax")[:500],
        "line": error.lineno,
        "column": error.offset,
        "text": (error.text or "").rstrip("\r\n")[:500],
    }


def _plain(kind: str, message: str) -> dict[str, object]:
    return {"kind": kind, "message": message[:500], "line": None, "column": None, "text": ""}


def main() -> None:
    with os.fdopen(int(sys.argv[1]), "rb") as file:
        request = json.load(file)
    try:
        answer = check(request["source"], request["kernel_type"], request["entry_point"], request["reference_names"])
        text = json.dumps(answer).encode()
    except MemoryError:
        raise SystemExit(OUT_OF_MEMORY) from None
    with os.fdopen(int(sys.argv[2]), "wb") as file:
        file.write(text)


if __name__ == "__main__":
    main()
