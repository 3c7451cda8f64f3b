"""Checks that updates leave (x, p, v) jointly as it is: many short chains from exact draws.

In: a sampler whose distribution has exact draws. Out: z scores of means over the ends of chains. At
each end x, p ~ N(0, I) and v, uniform on (-1,1), must be independent draws. Functions of p and v
have known means; those of x are compared with their values at the starts.
"""

import dataclasses
from typing import Any

import numpy as np

from nrevu.cells.chains import NO_TRACE, advance
from nrevu.conformance.verdict import Verdict, fails, ok, worst_score
from nrevu.core.binding import chains_at_once, compile_parts
from nrevu.core.contracts import Method, class_of, has, part
from nrevu.core.driver import Output, Schedule
from nrevu.core.rng import WORDS
from nrevu.core.sampler import Sampler

CHAINS = 40_000
EVALUATIONS = 60  # of a chain, about
PILOTS = 400
REJECTED = (0.1, 0.6)  # rejection rates at which mistakes show


def start(sampler: Sampler, chains: int, seed: int) -> dict[str, np.ndarray]:
    """Return exact draws of x, p, v and bits of generators, (chains, ...) each."""
    rng, d = np.random.default_rng(seed), sampler.distribution
    x = np.array([d.draw(rng) for _ in range(chains)])
    v = rng.uniform(-1, 1, (chains, part(sampler.method, "separate_v", Method)))
    bits = rng.integers(2**64, size=(chains, WORDS), dtype=np.uint64)
    return {"x": x, "p": rng.standard_normal(x.shape), "v": v, "bits": bits}


def run(sampler: Sampler, first: dict[str, np.ndarray], updates: int) -> tuple[dict, float]:
    """Return the last x, p and v of chains, and the rejection rate."""
    states = {name: values.copy() for name, values in first.items()}
    chains, width = len(states["x"]), chains_at_once(sampler.distribution)
    rejected = np.empty(chains, np.uint32)
    rows = np.empty((chains, len(part(sampler.distribution, "recorded"))), np.float32)
    schedule = Schedule(updates, int(has(sampler.distribution, "gibbs")), 0)
    data = part(sampler.distribution, "data")()
    for some in (slice(k, k + width) for k in range(0, chains, width)):
        now = [states[name][some] for name in ("x", "p", "v", "bits")]
        output = Output(np.arange(len(now[0]) + 1), rows[some], rejected[some], NO_TRACE)
        _, states["x"][some], states["p"][some], _ = advance(sampler, data, now, schedule, output)
    return states, float(rejected.mean() / updates)


def with_stepsize(sampler: Sampler, seed: int) -> tuple[Sampler, float]:
    """Return the sampler with a stepsize that shows mistakes, and its rejection rate.

    A method without a setting `stepsize` stays as it is.
    """
    pilots, rate = start(sampler, PILOTS, seed), 0.0
    names = [f.name for f in dataclasses.fields(sampler.method)]
    for factor in (1.0, *[0.5] * 20) if "stepsize" in names else (1.0,):
        sampler = scaled(sampler, factor)
        rate = run(sampler, pilots, 5)[1]
        if rate < REJECTED[1]:
            break
    for _ in range(20 if "stepsize" in names and rate < REJECTED[0] else 0):
        larger = scaled(sampler, 1.5)
        rate_then = run(larger, pilots, 5)[1]
        if rate_then > REJECTED[1]:
            break
        sampler, rate = larger, rate_then
        if rate > REJECTED[0]:
            break
    return sampler, rate


def scaled(sampler: Sampler, factor: float) -> Sampler:
    """Return the sampler with the stepsize of its method multiplied."""
    if factor == 1.0:
        return sampler
    try:
        method = dataclasses.replace(sampler.method, stepsize=factor * sampler.method.stepsize)
    except ValueError:  # from the class: it allows no such stepsize
        return sampler
    return sampler._replace(method=method)


def scores(sampler: Sampler, first: dict, last: dict, with_p: bool) -> dict[str, float]:
    """Return the z scores of means over the chains' ends, by what they are means of."""
    p, v = last["p"][:, 0], last["v"][:, 0]
    f, exact = functions(sampler, last["x"]), functions(sampler, first["x"])
    centred = {name: values - exact[name].mean() for name, values in f.items()}
    x, square, U = centred["x[0]"], centred["x[0]^2"], centred["U"]
    u = abs(v) - 0.5
    known = {
        "p[0]": p, "p[0]^2": p * p - 1, "p[0]^4": p**4 - 3, "v": v, "|v|": u, "v^2": v * v - 1 / 3,
        "p[0] v": p * v, "p[0] |v|": p * u, "p[0]^2 |v|": (p * p - 1) * u,
        "x[0] p[0]": x * p, "x[0]^2 p[0]^2": square * (p * p - 1), "x[0] v": x * v,
        "x[0] |v|": x * u, "U v": U * v, "U |v|": U * u, "U p[0]^2": U * (p * p - 1),
    }  # fmt: skip
    if has(sampler.distribution, "gibbs"):  # U depends on w, whose first value is not known here
        known = {name: values for name, values in known.items() if "U" not in name}
        f, exact = ({n: a for n, a in each.items() if n != "U"} for each in (f, exact))
    if not with_p:
        known = {name: values for name, values in known.items() if "p" not in name}
    if last["v"].shape[1] > 1:
        known["v[0] v[1]"] = v * last["v"][:, 1]
    gaps = {name: f[name] - exact[name] for name in f}
    return {name: z_score(values) for name, values in (known | gaps).items()}


def functions(sampler: Sampler, x: np.ndarray) -> dict[str, np.ndarray]:
    """Return some functions of the states x (chains, dim), one of them the energy given no w."""
    found = {f"x[{i}]": x[:, i] for i in range(x.shape[1])}
    found |= {f"x[{i}]^2": x[:, i] ** 2 for i in range(x.shape[1])}
    found["x[0] x[-1]"] = x[:, 0] * x[:, -1]
    energy = compile_parts(class_of(sampler.distribution))["energy"]
    data, w = (
        part(sampler.distribution, "data")(),
        np.zeros(part(sampler.distribution, "gibbs_variables")),
    )
    found["U"] = np.array([energy(each, w, data) for each in x])
    return found


def z_score(values: np.ndarray) -> float:
    """Return a mean in standard errors; 0 where nothing varies, nan if a value is nan."""
    spread = values.std(ddof=1)
    return 0.0 if spread <= 1e-12 else float(values.mean() / spread * np.sqrt(values.size))


def check(samplers: list[Sampler], seed: int, advice: str, with_p: bool = True) -> Verdict:
    """Check invariance for samplers that differ in the rule for u alone.

    Without p, if it is drawn afresh for each update: what it is between updates does not matter.
    """
    sampler, rates, chains = with_stepsize(samplers[0], seed)[0], [], CHAINS
    first = start(sampler, chains, seed)
    z: dict[str, float] = {}
    evaluations = part(sampler.method, "L", Method)
    updates = max(8, EVALUATIONS // evaluations)
    for each in samplers:
        last, rate = run(each._replace(method=sampler.method), first, updates)
        rates.append(rate)
        found_z = scores(sampler, first, last, with_p)
        z |= {f"{name} with {each.u}": score for name, score in found_z.items()}
    found, passed, text = worst_score(z, chains)
    rejected = float(np.mean(rates))
    says = f"{len(z)} means after {updates} updates of {chains} exact draws, "
    says += f"{rejected:.0%} rejected; "
    says += f"worst {found['worst']}: {text}"
    numbers: dict[str, Any] = found | {"chains": chains, "updates": updates, "rejected": rejected}
    numbers["stepsize"] = getattr(sampler.method, "stepsize", None)
    return ok(says, **numbers) if passed else fails(says, advice, **numbers)
