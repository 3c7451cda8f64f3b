"""Artificial sweeps to run, and the arguments that run them."""

from pathlib import Path

from nrevu.files import snakefile

NAME = "made_up"


def write(folder: Path, cells: int, groups: int) -> Path:
    """Write a sweep of `cells` cells, a multiple of 10, and return its file."""
    folder.mkdir(parents=True, exist_ok=True)
    steps = cells // 10
    stepsizes = f"{{from: 1, to: 3, count: {steps}}}" if steps > 1 else "[1.8]"
    text = f"""\
title: {cells} cells
cell:
  distribution.dim: 40
  schedule.group: 40
  run.groups: {groups}
  u: nonreversible
sweep:
  u.delta: {{from: 0.05, to: 0.5, step: 0.05}}
  method.stepsize: {stepsizes}
"""
    file = folder / f"{NAME}.yaml"
    file.write_text(text)
    return file


def snakemake(cores: int, *options: str, batch: float | None = None) -> list[str]:
    """Return the arguments that run the sweep of a folder, in that folder, with Snakemake."""
    words = ["snakemake", "--snakefile", str(snakefile()), "--cores", str(cores), *options]
    given = [f"experiments={NAME}.yaml", "size=smoke", *([f"batch={batch}"] if batch else [])]
    return [*words, "--config", *given]
