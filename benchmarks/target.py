"""Targets, and whether they are met."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A number that should be at most, or at least, another."""

    what: str
    value: float | None  # as measured; None if it was not
    limit: float
    at_least: bool = False
    unit: str = "x"
    note: str = ""  # where the worst of several was found

    @property
    def verdict(self) -> str:
        """Return 'met', 'missed' or 'not measured'."""
        if self.value is None:
            return "not measured"
        good = self.value >= self.limit if self.at_least else self.value <= self.limit
        return "met" if good else "missed"


def lines(targets: Iterable[Target]) -> list[str]:
    """Return the targets as a table, a line each."""
    output = [f"{'target':56}{'measured':>12}{'wanted':>18}"]
    for t in targets:
        value = "-" if t.value is None else f"{t.value:.3g} {t.unit}"
        wanted = f"at {'least' if t.at_least else 'most'} {t.limit:g} {t.unit}"
        note = f"  ({t.note})" if t.note else ""
        output.append(f"{t.what:56}{value:>12}{wanted:>18}  {t.verdict}{note}")
    return output


def as_data(targets: Iterable[Target]) -> list[dict]:
    """Return the targets for JSON, verdicts included."""
    return [{**vars(target), "verdict": target.verdict} for target in targets]
