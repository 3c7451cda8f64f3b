"""`nrevu new`: a file to start from, with comments, that runs as it is."""

import argparse
from pathlib import Path

from nrevu.mistake import Mistake, unknown

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
KINDS = {"distribution": "my_density.py", "sweep": "my_sweep.yaml"}  # files in TEMPLATES
NEXT = {
    "distribution": ("nrevu check {path}", "nrevu run distribution.file={path}"),
    "sweep": ("nrevu cells {path}", "nrevu make {path} --size quick"),
}
ABOUT = """\
Writes a file to start from: it runs as it is, and its comments say what each part does.

{examples}

A file that is there already is left alone.
"""


def add(subs) -> None:
    """Add the command's words."""
    examples = [f"  nrevu new {kind:14} writes {name}" for kind, name in there().items()]
    new = subs.add_parser(
        "new",
        help="write a file to start from",
        description=ABOUT.format(examples="\n".join(examples)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    new.add_argument("kind", metavar="KIND", help=" or ".join(there()))
    new.add_argument("path", nargs="?", type=Path, help="its name, or a folder (default: as above)")
    new.set_defaults(command=execute)


def there() -> dict[str, str]:
    """Return the kinds of files that can be written, with their usual names."""
    return {kind: name for kind, name in KINDS.items() if (TEMPLATES / name).is_file()}


def execute(args: argparse.Namespace) -> None:
    """Write the file and say what to do with it."""
    if args.kind not in there():
        raise unknown("kind", args.kind, there(), place="command line")
    template = TEMPLATES / KINDS[args.kind]
    path = place(args.path, template)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(template.read_text(encoding="utf-8").replace(template.name, path.name))
    except FileExistsError:
        raise Mistake("is there already: give another name", place=str(path)) from None
    except OSError as error:
        raise Mistake(error.strerror.lower(), place=str(path)) from None
    print(f"{path} is written. Next:\n")
    for command in NEXT[args.kind]:
        print(f"  {command.format(path=path)}")


def place(path: Path | None, template: Path) -> Path:
    """Return where the file goes: a name of the right kind, in a folder if it names one."""
    if path is None or path.is_dir():
        return (path or Path()) / template.name
    if path.suffix != template.suffix:
        raise Mistake(f"its name must end with {template.suffix}", place=str(path))
    return path
