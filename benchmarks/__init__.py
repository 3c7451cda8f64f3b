"""How fast nrevu is, as ratios to floors, peers and targets: `python -m benchmarks --help`.

In: nothing but this machine. Out: tables, JSON with every round's times, figures. Everything that
is compared is measured in the same run, in turns, so that a busy machine does not decide.
"""
