"""Declares what a dataclass's field may hold, and builds dataclasses from checked values.

In: `integer` and `real` make fields with limits; `build` receives a mapping from a config.
Out: a frozen object, or a Mistake. A default is always the neutral value, the one that changes
no number: `changed_fields` leaves such fields out of a cell's digest, so that a field added later
does not change old digests. Usual values belong in conf/.
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import MISSING, field
from operator import ge, gt, le, lt
from typing import Any

from nrevu.errors import Mistake, check_known, shorten

COMPARISONS = {"at_least": ge, "above": gt, "at_most": le, "below": lt}
KINDS = {int: "a whole number", float: "a number", str: "a word", bool: "true or false"}


def integer(*, at_least: int | None = None, at_most: int | None = 10**12, default=MISSING):
    """Return a field for an integer."""
    return field(default=default, metadata={"at_least": at_least, "at_most": at_most})


def real(*, at_least=None, above=None, at_most=None, below=None, default=MISSING):
    """Return a field for a finite number within limits."""
    limits = {"at_least": at_least, "above": above, "at_most": at_most, "below": below}
    return field(default=default, metadata=limits)


def one_of(*choices: str, default=MISSING):
    """Return a field for one of some texts."""
    return field(default=default, metadata={"choices": choices})


def text(default=MISSING):
    """Return a field for any text."""
    return field(default=default)


whole, word = integer, text  # the former names, which users' files may import


def build(cls: type, values: Mapping[str, Any], prefix: str):
    """Return cls(**values), checked; `prefix` ('method') leads the keys in a Mistake."""
    fields = {f.name: f for f in dataclasses.fields(cls)}
    allowed = [f"{prefix}.{name}" for name in fields]
    for name in values:
        check_known("key", f"{prefix}.{name}", allowed, key=f"{prefix}.{name}")
    for name, f in fields.items():
        if name not in values and f.default is MISSING:
            raise Mistake(f"is missing: it must be {allowed_values(f)}", key=f"{prefix}.{name}")
    checked = {name: check(fields[name], v, f"{prefix}.{name}") for name, v in values.items()}
    try:
        return cls(**checked)
    except ValueError as error:  # from the class's __post_init__: how its fields fit together
        raise Mistake(str(error), key=prefix) from None


def kind_of(f: dataclasses.Field) -> type:
    """Return a field's type, also where annotations are strings."""
    return (
        f.type
        if isinstance(f.type, type)
        else {"int": int, "float": float, "bool": bool}.get(f.type, str)
    )


def check(f: dataclasses.Field, value: Any, key: str):
    """Return the value in the field's type, or raise a Mistake that says what is allowed."""
    kind = kind_of(f)
    if kind is float and type(value) is int:
        value = float(value) if abs(value) < 1e300 else math.inf
    if kind is int and type(value) is float and value.is_integer() and abs(value) < 2**53:
        value = int(value)  # as in 1e6
    fits = type(value) is kind
    if fits and kind is float:
        fits = math.isfinite(value)
        value += 0.0  # makes -0.0 and 0.0 one value
    if fits:
        check_known("value", value, f.metadata.get("choices", [value]), key=key)
    if not fits or not all(COMPARISONS[name](value, bound) for name, bound in limits(f)):
        message = f"{shorten(repr(value))} is not allowed: it must be {allowed_values(f)}"
        raise Mistake(message, key=key)
    return value


def allowed_values(f: dataclasses.Field) -> str:
    """Return what a field may hold, as text."""
    kind = kind_of(f)
    if f.metadata.get("choices"):
        return f"one of {', '.join(f.metadata['choices'])}"
    texts = [f"{name.replace('_', ' ')} {bound}" for name, bound in limits(f) if bound != 10**12]
    return " ".join([KINDS.get(kind, kind.__name__), " and ".join(texts)]).strip()


def limits(f: dataclasses.Field) -> list[tuple[str, float]]:
    """Return the names and values of a field's limits."""
    bounds = {name: f.metadata.get(name) for name in COMPARISONS}
    return [(name, bound) for name, bound in bounds.items() if bound is not None]


def changed_fields(obj: Any) -> dict[str, Any]:
    """Return the object's fields that differ from their defaults."""
    pairs = ((f, getattr(obj, f.name)) for f in dataclasses.fields(obj))
    return {f.name: value for f, value in pairs if f.default is MISSING or value != f.default}
