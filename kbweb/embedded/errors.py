"""The one error that stops a start with a message for a person."""

from __future__ import annotations


class StartError(Exception):
    """A service cannot start. `message` says what is wrong and where, `hint` what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message}\n{hint}" if hint else message)
        self.message = message
        self.hint = hint


def out_of_space(path: object) -> StartError:
    return StartError(f"The disk that holds {path} is full.", "Free some space (at least 300 MB) or set KB_DATA_DIR to another disk.")
