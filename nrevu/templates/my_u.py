"""A rule for u of your own: how v moves before each accept/reject decision.

The file runs as it is; try it, then change it:

  nrevu check my_u.py delta=0.1
  nrevu run u.file=my_u.py u.delta=0.1 u.jump=0.05

A proposal is taken if u = |v| is below the ratio pi(new) / pi(now). That is right for any rule that
keeps v uniform on [-1,1], independent of x. Here v moves by delta, and now and then, with chance
`jump`, to somewhere else.
"""

from dataclasses import dataclass

from nrevu.u import next_uniform, real, wrap  # everything that this file needs of nrevu is there


# REQUIRED: a class with this line above it. You choose its name; a file may have several classes.
@dataclass(frozen=True)
class MyRule:
    """v moves by delta, and jumps to a new place with a small chance."""

    # Settings, as many as you like: u.delta=0.1 on the command line and in sweeps.
    delta: float = real(at_least=-1, at_most=1, default=0.3)  # of v, which has period 2
    jump: float = real(at_least=0, at_most=1, default=0.1)  # chance of a new v

    # Both functions are compiled by numba: plain numbers, no `self`, @staticmethod above each. r
    # has all numbers of the class by name: r.delta, r.jump.

    # REQUIRED: move, equation (1) of the paper. Draw with next_uniform(bits), on (0,1),
    # next_normal(bits) or next_gamma(bits, shape). `uniform` is on (-1,1), and faster, if the class
    # has `uniforms: ClassVar[bool] = True`; else it is 0.
    @staticmethod
    def move(r, v, uniform, bits):
        """Return v moved, and wrapped into [-1,1]."""
        if next_uniform(bits) < r.jump:
            return 2.0 * next_uniform(bits) - 1.0
        return wrap(v + r.delta)

    # OPTIONAL: rescale, equation (2). v after a proposal is taken; ratio is pi(new) / pi(now), not
    # capped at 1. Without it: v / ratio, which keeps |v| pi as it was.
    #
    #   @staticmethod
    #   def rescale(r, v, ratio):
    #       return v / ratio
