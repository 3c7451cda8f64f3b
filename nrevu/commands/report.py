"""`nrevu report`: the HTML report, from the results so far."""

import argparse
from pathlib import Path

from nrevu.errors import Mistake, unknown
from nrevu.files import output_path

ABOUT = """\
Writes HTML pages on what the workflow has left in results/: verdicts, figures, tables. The workflow
does so at its end. On work that is half done, a page says what is missing.

  nrevu report                           a page for each size and seed, and results/report.html,
                                         which leads to them
  nrevu report --size quick              of the pages, only results/quick/report.html
  nrevu report fig1 fig2 --size quick    a page on these alone, results/quick/report-fig1-fig2.html
"""


def add(subs) -> None:
    """Add the command's words."""
    report = subs.add_parser(
        "report",
        help="write the HTML report, from the results so far",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    report.add_argument("experiments", nargs="*", help="names or YAML files; default: all")
    report.add_argument(
        "--size", help="smoke, quick or paper (default: all; of named experiments, paper)"
    )
    report.add_argument("--seed", type=int, help="another seed than the configured one")
    report.add_argument("--results", type=Path, default=Path("results"), help="where results are")
    report.add_argument("--out", type=Path, help="another file, for one page")
    report.set_defaults(command=execute)


def execute(args: argparse.Namespace) -> None:
    """Write the pages that were asked for, and say where they are."""
    from nrevu.files import choices
    from nrevu.results.layout import labels

    if args.size is not None and args.size not in choices("size"):
        raise unknown("size", args.size, choices("size"), key="--size")
    there = labels(args.results)
    kept = [args.results / "report.html", *(args.results / at / "report.html" for at in there)]
    if args.out and args.out.resolve() in [page.resolve() for page in kept]:
        raise Mistake("is a page on all experiments: give another name", "--out", str(args.out))
    write = write_named if args.experiments else write_labels
    for page in write(args, there):
        print(f"report: {page}")


def write_labels(args: argparse.Namespace, there: list[str]) -> list[Path]:
    """Write the pages of all labels, or of those asked for, and the index."""
    asked = [label for label in there if fits(label, args.size, args.seed)]
    if not asked:
        raise nothing_found(args, there)
    from nrevu.report.pages import index_page, load_label, page_writer
    from nrevu.results.layout import planned_names

    if args.out and len(asked) > 1:
        raise Mistake(f"holds one page, and there are {', '.join(asked)}: give --size", "--out")
    pages = []
    for label in asked:
        write = page_writer(load_label(args.results, label, planned_names(args.results, label)))
        page = args.out or args.results / label / "report.html"
        for path in [page] if args.out else [page, page.with_suffix(".json")]:
            with output_path(path) as unfinished:
                write(unfinished)
        pages.append(page)
    if args.out:
        return pages
    with output_path(args.results / "report.html") as unfinished:
        unfinished.write_text(index_page(args.results, there), encoding="utf-8")
    return [*pages, args.results / "report.html"]


def write_named(args: argparse.Namespace, there: list[str]) -> list[Path]:
    """Write a page on some experiments alone."""
    from nrevu.results.layout import label_of, planned_names

    names = list(dict.fromkeys(Path(name).stem for name in args.experiments))
    label = label_of(args.size or "paper", args.seed)
    planned = planned_names(args.results, label)
    if not set(names) <= set(planned):
        missing = [name for name in names if name not in planned]
        raise nothing_found(args, there, f" of {', '.join(missing)} in {label}")
    from nrevu.report.pages import load_label, page_writer

    out = args.out or args.results / label / f"report-{'-'.join(names)}.html"
    with output_path(out) as unfinished:
        page_writer(load_label(args.results, label, names))(unfinished)
    return [out]


def fits(label: str, size: str | None, seed: int | None) -> bool:
    """Tell whether a label was asked for: the one of a size, those of a seed, or all."""
    from nrevu.results.layout import label_of

    if size is not None:
        return label == label_of(size, seed)
    return seed is None or label.endswith(f"-seed{seed}")


def nothing_found(args: argparse.Namespace, there: list[str], what: str = "") -> Mistake:
    """Return the mistake of asking for a report on results that are not there."""
    if not there:
        message = "there are no results yet: `nrevu make` runs experiments"
    else:
        message = f"there is nothing{what or ' of this size and seed'}; there is {', '.join(there)}"
    return Mistake(message, place=str(args.results))
