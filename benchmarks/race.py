"""Times several functions in turns, so that other load on the machine affects all of them alike.

In: functions by name. Out: CPU and wall seconds of every round. The minimum CPU time counts: that
clock stops while another process has the core, and in the best of many rounds caches and clock
rate were disturbed least. The wall time shows how busy the machine was.
"""

import contextlib
import gc
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping

FEW, LONG = 10, 0.2  # rounds of a call that takes longer than LONG seconds
Times = dict[str, dict[str, list[float]]]  # by name: {"cpu": [...], "wall": [...]}, in seconds


def race(
    calls: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.process_time,
) -> Times:
    """Return the times of all rounds; a first round, which compiles, does not count.

    The clock counts CPU seconds: of this process, unless another is given.
    """
    times: Times = {name: {"cpu": [], "wall": []} for name in calls}
    for call in calls.values():
        call()
    order = list(calls)
    with no_garbage():
        for number in range(rounds):
            random.Random(number).shuffle(order)  # no call always follows the same other one
            # Where a call's buffers lie in memory changes its speed: somewhere else each round.
            held = bytearray(600 + 208 * (number % 43))
            for name in order:
                if number >= FEW and min(times[name]["wall"]) > LONG:
                    continue
                wall, cpu = time.perf_counter(), clock()
                calls[name]()
                times[name]["cpu"].append(clock() - cpu)
                times[name]["wall"].append(time.perf_counter() - wall)
            del held
    return times


def least(times: Times, name: str, clock: str = "cpu") -> float:
    """Return the least seconds of one call."""
    return min(times[name][clock])


@contextlib.contextmanager
def no_garbage() -> Iterator[None]:
    """Keep Python's collector of garbage from running within."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextlib.contextmanager
def pinned() -> Iterator[None]:
    """Keep this process, and threads it starts, on one core: no moves between caches.

    It also makes libraries that use threads, such as BlackJAX, comparable: ns of one core.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
