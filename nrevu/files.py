"""Files: atomic writes, content hashes, short paths, and where configs and workflow are.

Imports nothing that is slow.
"""

import functools
import hashlib
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nrevu.errors import Mistake

PACKAGE = Path(__file__).resolve().parent


def shipped_path(name: str) -> Path:
    """Return a file or folder that lies in an installed package, or beside it in a checkout."""
    inside = PACKAGE / name
    return inside if inside.exists() else PACKAGE.parent / name


def conf_folder() -> Path:
    """Return conf/."""
    return shipped_path("conf")


def snakefile() -> Path:
    """Return the workflow's Snakefile."""
    return shipped_path("workflow") / "Snakefile"


@functools.cache
def choices(group: str) -> list[str]:
    """Return the names of the files in a config group."""
    return sorted(path.stem for path in (conf_folder() / group).glob("*.yaml"))


def relative_path(file: str) -> str:
    """Return a path relative to the working directory, if it is below it."""
    path = Path(file)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def process_name() -> str:
    """Return a name for this process that no other has, on any machine of a shared file system."""
    return f"{socket.gethostname()}.{os.getpid()}"


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Give a temporary path with the same ending, which is renamed once it is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.stem}.{process_name()}.tmp{path.suffix}")
    yield unfinished
    unfinished.replace(path)


def write_atomically(path: Path, text: str) -> None:
    """Write a text file completely or not at all."""
    with atomic_path(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def read_json(path: Path) -> Any:
    """Return the data of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


@contextmanager
def output_path(path: Path) -> Iterator[Path]:
    """Give a temporary path as `atomic_path` does; a path that cannot be written is a Mistake."""
    try:
        with atomic_path(path) as unfinished:
            yield unfinished
    except OSError as error:
        raise Mistake(f"cannot be written: {error.strerror or error}", place=str(path)) from None


def content_hash(files: list[Path]) -> str:
    """Return 16 hex digits of the contents of files."""
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]


@functools.cache
def code_hash(*rooms: str) -> str:
    """Return a hash of the sources of some of the package's folders and files."""
    paths = [PACKAGE / room for room in rooms]
    files = [f for path in paths for f in (sorted(path.rglob("*.*")) if path.is_dir() else [path])]
    return content_hash([file for file in files if file.parent.name != "__pycache__"])
