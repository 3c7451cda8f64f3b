"""Spoilt files: whatever is in an experiment's file, it expands, or is a Mistake that says where.

Mutations are the same each time. By hand, for others: `pytest tests/experiments/test_fuzz.py` with
NREVU_FUZZ=SEED:COUNT in the environment.
"""

import os
import random
import re

import pytest
from mutations import spoilt

from nrevu.errors import Mistake
from nrevu.experiments.experiment import expand, read
from nrevu.files import conf_folder

TEXTS = [path.read_bytes() for path in sorted((conf_folder() / "experiment").glob("*.yaml"))]
SEED, _, COUNT = os.environ.get("NREVU_FUZZ", "1:240").partition(":")
# What is wrong with a file as a whole has no line.
WHOLE = ("is missing: an experiment has", "must hold keys and values", "contains itself")
PARTS = 6


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in an empty folder, where a file's name is short."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("part", range(PARTS))
def test_a_spoilt_file_expands_or_is_a_mistake_with_its_place(here, part):
    mistakes = 0
    for case in range(part, int(COUNT), PARTS):
        rng = random.Random(f"{SEED} {case}")
        (here / "mine.yaml").write_bytes(spoilt(rng, rng.choice(TEXTS)))
        read.cache_clear()
        expand.cache_clear()
        try:
            expand("mine.yaml", "smoke")
        except Mistake as mistake:
            check(str(mistake), case)
            mistakes += 1
        except Exception as error:
            text = (here / "mine.yaml").read_bytes()
            raise AssertionError(f"case {case}: {error!r}\n{text!r}") from error
    assert mistakes > int(COUNT) / PARTS / 2  # most mutations are wrong, and are found to be


def check(said: str, case: int) -> None:
    """Check that a mistake says where it is, on one line that can be read."""
    assert said.startswith("mine.yaml") and "\n" not in said, (case, said)
    assert re.match(r"mine\.yaml:\d+: ", said) or any(w in said for w in WHOLE), (case, said)
