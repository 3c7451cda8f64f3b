"""Where configs and workflow are, and what can be chosen; imports nothing that is slow."""

import functools
from pathlib import Path


def shipped(name: str) -> Path:
    """Return a file or folder that lies in an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / name
    return inside if inside.exists() else package.parent / name


def folder() -> Path:
    """Return conf/."""
    return shipped("conf")


def snakefile() -> Path:
    """Return the workflow's Snakefile."""
    return shipped("Snakefile")


@functools.cache
def choices(group: str) -> list[str]:
    """Return the names of the files in a config group."""
    return sorted(path.stem for path in (folder() / group).glob("*.yaml"))
