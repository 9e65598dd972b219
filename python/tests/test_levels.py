"""Hierarchies by level, as anjana has them: {0: values, 1: labels, ...}."""

import datetime
import random

import pytest

import kanon

AGES = [29, 24, 28, 27, 24, 23, 19, 29, 17, 19]
FIVES = [f"[{age // 5 * 5}, {age // 5 * 5 + 5})" for age in AGES]
TENS = [f"[{age // 10 * 10}, {age // 10 * 10 + 10})" for age in AGES]


def released(values, hierarchy, k=2):
    return list(kanon.anonymize({"a": values}, qi="a", k=k, hierarchies={"a": hierarchy}).table["a"])


def test_levels_are_what_lines_are():
    levels = {0: AGES, 1: FIVES, 2: TENS}
    for k in (1, 2, 3, 4):
        assert released(AGES, levels, k) == released(AGES, list(dict.fromkeys(zip(AGES, FIVES, TENS))), k)
    assert released(AGES, levels, 3) == FIVES
    assert released(AGES, {2: TENS, 0: AGES, 1: tuple(FIVES)}, 3) == FIVES  # in any order
    assert released(AGES, sorted(set(zip(*levels.values()))), 3) == FIVES  # what a refusal says


@pytest.mark.parametrize("seed", range(100))
def test_levels_are_what_lines_are_on_random_tables(seed):
    rng = random.Random(seed)
    of_text = rng.random() < 0.5
    values = [f"v{i}" if of_text else 3 * i for i in range(rng.randint(3, 12))]
    lines = [[value, f"n{i // 2}", f"m{i // 4}"][: rng.choice([2, 3])] for i, value in enumerate(values)]
    width = min(map(len, lines))
    lines = [line[:width] for line in lines]
    rows = [rng.choice(values) for _ in range(rng.randint(5, 60))]
    listed = lines + [rng.choice(lines) for _ in range(rng.randint(0, 20))]  # as long as data is, with repeats
    rng.shuffle(listed)
    levels = {level: [line[level] for line in listed] for level in range(width)}
    assert released(rows, levels) == released(rows, lines)


def test_levels_may_have_each_value_once():
    once = sorted(set(zip(AGES, FIVES, TENS)))
    assert released(AGES, dict(enumerate(map(list, zip(*once)))), 3) == FIVES


def test_levels_are_series_and_arrays():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": AGES, "day": pandas.to_datetime(["2024-01-05"] * 5 + ["2024-02-07"] * 5)})
    table = pandas.DataFrame(sorted(set(zip(AGES, FIVES, TENS))))
    for levels in (
        dict(table),  # as dict(pandas.read_csv(..., header=None))
        {0: frame["a"].values, 1: FIVES, 2: TENS},
        {0: frame["a"], 1: pandas.Series(FIVES).astype("category"), 2: pandas.array(TENS, dtype="string")},
    ):
        release = kanon.anonymize(frame, qi="a", k=3, hierarchies={"a": levels})
        assert list(release.table["a"]) == FIVES
    cut = {0: frame["a"], 1: pandas.cut(frame["a"], [0, 20, 30], right=False)}
    assert set(kanon.anonymize(frame, qi="a", k=3, hierarchies={"a": cut}).table["a"]) == {"[0, 20)", "[20, 30)"}
    days = {0: frame["day"].values, 1: frame["day"].dt.strftime("%Y").values}
    assert set(kanon.anonymize(frame, qi="day", k=6, hierarchies={"day": days}).table["day"]) == {"2024"}


def test_levels_of_a_file(tmp_path):
    numpy = pytest.importorskip("numpy")
    path = tmp_path / "a.csv"
    path.write_text("a\n" + "".join(f"{age}\n" for age in AGES))
    levels = {0: numpy.array(AGES), 1: numpy.array(FIVES), 2: numpy.array(TENS)}
    assert kanon.anonymize(path, qi="a", k=3, hierarchies={"a": levels}).table["a"] == FIVES


def test_missing_values_have_the_label_that_they_are_given():
    values = [30, None, 31, None]
    assert released(values, {0: values, 1: ["30s", "30s", "30s", "30s"]}) == ["30s"] * 4
    assert released(values, {0: values, 1: ["30s", None, "30s", float("nan")]}) == ["30s", None, "30s", None]
    assert released(values, {0: values, 1: ["30s", "unknown", "30s", "unknown"]}) == ["30s", "unknown"] * 2


def test_dates_of_lists():
    days = [datetime.date(2024, 1, 5), datetime.date(2024, 1, 7)]
    assert released(days, {0: days, 1: ["January", "January"]}) == ["January", "January"]


def test_values_0_1_2_are_values_as_before():
    assert released([0, 1, 1, 0], {0: ["low", "*"], 1: ["low", "*"]}, 3) == ["low"] * 4
    assert released([0, 1, 1, 0], {0: "low", 1: "low"}, 3) == ["low"] * 4
    assert released([0, 1, 2, 2], {0: ["a"], 1: ["a"], 2: ["b"]}) == ["a", "a", "b", "b"]


def test_what_could_be_both_is_refused():
    both = {0: [0, 1], 1: ["*", "*"]}
    with pytest.raises(kanon.BadInput, match=r"hierarchies\['a'\]: .*sorted\(set\(zip\(\*levels.values\(\)\)\)\)"):
        released([0, 1], both)
    assert released([0, 1], sorted(set(zip(*both.values())))) == ["*", "*"]


def test_levels_that_do_not_fit_are_refused():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(kanon.BadInput, match=r"\['a'\]: level 1 has 1 labels, and level 0 has 2 values; give as many"):
        released([3, 4], {0: numpy.array([3, 4]), 1: ["*"]})
    with pytest.raises(kanon.BadInput, match=r"\['a'\]: level 1 has 1 labels"):
        released([3, 4], {0: [3, 4], 1: ["*"]})
    with pytest.raises(kanon.BadInput, match=r"\['a'\]: entries 1 and 2 have the same value and different labels at level 1"):
        released([3, 4], {0: [3, 4, 4], 1: ["x", "y", "z"]})
    with pytest.raises(kanon.BadInput, match=r"^hierarchies\['a'\]: no line for the value '5'"):
        released([3, 5], {0: [3, 4], 1: ["x", "x"]})
