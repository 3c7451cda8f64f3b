"""Composes configs with Hydra. Hydra is imported only when it is used: it takes half a second.

In: choices of config groups, as on a command line. Out: the composed config as nested plain data.
"""

from typing import Any

from nrevu.files import folder


def value(text: str) -> Any:
    """Return the value of KEY=VALUE; raise a ValueError unless it is a single value."""
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


def by_hydra(overrides: list[str]) -> dict[str, Any]:
    """Return the config that Hydra composes for some choices of config groups."""
    from hydra import compose, initialize_config_dir
    from omegaconf import OmegaConf

    with initialize_config_dir(str(folder()), version_base="1.3"):
        config: Any = OmegaConf.to_container(compose("config", overrides), resolve=True)
    return config
