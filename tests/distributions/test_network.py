"""The Bayesian network: energy, gradient, scales, Gibbs, and the joint distribution with the data.

The Geweke test: draws of hyperparameters, weights and classes from the prior are the marginal-
conditional simulation; going on from them with updates given the classes and classes drawn anew
given the weights is the successive-conditional one. Both have the same distribution if all is
right. Tolerance: 5 standard errors, 32 statistics a case; false alarm 2e-5 a case.
"""

import dataclasses
import math

import numpy as np
import pytest
from chains import NO_TRACE, Hamiltonian, broken, drive

from nrevu.analysis.result import summarise
from nrevu.cells.cell import Cell, Run, Schedule, config, from_config
from nrevu.cells.chains import sample
from nrevu.core import driver, rng
from nrevu.core.binding import OPTIONS, bind_kernel
from nrevu.core.sampler import Sampler
from nrevu.core.target import njit
from nrevu.distributions._network_data import generate_cases
from nrevu.distributions.network import Network
from nrevu.errors import Mistake
from nrevu.experiments.settings import Estimate
from nrevu.methods.hamiltonian import HMC, PersistentLangevin
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

PAPER = Network(12, 300, 1, 1, 1, 4.0, 0.5)
SMALL = Network(2, 6, 0, 0, 1, 6.0, 1.0)
SHAPES = [PAPER, SMALL, Network(1, 1, 0, 0, 2, 4.0, 0.5), Network(7, 41, 2, 3, 3, 1.0, 2.0)]


def parts(network, x):
    """Return the weights (inputs, hidden), the b, the a and c of a state."""
    weights, b, a = np.split(x[:-1].reshape(-1, network.hidden), [network.inputs, -1])
    return weights, b[0], a[0], x[-1]


def literal_energy(network, x, w):
    """Return U as its definition has it."""
    inputs, classes = network.training()
    weights, b, a, c = parts(network, x)
    logit = c + a @ np.tanh(b[:, None] + weights.T @ inputs)
    likelihood = np.sum(np.where(classes > 0, np.log1p(np.exp(-logit)), np.log1p(np.exp(logit))))
    precisions = np.append(np.repeat(w, network.hidden), 0.01)
    return likelihood + 0.5 * np.sum(precisions * x**2)


@pytest.mark.parametrize("network", SHAPES, ids=str)
def test_energy_and_gradient(network):
    generator = np.random.default_rng(2)
    x, w = generator.standard_normal(network.dim), generator.gamma(2.0, size=network.inputs + 2)
    data, g = network.data(), np.empty(network.dim)
    energy, gradient = njit(**OPTIONS)(Network.energy), njit(**OPTIONS)(Network.gradient)
    exact = literal_energy(network, x, w)
    assert energy(x, w, data) == pytest.approx(exact, rel=1e-13)
    assert gradient(x, w, data, g) == pytest.approx(exact, rel=1e-13)
    # Differences of fourth order: their error is 1e-10 of the largest slope, rounding included.
    h = 1e-3
    for i, e in enumerate(np.eye(network.dim) * h):
        near, far = (literal_energy(network, x + k * e, w) for k in (1, 2))
        near -= literal_energy(network, x - e, w)
        far -= literal_energy(network, x - 2 * e, w)
        assert (8 * near - far) / (12 * h) == pytest.approx(g[i], abs=1e-9 * np.max(np.abs(g)))


@pytest.mark.parametrize("network", SHAPES, ids=str)
def test_renewal_is_what_an_evaluation_gives(network):
    generator = np.random.default_rng(3)
    x, data = generator.standard_normal(network.dim), network.data()
    before, w = generator.gamma(2.0, size=(2, network.inputs + 2))
    g, evaluated = np.empty(network.dim), np.empty(network.dim)
    gradient = njit(Network.gradient)
    U = njit(Network.renew)(x, w, before, data, gradient(x, before, data, g), g)
    assert pytest.approx(gradient(x, w, data, evaluated), rel=1e-12) == U
    assert g == pytest.approx(evaluated, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("network", SHAPES, ids=str)
def test_scales_are_as_specified(network):
    inputs, classes = network.training()
    n, sums = classes.size, np.sum(inputs**2, axis=1)
    w = np.random.default_rng(4).gamma(2.0, size=network.inputs + 2)
    variance = 1 / w
    h = variance[-1] / 4
    t = min(1, variance[-2] + np.sum(sums * variance[:-2]) / n)
    exact = [1 / math.sqrt(p + s * h) for p, s in zip(w[:-2], sums, strict=True)]
    exact += [1 / math.sqrt(w[-2] + n * h), 1 / math.sqrt(w[-1] + n * t / 4)]
    s = np.empty(network.dim)
    njit(Network.scales)(w, network.data(), s)
    expected = np.append(np.repeat(exact, network.hidden), 1 / math.sqrt(0.01 + n / 4))
    assert s == pytest.approx(expected, rel=1e-12)


def test_gibbs_draws_the_conjugate_gamma():
    """Shape (A + hidden) / 2 and rate (A w^2 + sum of squares) / 2: mean and variance, 5 s.e."""
    x = np.random.default_rng(5).standard_normal(PAPER.dim)
    w, data, bits = np.empty(7), PAPER.data(), rng.streams(1, "0", 0)[1]
    gibbs, draws = njit(Network.gibbs), np.empty((40_000, 7))
    for row in draws:
        gibbs(x, w, data, bits)
        row[:] = w
    shape = (4 + 12) / 2
    rate = (4 * 0.25 + np.sum(x[:-1].reshape(7, 12) ** 2, axis=1)) / 2
    standard = (draws * rate - shape) / math.sqrt(shape)
    root = math.sqrt(len(draws))
    assert np.max(np.abs(standard.mean(axis=0))) < 5 / root
    assert np.max(np.abs(standard.var(axis=0) - 1)) < 5 * math.sqrt(2 + 6 / shape) / root
    assert np.max(np.abs(np.corrcoef(draws.T) - np.eye(7))) < 5.5 / root


def test_generated_cases_are_as_specified():
    inputs, classes = Network(1, 100_000, 2, 1, 7, 4.0, 0.5).training()
    assert inputs.shape == (7, 100_000) and set(classes) == {0, 1}
    copied = [inputs[2] - inputs[0], inputs[3] - inputs[1], inputs[4] - inputs[0]]
    for values, sd in [*((row, 1) for row in inputs[[0, 1, 6]]), *((c, 0.1) for c in copied)]:
        assert abs(values.std() / sd - 1) < 5 / math.sqrt(2e5)
        assert abs(values.mean()) < 5 * sd / math.sqrt(1e5)
    assert np.max(np.abs(np.corrcoef([*inputs[[0, 1, 6]], *copied]) - np.eye(6))) < 5.5 / math.sqrt(
        1e5
    )
    square = (inputs[0] - 0.4) ** 2 + (inputs[1] + 0.3) ** 2
    chance = np.exp(-(square**2))
    for weight in (np.ones(100_000), chance, inputs[0], inputs[6]):
        excess = weight * (classes - chance)
        assert abs(excess.mean()) < 5 * excess.std() / math.sqrt(1e5)
    again = generate_cases.__wrapped__(100_000, 2, 1, 7)  # not from the cache
    assert np.array_equal(again[0], inputs) and np.array_equal(again[1], classes)
    assert not np.array_equal(generate_cases(100_000, 2, 1, 8)[0], inputs)


# The joint distribution with the data -------------------------------------------------------

REPLICATES, ROUNDS = 20_000, 3
METHODS = {  # group, gibbs_every
    Hamiltonian(0.9, 0.0, 5, 30.0): (2, 1),
    Hamiltonian(0.9, 0.7): (8, 2),
}


def logits(x, inputs):
    """Return the logits (replicates, cases) of states (replicates, dim) of the small network."""
    weights, b, a = np.split(x[:, :-1].reshape(len(x), -1, SMALL.hidden), [SMALL.inputs, -1], 1)
    hidden = np.tanh(b[:, 0, :, None] + np.einsum("nij,im->njm", weights, inputs))
    return x[:, -1:] + np.einsum("nj,njm->nm", a[:, 0], hidden)


def deviation(bound, group, gibbs_every):
    """Return the largest difference between the two simulations, in standard errors."""
    generator = np.random.default_rng(8)
    inputs, _ = SMALL.training()
    shape = SMALL.prior_shape / 2
    w = generator.gamma(shape, 1 / (shape * SMALL.prior_width**2), (REPLICATES, 4))
    spread = np.concatenate([np.repeat(w**-0.5, 2, axis=1), np.full((REPLICATES, 1), 10.0)], 1)
    x = spread * generator.standard_normal((REPLICATES, SMALL.dim))
    p, every_v = generator.standard_normal(x.shape), generator.uniform(-1, 1, (REPLICATES, 1))
    bits, data = rng.streams(6, "0", 0)[1][None], SMALL.data()
    data = (data[0], data[1].copy(), *data[2:])
    rows, rejected = np.empty((1, 5), np.float32), np.empty(1, np.uint8)
    output = driver.Output(np.array([0, 1]), rows, rejected, NO_TRACE)
    first = x.copy()
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(-logits(x, inputs)))
        classes = (generator.random(chance.shape) < chance).astype(float)
        for i in range(REPLICATES):
            data[1][:] = classes[i]
            chains = driver.Chains(x[i], p[i], every_v[i : i + 1], w[i], bits)
            drive(bound, chains, data, driver.Schedule(group, gibbs_every, 0), output)
    assert np.mean(x != first) > 0.5  # or the check would say nothing
    v = every_v[:, 0]
    standard = x[:, :-1] * np.repeat(w**0.5, 2, axis=1)  # N(0,1), whatever the precisions
    after = logits(x, inputs)
    excess = classes - 1 / (1 + np.exp(-after))
    again = generator.gamma(shape, 1 / (shape * SMALL.prior_width**2), 2_000_000)
    precision = [f(w[:, i]) - f(again).mean() for i in range(4) for f in (np.log, np.sqrt)]
    zero = [*precision, *standard.T, *(standard**2 - 1).T, *excess.T[:2]]
    zero += [excess[:, 0] * np.tanh(after[:, 0]), x[:, -1] / 10, (x[:, -1] / 10) ** 2 - 1]
    zero += [v, v**2 - 1 / 3, p[:, 0] * standard[:, 0], p[:, -1] ** 2 - 1]
    zero += [(np.abs(v) - 0.5) * (standard[:, 0] ** 2 - 1), v * excess[:, 0]]
    return max(abs(z.mean()) / (z.std() / math.sqrt(REPLICATES)) for z in zero)


@pytest.mark.parametrize("u", [Standard(), Nonreversible(0.1)], ids=["standard", "nonreversible"])
@pytest.mark.parametrize("method", METHODS, ids=["hmc", "langevin"])
def test_geweke(method, u):
    assert deviation(bind_kernel(Sampler(SMALL, method, u)), *METHODS[method]) < 5


def half_rate(x, w, data, bits):
    """Gibbs with a rate that is off by a factor."""
    _, _, _, prior_shape, prior_width, units, _, _ = data
    hidden = units.shape[0]
    for i in range(w.size):
        squares = prior_shape * prior_width * prior_width
        for j in range(i * hidden, (i + 1) * hidden):
            squares += x[j] * x[j]
        shape = 0.5 * (prior_shape + hidden)
        w[i] = rng.next_gamma(bits, shape) * shape / (0.5 * 1.2 * squares)


@njit
def leak(x, s):
    """Stepsizes that depend on the weights."""
    for i in range(x.size):
        s[i] *= 0.5 if abs(x[i]) < 0.5 else 1.5


SCALES = "                    scales(w_now, data, lane(scale, k, dim))\n"
LEAKS = SCALES + "                    leak(x, lane(scale, k, dim))\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "sabotage",
    [
        {"gibbs": half_rate},
        {"edit": (SCALES, LEAKS), "scope": {"leak": leak}},
        {"renew": lambda x, w, before, data, U, g: U},
    ],
    ids=["Gibbs rate off by a factor", "stepsizes leak the weights", "U not renewed"],
)
def test_geweke_sees(sabotage):
    method = Hamiltonian(0.9, 0.7)
    bound = broken(Sampler(SMALL, method, Nonreversible(0.1)), **sabotage)
    assert deviation(bound, *METHODS[method]) > 8


# In use -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_methods_agree_on_the_posterior():
    """Means of all quantities, 4 ways: within 5 combined standard errors, false alarm 2e-5."""
    network = Network(4, 60, 1, 1, 1, 4.0, 0.5)
    langevin = PersistentLangevin(0.7, 0.98, "update")
    found = []
    for method, schedule in ((HMC(0.7, 20, 0.0, 30.0), (3, 1)), (langevin, (60, 4))):
        for u in (Standard(), Nonreversible(0.02)):
            cell = Cell(network, method, u, Schedule(*schedule), Run(16_000, 20, 8), 1)
            result = summarise(cell, sample(cell), Estimate(40, "pooled"))
            assert result["not_converged"] == []
            found.append({q: about["mean"] for q, about in result["posterior"].items()})
    for other in found[1:]:
        for quantity, mean in found[0].items():
            both = math.hypot(mean["se"], other[quantity]["se"])
            assert abs(mean["value"] - other[quantity]["value"]) < 5 * both, quantity


def csv(folder, text):
    path = folder / "cases.csv"
    path.write_text(text)
    return str(path)


def test_cases_from_a_file(tmp_path):
    path = csv(tmp_path, "height, weight, ill\n1.5,2,0\n-1,0.25,1\n\n3,1,1\n")
    network = dataclasses.replace(SMALL, table=path)
    inputs, classes = network.training()
    assert inputs.tolist() == [[1.5, -1, 3], [2, 0.25, 1]] and classes.tolist() == [0, 1, 1]
    cell = Cell(network, HMC(0.1, 2), Standard(), Schedule(1, 1), Run(4, 0, 2), 1)
    assert from_config(config(cell)) == cell and np.all(np.isfinite(sample(cell).rows))
    elsewhere = tmp_path / "copy.csv"
    elsewhere.write_text((tmp_path / "cases.csv").read_text())
    same = dataclasses.replace(
        cell, distribution=dataclasses.replace(network, table=str(elsewhere))
    )
    assert same.digest == cell.digest
    elsewhere = tmp_path / "other.csv"
    elsewhere.write_text("height, weight, ill\n1.5,2,0\n-1,0.25,1\n3,1,0\n")
    other = dataclasses.replace(network, table=str(elsewhere))
    assert dataclasses.replace(cell, distribution=other).digest != cell.digest


@pytest.mark.parametrize(
    "text, says",
    [
        ("a,y\n1,2\n", "line 2: the class, 2, must be 0 or 1"),
        ("a,y\n1,one\n", "line 2: expected finite numbers"),
        ("a,b,y\n1,2,0\n1,0\n", "line 3: it must have as many inputs"),
        ("a,y\n", "a line of names, then cases"),
        ("a,y\n\nnan,1\n", "line 3: expected finite numbers"),
        ("1,0\n2,1\n", "names of the columns"),
    ],
)
def test_a_bad_file_is_a_mistake(tmp_path, text, says):
    cell = Cell(SMALL, HMC(0.1, 2), Standard(), Schedule(1, 1), Run(4, 0, 2), 1)
    values = config(cell)
    values["distribution"]["table"] = csv(tmp_path, text)
    with pytest.raises(Mistake, match=says):
        from_config(values)
    values["distribution"]["table"] = str(tmp_path / "none.csv")
    with pytest.raises(Mistake, match="no such file"):
        from_config(values)
