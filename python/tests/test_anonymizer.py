"""Levels that are learnt on one table and applied to others: a promise that is counted again on each."""

import collections
import copy
import pickle
import random

import pytest

import kanon

pytestmark = pytest.mark.filterwarnings("ignore::kanon.Note")

TOWNS = {"Bonn": ["west", "*"], "Köln": ["west", "*"], "Ulm": ["south", "*"], "Jena": ["east", "*"]}


def people(seed, n=80, towns=tuple(TOWNS)):
    chance = random.Random(seed)
    return {
        "age": [chance.randint(20, 60) for _ in range(n)],
        "sex": [chance.choice("fm") for _ in range(n)],
        "town": [chance.choice(towns) for _ in range(n)],
        "pay": [chance.randint(1, 9) for _ in range(n)],
    }


def made(**settings):
    asked = dict(qi=["age", "sex", "town"], hierarchies={"age": "intervals:5,10,20", "town": TOWNS}, k=3,
                 suppress="30%", keep="pay")  # fmt: skip
    return kanon.Anonymizer(**dict(asked, **settings))


def label(name, level, value):
    """What a value must become, by the definitions of the hierarchies alone."""
    if name == "age":
        width = [1, 5, 10, 20, None][level]
        low = None if width is None else value // width * width
        return "*" if width is None else str(value) if width == 1 else f"{low}-{low + width - 1}"
    if name == "town":
        return [value, *TOWNS[value]][level]
    return [value, "*"][level]


def expected(table, levels, k):
    """Each row at the levels, or as stars where fewer than k rows look like it; and how many are."""
    names = list(levels)
    rows = [tuple(label(name, levels[name], table[name][i]) for name in names) for i in range(len(table["age"]))]
    sizes = collections.Counter(rows)
    stars = [sizes[row] < k for row in rows]
    columns = {name: ["*" if star else row[place] for row, star in zip(rows, stars)] for place, name in enumerate(names)}
    columns["pay"] = ["*" if star else str(pay) for pay, star in zip(table["pay"], stars)]
    return columns, sum(stars)


@pytest.mark.parametrize("seed", range(20))
def test_other_tables_are_shown_at_the_levels_that_were_learnt(seed):
    chance = random.Random(seed)
    k = chance.randint(2, 6)
    limit = chance.choice([0, 10, 30, 100])
    train, test = people(seed), people(seed + 1000, chance.randint(10, 120))
    learnt = made(k=k, suppress=f"{limit}%").fit(train)
    for table in (train, test):
        told, n_stars = expected(table, learnt.levels_, k)
        if n_stars * 100 > limit * len(table["age"]):
            with pytest.raises(kanon.Failed, match="suppression limit"):
                learnt.transform(table)
            assert table is test  # what was learnt from keeps the promise
        else:
            assert learnt.transform(table) == told
            assert kanon.verify(told, qi=["age", "sex", "town"], k=k, suppress=n_stars, original=table,
                                hierarchies={"age": "intervals:5,10,20", "town": TOWNS}, keep="pay",
                                keep_suppressed=True)  # fmt: skip


def test_frames_come_back_as_frames():
    pandas = pytest.importorskip("pandas")
    learnt = made().fit(pandas.DataFrame(people(1)))
    told = learnt.transform(pandas.DataFrame(people(2)))
    assert isinstance(told, pandas.DataFrame) and len(told) == 80
    assert list(told.columns) == learnt.get_feature_names_out() == ["age", "sex", "town", "pay"]
    assert learnt.feature_names_in_ == ["age", "sex", "town", "pay"] and learnt.n_features_in_ == 4
    assert told.to_dict("list") == learnt.transform(people(2))
    assert made().fit_transform(people(1)) == learnt.transform(people(1))


def test_values_without_a_line_are_named():
    learnt = made().fit(people(1))
    other = dict(people(2), town=["Rom", "Oslo"] + people(2)["town"][2:])
    with pytest.raises(kanon.BadInput, match="(?s)no line for the value 'Oslo' of column town.*'Rom'"):
        learnt.transform(other)
    lines = [[town, *labels] for town, labels in TOWNS.items()]
    with pytest.raises(kanon.BadInput, match="'Rom'"):
        made(hierarchies={"town": lines}).fit(people(1)).transform(other)
    # A rule that looks at the rows is one for the rows that it was learnt from.
    for rule in ("quantiles:4,2", "frequency:10"):
        column = "age" if rule.startswith("q") else "town"
        learnt = made(qi=[column], hierarchies={column: rule}).fit(people(1))
        known = learnt.transform(people(1))
        assert len(known[column]) == 80
        with pytest.raises(kanon.BadInput, match="no line for the value"):
            learnt.transform(dict(people(1), **{column: [99 if column == "age" else "Rom"] + people(1)[column][1:]}))


def test_functions_are_asked_about_new_values():
    asked = []

    def decade(age):
        asked.append(age)
        return [f"{age // 10}x", "*"]

    learnt = made(qi=["age"], hierarchies={"age": decade}).fit({"age": list(range(30, 36)) + list(range(42, 48)), "pay": [1] * 12})
    assert learnt.levels_ == {"age": 1}
    assert learnt.transform({"age": [33, 33, 39, 51], "pay": [1] * 4}) == {"age": ["3x", "3x", "3x", "*"],
                                                                          "pay": ["1", "1", "1", "*"]}  # fmt: skip
    assert 51 in asked
    # Missing values of one table alone make no other levels of the others.
    for train, test in (([1, 1, None, None], [1, 1, 1]), ([1, 1, 1], [1, 1, None, None])):
        learnt = made(qi=["age"], hierarchies={"age": lambda age: "some"}, k=2, keep=None).fit({"age": train})
        assert len(learnt.transform({"age": test})["age"]) == len(test)


@pytest.mark.parametrize("rule, train, test, labels", (
    ("age:10@2025-12-31", ["1990-01-02", "1991-03-04"] * 2, ["1993-07-08", "1987-06-05", "1970-01-01"], ["30-39", "30-39", "*"]),
    ("date:year", ["1990-01-02", "1990-03-04"] * 2, ["1990-07-08", "1990-06-05", "1970-01-01"], ["1990", "1990", "*"]),
    ("intervals:10", [31, 35] * 2, [38, 30, 99], ["30-39", "30-39", "*"]),
    ("prefix:2", ["531", "532"] * 2, ["538", "539", "999"], ["53*", "53*", "*"]),
    ("digits:2", ["531", "532"] * 2, ["538", "539", "999"], ["53*", "53*", "*"]),
    ("suppress", ["a", "b"] * 2, ["c", "d", "e"], ["*", "*", "*"]),
))
def test_rules_of_the_value_alone_know_every_value(rule, train, test, labels):
    learnt = kanon.Anonymizer(qi="born", hierarchies={"born": rule}, k=2, suppress="50%", level={"born": 1})
    assert learnt.fit({"born": train}).transform({"born": test}) == {"born": labels}
    assert pickle.loads(pickle.dumps(learnt)).transform({"born": test}) == {"born": labels}


def initial(town):
    return [town[0], "*"]


def test_pickles_and_copies_hold_no_value_of_the_table():
    towns = {"town": ["Bonn", "Berlin", "Ulm", "Unna", "Zanzibar"]}
    for settings in (dict(hierarchies={"town": initial}), dict(hierarchies={"town": "frequency:2"}), dict(qi={"town": "frequency:2"})):
        learnt = kanon.Anonymizer(**dict(dict(qi="town", k=2, suppress="20%"), **settings)).fit(towns)
        told = learnt.transform(towns)
        data = pickle.dumps(learnt)
        assert not [town for town in towns["town"] if town.encode() in data]
        for copied in (pickle.loads(data), copy.deepcopy(learnt), copy.copy(learnt)):
            assert copied.levels_ == learnt.levels_ and copied.get_feature_names_out() == ["town"]
            with pytest.raises(kanon.Failed, match=r"call fit\(\) again"):
                copied.transform(towns)
            assert copied.fit(towns).transform(towns) == told
        assert learnt.transform(towns) == told
    # What was given is there again, fitted or not.
    learnt = made()
    assert pickle.loads(pickle.dumps(learnt)).fit(people(1)).levels_ == learnt.fit(people(1)).levels_
    assert pickle.loads(pickle.dumps(learnt)).transform(people(2)) == learnt.transform(people(2))


def test_columns_that_fit_did_not_release_are_not_released():
    more = dict(people(2), ssn=["078-05-1120"] * 80, pay_id=list(range(80)))
    learnt = made(keep=None, others="keep").fit(people(1))
    with pytest.raises(kanon.BadInput, match="released no column 'ssn', 'pay_id'"):
        learnt.transform(more)
    with pytest.raises(kanon.BadInput, match="released no column 'pay_id'"):
        made(keep="pay*").fit(people(1)).transform(more)
    assert list(made().fit(people(1)).transform(more)) == ["age", "sex", "town", "pay"]  # left out, as nobody named them
    learnt = made().fit(more).set_params(keep=None, others="keep")
    with pytest.raises(kanon.BadInput, match="released no column 'ssn', 'pay_id'"):
        learnt.transform(more)
    assert list(learnt.fit(more).transform(more)) == list(more)


def test_it_is_used_as_transformers_are():
    learnt = made()
    assert learnt.get_params()["k"] == 3 and learnt.get_params()["hierarchies"]["town"] is TOWNS
    again = kanon.Anonymizer(**learnt.get_params())
    assert again.set_params(k=4) is again and again.get_params()["k"] == 4
    with pytest.raises(kanon.Failed, match="call fit"):
        learnt.transform(people(1))
    with pytest.raises(kanon.Failed, match="call fit"):
        learnt.get_feature_names_out()
    assert learnt.fit(people(1), [0] * 80) is learnt
    assert made(suppress=None, k=2, algorithm="datafly").fit(people(1)).levels_


def test_what_cannot_be_learnt_is_refused(tmp_path):
    with pytest.raises(TypeError, match="qi is missing"):
        kanon.Anonymizer(k=3)
    for settings in ({"output": "x.csv"}, {"shuffle": True}, {"job": "x"}, {"keep_suppressed": True}):
        with pytest.raises(TypeError, match="has no meaning for rows"):
            made(**settings)
    with pytest.raises(TypeError, match="did you mean suppress"):
        made(supress=1)
    with pytest.raises(kanon.BadInput, match="leave algorithm and recoding out"):
        made(algorithm="mondrian", hierarchies=None).fit(people(1))
    with pytest.raises(kanon.BadInput, match="write hierarchies as a dict"):
        made(qi="age=intervals:5").fit(people(1))
    with pytest.raises(kanon.Unsatisfied):
        made(suppress=0, sensitive='pay', keep=None, l=50).fit(people(1))


def test_its_text_has_no_value_and_no_secret(tmp_path):
    key = tmp_path / "secret.key"
    told = repr(made(key=str(key), cap={"age": "20..60"}))
    assert "Bonn" not in told and "secret.key" not in told
    assert "k=3" in told and "'town': ..." in told and "intervals:5,10,20" in told
