"""Hashes of sources: of the package, and of a user's distribution."""

import ast
import functools
import inspect
from pathlib import Path

from nrevu.files import code_hash, content_hash


@functools.cache
def sources_hash(distribution: type) -> str:
    """Return 16 hex digits of all the sources that the distribution's kernels are compiled from."""
    return f"{code_hash('core')[:8]}{source_hash(distribution)[:8]}"


@functools.cache
def source_hash(distribution: type) -> str:
    """Return 16 hex digits of a distribution's file and the modules of its folder it imports."""
    return content_hash(source_files(Path(inspect.getfile(distribution))))


def source_files(path: Path) -> list[Path]:
    """Return a file and the modules of its folder that it imports, directly or not."""
    found = [path]
    for file in found:  # which grows
        for node in ast.walk(ast.parse(file.read_bytes())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for base in (path.parent / name.partition(".")[0] for name in names if name):
                files = [base.with_suffix(".py")] if base.with_suffix(".py").is_file() else []
                files += base.rglob("*.py") if (base / "__init__.py").is_file() else []
                found += [each for each in files if each not in found]
    return [path, *sorted(found[1:])]
