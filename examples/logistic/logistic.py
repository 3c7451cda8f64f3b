"""Bayesian logistic regression on a data set that comes with scikit-learn.

In: the name of the data set and the width of the prior. Recorded: the coefficients and U; the
quantities are these and the squared distances of the coefficients from the mode. Their means are
not known. Chains start around the mode, twice as wide as the posterior, and need some burn-in.
"""

import functools
import hashlib
from dataclasses import dataclass

import numpy as np
from sklearn import datasets

from nrevu.distributions import softplus
from nrevu.fields import one_of, real


@functools.cache
def cases(dataset: str) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs (inputs, cases), standardised and with ones last, and classes, 0 or 1."""
    found = getattr(datasets, f"load_{dataset}")()
    inputs = (found.data - found.data.mean(axis=0)) / found.data.std(axis=0)
    inputs = np.vstack([inputs.T, np.ones(len(inputs))])
    # Loops run over the cases: one input's must lie side by side, which transposing does not do.
    return np.ascontiguousarray(inputs), found.target.astype(np.float64)


@functools.cache
def digest(dataset: str) -> str:
    """Return 16 hex digits of the cases."""
    both = b"".join(array.tobytes() for array in cases(dataset))
    return hashlib.sha256(both).hexdigest()[:16]


@functools.cache
def peak(dataset: str, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Return where the density is highest, by Newton's method, and the precision matrix there."""
    inputs, classes = cases(dataset)
    x, step = np.zeros(len(inputs)), np.ones(len(inputs))
    while np.abs(step).max() > 1e-10:
        chance = 1 / (1 + np.exp(-(x @ inputs)))
        precision = (inputs * chance * (1 - chance)) @ inputs.T + np.eye(x.size) / width**2
        step = np.linalg.solve(precision, inputs @ (chance - classes) + x / width**2)
        x = x - step
    return x, precision


@dataclass(frozen=True)
class Logistic:
    """Coefficients of the inputs, the constant last, each with prior N(0, width^2)."""

    dataset: str = one_of("breast_cancer")  # which of scikit-learn's, with two classes
    width: float = real(above=0)  # standard deviation of the prior

    def content(self) -> dict:
        """Return what of the data determines numbers: what is in it, not its name."""
        return {"dataset": digest(self.dataset)}

    @property
    def dim(self) -> int:
        """Return the number of coefficients."""
        return len(cases(self.dataset)[0])

    @property
    def nanoseconds(self) -> float:
        """Return about how long an evaluation of the gradient takes."""
        inputs, _ = cases(self.dataset)
        return 0.4 * inputs.size

    @property
    def recorded(self) -> tuple[str, ...]:
        """Return what is kept of each state; `derive` makes the quantities from it."""
        return (*self.averages()["coefficient"], "log_prob")

    def averages(self) -> dict[str, tuple[str, ...]]:
        """Return what times are averaged over: all coefficients, and all their squares."""
        numbers = range(1, self.dim + 1)
        return {
            "coefficient": tuple(f"b{i}" for i in numbers),
            "square": tuple(f"b{i}_square" for i in numbers),
        }

    def means(self) -> dict[str, float | None]:
        """Return the quantities in order; their means are not known."""
        averaged = self.averages()
        return dict.fromkeys([*averaged["coefficient"], "log_prob", *averaged["square"]])

    def derive(self, rows: np.ndarray) -> np.ndarray:
        """Return the quantities: what was recorded, and squared distances from the mode."""
        away = rows[:, : self.dim] - peak(self.dataset, self.width)[0].astype(np.float32)
        return np.hstack([rows, away**2])

    def data(self) -> tuple:
        """Return the cases, the prior's precision, and space to work in."""
        inputs, classes = cases(self.dataset)
        return inputs, classes, self.width**-2, np.empty(classes.size)

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """Return a draw from the Gaussian that fits the peak, made twice as wide."""
        mode, precision = peak(self.dataset, self.width)
        root = np.linalg.cholesky(np.linalg.inv(precision))
        return mode + 2 * root @ rng.standard_normal(mode.size)

    @staticmethod
    def energy(x, w, data):
        """Return U(x) = -log(prior x likelihood), up to a constant."""
        inputs, classes, precision, logit = data
        logit[:] = 0.0
        total = 0.0
        for i in range(x.size):
            coefficient, values = x[i], inputs[i]
            total += 0.5 * precision * coefficient * coefficient
            for m in range(logit.size):
                logit[m] += coefficient * values[m]
        for m in range(logit.size):
            total += softplus(logit[m])[0] - classes[m] * logit[m]
        return total

    @staticmethod
    def gradient(x, w, data, g):
        """Write the gradient of U into g and return U."""
        inputs, classes, precision, logit = data
        logit[:] = 0.0
        total = 0.0
        for i in range(x.size):
            coefficient, values = x[i], inputs[i]
            total += 0.5 * precision * coefficient * coefficient
            for m in range(logit.size):
                logit[m] += coefficient * values[m]
        for m in range(logit.size):
            value, slope = softplus(logit[m])
            total += value - classes[m] * logit[m]
            logit[m] = slope - classes[m]  # from here on the derivative by the logit
        for i in range(x.size):
            values, slope = inputs[i], 0.0
            for m in range(logit.size):
                slope += logit[m] * values[m]
            g[i] = slope + precision * x[i]
        return total

    @staticmethod
    def record(x, w, U, data, row):
        """Write the coefficients, and U."""
        for i in range(x.size):
            row[i] = x[i]
        row[x.size] = U
