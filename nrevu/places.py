"""Where the configs are, and what can be chosen from them; imports nothing that is slow."""

from pathlib import Path


def folder() -> Path:
    """Return conf/, which lies in an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "conf"
    return inside if inside.is_dir() else package.parent / "conf"


def choices(group: str) -> list[str]:
    """Return the names of the files in a config group."""
    return sorted(path.stem for path in (folder() / group).glob("*.yaml"))
