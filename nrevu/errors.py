"""A user's mistake: the value, where it is, what is allowed, and the nearest valid spelling."""

import difflib
from collections.abc import Collection, Iterable


class Mistake(Exception):
    """An error that the user can correct; printed without a traceback, with exit code 2."""

    def __init__(self, message: str, key: str | None = None, place: str | None = None):
        super().__init__(message)
        self.message = message
        self.key = key  # the config key at fault, if any
        self.place = place  # "file:line" or "command line"

    def __str__(self) -> str:
        return ": ".join(part for part in (self.place, self.key, self.message) if part)

    def at(self, place: str, key: str | None = None) -> "Mistake":
        """Return the mistake with a place, unless it has one already."""
        return Mistake(self.message, self.key or key, self.place or place)


def shorten(value: object) -> str:
    """Return a value as text on one line, cut after 80 characters if it has more than 100."""
    text = value if isinstance(value, str) and value.isprintable() else repr(value)
    return text if len(text) <= 100 else f"{text[:80]}..."


def unknown(what: str, given: object, allowed: Iterable[str], **where) -> Mistake:
    """Return the mistake for a name that does not exist, with the nearest one that does."""
    allowed = sorted(map(str, allowed))
    lower = {name.lower(): name for name in allowed}
    near = difflib.get_close_matches(str(given)[:200].lower(), lower, n=1, cutoff=0.5)
    hint = f" Did you mean '{lower[near[0]]}'?" if near else ""
    listed = ", ".join(allowed) or "none"
    return Mistake(f"unknown {what} '{shorten(given)}'.{hint} Allowed: {listed}", **where)


def check_known(what: str, given: object, allowed: Collection[str], **where) -> None:
    """Raise a Mistake unless a name is one of those allowed."""
    if given not in allowed:
        raise unknown(what, given, allowed, **where)
