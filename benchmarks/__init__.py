"""How fast nrevu is, as ratios to floors, peers and targets: `python -m benchmarks --help`.

In: nothing but this machine. Out: tables, JSON with the times of every round, figures. Everything
that is compared runs in the same process, in turns, so other load affects all of it.
"""
