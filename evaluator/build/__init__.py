"""Turn a source into something that a candidate can load, before any device is asked for."""

from evaluator.build.build import build
from evaluator.build.detect import detect
from evaluator.build.registry import UnsupportedKernelType, available_kernel_types
from evaluator.build.report import BuildReport
from evaluator.build.store import ArtefactStore, DirectoryStore

__all__ = ["ArtefactStore", "BuildReport", "DirectoryStore", "UnsupportedKernelType", "available_kernel_types", "build", "detect"]
