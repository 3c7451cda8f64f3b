"""From series to numbers: autocorrelation times, tables, selection, claims, verdicts."""
