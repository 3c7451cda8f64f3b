"""A sweep: blocks of settings with several values, expanded into the settings of each cell.

In: the `sweep` of an experiment's document, one block or a list of them. Out: lists of Settings.
Each block is a Cartesian product of its lists and ranges; the sweep is the union of the blocks. A
key that joins several with commas takes lists of values that go together. Cells that `exclude`
describes are omitted.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from nrevu.errors import Mistake, check_known, shorten
from nrevu.experiments.settings import OPEN, Setting
from nrevu.experiments.yaml_document import Document, is_number
from nrevu.files import relative_path

MAX_VALUES = 100_000  # of one range, or cells of a sweep: more is a typing error
ROUNDING = Fraction(1, 10**9)  # by how much of a step a range may miss its end
RANGE = ("from", "to", "step", "count", "scale")
FORMS = (
    "a range is {from: A, to: B, step: C} with A <= B and C > 0, or {from: A, to: B, count: N} "
    "with N at least 2, on a logarithmic scale with scale: log and A > 0"
)
PATHS = ("distribution.table", *(f"{group}.file" for group in OPEN))


def setting(doc: Document, key: str, value: Any, place: str) -> Setting:
    """Return a setting of a document; a path in it is relative to the document's folder."""
    if key in OPEN and isinstance(value, dict):
        value = {name: setting(doc, f"{key}.{name}", v, place).value for name, v in value.items()}
    if key in PATHS and isinstance(value, str) and value:
        value = relative_path(str((doc.folder / value).absolute()))
    return Setting(key, value, place)


def settings_of(doc: Document) -> Iterator[list[Setting]]:
    """Yield the settings of each cell of the sweep that is not excluded."""
    unused = dict(enumerate(exclusions(doc)))
    rules = list(unused.values())
    keys: set[str] = set()
    for settings in all_settings(doc):
        cell = {s.key: s.value for s in settings}
        keys |= cell.keys()
        hits = [index for index, rule in enumerate(rules) if is_excluded(cell, rule)]
        for index in hits:
            unused.pop(index, None)
        if not hits:
            yield settings
    for index, rule in unused.items():
        where = {"key": f"exclude[{index}]", "place": doc.place("exclude", index)}
        for key in rule:
            check_known("key of the sweep", key, keys, **where)
        raise Mistake("matches no cell of the sweep", **where)


def exclusions(doc: Document) -> list[dict[str, list]]:
    """Return the rules of `exclude`: for each the values, by the keys of the sweep."""
    rules = []
    for index, rule in enumerate(doc.data.get("exclude", [])):
        if not isinstance(rule, dict) or not rule:
            raise doc.mistake("is a list of keys and values: {KEY: VALUE, ...}", "exclude", index)
        place = doc.place("exclude", index)
        rules.append({key: values(spec, key, place) for key, spec in rule.items()})
    return rules


def is_excluded(cell: Mapping[str, Any], rule: Mapping[str, list]) -> bool:
    """Tell whether a rule matches the settings that the sweep has for a cell."""
    return all(key in cell and cell[key] in values for key, values in rule.items())


def all_settings(doc: Document) -> Iterator[list[Setting]]:
    """Yield the settings of each cell of the sweep."""
    sweep = doc.data["sweep"]
    listed, cells = isinstance(sweep, list), 0
    for index, block in enumerate(sweep if listed else [sweep]):
        path = ("sweep", index) if listed else ("sweep",)
        if not isinstance(block, dict) or not block:
            message = f"a block of a sweep holds keys and values, not {shorten(repr(block))}"
            raise doc.mistake(message, *path)
        check_once(doc, block, path)
        choices = [choices_of(doc, key, spec, path) for key, spec in block.items()]
        cells += math.prod(map(len, choices))
        if cells > MAX_VALUES:
            raise doc.mistake(f"has {cells} cells, too many: at most {MAX_VALUES}", *path)
        for combination in itertools.product(*choices):
            yield list(itertools.chain(*combination))


def check_once(doc: Document, block: Mapping[str, Any], path: tuple) -> None:
    """Raise a Mistake if two lines of a block set the same key, alone or joined with others."""
    seen = set()
    for line in block:
        for name in (part.strip() for part in str(line).split(",")):
            if name in seen:
                raise doc.mistake("is set by two lines of the block", *path, line, key=name)
            seen.add(name)


def choices_of(doc: Document, key: str, spec: Any, path: tuple) -> list[list[Setting]]:
    """Return the choices of one line of a block, each a list of settings."""
    place = doc.place(*path, key)
    names = [name.strip() for name in str(key).split(",")]
    if len(names) == 1:
        return [[setting(doc, key, value, place)] for value in values(spec, key, place)]
    if not isinstance(spec, list) or not all(
        isinstance(together, list) and len(together) == len(names) for together in spec
    ):
        message = f"needs a list of lists of {len(names)} values each, not {shorten(repr(spec))}"
        raise Mistake(message, key, place)
    if not spec:
        raise Mistake("has no values", key, place)
    return [
        [setting(doc, name, value, place) for name, value in zip(names, together, strict=True)]
        for together in spec
    ]


def values(spec: Any, key: str, place: str) -> list:
    """Return the values of a list, of a range {from, to, ...}, or of a single value."""
    if isinstance(spec, dict) and not (key in OPEN and "from" not in spec):
        try:
            return counted(spec) if "count" in spec else stepped(spec)
        except Mistake as mistake:
            raise mistake.at(place, key) from None
    if spec == []:
        raise Mistake("has no values", key, place)
    return spec if isinstance(spec, list) else [spec]


def stepped(spec: dict[str, Any]) -> list[float]:
    """Return from, from + step, ... up to and including `to`, without rounding noise.

    The decimals of the file decide whether the steps end at `to`, not their binary values.
    """
    for name in spec:
        check_known("key of a range", name, RANGE)
    start, end, step = (spec.get(name, math.nan) for name in ("from", "to", "step"))
    if not all(map(is_number, (start, end, step))) or step <= 0 or end < start:
        raise Mistake(f"{FORMS}; not {shorten(repr(spec))}")
    if (end - start) / step >= MAX_VALUES:
        about = f"{(end - start) / step:.3g}"
        raise Mistake(f"has about {about} values, too many: at most {MAX_VALUES}")
    exact = (Fraction(str(end)) - Fraction(str(start))) / Fraction(str(step))
    last = math.floor(exact + ROUNDING)  # the index of the last value up to `to`
    numbers = [round(start + index * step, 12) for index in range(last + 2)]  # and one beyond
    if abs(exact - last) > ROUNDING:
        message = f"steps of {step} from {start} do not reach {end}: the last value is"
        message += f" {numbers[-2]}. Write to: {numbers[-2]} or to: {numbers[-1]}; or replace step"
        raise Mistake(f"{message} with count: N, for N values with both ends")
    return numbers[:-1]


def counted(spec: dict[str, Any]) -> list[float]:
    """Return `count` values from `from` to `to`, evenly or by equal factors, to 6 digits."""
    allowed = [name for name in RANGE if name != "step"]
    for name in spec:
        check_known("key of a range with a count", name, allowed)
    start, end, count = (spec.get(name, math.nan) for name in ("from", "to", "count"))
    scale = spec.get("scale", "linear")
    check_known("scale", scale, ("linear", "log"))
    fine = is_number(start) and is_number(end) and type(count) is int
    if not fine or count < 2 or end <= start or (scale == "log" and start <= 0):
        raise Mistake(f"{FORMS}; not {shorten(repr(spec))}")
    if count > MAX_VALUES:
        raise Mistake(f"has {count} values, too many: at most {MAX_VALUES}")
    shares = [index / (count - 1) for index in range(1, count - 1)]
    if scale == "log":
        numbers = [start * (end / start) ** share for share in shares]
    else:
        numbers = [start + (end - start) * share for share in shares]
    inner = [float(f"{number:.6g}") for number in numbers]
    integers = type(start) is int and type(end) is int
    return [start, *(int(n) if integers and n.is_integer() else n for n in inner), end]
