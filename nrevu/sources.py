"""Hashes of sources, the package's own and those of a user's distribution."""

import functools
import hashlib
import inspect
from pathlib import Path

from nrevu.foreign import source_files

HERE = Path(__file__).parent
KERNEL = (
    "accept.py",
    "elementary.py",
    "kernel.py",
    "lanes.py",
    "rng.py",
    "sources.py",
    "target.py",
    "updates.py",
)  # in every kernel
STARTS = ("cases.py", "chain.py", "method.py", "series.py")  # what kernels are called with


@functools.cache
def sources_hash(distribution: type) -> str:
    """Return 16 hex digits that change with any source the distribution's kernels are made from."""
    own = source_files(Path(inspect.getfile(distribution)))
    return content_hash([HERE / name for name in KERNEL] + own)


@functools.cache
def own_hash(distribution: type) -> str:
    """Return 16 hex digits of a distribution's own source."""
    return content_hash(source_files(Path(inspect.getfile(distribution))))


def sampling_hash() -> str:
    """Return 16 hex digits of all of the package that decides the bits of a cell."""
    return files_hash(*KERNEL, *STARTS, "distributions")


@functools.cache
def files_hash(*names: str) -> str:
    """Return a hash of some of the package's files, or of all in a folder of it."""
    paths = [HERE / name for name in names]
    return content_hash([f for p in paths for f in (sorted(p.glob("*.*")) if p.is_dir() else [p])])


def content_hash(files: list[Path]) -> str:
    """Return 16 hex digits of the contents of files."""
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]
