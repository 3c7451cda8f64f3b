"""Configs: what Hydra composes, how settings are put on it, and errors that teach."""

import itertools

import hydra
import pytest
from omegaconf import OmegaConf

from nrevu.errors import Mistake
from nrevu.experiments.settings import GROUPS, compose, composed, parse, resolve
from nrevu.files import choices, conf_folder


def cell_of(*words):
    return resolve(parse(words))[0]


def test_settings_give_what_hydra_would_compose():
    words = ["u=nonreversible", "u.delta=0.1", "method.stepsize=2.5", "size=smoke", "seed=9"]
    with hydra.initialize_config_dir(str(conf_folder()), version_base="1.3"):
        whole = OmegaConf.to_container(hydra.compose("config", words), resolve=True)
    cell = cell_of(*words)
    assert cell.method.stepsize == whole["method"]["stepsize"] == 2.5
    assert cell.u.delta == whole["u"]["delta"] == 0.1
    assert cell.run.groups == whole["run"]["groups"]
    assert cell.seed == whole["seed"] == 9
    assert composed()["u"] == {"name": "standard"}  # untouched by what was set on a copy


@pytest.mark.slow
def test_parts_put_together_are_what_hydra_composes_for_every_combination():
    """And Hydra composes no more often than there are files in conf/."""
    compose.cache_clear()
    combinations = list(itertools.product(*(choices(group) for group in GROUPS)))
    found = [composed(**dict(zip(GROUPS, names, strict=True))) for names in combinations]
    assert compose.cache_info().misses <= 1 + sum(len(choices(group)) for group in GROUPS)
    for names, config in zip(combinations, found, strict=True):
        assert config == compose(*map("{}={}".format, GROUPS, names))


def test_numbers_are_read_as_numbers():
    assert cell_of("method.stepsize=1e-3").method.stepsize == 0.001
    assert cell_of("method.stepsize=2").method.stepsize == 2.0


def test_the_published_setting():
    words = "distribution=gaussian method=metropolis method.stepsize=1.8 u=nonreversible"
    cell = cell_of(*words.split(), "u.delta=0.3", "size=paper")
    assert cell.derived["eta"] == pytest.approx(1.8 / 40**0.5)
    assert (cell.run.groups, cell.run.burn_in * cell.run.chains) == (1_000_000, 1000)
    assert cell.schedule.group == 40 and (cell.u.delta, cell.u.noise) == (0.3, 0.0)


BAD = {
    "method.stepsiz=1.8": "Did you mean 'method.stepsize'?",
    "stepsize=1.8": "Did you mean 'method.stepsize'?",
    "method=metropols": "Did you mean 'metropolis'?",
    "distribution=gausian": "Did you mean 'gaussian'?",
    "u=nonreversable": "Did you mean 'nonreversible'?",
    "size=papr": "Did you mean 'paper'?",
    "u.delta=0.3": "or u=nonreversible or u=reversible, not to u=standard",
    "method.alpha=0.5": "or method=persistent_langevin, not to method=metropolis",
    "method.alpha_per=time": "belongs to method=persistent_langevin, not to method=metropolis",
    "distribution.correlation=0.5": "belongs to distribution=pairs",
    "METHOD=hmc": "Did you mean 'method'?",
    "method=HMC": "Did you mean 'hmc'?",
    "méthod.stepsize=1": "Did you mean 'method.stepsize'?",
    "method.scaling=500": "at least -3 and at most 3",
    "method.stepsize=-1": "a number above 0",
    "method.stepsize=0": "a number above 0",
    "method.stepsize=nan": "a number above 0",
    "method.stepsize=inf": "a number above 0",
    "method.stepsize=big": "a number above 0",
    "method.stepsize=true": "a number above 0",
    "method.stepsize=null": "a number above 0",
    "method.stepsize=1,2": "one plain value",
    "method.stepsize=[1,2]": "a number above 0",
    "method.stepsize=": "a number above 0",
    "+method.stepsize=2": "Did you mean 'method.stepsize'?",
    "method.name=hmc": "unknown key",
    "method.stepsize": "KEY=VALUE",
    "method={stepsiz: 1}": "Did you mean 'method.stepsize'?",
    "distribution.dim=0": "a whole number at least 1",
    "distribution.dim=40.5": "a whole number at least 1",
    "schedule.group=0": "a whole number at least 1",
    "schedule=3": "holds group, gibbs_every",
    "run.groups=0": "a whole number at least 1",
    "run.groups=10": "chains need at least as many groups",
    "run.chains=0": "a whole number at least 1",
    "run.chains=5000": "lag 1 is too long for chains of 2 groups",
    "run.burn_in=-1": "a whole number at least 0",
    "estimate.max_lag=-1": "a whole number at least 0",
    "estimate.max_lag=250": "too long for chains of 250 groups",
    "estimate.mean=unknown": "Allowed: known, pooled",
    "seed=-1": "a whole number at least 0",
    "seed=1.5": "a whole number at least 0",
}


@pytest.mark.parametrize("word, says", BAD.items())
def test_a_mistake_is_named_and_the_remedy_given(word, says):
    with pytest.raises(Mistake) as caught:
        cell_of(word)
    text = str(caught.value)
    assert says in text and text.startswith("command line: ")
    assert "+" not in text.replace("+method.stepsize", "")  # no advice to add a mistyped key


@pytest.mark.parametrize(
    "words, says",
    [
        (["u=nonreversible", "u.delta=1.5"], "at least -1 and at most 1"),
        (["u=nonreversible", "u.noise=-0.1"], "at least 0 and at most 1"),
        (["u=nonreversible", "u.delta=0"], "for a fresh u: u=standard"),
        (["u=nonreversible", "u.dleta=0.1"], "Did you mean 'u.delta'?"),
    ],
)
def test_mistakes_in_u(words, says):
    with pytest.raises(Mistake, match=says.replace("?", r"\?")):
        cell_of(*words)
