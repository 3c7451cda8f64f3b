"""`nrevu new`: a file to start from, with comments, that runs as it is."""

import argparse
from pathlib import Path

from nrevu.errors import Mistake, unknown
from nrevu.files import PACKAGE, shipped

TEMPLATES = PACKAGE / "templates"
KINDS = {  # what to copy, and its usual name
    "distribution": (TEMPLATES / "my_density.py", "my_density.py"),
    "sweep": (TEMPLATES / "my_sweep.yaml", "my_sweep.yaml"),
    "slurm": (shipped("workflow") / "profiles/slurm/config.yaml", "slurm.yaml"),
}
NEXT = {
    "distribution": ("nrevu check {path}", "nrevu run distribution.file={path}"),
    "sweep": ("nrevu cells {path}", "nrevu make {path} --size quick"),
    "slurm": (
        "fill in partition and account, then",
        "nrevu make --size smoke --workflow-profile {path}",
    ),
}
ABOUT = """\
Writes a file to start from: it runs as it is, and its comments say what each part does.

{examples}

A file that is there already is left alone.
"""


def add(subs) -> None:
    """Add the command's words."""
    examples = [f"  nrevu new {kind:14} writes {name}" for kind, (_, name) in KINDS.items()]
    new = subs.add_parser(
        "new",
        help="write a file to start from",
        description=ABOUT.format(examples="\n".join(examples)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    new.add_argument("kind", metavar="KIND", help=", ".join(KINDS))
    new.add_argument("path", nargs="?", type=Path, help="its name, or a folder (default: as above)")
    new.set_defaults(command=execute)


def execute(args: argparse.Namespace) -> None:
    """Write the file and say what to do with it."""
    if args.kind not in KINDS:
        raise unknown("kind", args.kind, KINDS, place="command line")
    template, name = KINDS[args.kind]
    path = place(args.path, name)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(template.read_text(encoding="utf-8").replace(name, path.name))
    except FileExistsError:
        raise Mistake("is there already: give another name", place=str(path)) from None
    except OSError as error:
        raise Mistake(error.strerror.lower(), place=str(path)) from None
    print(f"{path} is written. Next:\n")
    for command in NEXT[args.kind]:
        print(f"  {command.format(path=path)}")


def place(path: Path | None, name: str) -> Path:
    """Return where the file goes: a name of the right kind, in a folder if it names one."""
    if path is None or path.is_dir():
        return (path or Path()) / name
    if path.suffix != Path(name).suffix:
        raise Mistake(f"its name must end with {Path(name).suffix}", place=str(path))
    return path
