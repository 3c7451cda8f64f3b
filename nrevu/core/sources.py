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


def sampling_hash() -> str:
    """Return 16 hex digits of the part of the package that decides the bits of a cell."""
    return code_hash("core", "methods", "distributions", "cells")


def source_files(path: Path) -> list[Path]:
    """Return a file and the modules of its folder that it imports, directly or not."""
    found, waiting = [], [path]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.append(file)
        for node in ast.walk(ast.parse(file.read_bytes())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules = [path.parent / f"{name.partition('.')[0]}.py" for name in names if name]
            waiting += [module for module in modules if module.is_file()]
            for package in (module.with_suffix("") for module in modules):
                exists = (package / "__init__.py").is_file()
                waiting += sorted(package.rglob("*.py")) if exists else []
    return [path, *sorted(set(found) - {path})]
