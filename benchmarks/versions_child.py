"""Times kernels of whatever version of nrevu this process finds; a script, started by `versions`.

In: how often, and KEY=VALUE words by setting, as JSON. Out: one line of JSON with the file of that
nrevu, and the CPU ns per update of each call. It uses only what versions have in common.
"""

import json
import sys

import nrevu
from nrevu.cells.chains import sample
from nrevu.experiments.settings import parse, resolve


def main(calls: str, settings: str) -> None:
    """Print the times of the settings, each called so often."""
    cells = {key: resolve(parse(words.split()))[0] for key, words in json.loads(settings).items()}
    ns = {key: [] for key in cells}
    for _ in range(int(calls)):
        for key, cell in cells.items():
            ns[key].append(sample(cell).cpu_seconds / cell.updates * 1e9)
    print(json.dumps({"file": nrevu.__file__, "ns": ns}))


if __name__ == "__main__":
    main(*sys.argv[1:])
