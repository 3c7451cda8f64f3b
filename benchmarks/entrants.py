"""The competitors: each kernel of nrevu, the same in numpy and BlackJAX, the normals alone.

In: a setting and sizes. Out: by implementation, a function to call, and its number of updates.
"""

import dataclasses
from collections.abc import Callable
from importlib.util import find_spec

from benchmarks import in_numpy
from benchmarks.ours import Alone, kernel_call, sized
from benchmarks.settings import MIXED, Setting
from benchmarks.sizes import Sizes
from nrevu.cells.cell import Schedule

OURS, NUMPY, ALONE = "nrevu", "numpy", "one chain at a time"
BLACKJAX, BLACKJAX_ONE = "BlackJAX", "BlackJAX, 1 chain"


def entrants(setting: Setting, sizes: Sizes) -> dict[str, tuple[Callable[[], object], int]]:
    """Return, by implementation, what to call and how many updates that does.

    Calls take some milliseconds: the shorter, the likelier that one of them is left in peace.
    """
    cell, steps = setting.cell, max(1, setting.steps // 2)
    mixed = type(cell.distribution) is type(MIXED)
    own = sized(cell, sizes.updates * (10 if mixed else 1) // steps)
    entered = {OURS: (kernel_call(own), own.updates)}
    if mixed:
        other = Alone(**dataclasses.asdict(cell.distribution))
        one = sized(dataclasses.replace(cell, distribution=other), 3 * sizes.updates // steps, 1)
        entered[ALONE] = (kernel_call(one), one.updates)
    group = min(10, cell.schedule.group)
    short = dataclasses.replace(cell, schedule=Schedule(group, cell.schedule.gibbs_every))
    entered[NUMPY] = vectorised(in_numpy.advance(short, sizes.chains), 1, group * sizes.chains)
    if find_spec("blackjax"):
        from benchmarks import in_blackjax

        many, one = in_blackjax.advance(short, sizes.chains), in_blackjax.advance(short, 1)
        alone = max(1, sizes.updates // steps // group // 4)  # groups of the one chain
        entered[BLACKJAX] = vectorised(many, 1, group * sizes.chains)
        entered[BLACKJAX_ONE] = vectorised(one, alone, group)
    return entered


def vectorised(advance: Callable, groups: int, each: int) -> tuple[Callable[[], object], int]:
    """Return a call that runs some groups, and its number of updates, from those of a group."""
    return lambda: advance(groups), groups * each
