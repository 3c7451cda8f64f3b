"""The result of a cell as text: a small table, then notes; or several as one table."""

from collections.abc import Mapping, Sequence
from typing import Any


def as_text(result: dict) -> str:
    """Return a result as a small table, followed by notes."""
    lines = [result["name"], "", f"{'':24}{'value':>12}{'std. error':>12}"]
    lines += [row("rejection rate", result["rejection_rate"])]
    lines += [row("clustering", result["clustering"])]
    for quantity, tau in result["tau"].items():
        mark = "  lag too short" if quantity in result["lag_too_short"] else ""
        mark += "  not converged" if quantity in result["not_converged"] else ""
        lines += [row(f"tau {quantity}", tau) + mark]
    for quantity, about in result.get("posterior", {}).items():
        rhat, effective = number(about["rhat"], 7, 3), number(about["effective"], 8, 0)
        lines += [row(f"mean {quantity}", about["mean"]) + f"   R-hat{rhat}, effective{effective}"]
    counts = result["evaluations"]
    lines += [
        "",
        f"{result['groups']} groups in {result['chains']} chains; density evaluations "
        f"{counts['density']}, gradient evaluations {counts['gradient']}, overflows "
        f"{result['overflows']}",
        f"{result['cpu_seconds']:.2f} CPU seconds, {result['ns_per_update']:.0f} ns per update; "
        f"digest {result['digest']}, bits {result['bits']}",
    ]
    return "\n".join([*lines, *notes(result)])


def as_table(settings: Sequence[Mapping[str, Any]], results: Sequence[dict]) -> str:
    """Return several results as a table: the settings that differ, then estimates with errors."""
    varied = [key for key in settings[0] if len({str(given[key]) for given in settings}) > 1]
    taus = list(dict.fromkeys(name for result in results for name in result["tau"]))
    rows = [[*varied, "rejection rate", *(f"tau {name}" for name in taus)]]
    for given, result in zip(settings, results, strict=True):
        rows.append([str(given[key]) for key in varied])
        rows[-1] += [with_error(result["rejection_rate"]), *(tau_text(result, q) for q in taus)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(f"{t:>{w}}" for t, w in zip(row, widths, strict=True)) for row in rows]
    unsure = any("?" in text for row in rows[1:] for text in row)
    lines += ["?: too few lags, or chains that disagree; raise run.groups"] if unsure else []
    return "\n".join(
        [*lines, *dict.fromkeys(r["target_note"] for r in results if r["target_note"])]
    )


def tau_text(result: dict, quantity: str) -> str:
    """Return an autocorrelation time with its error, and a question mark if it is unreliable."""
    doubtful = quantity in (*result["lag_too_short"], *result["not_converged"])
    return with_error(result["tau"].get(quantity)) + "?" * doubtful


def with_error(estimate: dict | None) -> str:
    """Return a value with its standard error as text."""
    if not estimate:
        return "-"
    return f"{number(estimate['value'], 0)} ± {number(estimate['se'], 0)}"


def notes(result: dict) -> list[str]:
    """Return warnings and explanations as lines."""
    lines = [result["target_note"]] if result.get("target_note") else []
    if result["rejection_rate"]["value"] == 1:
        lines.append("no proposal was accepted, so no time is known: lower method.stepsize")
    for quantity in result["lag_too_short"]:
        text = f"tau {quantity}: {result['lags'][quantity]} lags are too few"
        if quantity in result["longer"]:
            more = result["longer"][quantity]
            value, se = (number(more[key], 0) for key in ("value", "se"))
            text += f"; with {more['lags']} lags, {value} ± {se}"
        else:
            text += ", and the chains too short for more: raise run.groups"
        lines.append(text)
    if result.get("posterior"):
        names = ", ".join(result["posterior"])
        lines.append(f"tau of {names}: about the mean over all chains; the true mean is unknown")
    if result["not_converged"]:
        lines.append("not converged: chains disagree or are too short; raise run.groups")
    return lines


def row(label: str, estimate: dict) -> str:
    """Return a row of the table: a value and its standard error."""
    return f"{label:24}{number(estimate['value'])}{number(estimate['se'])}"


def number(value: float | None, width: int = 12, digits: int = 5) -> str:
    """Return a number in a column of a table."""
    return f"{'-':>{width}}" if value is None else f"{value:{width}.{digits}f}"
