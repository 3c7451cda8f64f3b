"""Hashes of sources, the package's own and those of a user's distribution."""

import ast
import functools
import inspect
from pathlib import Path

from nrevu.files import code_hash, content_hash


@functools.cache
def sources_hash(distribution: type) -> str:
    """Return 16 hex digits that change with any source the distribution's kernels are made from."""
    return f"{code_hash('core')[:8]}{own_hash(distribution)[:8]}"


@functools.cache
def own_hash(distribution: type) -> str:
    """Return 16 hex digits of a distribution's own source."""
    return content_hash(source_files(Path(inspect.getfile(distribution))))


def sampling_hash() -> str:
    """Return 16 hex digits of all of the package that decides the bits of a cell."""
    return code_hash("core", "methods", "distributions", "cells")


def source_files(path: Path) -> list[Path]:
    """Return a file and the modules beside it that it imports, and those that they do."""
    found, waiting = [], [path]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.append(file)
        for node in ast.walk(ast.parse(file.read_bytes())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            beside = [path.parent / f"{name.partition('.')[0]}.py" for name in names if name]
            waiting += [other for other in beside if other.is_file()]
            for package in (file.with_suffix("") for file in beside):
                inside = (package / "__init__.py").is_file()
                waiting += sorted(package.rglob("*.py")) if inside else []
    return [path, *sorted(set(found) - {path})]
