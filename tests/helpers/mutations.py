"""Ways to spoil an experiment's file, for tests: by its structure, or by its bytes.

In: the bytes of a YAML file and a random.Random. Out: the bytes of a spoilt one.
"""

import copy
import datetime
import random
from typing import Any

import yaml

ODD = (
    None, True, False, "", "text", " ", "é☃", "a: b", "null", "nan", "1.5", "../../x", "${x}",
    0, 1, -1, 2, 10**30, -(10**30), 0.0, -0.5, 1e308, 1e-308, float("nan"), float("inf"),
    float("-inf"), 10**6, [], {}, [[]], [{}], [None], [[1, [2, [3]]]], {"": 1}, {"a": {"b": {}}},
    {"from": 1, "to": 2}, {"from": 1, "to": 2, "step": 0}, {"from": 3, "to": 1, "step": 1},
    {"from": 0, "to": 1, "count": 3, "scale": "log"}, {"from": 1, "to": 1e308, "count": 4},
    {"from": -1e308, "to": 1e308, "count": 4}, {"from": 1, "to": 2, "count": True},
    {"file": "x.py"}, {"name": "pairs"}, {"name": None}, {"name": ["a"]}, {"from": "a"},
    datetime.date(2020, 1, 2), b"\x00\x01", {1, 2}, 10**400, {"from": 1, "to": 10**400, "step": 1},
    {"from": -1e308, "to": 1e308, "step": 1e-300}, "x" * 3000,
    {"from": 1, "to": 10**400, "count": 3}, {"from": 1e-320, "to": 1e299, "count": 3},
    {"from": 1e-320, "to": 1e299, "count": 3, "scale": "log"},
    ["x"] * 300, "tau.log_prob", "method.stepsize", "u", "seed", "fig1", "mine", "trace", "???",
    [0.5, 0.5], [[1, 2], [3, 4]],
)  # fmt: skip
KEYS = ("", " ", "é☃", "u", "method", "size", "seed", "name", "file", "from", "kind", "where",
        "distribution.file", "estimate.max_lag", "a, b", ",", ".", "u.", ".u", "method.stepsize.x",
        "run.groups", "experiment", 3, 1.5, None, True)  # fmt: skip


def places(data: Any, path: tuple = ()) -> list[tuple]:
    """Return the paths of all values within nested data."""
    if isinstance(data, list):
        data = dict(enumerate(data))
    found = []
    for key, value in data.items() if isinstance(data, dict) else ():
        found += [(*path, key), *places(value, (*path, key))]
    return found


def parent_of(data: Any, path: tuple) -> Any:
    """Return the dictionary or list that holds what is at a path."""
    for key in path[:-1]:
        data = data[key]
    return data


def typo(rng: random.Random, word: str) -> str:
    """Return a word with a letter dropped, doubled, exchanged or in another case."""
    at = rng.randrange(max(1, len(word)))
    before, letter, after = word[:at], word[at : at + 1], word[at + 1 :]
    return before + rng.choice(["", letter * 2, "x", letter.upper(), "é"]) + after


def renamed(rng: random.Random, inside: Any, key: Any) -> None:
    """Give a key of a dictionary another name, in its place; exchange items of a list."""
    if isinstance(inside, list):
        rng.shuffle(inside)
        return
    new = rng.choice(KEYS) if rng.random() < 0.4 else typo(rng, str(key))
    items = [(new if name == key else name, value) for name, value in inside.items()]
    inside.clear()
    inside.update(items)


def wrapped(rng: random.Random, key: Any, value: Any) -> Any:
    """Return a value in another type, or within something."""
    ways = [[value], {str(key): value}, str(value), {"from": value, "to": value, "step": value}]
    ways += [[[value]], [value, value], {"where": value}]
    if isinstance(value, int | float) and not isinstance(value, bool):
        ways += [-value, value * 10**9, float(value) if abs(value) < 1e300 else 1, value / 2]
    if isinstance(value, dict) and value:
        ways += [list(value), list(value.values()), next(iter(value.values()))]
    if isinstance(value, list) and value:
        ways += [value[0], dict.fromkeys(map(str, value)), value[:1], value * 2]
    return rng.choice(ways)


def deep(rng: random.Random) -> Any:
    """Return lists or dictionaries within each other."""
    value: Any = 1
    for _ in range(rng.choice([5, 60, 150])):
        value = rng.choice([[value], {"a": value}])
    return value


def edit(rng: random.Random, data: dict) -> None:
    """Spoil one place of nested data."""
    path = rng.choice(places(data))
    inside, key = parent_of(data, path), path[-1]
    way = rng.randrange(8)
    if way == 0:
        del inside[key]
    elif way == 1:
        renamed(rng, inside, key)
    elif way == 2:
        inside[key] = wrapped(rng, key, inside[key])
    elif way == 3:
        inside[key] = deep(rng)
    elif way == 4:  # what is somewhere else in the file
        other = rng.choice(places(data))
        inside[key] = copy.deepcopy(parent_of(data, other)[other[-1]])
    elif way == 5 and isinstance(inside, dict):
        inside[rng.choice(KEYS)] = copy.deepcopy(rng.choice(ODD))
    elif way == 5:
        inside.insert(key, copy.deepcopy(rng.choice([*ODD, inside[key]])))
    else:
        inside[key] = copy.deepcopy(rng.choice(ODD))


def by_structure(rng: random.Random, text: bytes) -> bytes:
    """Return a file spoilt in one to three places."""
    data = copy.deepcopy(yaml.safe_load(text))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if places(data):
            edit(rng, data)
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True).encode()


def by_bytes(rng: random.Random, text: bytes) -> bytes:
    """Return a file cut short, with bytes changed, or with lines lost, doubled or moved."""
    way = rng.randrange(5)
    if way == 0:
        return text[: rng.randrange(len(text))]
    if way == 1:
        changed = bytearray(text)
        for _ in range(rng.choice([1, 1, 3, 20])):
            changed[rng.randrange(len(text))] = rng.choice(
                [rng.randrange(256), *b" :-[]{}&*#,'\"\t"]
            )
        return bytes(changed)
    lines = text.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    if way == 2:
        return b"".join(lines[:at] + lines[at + 1 :])
    if way == 3:
        lines.insert(rng.randrange(len(lines)), lines[at])
        return b"".join(lines)
    lines[at] = rng.choice([b"  ", b"\t", b"- "]) + lines[at]
    return b"".join(lines)


def spoilt(rng: random.Random, text: bytes) -> bytes:
    """Return a file spoilt in some way."""
    return rng.choice([by_structure, by_structure, by_bytes])(rng, text)
