"""Checks whether a distribution, a method or a rule for u is what it claims to be.

In: an instance of a class, built in or from a user's file. Out: one verdict for each check, in the
order in which to read them: a failure often explains the ones after it.
"""

from collections.abc import Iterator
from typing import Any

from nrevu.conformance.verdict import Verdict
from nrevu.core.contracts import class_of
from nrevu.core.user_files import kind_of_class


def check(thing: Any, seed: int = 1) -> Iterator[Verdict]:
    """Yield the verdicts on an object; raise a Mistake if it cannot be compiled."""
    from nrevu.conformance import distribution, method, rule

    kinds = {"distribution": distribution, "method": method, "u": rule}
    return kinds[kind_of_class(class_of(thing))].check(thing, seed)
