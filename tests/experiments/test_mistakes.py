"""Bad inputs, given to the commands as a user would: what each message must say.

Always the place, the key, what was given, and what is allowed or nearest; exit code 2, and no
traceback. More bad files are in test_experiment.py, more bad settings in test_config.py.
"""

import pytest

from nrevu.commands.main import main
from nrevu.errors import shorten
from nrevu.experiments.experiment import expand, read

SWEEP = """\
title: a sweep
cell:
  distribution: gaussian
  distribution.dim: 2
sweep:
  - u: standard
    method.stepsize: &steps [1.0, 2.0]
  - u: nonreversible
    u.delta: 0.3
    method.stepsize: *steps
figures:
  mine:
    kind: lines
    x: method.stepsize
    panels: [tau.log_prob]
    line: u.delta
"""
BOWL = """\
from dataclasses import dataclass

@dataclass(frozen=True)
class Bowl:
    dim: int = 2

    @staticmethod
    def energy(x, w, data):
        return 0.5 * (x[0] * x[0] + x[1] * x[1])

    @staticmethod
    def gradient(x, w, data, g):
        g[0], g[1] = x[0], x[1]
        return 0.5 * (x[0] * x[0] + x[1] * x[1])
"""
STEPS, DELTA, LINE, DIM = (
    "&steps [1.0, 2.0]",
    "u.delta: 0.3",
    "line: u.delta",
    "distribution.dim: 2",
)
END = "line: u.delta\n"
CELL = "distribution: gaussian\n  distribution.dim: 2"
ENTRY = "published:\n  - {at: {u: standard, method.stepsize: 1.0}, groups: 9, tau.log_prob: 2}\n"
CLAIM = "claims:\n  - {text: a, quantity: tau.log_prob, of: {u: standard}, published: 2}\n"
STATES = CLAIM.replace("published: 2}", "over: {u: nonreversible}, RULE}")
SAME = STATES.replace("nonreversible", "standard")
BEST = CLAIM.replace("published: 2", "best_at: {method.stepsize: 1.0}")
ALONE = BEST.replace("u: standard}", "u: standard, method.stepsize: 1.0}")
CONFIRM = "confirm: {best: tau.log_prob, for_each: [u], cells: 1, longer: 2}\n"
SHORT = "{from: 0.1, to: 0.3, step: 0.07}"
LOG = "{from: 0, to: 2, count: 4, scale: log}"

# Of the file: what is replaced, by what, and what must be said of it.
FILES = [
    ("figures:", "figurs:", ":11:", "'figurs'. Did you mean 'figures'?"),
    ("title: a sweep\n", "", "mine.yaml: title: is missing", "a title, a cell and a sweep"),
    ("title: a sweep", "title: [a]", ":1: title: must be text, not ['a']"),
    ("title: a sweep", "title: 2020-13-45", ":1: not valid YAML: month must be in 1..12"),
    ("title: a sweep", "title: !!bool maybe", ":1: not valid YAML: 'maybe'"),
    ("title: a sweep", 'title: "\\ud800"', ":1: half of a character"),
    ("u: standard", "u: standrd", ":6: u: unknown choice 'standrd'. Did you mean 'standard'?"),
    ("u: standard", "u: standard\n\tseed: 1", ":7: not valid YAML", "use spaces, not tabs"),
    (STEPS, "&steps [1.0, two]", ":7: method.stepsize: 'two'", "a number above 0"),
    (STEPS, "&steps [1.0, .nan]", ":7: method.stepsize: nan is not allowed"),
    (STEPS, "&steps []", ":7: method.stepsize: has no values"),
    (STEPS, "&steps [1.0, 1]", "(u=standard, method.stepsize=1) is in the sweep twice"),
    (STEPS, "&steps {from: 2, to: 1, step: 1}", ":7: method.stepsize: a range is", "'from': 2"),
    (STEPS, "&steps {from: 1, to: 2, steps: 4}", "'steps'. Did you mean 'step'?"),
    (STEPS, f"&steps {SHORT}", ":7: method.stepsize: steps of 0.07 from 0.1 do not reach 0.3",
     "the last value is 0.24. Write to: 0.24 or to: 0.31; or replace step with count: N"),
    (STEPS, "&steps {from: 1, to: 2.5, step: 2}", "the last value is 1. Write to: 1 or to: 3;"),
    (END, END + f"exclude: [{{u.delta: {SHORT}}}]\n", ":17: u.delta: steps of 0.07 from 0.1 do"),
    (STEPS, f"&steps {LOG}", "logarithmic scale with scale: log and A > 0", "'from': 0"),
    (STEPS, f"&steps {LOG.replace('log', 'lgo')}", "unknown scale 'lgo'. Did you mean 'log'?"),
    (STEPS, "&steps {from: 1, to: 2, step: 1e-9}", "about 1e+09 values, too many"),
    (STEPS, f"&steps {{from: 1, to: {10**400}, step: 1}}", ":7: method.stepsize: a range is"),
    (STEPS, f"{STEPS}\n    seed: {{from: 1, to: 60000, step: 1}}", "has 120000 cells, too many"),
    (STEPS, "[1.0, 2.0", ":8: not valid YAML", "flow sequence that begins in line 7"),
    ("*steps", "*step", ":10: not valid YAML: found undefined alias 'step'"),
    ("u: nonreversible\n    u.delta: 0.3", "u: standard", "is in the sweep twice, first at mine.y"),
    (DELTA, "u.delta: 2", ":9: u.delta: 2.0 is not allowed", "at least -1 and at most 1"),
    (DELTA, f"{DELTA}\n    u.delta: 1", ":10: u.delta: given twice, first in line 9"),
    (DELTA, "u.delta, u.noise: [0.3, 0]", ":9: u.delta, u.noise: needs a list of lists of 2"),
    (DELTA, "u.delta, u.noise: [[0.3]]", "lists of 2 values each, not [[0.3]]"),
    (DELTA, "u.delta: {by: 3}", ":9: u.delta: unknown key of a range 'by'"),
    (DIM, "distribution.dims: 2", ":4:", "Did you mean 'distribution.dim'?"),
    (DIM, "distribution.dim: 2.5", ":4: distribution.dim: 2.5", "a whole number at least 1"),
    (DIM, "method.alpha: 0.5", ":4: method.alpha: belongs to method=", "=persistent_langevin, not"),
    (DIM, "estimate.max_lag: 30", ":4: estimate.max_lag: lag 30 is too long for chains of 50"),
    (DIM, "schedule.gibbs_every: 1", ":4:", "'gaussian' has nothing to Gibbs-sample"),
    (DIM, "run.groups: 3", ":4: run: 8 chains need at least as many groups, not 3"),
    (DIM, "+method.alpha: 1", ":4: +method.alpha: unknown key '+method.alpha'"),
    (CELL, "distribution: mixed", ":3: schedule.gibbs_every: 'mixed' has variables that only"),
    (CELL, "distribution: {name: pairs, dim: 3}", ":3: distribution: dim 3", "an even number"),
    (CELL, "distribution: {name: pairs, din: 4}", ":3: distribution.din: unknown key"),
    (CELL, "distribution: {file: no.py}", ":3: distribution.file: ", "no.py': no such file"),
    ("x: method", "x: methd", ":14: unknown column 'methd.stepsize'", "'method.stepsize'?"),
    (LINE, "where: {u: standrd}", ":16: where: fits no cell", "there are standard, nonrev"),
    (LINE, "where: {rejection_rate: 0.5}", "'rejection_rate' is an estimate"),
    (LINE, "where: {u: standard, u.delta: 0.3}", ":16:", "none has all of these values"),
    (LINE, "value: tau.log_prob", ":16: value: does not belong to a figure of kind 'lines'"),
    (LINE, f"{LINE}\n    colours: [red]", ":17: colours: 'red' is not a colour", "#RRGGBB"),
    (LINE, f"{LINE}\n  r: {{kind: runs, line: u}}", ":17: r: needs 'trace' in the file"),
    ("lines", "heat\n    y: seed\n    value: tau.log_prob", ":17: panels: does not belong"),
    (END, END + "section: &a x\nnotes: [&a y]\n", ":18: not valid YAML: an anchor (&) given twice"),
    (END, END + "notes:\n  - Differs: nothing\n", ":18: notes: holds text; put {'Differs'"),
    (END, END + "on: x\n", ":17: a key must be a word, not on: put it into quotes"),
    (END, END + ENTRY.replace("1.0}", "9}"), ":18: published", "none has method.stepsize 9"),
    (END, END + ENTRY.replace(", method.stepsize: 1.0", ""), "fits 2 of 4; which differ in meth"),
    (END, END + ENTRY.replace("tau.log_prob", "sorce"), ":18:", "Did you mean 'source'?"),
    (END, END + ENTRY.replace("prob: 2", "prob: .inf"), ":18: tau.log_prob: inf is not a number"),
    (END, END + CLAIM.replace("_prob", "_prb"), ":18:", "Did you mean 'tau.log_prob'?"),
    (END, END + CLAIM.replace("d: 2", "d: 0"), ":18: published: 0 is not a number above 0"),
    (END, END + CLAIM.replace("published: 2", "groups: true"), "a whole number, not true"),
    (END, END + CLAIM.replace("u: s", "method: s"), ":18: of: fits no cell", "there are metropol"),
    (END, END + CLAIM.replace("2}", "2, equal: 1}"), ":18: equal: cannot stand beside 'published'"),
    (END, END + STATES.replace("RULE", "within: 0.1"), ":18: within: belongs to 'equal'"),
    (END, END + STATES.replace("RULE", "equal: 1, within: 0"), ":18: within: 0 is not a number"),
    (END, END + STATES.replace("RULE", "equal: 1, within: 50"), ": within: 50 is not"),
    (END, END + CONFIRM.replace("cells: 1", "cells: []"), ": cells: has no entries"),
    (END, END + STATES.replace("RULE", "equal: one"), ":18: equal: must be a number", "'one'"),
    (END, END + STATES.replace("RULE", "at_least: -1"), ":18: at_least: -1 is not a number above"),
    (END, END + STATES.replace("RULE", "atleast: 1"), ":18:", "Did you mean 'at_least'?"),
    (END, END + STATES.replace("RULE", "matched: 1"), ":18: matched: must be true or false"),
    (END, END + STATES.replace("RULE", "section: 3"), ":18: section: must be text"),
    (END, END + CLAIM.replace("published: 2", "matched: true"), ":18: matched: needs 'over'"),
    (END, END + SAME.replace("RULE", "matched: true"), ":18: matched: no cell of 'of' has one of"),
    (END, END + STATES.replace("RULE", "best_at: {method.stepsize: 1.0}"), ":18: best_at: comp"),
    (END, END + BEST.replace("1.0", "9"), ":18: best_at: fits no cell", "there are 1.0, 2.0"),
    (END, END + BEST.replace("method.stepsize: 1.0", "seed: 1"), "fits 2, which differ in meth"),
    (END, END + BEST.replace("at: {", "at: {u: nonreversible, "), ":18: best_at: must", "fits 0"),
    (END, END + ALONE, ":18: of: selects a single cell"),
    (END, END + CONFIRM.replace("[u]", "u"), ":17: for_each: must be a list, not 'u'"),
    (END, END + CONFIRM.replace("[u]", "[v]"), ":17: unknown column 'v'", "u.delta"),
    (END, END + CONFIRM.replace("cells: 1", "cells: 0"), ":17: cells: must be a", "not 0"),
    (END, END + "exclude:\n  - {u.dlta: 1}\n", ":18: exclude[0]", "Did you mean 'u.delta'?"),
    (END, END + "exclude: [{u.delta: 0.4}]\n", ":17: exclude[0]: matches no cell of the sweep"),
    (END, END + "exclude: [{u: [standard, nonreversible]}]\n", ":5: sweep: has no cells: all are"),
    (END, END + "exclude: [standard]\n", ":17: exclude: is a list of keys and values"),
    (END, END + "sizes: {smoke: {run.group: 1}}\n", ":17: run.group:", "'run.groups'?"),
    (END, END + "beside: [fig3]\n", ":17: beside: unknown experiment 'fig3'. Did you mean 'fig"),
    (END, END + "trace: {best: tau.log_prob, for_each: tau.log_prob}\n", ":17: unknown column"),
    (END, END + f"default: {'[' * 1000}{']' * 1000}", "nested too deeply"),
]  # fmt: skip

# Of a distribution's file: the same, with the words to run it.
OWN = [
    ("(frozen=True)", "", "", "Bowl: put @dataclass(frozen=True) above the class"),
    ("    dim: int = 2\n", "", "", "Bowl: needs 'dim', the number of coordinates"),
    ("dim: int = 2", "dim: int", "", "command line: distribution.dim: is missing"),
    ("dim: int = 2", "dim: int = 0", "", "Bowl: 'dim' must be a whole number, 1 or more"),
    ("    @staticmethod\n    def energy", "    def energy", "", "put @staticmethod above 'energy'"),
    ("2\n", "2\n    means = {}\n", "", "needs 'record': 'means' names what 'record' writes"),
    ("0.5 * (x[0]", "half * (x[0]", "", "Bowl.energy cannot be compiled", "half"),
    ("return 0.5", "retrun 0.5", "", "cannot be imported: SyntaxError", "line 9"),
    ("dataclasses import", "dataclases import", "", "No module named 'dataclases' (line 1)"),
    ("def gradient", "def grad", "method=hmc", "method: 'Bowl' has no gradient, and 'hmc'"),
    ("class Bowl", "class Bowl", "distribution.name=Bwl", "'Bwl'. Did you mean 'Bowl'?"),
    ("class Bowl", "class Bowl", "distribution.dims=3", "Did you mean 'distribution.dim'?"),
    ("class Bowl", "class Bowl", "schedule.gibbs_every=2", "'Bowl' has nothing to Gibbs-sample"),
]

WORDS = [
    ("run method.stepsiz=1", "command line: method.stepsiz:", "Did you mean 'method.stepsize'?"),
    ("run +method.alpha=0.5", "unknown key '+method.alpha'", "Allowed: distribution"),
    ("run ~method", "'~method' is not of the form KEY=VALUE"),
    ("run u.delta=0.1", "u.delta: belongs to u=", "=nonreversible", ", not to u=standard"),
    (
        "export cell method.stepsize=1,2",
        "command line: method.stepsize: takes one plain value here",
    ),
    (
        "run method.stepsize=interval(1,2)",
        "takes a plain value, or several: 1,2,3 or range(1,10,2)",
    ),
    ("run method.stepsize=1,-2 --cfg", "command line: method.stepsize: -2", "a number above 0"),
    ("run experiment=fgi1", "unknown experiment 'fgi1'. Did you mean 'fig1'?"),
    ("run experiment=hmc_pairs size=smoke", "schedule.group: give it too: it varies in"),
    ("run run.groups=1.5", "run.groups: 1.5", "a whole number at least 1"),
    ("make size=quick", "'size=quick' is no experiment: write options as --size quick"),
    ("run distribution=mine.py", "for a file of your own, give distribution.file=mine.py"),
    ("run distribution.file=no.py", "command line: distribution.file: 'no.py': no such file"),
    ("run --jsn", "unrecognized arguments: --jsn"),
    ("cells", "required: experiment"),
    ("cells fig1 --size papr", "unknown size 'papr'. Did you mean 'paper'?"),
    ("cells fig1 --seed x", "argument --seed: invalid int value: 'x'"),
    ("cells fig1 --seed -3", "--seed: seed: -3 is not allowed"),
    ("cells nowhere.yaml", "nowhere.yaml: no such file"),
    ("make fgi1", "unknown experiment 'fgi1'. Did you mean 'fig1'?"),
    ("make fig1 --size qick", "Did you mean 'quick'?"),
    ("make fig1 --batch 0", "batch: 0.0 is not allowed: seconds, above 0"),
    ("make fig1 --config size=smoke", "--config: give experiments, --size, --seed"),
    ("report fgi1", "unknown experiment 'fgi1'. Did you mean 'fig1'?"),
    ("report --size x", "unknown size 'x'. Allowed: paper, quick, smoke"),
    ("export", "required: WHAT"),
    ("export cells fig1", "invalid choice: 'cells'", "cell", "table"),
    ("export table fgi1", "unknown experiment 'fgi1'. Did you mean 'fig1'?"),
    ("export table fig1 --size smoke", "To make it: nrevu make fig1 --size smoke"),
    ("export table fig1 --confirmed --comparison", "not allowed with argument"),
    ("rnu", "unknown command 'rnu'. Did you mean 'run'?"),
]


@pytest.fixture
def told(tmp_path, monkeypatch, capsys, nrevu):
    """Return a function that gives words to the command, and returns what it says of them."""
    monkeypatch.chdir(tmp_path)
    read.cache_clear()
    expand.cache_clear()

    def run(*words):
        if words[0] == "make":  # it replaces its process by Snakemake
            done = nrevu(*words, cwd=tmp_path)
            return done.returncode, done.stdout, done.stderr
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:  # from argparse, which has shown the usage
            code = end.code
        return code, *capsys.readouterr()

    def say(*words):
        code, out, err = run(*words)
        assert code == 2 and out == "", (code, out, err)
        assert "Traceback" not in err and "hydra" not in err.lower() and "append" not in err
        return err

    return say


@pytest.mark.parametrize("old, new, says", [(*f[:2], f[2:]) for f in FILES])
def test_of_a_file(tmp_path, told, old, new, says):
    assert old in SWEEP
    (tmp_path / "mine.yaml").write_text(SWEEP.replace(old, new, 1))
    said = told("cells", "mine.yaml", "--size", "smoke")
    assert said.startswith("nrevu: mine.yaml") and said.count("\n") == 1
    assert all(words in said for words in says), said


@pytest.mark.parametrize("old, new, words, says", [(*f[:3], f[3:]) for f in OWN])
def test_of_a_distributions_file(tmp_path, told, old, new, words, says):
    assert old in BOWL
    (tmp_path / "bowl.py").write_text(BOWL.replace(old, new, 1))
    common = ["distribution.file=bowl.py", "estimate.mean=pooled", "size=smoke"]
    said = told("run", *common, *words.split())
    assert all(part in said for part in says), said


@pytest.mark.parametrize("words, says", [(w[0], w[1:]) for w in WORDS])
def test_of_a_command_line(told, words, says):
    said = told(*words.split())
    assert all(part in said for part in says), said


def test_files_that_are_not_text(tmp_path, told):
    (tmp_path / "mine.yaml").write_bytes(SWEEP.replace("2.0", "2.0 # é").encode("latin-1"))
    assert "mine.yaml:7: cannot be read: byte 0xe9" in told("cells", "mine.yaml")
    (tmp_path / "other.yaml").write_text(SWEEP.replace("u: standard", "u: \0"))
    assert "other.yaml:6: cannot be read: character #x0000" in told("cells", "other.yaml")


def test_what_is_long_is_cut_short(tmp_path, told):
    assert shorten("x" * 3000) == "x" * 80 + "..." and shorten("a\nb") == "'a\\nb'"
    (tmp_path / "mine.yaml").write_text(SWEEP.replace("u: standard", f"u: {'x' * 3000}"))
    assert len(told("cells", "mine.yaml")) < 300
