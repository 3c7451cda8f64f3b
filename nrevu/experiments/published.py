"""What an experiment's file may say of published numbers and claims, whatever its cells are.

In: the document and an entry of `published` or `claims`. Out: a Mistake, with its place, for a key
or value that is not allowed.
"""

import re
from typing import Any

from nrevu.errors import Mistake, unknown
from nrevu.experiments.yaml_document import Document, check_keys, given, is_number, need

ENTRY_KEYS = (  # of a published number
    "at",  # the cell, by its settings
    "groups",  # recorded groups of the run it was from
    "source",  # where it was printed
    "rejection_rate",  # the numbers, under the names of columns; and tau.log_prob, ...
    "clustering",
)
CLAIM_KEYS = {
    "text": str,  # what is claimed
    "published": (int, float),  # the ratio, where one was printed
    "quantity": str,  # of which column
    "of": dict,  # numerator: the best cell with these values
    "over": dict,  # denominator: the best cell with these values; without it, `of` alone is claimed
    "groups": int,  # recorded groups of the runs it was from, if they are known
    "assuming": str,  # what the comparison rests on
}


def check_published(doc: Document, entry: Any, *path) -> None:
    """Raise a Mistake if an entry lacks its settings or length, or holds a number that is none."""
    if not isinstance(entry, dict) or not isinstance(entry.get("at"), dict):
        message = "holds 'at' (settings), 'groups' (run length), 'source' and numbers"
        raise Mistake(f"{message}, not {given(entry)}", "published", doc.place(*path))
    need(doc, entry, ("groups",), *path)
    for key, value in entry.items():
        place = doc.place(*path, key)
        if key not in ENTRY_KEYS and not re.match(r"(tau|cost|mean)\.", key):
            raise unknown("key", key, (*ENTRY_KEYS, "tau.QUANTITY", "cost.QUANTITY"), place=place)
        if key not in ("at", "source"):
            check_positive(doc, value, *path, key)


def check_claim(doc: Document, claim: Any, *path) -> None:
    """Raise a Mistake if a claim lacks something, or its numbers are none to compare with."""
    if not isinstance(claim, dict):
        message = "is a list of claims {text: ..., quantity: ..., of: {...}, over: {...}}"
        raise Mistake(f"{message}, not {given(claim)}", "claims", doc.place(*path))
    check_keys(doc, claim, CLAIM_KEYS, path)
    need(doc, claim, ("text", "quantity", "of"), *path)
    for key in ("published", "groups"):
        check_positive(doc, claim.get(key, 1), *path, key)


def check_positive(doc: Document, value: Any, *path) -> None:
    """Raise a Mistake for what is no number above 0."""
    if not is_number(value) or not value > 0:
        raise Mistake(f"{given(value)} is not a number above 0", path[-1], doc.place(*path))
