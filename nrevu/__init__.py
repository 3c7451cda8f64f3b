"""Experiments on Metropolis accept/reject methods, after Neal (2020), arXiv:2001.11950."""

__version__ = "0.2.0"
