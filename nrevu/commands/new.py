"""Write a file to start from.

It runs as it is, and comments explain each part.

{examples}

Existing files are not overwritten.
"""

import argparse
from pathlib import Path

from nrevu.commands.arguments import add_command
from nrevu.errors import Mistake, check_known
from nrevu.files import PACKAGE, shipped_path

KINDS = {  # the template, and the default name of its copy
    "distribution": (PACKAGE / "templates/my_density.py", "my_density.py"),
    "method": (PACKAGE / "templates/my_method.py", "my_method.py"),
    "u": (PACKAGE / "templates/my_u.py", "my_u.py"),
    "sweep": (PACKAGE / "templates/my_sweep.yaml", "my_sweep.yaml"),
    "slurm": (shipped_path("workflow") / "profiles/slurm/config.yaml", "slurm.yaml"),
}
NEXT = {
    "distribution": "  nrevu check {path}\n  nrevu run distribution.file={path}",
    "method": "  nrevu check {path}\n  nrevu run method.file={path}",
    "u": "  nrevu check {path}\n  nrevu run u.file={path}",
    "sweep": "  nrevu cells {path}\n  nrevu make {path} --size quick",
    "slurm": "  set partition and account, then\n"
    "  nrevu make --size smoke --workflow-profile {path}",
}


def add(subs) -> None:
    """Define the arguments."""
    examples = [f"  nrevu new {kind:14} writes {name}" for kind, (_, name) in KINDS.items()]
    about = __doc__.format(examples="\n".join(examples))
    new = add_command(subs, "new", about, execute)
    new.add_argument("kind", metavar="KIND", help=", ".join(KINDS))
    new.add_argument("path", nargs="?", type=Path, help="a file or a folder (default: as above)")


def execute(args: argparse.Namespace) -> None:
    """Write the file and print the next commands."""
    check_known("kind", args.kind, KINDS, place="command line")
    template, name = KINDS[args.kind]
    path = target(args.path, name)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(template.read_text(encoding="utf-8").replace(name, path.name))
    except FileExistsError:
        raise Mistake("already exists: give another name", place=str(path)) from None
    except OSError as error:
        raise Mistake((error.strerror or str(error)).lower(), place=str(path)) from None
    print(f"{path} is written. Next:\n", NEXT[args.kind].format(path=path), sep="\n")


def target(path: Path | None, name: str) -> Path:
    """Return the path of the new file; a folder receives the default name."""
    if path is None or path.is_dir():
        return (path or Path()) / name
    if path.suffix != Path(name).suffix:
        raise Mistake(f"the name must end with {Path(name).suffix}", place=str(path))
    return path
