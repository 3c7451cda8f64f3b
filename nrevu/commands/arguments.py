"""Defines a command, and the arguments that several commands share."""

import argparse
import inspect
import itertools
from collections.abc import Callable, Sequence

Parser = argparse.ArgumentParser
RESULTS = "the folder of all results (default: results)"


def add_command(subs, name: str, about: str | None, run: Callable | None = None) -> Parser:
    """Add a command: its help, of which the first line is the summary, and what runs it."""
    text = inspect.cleandoc(about or "")
    summary, keep_lines = text.partition("\n")[0], argparse.RawDescriptionHelpFormatter
    sub = subs.add_parser(name, help=summary, description=text, formatter_class=keep_lines)
    sub.set_defaults(command=run)
    return sub


def add_experiment(sub: Parser) -> None:
    """Add the arguments that select an experiment."""
    sub.add_argument("experiment", help="a name in conf/experiment, or a YAML file")
    add_size(sub)


def add_experiments(sub: Parser, size: str = "paper") -> None:
    """Add the arguments that select several experiments, or all."""
    sub.add_argument("experiments", nargs="*", help="names or YAML files (default: the paper's)")
    add_size(sub, size)


def add_size(sub: Parser, size: str = "paper") -> None:
    """Add the options that select run lengths and a seed."""
    sub.add_argument("--size", default=size, help=f"smoke, quick or paper (default: {size})")
    sub.add_argument("--seed", type=int, help="replaces the configured seed")


def options_first(arguments: list[str], with_value: Sequence[str]) -> list[str]:
    """Return arguments, options first: argparse takes no settings after an option.

    The options `with_value` are followed by a value.
    """
    options: list[str] = []
    others: list[str] = []
    rest = iter(arguments)
    for text in rest:
        if text in with_value:
            options += [text, *itertools.islice(rest, 1)]
        else:
            (options if text.startswith("-") else others).append(text)
    return options + others


def count(text: str) -> int:
    """Return a positive integer, or raise the error that argparse prints."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not allowed: an integer, 1 or more")
    return int(text)
