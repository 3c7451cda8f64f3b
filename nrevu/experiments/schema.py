"""The JSON Schema of an experiment's file, by which editors complete and check it.

Out: plain data, from the same declarations as the checks: keys and what they may hold, with the
comments beside them in the source and in conf/. Nrevu itself checks more.
"""

import dataclasses
import inspect
import re
from typing import Any

from nrevu.experiments import experiment_file, sections
from nrevu.experiments.experiment_file import KEYS
from nrevu.experiments.settings import GROUPS, compose
from nrevu.experiments.settings import keys as dotted
from nrevu.files import choices, conf_folder

Schema = dict[str, Any]
TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object"}
TYPES |= {list: "array"}
COMMENT = re.compile(r'^[\s-]*"?([\w.]+)"?\s*:[^#\n]*# (.*)$', re.MULTILINE)
ESTIMATES = r"^(rejection_rate|clustering|(tau|cost|time|mean)\..+)$"


def schema() -> Schema:
    """Return the schema of an experiment's file."""
    about = comments(inspect.getsource(experiment_file))
    parts: dict[str, Schema] = {key: typed(kind) for key, kind in KEYS.items()}
    block = cell_schema()
    rows = {"type": "array", "items": block}
    parts |= {"cell": block, "sweep": {"anyOf": [block, rows]}, "exclude": rows}
    parts["sizes"] = {"type": "object", "properties": dict.fromkeys(choices("size"), block)}
    parts["sizes"]["additionalProperties"] = False
    parts |= {"confirm": section(sections.Confirm), "trace": section(sections.Trace)}
    kinds = [section(each, kind) for kind, each in sections.figure_kinds().items()]
    parts["figures"] = {"type": "object", "additionalProperties": {"anyOf": kinds}}
    published = section(sections.Published)
    del published["properties"]["numbers"]
    published |= {
        "required": ["at", "groups"],
        "patternProperties": {ESTIMATES: {"type": "number"}},
    }
    parts["published"] = {"type": "array", "items": published}
    parts["claims"] = {"type": "array", "items": section(sections.Claim)}
    parts["notes"] = parts["beside"] = {"type": "array", "items": {"type": "string"}}
    described = {key: part | {"description": about[key]} for key, part in parts.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An experiment of nrevu",
        "type": "object",
        "properties": described,
        "required": ["title", "cell", "sweep"],
        "additionalProperties": False,
    }


def section(kind: Any, name: str = "") -> Schema:
    """Return the schema of a section's dataclass; `name` is the kind of a figure."""
    about = comments(inspect.getsource(kind))
    fields = {f.name: f for f in dataclasses.fields(kind)}
    found: dict[str, Schema] = {}
    for key, each in sections.field_kinds(kind).items():
        found[key] = field(each) | ({"description": about[key]} if key in about else {})
    if name:
        found["kind"] = {"const": name}
    missing = dataclasses.MISSING
    required = [k for k, f in fields.items() if f.default is f.default_factory is missing]
    keys = {"type": "object", "properties": found, "required": required}
    return keys | {"additionalProperties": False}


def field(kind: sections.Kind) -> Schema:
    """Return the schema of what a field may hold."""
    if kind.choices:
        return {"enum": list(kind.choices)}
    found = typed(kind.type)
    if isinstance(kind.entry, type) and found == {"type": "array"}:
        entry = section(kind.entry) if dataclasses.is_dataclass(kind.entry) else typed(kind.entry)
        found["items"] = entry
    return found


def typed(kind: Any) -> Schema:
    """Return the schema of a type, or of one of several."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if any(each not in TYPES and not isinstance(each, type) for each in kinds):
        return {}
    names = [TYPES.get(each, "array" if each is tuple else "object") for each in kinds]
    return {"type": names[0] if len(names) == 1 else names}


def cell_schema() -> Schema:
    """Return the schema of a block of settings, each with one value, a list or a range.

    Other keys are allowed: joint ones, and settings of users' classes.
    """
    about = comments((conf_folder() / "config.yaml").read_text())
    found: dict[str, Schema] = {}
    for group in GROUPS:
        known = {"enum": choices(group)}
        several = {"type": "array", "items": {"anyOf": [known, {"type": "object"}]}}
        found[group] = {"anyOf": [known, {"type": "object"}, several]}
        found[group] |= {"description": about[group]}
        for name in choices(group):
            text = (conf_folder() / group / f"{name}.yaml").read_text()
            part = "run" if group == "size" else group
            about |= {f"{part}.{key}": each for key, each in comments(text).items()}
    for group in GROUPS:
        for choice in choices(group):
            for key in dotted(compose(f"{group}={choice}")):
                short = about.get(key, about.get(key.rpartition(".")[2], ""))
                found.setdefault(key, {"description": short} if short else {})
    return {"type": "object", "properties": found}


def comments(text: str) -> dict[str, str]:
    """Return the comment beside each key or field of a source."""
    return {key: comment.strip() for key, comment in COMMENT.findall(text)}
