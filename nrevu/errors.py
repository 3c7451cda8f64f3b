"""A user's mistake: what was given, where, what is allowed, and the nearest valid spelling."""

import difflib
from collections.abc import Iterable


class Mistake(Exception):
    """Something a user can mend; shown without a traceback, with exit code 2."""

    def __init__(self, message: str, key: str | None = None, place: str | None = None):
        super().__init__(message)
        self.message = message
        self.key = key  # the config key at fault, where there is one
        self.place = place  # "file:line" or "command line"

    def __str__(self) -> str:
        return ": ".join(part for part in (self.place, self.key, self.message) if part)

    def at(self, place: str, key: str | None = None) -> "Mistake":
        """Return the same mistake with its place, unless it already has one."""
        return Mistake(self.message, self.key or key, self.place or place)


def shown(value: object) -> str:
    """Return what was given as it is to be printed: on one line, and cut short if it is long."""
    text = value if isinstance(value, str) and value.isprintable() else repr(value)
    return text if len(text) <= 100 else f"{text[:80]}..."


def unknown(what: str, given: object, allowed: Iterable[str], **where) -> Mistake:
    """Return the mistake of naming something that does not exist."""
    allowed = sorted(map(str, allowed))
    lower = {name.lower(): name for name in allowed}
    near = difflib.get_close_matches(str(given)[:200].lower(), lower, n=1, cutoff=0.5)
    hint = f" Did you mean '{lower[near[0]]}'?" if near else ""
    listed = ", ".join(allowed) or "none"
    return Mistake(f"unknown {what} '{shown(given)}'.{hint} Allowed: {listed}", **where)
