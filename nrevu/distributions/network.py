"""A Bayesian neural network for binary classification, with Gibbs-sampled hyperparameters.

Section 6 of the paper describes the kind of network, but gives neither data nor settings: this is
a reconstruction. logit = c + sum_j a_j tanh(b_j + sum_i weight_ij input_i). The
precisions of the weights out of each input, of the b and of the a are hyperparameters, kept in w.
"""

import hashlib
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nrevu.distributions import (
    OPTIONS,
    aligned_copy,
    integer,
    log,
    next_gamma,
    njit,
    real,
    softplus,
    tanh_all,
    text,
)
from nrevu.distributions._network_data import generate_cases, read_cases

C_PRECISION = 0.01  # of the output's bias, which has no hyperparameter: N(0, 10^2)


@dataclass(frozen=True)
class Network:
    """x: the weights, input by input, then the b, the a and c. w: precisions, in that order."""

    # HMC that leads from the start into the posterior, before the burn-in of each cell: stepsize (1
    # would be about right), leapfrog steps, trajectories.
    settling: ClassVar[tuple[float, int, int]] = (0.3, 40, 150)
    hidden: int = integer(at_least=1, at_most=10**5)  # hidden units
    cases: int = integer(at_least=1, at_most=10**7)  # generated cases
    copies: int = integer(at_least=0, at_most=1000)  # noisy copies of each of the 2 relevant inputs
    noise: int = integer(at_least=0, at_most=1000)  # inputs that are only noise
    data_seed: int = integer(at_least=0)  # of the generated cases
    # Each precision has a Gamma prior with shape prior_shape / 2 and mean 1 / prior_width^2.
    prior_shape: float = real(above=0)
    prior_width: float = real(above=0)
    # A CSV file of cases to read instead: a column for each input and last the class, 0 or 1.
    table: str = text(default="")

    def __post_init__(self):
        if self.table:
            read_cases(self.table)

    def content(self) -> dict:
        """Return the part of the digest for a table: its content, not its path."""
        if not self.table:
            return {}
        inputs, classes = read_cases(self.table)
        content = repr(inputs.shape).encode() + inputs.tobytes() + classes.tobytes()
        unused = dict.fromkeys(("cases", "copies", "noise", "data_seed"))
        return {**unused, "table": hashlib.sha256(content).hexdigest()[:16]}

    @property
    def inputs(self) -> int:
        """Return the number of inputs."""
        return len(read_cases(self.table)[0]) if self.table else 2 + 2 * self.copies + self.noise

    @property
    def dim(self) -> int:
        """Return the number of weights and biases."""
        return self.hidden * (self.inputs + 2) + 1

    @property
    def gibbs_variables(self) -> int:
        """Return the number of precisions: of the inputs, of the b and of the a."""
        return self.inputs + 2

    @property
    def nanoseconds(self) -> float:
        """Return approximately how long an evaluation of the gradient takes."""
        return self.hidden * self.training()[1].size * (1.6 + 0.25 * self.inputs)

    def means(self) -> dict[str, float | None]:
        """Return the quantities in order; their means are not known."""
        names = [*(f"input{i + 1}" for i in range(self.inputs)), "bias", "output", "log_prob"]
        return dict.fromkeys(names)

    def averages(self) -> dict[str, tuple[str, ...]]:
        """Return the average over the inputs that may be relevant."""
        count = self.inputs if self.table else 2 + 2 * self.copies
        return {"relevant": tuple(f"input{i + 1}" for i in range(count))}

    def training(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the inputs (inputs, cases) and the classes, 0 or 1, of the cases."""
        if self.table:
            return read_cases(self.table)
        return generate_cases(self.cases, self.copies, self.noise, self.data_seed)

    def data(self) -> tuple:
        """Return the cases, the sum of squares of each input, the prior, and working space."""
        inputs, classes = (aligned_copy(part) for part in self.training())
        prior = (self.prior_shape, self.prior_width)
        work = [np.empty((self.hidden, classes.size)), *np.empty((2, classes.size))]
        squares = np.array([math.fsum(values * values) for values in inputs])
        return (inputs, classes, squares, *prior, *map(aligned_copy, work))

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """Return small weights; settling leads away from them."""
        return 0.1 * rng.standard_normal(self.dim)

    @staticmethod
    def energy(x, w, data):
        """Return U(x) given the precisions: that of the prior and of the cases."""
        inputs, classes, _, _, _, units, logit, space = data
        forward(x, inputs, units, logit, space)
        total = 0.0
        for m in range(logit.size):
            total += softplus(logit[m])[0] - classes[m] * logit[m]
        return total + prior_energy(x, w, units.shape[0])

    @staticmethod
    def gradient(x, w, data, g):
        """Write the gradient of U into g and return U."""
        inputs, classes, _, _, _, units, logit, space = data
        forward(x, inputs, units, logit, space)
        total = 0.0
        for m in range(logit.size):
            value, slope = softplus(logit[m])
            total += value - classes[m] * logit[m]
            logit[m] = slope - classes[m]  # from now on the derivative by the logit
        backward(x, w, inputs, units, logit, g)
        return total + prior_energy(x, w, units.shape[0])

    @staticmethod
    def gibbs(x, w, data, bits):
        """Draw each precision given the weights that it governs."""
        _, _, _, prior_shape, prior_width, units, _, _ = data
        hidden = units.shape[0]
        for i in range(w.size):
            squares = prior_shape * prior_width * prior_width
            for j in range(i * hidden, (i + 1) * hidden):
                squares += x[j] * x[j]
            shape = 0.5 * (prior_shape + hidden)
            w[i] = next_gamma(bits, shape) * shape / (0.5 * squares)

    @staticmethod
    def renew(x, w, before, data, U, g):
        """Return U, and change g, for other precisions: the term of the cases stays."""
        hidden = data[5].shape[0]
        for i in range(w.size):
            more = w[i] - before[i]
            for j in range(i * hidden, (i + 1) * hidden):
                U += 0.5 * more * x[j] * x[j]
                g[j] += more * x[j]
        return U

    @staticmethod
    def scales(w, data, s):
        """Write each coordinate's scale: 1 / sqrt(precision + a bound on the cases' curvature).

        It depends only on the precisions and the cases, which an update of x does not change.
        """
        _, classes, sums, _, _, units, _, _ = data
        hidden, cases = units.shape[0], classes.size
        inputs = w.size - 2
        bound = 0.25 / w[inputs + 1]  # the output weights' variance times that of a class
        spread = 1.0 / w[inputs]  # of what goes into a hidden unit, on average over the cases
        for i in range(inputs):
            spread += sums[i] / (cases * w[i])
            s[i * hidden : (i + 1) * hidden] = 1.0 / math.sqrt(w[i] + sums[i] * bound)
        last = (inputs + 2) * hidden
        s[inputs * hidden : last - hidden] = 1.0 / math.sqrt(w[inputs] + cases * bound)
        curvature = 0.25 * cases * min(1.0, spread)
        s[last - hidden : last] = 1.0 / math.sqrt(w[inputs + 1] + curvature)
        s[last] = 1.0 / math.sqrt(C_PRECISION + 0.25 * cases)

    @staticmethod
    def record(x, w, U, data, row):
        """Write the logarithms of the standard deviations that the precisions stand for, and U."""
        for i in range(w.size):
            row[i] = -0.5 * log(w[i])
        row[w.size] = U


@njit(**OPTIONS)
def forward(x, inputs, units, logit, space):
    """Fill units (hidden, cases) with the hidden units' values, and logit (cases).

    Inputs are processed four at a time, in `backward` too: fewer loads and stores.
    """
    hidden, count = units.shape[0], inputs.shape[0]
    biases, fours = count * hidden, count - count % 4
    logit[:] = x[x.size - 1]
    for j in range(hidden):
        unit, bias, out = units[j], x[biases + j], x[biases + hidden + j]
        for m in range(unit.size):
            unit[m] = bias
        for i in range(0, fours, 4):
            a, b = x[i * hidden + j], x[(i + 1) * hidden + j]
            c, d = x[(i + 2) * hidden + j], x[(i + 3) * hidden + j]
            in_a, in_b, in_c, in_d = inputs[i], inputs[i + 1], inputs[i + 2], inputs[i + 3]
            for m in range(unit.size):
                unit[m] += (a * in_a[m] + b * in_b[m]) + (c * in_c[m] + d * in_d[m])
        for i in range(fours, count):
            weight, values = x[i * hidden + j], inputs[i]
            for m in range(unit.size):
                unit[m] += weight * values[m]
        tanh_all(unit, space)
        for m in range(unit.size):
            logit[m] += out * unit[m]


@njit(**OPTIONS)
def backward(x, w, inputs, units, slope, g):
    """Fill g from the derivatives of the cases' energies by the logit, slope (cases)."""
    hidden, count = units.shape[0], inputs.shape[0]
    biases, fours = count * hidden, count - count % 4
    total = 0.0
    for m in range(slope.size):
        total += slope[m]
    g[x.size - 1] = total + C_PRECISION * x[x.size - 1]
    for j in range(hidden):
        unit, out = units[j], x[biases + hidden + j]
        by_out, by_bias = 0.0, 0.0
        for m in range(unit.size):
            value = unit[m]
            by_out += slope[m] * value
            unit[m] = slope[m] * out * (1.0 - value * value)  # the derivative by its input
            by_bias += unit[m]
        g[biases + hidden + j] = by_out
        g[biases + j] = by_bias
        for i in range(0, fours, 4):
            in_a, in_b, in_c, in_d = inputs[i], inputs[i + 1], inputs[i + 2], inputs[i + 3]
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            for m in range(unit.size):
                a += unit[m] * in_a[m]
                b += unit[m] * in_b[m]
                c += unit[m] * in_c[m]
                d += unit[m] * in_d[m]
            g[i * hidden + j], g[(i + 1) * hidden + j] = a, b
            g[(i + 2) * hidden + j], g[(i + 3) * hidden + j] = c, d
        for i in range(fours, count):
            values, by_weight = inputs[i], 0.0
            for m in range(unit.size):
                by_weight += unit[m] * values[m]
            g[i * hidden + j] = by_weight
    for i in range(w.size):  # the prior
        for j in range(i * hidden, (i + 1) * hidden):
            g[j] += w[i] * x[j]


@njit(**OPTIONS)
def prior_energy(x, w, hidden):
    """Return the energy of the weights' Gaussian prior, given the precisions."""
    total = C_PRECISION * x[x.size - 1] ** 2
    for i in range(w.size):
        squares = 0.0
        for j in range(i * hidden, (i + 1) * hidden):
            squares += x[j] * x[j]
        total += w[i] * squares
    return 0.5 * total
