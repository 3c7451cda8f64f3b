"""Words that several commands share."""

import argparse


def add_experiment(sub: argparse.ArgumentParser) -> None:
    """Add the words that choose an experiment."""
    sub.add_argument("experiment", help="a name in conf/experiment, or a YAML file")
    add_size(sub)


def add_experiments(sub: argparse.ArgumentParser, size: str = "paper") -> None:
    """Add the words that choose several experiments, or all."""
    sub.add_argument("experiments", nargs="*", help="names or YAML files; default: the paper's")
    add_size(sub, size)


def add_size(sub: argparse.ArgumentParser, size: str = "paper") -> None:
    """Add the words that choose run lengths and a seed."""
    sub.add_argument("--size", default=size, help=f"smoke, quick or paper (default: {size})")
    sub.add_argument("--seed", type=int, help="another seed than the configured one")
