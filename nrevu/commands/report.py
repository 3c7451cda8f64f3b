"""Write the HTML report, from the results so far.

Writes HTML reports from the results so far: verdicts, figures, tables. The workflow does this when
it ends. If some results are missing, the report lists them.

  nrevu report                           one report per size and seed, and results/report.html,
                                         which links to them
  nrevu report --size quick              only results/quick/report.html
  nrevu report fig1 fig2 --size quick    these experiments, results/quick/report-fig1-fig2.html
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nrevu.commands.arguments import RESULTS, add_command
from nrevu.errors import Mistake, check_known
from nrevu.files import output_path


def add(subs) -> None:
    """Define the arguments."""
    report = add_command(subs, "report", __doc__, execute)
    report.add_argument("experiments", nargs="*", help="names or YAML files (default: all)")
    help = "smoke, quick or paper (default: all; paper if you name experiments)"
    report.add_argument("--size", help=help)
    report.add_argument("--seed", type=int, help="replaces the configured seed")
    report.add_argument("--out", type=Path, help="another file, if there is one report to write")
    report.add_argument("--results", type=Path, default=Path("results"), help=RESULTS)


def execute(args: argparse.Namespace) -> None:
    """Write the selected pages and print their paths."""
    from nrevu.files import choices
    from nrevu.results.layout import labels

    if args.size is not None:
        check_known("size", args.size, choices("size"), key="--size")
    existing = labels(args.results)
    pages = [args.results / label / "report.html" for label in (".", *existing)]
    if args.out and args.out.resolve() in [page.resolve() for page in pages]:
        message = "is the report on all experiments: give another name"
        raise Mistake(message, "--out", str(args.out))
    write = write_named if args.experiments else write_labels
    for page in write(args, existing):
        print(f"report: {page}")


def write_labels(args: argparse.Namespace, existing: list[str]) -> list[Path]:
    """Write the pages of all labels, or of the selected ones, and the index."""
    selected = [label for label in existing if is_selected(label, args.size, args.seed)]
    if not selected:
        raise no_results(args, existing)
    from nrevu.report.content import load_label
    from nrevu.report.page import index_page, page_writer
    from nrevu.results.layout import planned_names

    if args.out and len(selected) > 1:
        raise Mistake(f"one file cannot hold {', '.join(selected)}: give --size", "--out")
    for label in selected:
        write = page_writer(load_label(args.results, label, planned_names(args.results, label)))
        page = args.results / label / "report.html"
        write_files([args.out] if args.out else [page, page.with_suffix(".json")], write)
    if args.out:
        return [args.out]
    index = args.results / "report.html"
    text = index_page(args.results, existing)
    write_files([index], lambda path: path.write_text(text, encoding="utf-8"))
    return [*(args.results / label / "report.html" for label in selected), index]


def write_files(paths: list[Path], write: Callable[[Path], Any]) -> None:
    """Write each path completely or not at all."""
    for path in paths:
        with output_path(path) as unfinished:
            write(unfinished)


def write_named(args: argparse.Namespace, existing: list[str]) -> list[Path]:
    """Write a page on the named experiments only."""
    from nrevu.experiments.experiment import find
    from nrevu.report.content import load_label
    from nrevu.report.page import page_writer
    from nrevu.results.layout import label_of, planned_names

    names = list(dict.fromkeys(Path(name).stem for name in args.experiments))
    label = label_of(args.size or "paper", args.seed)
    planned = planned_names(args.results, label)
    missing = [name for name in names if name not in planned]
    for name in args.experiments:
        if Path(name).stem in missing:
            find(name)  # an unknown name is a Mistake that suggests the nearest one
    if missing:
        raise no_results(args, existing, f" of {', '.join(missing)} in {label}")

    out = args.out or args.results / label / f"report-{'-'.join(names)}.html"
    write_files([out], page_writer(load_label(args.results, label, names)))
    return [out]


def is_selected(label: str, size: str | None, seed: int | None) -> bool:
    """Return whether a label has the size and seed of the command line."""
    from nrevu.results.layout import label_of

    if size is not None:
        return label == label_of(size, seed)
    return seed is None or label.endswith(f"-seed{seed}")


def no_results(args: argparse.Namespace, existing: list[str], what: str = "") -> Mistake:
    """Return the Mistake for results that do not exist."""
    if not existing:
        message = "there are no results yet: `nrevu make` runs experiments"
    else:
        what = what or " of this size and seed"
        message = f"there is nothing{what}; there is {', '.join(existing)}"
    return Mistake(message, place=str(args.results))
