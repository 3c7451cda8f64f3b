"""Composes configs with Hydra, and keeps what it composed beside the package's compiled code.

In: choices of config groups, as words. Out: the whole config, nested, in plain data. Hydra takes
half a second, every step of the workflow wants a few compositions, and the files of conf/ seldom
change: a kept one is used only if it was made from what the files hold now.
"""

import json
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nrevu.files import content_hash, folder, write_atomically

KEPT = Path(__file__).parent / "__pycache__"


def composed(words: list[str]) -> dict[str, Any]:
    """Return the config for some choices: as kept, or composed now and kept if that can be."""
    path = KEPT / f"composed-{','.join(words)}.json"
    origin = {name: version(name) for name in ("hydra-core", "omegaconf")}
    origin |= {"files": content_hash(origins()), "names": [path.name for path in origins()]}
    try:
        kept = json.loads(path.read_text())
        if kept["origin"] == origin:
            return kept["config"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # never made, or damaged, or nothing that we may read
    config = by_hydra(words)
    # An installation that we may not write to, or a date in conf/: slower, no worse.
    with suppress(OSError, TypeError):
        write_atomically(path, json.dumps({"origin": origin, "config": config}))
    return config


def origins() -> list[Path]:
    """Return this file, and those of conf/ that are composed, as those of experiments are not."""
    composable = [path for path in folder().rglob("*.yaml") if path.parent.name != "experiment"]
    return [Path(__file__), *sorted(composable)]


def value(text: str) -> Any:
    """Return the value of KEY=VALUE; raises a ValueError unless it is a single one."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.override_parser.types import OverrideType
    from hydra.errors import HydraException

    try:
        override = OverridesParser.create().parse_override(text)
    except HydraException as error:
        raise ValueError(str(error)) from None
    if override.type != OverrideType.CHANGE or override.is_sweep_override():
        raise ValueError(text)
    return override.value()


def by_hydra(words: list[str]) -> dict[str, Any]:
    """Return the config for some choices, composed by Hydra."""
    from hydra import compose, initialize_config_dir
    from omegaconf import OmegaConf

    with initialize_config_dir(str(folder()), version_base="1.3"):
        return OmegaConf.to_container(compose("config", words), resolve=True)
