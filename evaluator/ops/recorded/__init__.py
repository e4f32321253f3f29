"""Ops given as data: a JSON document in place of a Python file (`docs/recorded-ops.md`)."""

from evaluator.ops.recorded.errors import DocumentError as DocumentError
from evaluator.ops.recorded.files import load_file as load_file
from evaluator.ops.recorded.model import FORMAT as FORMAT
from evaluator.ops.recorded.model import Recorded as Recorded
from evaluator.ops.recorded.model import RecordedCase as RecordedCase
from evaluator.ops.recorded.model import Variation as Variation
from evaluator.ops.recorded.reading import from_document as from_document
from evaluator.ops.recorded.reading import read as read
from evaluator.ops.recorded.reference import Reference as Reference
from evaluator.ops.recorded.writing import document_of as document_of
from evaluator.ops.recorded.writing import to_document as to_document
