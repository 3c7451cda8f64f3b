"""Where the sources of the kernels are, and a hash of them; imports nothing that is slow."""

import functools
import hashlib
import inspect
from pathlib import Path

HERE = Path(__file__).parent
KERNEL = ("accept.py", "kernel.py", "rng.py", "sources.py", "updates.py")  # in every kernel


@functools.cache
def sources_hash(distribution: type) -> str:
    """Return 16 hex digits that change with any source the distribution's kernels are made from."""
    files = [HERE / name for name in KERNEL] + [Path(inspect.getfile(distribution))]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]
