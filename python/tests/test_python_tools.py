"""Beside pyCANON and anjana, which are not needed here: pyCANON's figures, computed naively from their definitions in its
sources, and what `kanon.risk` tells. docs/manual/coming-from-python-tools.md says what these tests show."""

import collections
import math
import os
import random
import subprocess
import sys
from fractions import Fraction

import pytest

import kanon

KANON = os.environ.get("KANON", "kanon")
SOURCE = os.getcwd()


class PyCanon:
    """One sensitive column, by groups: what the functions of pyCANON give (gen=True)."""

    def __init__(self, table):
        by_group = collections.defaultdict(collections.Counter)
        for group, value in zip(table["group"], table["value"]):
            by_group[group][value] += 1
        self.groups = list(by_group.values())
        self.total = collections.Counter(table["value"])
        self.values = sorted(self.total)
        n = sum(self.total.values())
        self.p = {value: Fraction(count, n) for value, count in self.total.items()}

    def q(self, group, value):
        return Fraction(group[value], sum(group.values()))

    def k_anonymity(self):
        return min(sum(group.values()) for group in self.groups)

    def alpha_k_anonymity(self):
        return max(self.q(group, value) for group in self.groups for value in group)

    def l_diversity(self):
        return min(len(group) for group in self.groups)

    def entropy_l_diversity(self):
        """Before pyCANON cuts the decimals off."""
        return min(
            math.exp(-sum(self.q(group, value) * math.log(self.q(group, value)) for value in group))
            for group in self.groups
        )

    def recursive_c_l_diversity(self):
        """The rarest value takes the place of the most frequent one: counts are sorted upwards."""
        counts = [sorted(group.values()) for group in self.groups]
        return max(int(Fraction(count[0], sum(count[self.l_diversity() - 1 :])) + 1) for count in counts)

    def basic_beta_likeness(self):
        return max((self.q(group, value) - p) / p for group in self.groups for value, p in self.p.items())

    def enhanced_beta_likeness(self):
        return max(min(float(self.basic_beta_likeness()), -math.log(p)) for p in self.p.values())

    def delta_disclosure(self):
        """By the natural logarithm, of the values that a group has."""
        return max(
            abs(math.log(self.q(group, value) / self.p[value])) for group in self.groups for value in group
        )

    def t_closeness(self):
        """Of numbers by their order, of text by equal distances."""
        found = []
        for group in self.groups:
            away = [self.q(group, value) - self.p[value] for value in self.values]
            if isinstance(self.values[0], str):
                found.append(sum(map(abs, away)) / 2)
            elif len(self.values) > 1:
                found.append(sum(abs(sum(away[: i + 1])) for i in range(len(away))) / (len(away) - 1))
        return max(found)


def random_table(seed):
    rng = random.Random(seed)
    values = rng.choice([["flu", "cold", "gout"], list(range(5)), [0.5, 2.25, 10.0], ["a", "b"]])
    weights = [rng.randint(1, 9) for _ in values]
    rows = rng.randint(30, 300)
    groups = rng.randint(1, 8)
    table = {
        "group": [f"g{rng.randrange(groups)}" for _ in range(rows)],
        "value": rng.choices(values, weights, k=rows),
    }
    return table if len(set(table["value"])) > 1 else random_table(seed + 1000)


def told(table, **settings):
    risk = kanon.risk(table, qi="group", sensitive="value", **settings).result["risk"]
    return risk["smallest"], risk["sensitive"][0]


@pytest.mark.parametrize("seed", range(200))
def test_figures_agree_with_the_definitions_of_pycanon(seed):
    table = random_table(seed)
    theirs = PyCanon(table)
    k, ours = told(table)
    assert k == theirs.k_anonymity()
    assert ours["l"] == theirs.l_diversity()
    assert ours["alpha"] == pytest.approx(float(theirs.alpha_k_anonymity()), rel=1e-12)
    assert ours["entropy_l"] == pytest.approx(theirs.entropy_l_diversity(), rel=1e-12)
    assert ours["t"] == pytest.approx(float(theirs.t_closeness()), rel=1e-9, abs=1e-12)
    assert ours["beta"] == pytest.approx(float(theirs.basic_beta_likeness()), rel=1e-9, abs=1e-12)
    if all(len(group) == len(theirs.values) for group in theirs.groups):
        bits = ours["delta_disclosure"]
        assert bits * math.log(2) == pytest.approx(theirs.delta_disclosure(), rel=1e-9, abs=1e-12)
    else:
        assert ours["delta_disclosure"] is None  # infinite: a group lacks a value, which pyCANON leaves out


def test_the_naive_figures_are_those_counted_by_hand():
    table = {"group": list("aaaabbbbcc"), "value": list("xxxyxxyyxy")}
    theirs = PyCanon(table)
    assert (theirs.k_anonymity(), theirs.l_diversity()) == (2, 2)
    assert theirs.alpha_k_anonymity() == Fraction(3, 4)
    assert theirs.t_closeness() == Fraction(3, 20)
    assert theirs.basic_beta_likeness() == Fraction(1, 4)


def test_enhanced_likeness_is_looked_at_value_by_value():
    # A group of x alone: x gains 1, and -ln of its share is 0.69. No beta keeps the promise, whatever a number says.
    table = {"group": ["a"] * 10 + ["b"] * 10, "value": ["x"] * 10 + ["y"] * 10}
    assert PyCanon(table).enhanced_beta_likeness() == pytest.approx(math.log(2))
    for beta in (math.log(2), 1, 100):
        verified = kanon.verify(table, qi="group", sensitive="value", k=2, beta=beta, beta_kind="enhanced")
        assert not verified.holds
    assert kanon.verify(table, qi="group", sensitive="value", k=2, beta=1, beta_kind="basic").holds


def test_recursive_diversity_is_about_the_most_frequent_value():
    # 9 of 10 have x: 9 < c * 1 needs a c above 9.
    table = {"group": ["a"] * 10, "value": ["x"] * 9 + ["y"]}
    assert PyCanon(table).recursive_c_l_diversity() == 1
    assert told(table, c=1)[1]["recursive_l"] == 1
    assert told(table, c=9)[1]["recursive_l"] == 1
    assert told(table, c=9.5)[1]["recursive_l"] == 2


def test_names_may_be_arrays_as_with_anjana():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 1, 2, 2], "b": list("xxyy"), "s": list("pqpq")})
    wanted = kanon.anonymize(frame, qi=["a", "b"], k=2, sensitive="s", l=2).table
    for names in (frame.columns[:2].to_numpy(), frame.columns[:2], pandas.Series(["a", "b"])):
        given = dict(qi=names, sensitive=frame.columns[2:].to_numpy(), k=frame["a"].to_numpy()[2], l=2)
        assert kanon.anonymize(frame, **given).table.equals(wanted)
        levels = {"a": {0: frame["a"], 1: ["*"] * 4}}
        assert kanon.anonymize(frame, hierarchies=levels, **given).table.equals(wanted)
    with pytest.raises(TypeError, match="qi: a set has no order; give a list"):
        kanon.anonymize(frame, qi={"a", "b"}, k=2)
    with pytest.raises(TypeError, match="qi: DataFrame has 2 dimensions; give a list of names"):
        kanon.anonymize(frame, qi=frame[["a"]], k=2)


def test_names_of_other_tools_are_told_ours():
    for name, ours in (("quasi_ident", "qi"), ("sens_att", "sensitive"), ("l_div", "l"), ("supp_level", 'suppress="50%"')):
        with pytest.raises(TypeError, match=f"has no setting '{name}'; did you mean {ours}\\?"):
            kanon.anonymize({"a": [1]}, **{name: 1})
    with pytest.raises(TypeError, match="risk.. has no setting 'l_div'") as refused:
        kanon.risk({"a": [1]}, qi="a", l_div=2)
    assert "did you mean l?" not in str(refused.value)


def test_rows_with_a_missing_value_are_a_group():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["x", "x", "x", None]})
    assert kanon.risk(frame, qi="a").result["risk"]["smallest"] == 1
    assert min(len(rows) for rows in frame.groupby(by=["a"]).groups.values()) == 3  # what pyCANON counts with


def test_the_examples_of_the_readmes_run(tmp_path):
    pytest.importorskip("pandas")
    data = os.environ.get("KANON_DATA") or os.path.join(SOURCE, "..", "shared", "data")
    table = os.path.join(data, "adult", "adult-30162.csv")
    hierarchies = os.path.join(data, "adult", "hierarchies")
    if not os.path.exists(table):
        subprocess.run([KANON, "generate", "census", "--rows", "3000", "-q"], cwd=tmp_path, check=True)
        table, hierarchies = str(tmp_path / "census.csv"), str(tmp_path / "census-hierarchies")
    printed = subprocess.run(
        [sys.executable, os.path.join(SOURCE, "bench", "python_tools.py"), table, hierarchies, "1"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert printed.count("proven: True") == 4
