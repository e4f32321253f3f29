"""What is wrong with a document."""

from __future__ import annotations


class DocumentError(ValueError):
    """`where` names the place in the document (`cases[2].args[0].shape`), `what` says what is wrong there."""

    def __init__(self, where: str, what: str) -> None:
        self.where = where
        self.what = what
        super().__init__(f"{where}: {what}" if where else what)
