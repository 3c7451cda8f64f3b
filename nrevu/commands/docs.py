"""Print a page of the documentation, or list the pages.

nrevu docs                     list the pages
nrevu docs sweeps              print docs/sweeps.md
nrevu docs sweeps | less
"""

import argparse
from pathlib import Path

from nrevu.commands.arguments import add_command
from nrevu.errors import check_known
from nrevu.files import shipped_path


def add(subs) -> None:
    """Define the arguments."""
    docs = add_command(subs, "docs", __doc__, execute)
    docs.add_argument("page", nargs="?", help="the name of a page")


def execute(args: argparse.Namespace) -> None:
    """Print a page, or the first line of each."""
    files = sorted(shipped_path("docs").glob("*.md"))
    pages = {path.stem: path for path in files if path.stem != "index"}  # the site's first page
    if args.page:
        check_known("page", args.page, pages, place="command line")
        print(pages[args.page].read_text(encoding="utf-8"), end="")
        return
    print("\n".join(f"{name:14} {title(path)}" for name, path in pages.items()))
    print(f"\nnrevu docs PAGE prints a page. The files are in {shipped_path('docs')}")


def title(path: Path) -> str:
    """Return the first line of a page, without its mark."""
    return path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
