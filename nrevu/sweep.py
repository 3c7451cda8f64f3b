"""A sweep: blocks of settings with several values, expanded into the settings of each cell.

In: the `sweep` of an experiment's document, one block or a list of them. Out: lists of Settings.
Within a block, lists and ranges are multiplied out; the blocks are united. A key that joins
several with commas takes lists of values that go together.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

from nrevu.config import Setting
from nrevu.document import Document
from nrevu.mistake import Mistake, unknown

MOST = 100_000  # values of one range


def settings_of(doc: Document) -> Iterator[list[Setting]]:
    """Yield the settings of each cell of the sweep."""
    sweep = doc.data["sweep"]
    listed = isinstance(sweep, list)
    for index, block in enumerate(sweep if listed else [sweep]):
        path = ("sweep", index) if listed else ("sweep",)
        if not isinstance(block, dict) or not block:
            raise Mistake("a block of a sweep holds keys and values", "sweep", doc.place(*path))
        check_once(doc, block, path)
        choices = [choices_of(doc, key, spec, path) for key, spec in block.items()]
        for combination in itertools.product(*choices):
            yield list(itertools.chain(*combination))


def check_once(doc: Document, block: Mapping[str, Any], path: tuple) -> None:
    """Raise a Mistake if two lines of a block set the same key, alone or joined with others."""
    seen = set()
    for line in block:
        for name in (part.strip() for part in str(line).split(",")):
            if name in seen:
                raise Mistake("is set by two lines of the block", name, doc.place(*path, line))
            seen.add(name)


def choices_of(doc: Document, key: str, spec: Any, path: tuple) -> list[list[Setting]]:
    """Return the choices that one line of a block gives, each a list of settings."""
    place = doc.place(*path, key)
    names = [name.strip() for name in str(key).split(",")]
    if len(names) == 1:
        return [[Setting(key, value, place)] for value in values(spec, key, place)]
    if not isinstance(spec, list) or not all(
        isinstance(together, list) and len(together) == len(names) for together in spec
    ):
        raise Mistake(f"needs a list of lists of {len(names)} values each", key, place)
    if not spec:
        raise Mistake("has no values", key, place)
    return [
        [Setting(name, value, place) for name, value in zip(names, together, strict=True)]
        for together in spec
    ]


def values(spec: Any, key: str, place: str) -> list:
    """Return the values of a list, of a range {from, to, step}, or of a single value."""
    if isinstance(spec, dict):
        return steps(spec, key, place)
    if isinstance(spec, list) and not spec:
        raise Mistake("has no values", key, place)
    return spec if isinstance(spec, list) else [spec]


def steps(spec: Mapping[str, Any], key: str, place: str) -> list[float]:
    """Return from, from + step, ... up to and with `to`, without rounding noise."""
    for name in spec:
        if name not in ("from", "to", "step"):
            raise unknown("key of a range", name, ("from", "to", "step"), key=key, place=place)
    start, end, step = (spec.get(name) for name in ("from", "to", "step"))
    finite = all(type(n) in (int, float) and math.isfinite(n) for n in (start, end, step))
    if not finite or step <= 0 or end < start:
        raise Mistake("a range is {from: A, to: B, step: C} with A <= B and C > 0", key, place)
    count = int((end - start) / step + 1e-9) + 1
    if count > MOST:
        raise Mistake(f"has {count} values, too many: at most {MOST}", key, place)
    numbers = [round(start + index * step, 12) for index in range(count)]
    whole = type(start) is int and type(step) is int
    return [int(number) for number in numbers] if whole else numbers
