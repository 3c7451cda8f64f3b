"""Hashes of sources: of the package, and of users' distributions, methods and rules for u."""

import ast
import functools
import inspect
from pathlib import Path
from typing import Any

from nrevu.files import code_hash, content_hash


def sources_hash(*things: Any) -> str:
    """Return 16 hex digits of the sources that a kernel of these functions is compiled from."""
    return f"{code_hash('core')[:8]}{source_hash(*things)[:8]}"


@functools.cache
def source_hash(*things: Any) -> str:
    """Return 16 hex digits of the files of classes or functions, and what they import.

    That is the modules of the folder of such a file.
    """
    files = (file for thing in things for file in source_files(Path(inspect.getfile(thing))))
    return content_hash(list(dict.fromkeys(files)))


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
