"""The paper's rule for u: equations (1) and (2), Section 2. u = |v|, with v uniform on [-1,1]."""

from dataclasses import dataclass

from nrevu.u import real, wrap


@dataclass(frozen=True)
class Nonreversible:
    """Before each decision v moves by delta, plus noise if there is any."""

    delta: float = real(at_least=-1, at_most=1)  # translation of v; v has period 2
    noise: float = real(at_least=0, at_most=1, default=0.0)  # half-width of a uniform added to it

    def __post_init__(self):
        if self.delta == 0 and self.noise == 0:
            raise ValueError("delta 0 with noise 0 never moves v; for a fresh u: u=standard")

    @property
    def uniforms(self) -> bool:
        """Tell whether `move` uses `uniform`."""
        return self.noise > 0

    @staticmethod
    def move(r, v, uniform, bits):
        """Return v moved, and wrapped into [-1,1]: equation (1)."""
        return wrap(v + (r.delta + r.noise * uniform))

    @staticmethod
    def rescale(r, v, ratio):
        """Return v after an acceptance, for which s = |v| pi(x) stays the same: equation (2).

        `ratio` is pi(x*) / pi(x), not capped at 1; after a rejection v stays as it is.
        """
        return v / ratio
