"""The line of progress."""

from nrevu.pipeline import progress


def test_progress_in_words():
    costs = {"a": 1.0, "b": 1.0, "c": 2.0}
    assert "1 of 3 done" in progress.describe(costs, {"a"}, {"a"}, 10.0)
    assert "about 30 s left" in progress.describe(costs, {"a"}, {"a"}, 10.0)
    assert "not known yet" in progress.describe(costs, {"a"}, set(), 10.0)
    assert progress.describe(costs, set(costs), {"a"}, 10.0).endswith("0 to go, done")
    assert progress.duration(125) == "2 min 05 s" and progress.duration(3725) == "1 h 02 min"
