"""The JSON Schema accepts every file that nrevu accepts here, and finds the usual mistakes."""

import copy

import jsonschema
import pytest
import yaml
from conftest import REPO

from nrevu.experiments.experiment_file import KEYS
from nrevu.experiments.schema import schema
from nrevu.experiments.yaml_document import Loader

FILES = [*REPO.glob("conf/experiment/*.yaml"), *REPO.glob("examples/*/*.yaml")]
FILES.append(REPO / "nrevu/templates/my_sweep.yaml")


@pytest.fixture(scope="module")
def validator():
    found = schema()
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


def test_shipped_files_are_valid(validator):
    for path in FILES:
        errors = list(validator.iter_errors(yaml.load(path.read_text(), Loader)))
        assert not errors, (path.name, errors[0].message)


@pytest.mark.parametrize(
    "place, key, value",
    [
        ((), "titel", "a sweep"),
        ((), "notes", "one text"),
        (("confirm",), "cell", 1),
        (("claims", 0), "matchd", True),
        (("claims", 0), "published", "1.62"),
        (("published", 0), "tu.log_prob", 2.0),
        (("figures", "fig2"), "kind", "line"),
        (("figures", "fig2"), "y_scale", "logarithmic"),
        (("sizes",), "papper", {}),
        (("sweep", 0), "u", "nonreversibel"),
    ],
)
def test_mistakes_are_found(validator, place, key, value):
    data = copy.deepcopy(yaml.load((REPO / "conf/experiment/fig2.yaml").read_text(), Loader))
    inner = data
    for part in place:
        inner = inner[part]
    inner[key] = value
    assert list(validator.iter_errors(data))


def test_every_key_is_explained():
    found = schema()["properties"]
    assert found.keys() == KEYS.keys() and all(part["description"] for part in found.values())
    claims = found["claims"]["items"]["properties"]
    assert all(part.get("description") for part in claims.values())
    assert "uniform" in found["cell"]["properties"]["u.noise"]["description"]
