"""What a result can be asked: itself again, as a frame, as a picture."""

import pickle

import pytest

import kanon

pytestmark = pytest.mark.filterwarnings("ignore::kanon.Note")

QI = {"age": "intervals:5,10,20", "sex": None}


def people(n=60):
    return {
        "age": [20 + (i * 37) % 41 for i in range(n)],
        "sex": ["fm"[(i * 7 + i // 3) % 2] for i in range(n)],
        "ill": ["abc"[(i * 5 + i // 4) % 3] for i in range(n)],
    }


def frame(n=60):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(people(n), index=[f"row {i}" for i in range(n)])


# ---- a release ----------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [people(), frame()])
def test_a_release_knows_its_own_settings(table):
    release = kanon.anonymize(table, qi=QI, k=3, suppress="20%", sensitive="ill", l=2)
    found = release.verify()
    assert found and found.result["original"]["rows"] == 60
    assert {one["model"] for one in found.result["privacy"]} == {"k-anonymity", "l-diversity"}
    assert found.result["quasi_identifiers"] == ["age", "sex"]
    assert not release.verify(k=50)
    assert release.verify(original=None).result["original"] is None
    risk = release.risk()
    assert risk.result["risk"]["smallest"] >= 3 and risk.result["before"]["smallest"] == 1
    compared = release.compare_with(table)
    assert [column["name"] for column in compared.result["columns"]] == ["age", "sex", "ill"]
    with pytest.raises(TypeError, match="has no setting 'cost'"):
        release.verify(cost="ncp")


def test_hierarchies_of_python_go_with_a_release():
    table = dict(people(), sex=["f"] * 30 + ["m"] * 30)
    lines = {"age": lambda age: [f"{age // 10 * 10}s", "*"], "sex": {"f": "any", "m": "any"}}
    release = kanon.anonymize(table, qi=["age", "sex"], hierarchies=lines, k=4)
    assert release.verify() and release.risk(threshold=4).result["risk"]["smallest"] >= 4
    release.table["age"][0] = "70s"
    assert not release.verify()


def test_copies_of_a_release_do_not_know_the_table():
    copy = pickle.loads(pickle.dumps(kanon.anonymize(people(), qi=QI, k=3, suppress="20%")))
    for ask in (copy.verify, copy.risk, lambda: copy.compare_with(people())):
        with pytest.raises(kanon.BadInput, match="a copy does not have"):
            ask()


def test_a_release_in_a_file_is_read_again(tmp_path):
    release = kanon.anonymize(people(), qi=QI, k=3, suppress="20%", output=tmp_path / "release.csv")
    assert release.table is None and release.verify()
    text = (tmp_path / "release.csv").read_text().splitlines()
    (tmp_path / "release.csv").write_text("\n".join([*text, "20-24,f"]) + "\n")
    assert not release.verify()


def test_a_release_of_a_file_is_held_against_it(tmp_path):
    path = tmp_path / "people.csv"
    table = people()
    path.write_text("age,sex\n" + "".join(f"{age},{sex}\n" for age, sex in zip(table["age"], table["sex"])))
    release = kanon.anonymize(path, qi=QI, k=3, suppress="20%")
    assert release.verify().result["original"]["rows"] == 60
    job = tmp_path / "job.yaml"
    job.write_text("input: people.csv\nqi: ['age=intervals:5,10,20']\nk: 3\nsuppress: 20%\n")
    assert kanon.anonymize(job=job).verify().result["original"]["rows"] == 60


def test_a_release_of_several_tables_is_verified(tmp_path):
    (tmp_path / "people.csv").write_text("id,sex\n1,f\n2,f\n3,m\n4,m\n")
    (tmp_path / "stays.csv").write_text("id,ward\n1,a\n2,a\n3,b\n4,b\n")
    (tmp_path / "job.yaml").write_text(
        "tables:\n  people: {input: people.csv, key: id, qi: [sex]}\n"
        "  stays: {input: stays.csv, of: people, by: id, qi: [ward]}\nk: 2\n"
    )
    release = kanon.anonymize(job=tmp_path / "job.yaml", output=tmp_path / "out")
    assert release.table is None and release.verify()


def test_a_column_that_was_left_out_must_not_come_back():
    table = frame()
    for settings in ({}, {"keep": "ill"}, {"others": "drop"}, {"sensitive": "ill", "l": 1}, {"id": "ill"}):
        release = kanon.anonymize(table, qi=QI, k=3, **settings)
        assert release.verify() and release.verify(original=None)
        release.table["left"] = range(len(release.table))
        assert not release.verify() and not release.verify(original=None)
        whole = table.assign(left=range(len(table)))
        release = kanon.anonymize(whole, qi=QI, k=3, **settings)
        release.table["left"] = whole["left"]
        found = release.verify()
        assert not found and "nobody decided to release it" in found.summary
        if not settings:
            assert release.verify(others="keep", original=None)
    # Who decided otherwise is asked as they decided.
    release = kanon.anonymize(table, qi=QI, k=3, others="keep")
    assert list(release.table) == list(table) and release.verify()
    release = kanon.anonymize(table, qi=["age"], k=3, algorithm="mondrian", summary="both")
    assert "age-mean" in release.table and release.verify()


def test_suppressed_rows_that_are_kept_are_verified():
    release = kanon.anonymize(people(), qi=QI, k=4, suppress="40%", keep_suppressed=True, keep="ill")
    assert len(release.table["age"]) == 60 and "*" in release.table["age"]
    assert release.verify()


def test_of_which_rows_a_release_is_made_is_asked_of_the_original():
    table = frame()
    release = kanon.anonymize(table, qi=QI, k=3, suppress="20%", where="age >= 30")
    assert release.result["input"]["rows"] == (table["age"] >= 30).sum()
    assert release.verify().result["original"]["rows"] == (table["age"] >= 30).sum()
    assert release.verify(original=None) and release.risk().result
    assert release.compare_with(table).result["columns"]
    with pytest.raises(kanon.BadInput, match="choose the rows of the frame first"):
        _ = kanon.risk(table, qi="age", where="age >= 30").rows
    with pytest.raises(TypeError, match="where has no meaning for rows"):
        kanon.Anonymizer(qi=QI, k=3, where="age >= 30")


def test_a_table_is_held_against_a_rule():
    bad = kanon.check({"ssn": ["078-05-1120", "219-09-9999"], "dose": [1, 2]}, rules="hipaa-safe-harbor")
    assert not bad and not bad.holds
    good = kanon.check({"dose": [1, 2, 1, 2]}, rules="hipaa-safe-harbor", reviewed="dose", release_date="2026-03-31")
    assert good.holds == bool(good)
    with pytest.raises(kanon.BadInput, match=r'write rules="hipaa-safe-harbor", or another that help\(kanon.check\) names'):
        kanon.check({"dose": [1, 2]})


# ---- frames -------------------------------------------------------------------------------------


def test_a_comparison_is_a_frame_and_each_cell_makes_its_release():
    pandas = pytest.importorskip("pandas")
    table = people()
    lines = {"age": {age: f"{age // 10}x" for age in range(20, 61)}}
    found = kanon.compare(table, qi=["age", "sex"], hierarchies=lines, ks=[2, 5], suppressions=["5%", "30%"],
                          algorithms=["auto", "mondrian"], keep="ill", cost="ncp")  # fmt: skip
    told = found.to_frame()
    assert isinstance(told, pandas.DataFrame) and len(told) == len(found.cells) == 8
    assert set(told["k"]) == {2, 5} and "metrics.ncp" in told and "command" not in told
    for cell, row in zip(found.cells, found.result["cells"]):
        if row["status"] != 0:
            continue
        release = kanon.anonymize(table, **cell)
        assert release.result["metrics"]["ncp"] == pytest.approx(row["metrics"]["ncp"])
        assert release.result["suppression"]["rows"] == row["suppressed"] and "ill" in release.table
    with pytest.raises(kanon.BadInput, match="a copy does not have"):
        pickle.loads(pickle.dumps(kanon.compare(table, qi="age", ks=[2]))).cells


def test_risk_has_a_line_for_each_row():
    table = frame()
    found = kanon.risk(table, qi=["age", "sex"])
    assert list(found.rows.index) == list(table.index)
    sizes = table.groupby(["age", "sex"])["ill"].transform("size")
    assert list(found.rows["group_size"]) == list(sizes)
    assert list(kanon.risk(people(), qi="age").rows.index) == list(range(1, 61))


def test_check_says_what_was_found_in_each_column():
    table = {"ssn": ["078-05-1120", "078-05-1121"], "sex": ["m", "f"], "ref": ["a", "b"]}
    found = kanon.check(table, rules="hipaa-safe-harbor")
    assert not found and found.result["status"] == "not satisfied"
    assert list(found.columns["verdict"]) == ["found", "clear", "undecided"]
    undecided = kanon.check({"ref": ["a", "b"]}, rules="hipaa-safe-harbor")
    assert not undecided and undecided.result["status"] == "not checked"
    assert kanon.check({"ref": ["a", "b"]}, rules="hipaa-safe-harbor", reviewed="ref")
    groups = kanon.check({"sex": ["m"] * 12 + ["f"] * 11}, rules="ema-0070", qi="sex")
    assert groups.result["promise"]["recount"]["smallest_group"] == 11
    with pytest.raises(kanon.BadInput):
        kanon.check(table, rules="hippa")


def test_profile_has_a_line_for_each_column():
    columns = kanon.profile(people()).columns
    assert list(columns["name"]) == ["age", "sex", "ill"] and "role.suggestion" in columns


def test_failing_groups_have_the_labels_of_their_rows():
    table = frame()
    found = kanon.verify(table, qi=["age", "sex"], k=2)
    failing = found.failing
    sizes = table.groupby(["age", "sex"])["ill"].transform("size")
    assert list(failing.index) == list(table.index[sizes < 2]) and len(failing) == found.result["small_rows"]
    assert (failing["rows"] == 1).all() and failing["group"].nunique() == len(failing)
    assert list(failing.columns) == ["group", "rows", "age", "sex"]
    assert kanon.verify({"age": [1, 1, 2]}, qi="age", k=1).failing.empty
    assert list(kanon.verify({"age": [1, 1, 2]}, qi="age", k=2).failing.index) == [2]
    with pytest.raises(kanon.BadInput, match="no k was promised"):
        kanon.verify(table, qi="age", sensitive="ill", l=2).failing


# ---- pictures -----------------------------------------------------------------------------------


def test_comparison_and_risk_are_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found = kanon.compare(people(), qi=QI, ks=[2, 5], suppressions=["30%"], algorithms=["auto", "mondrian"])
    axes = found.plot()
    lines = {line.get_label(): line.get_xydata().tolist() for line in axes.get_lines()}
    assert set(lines) == {"auto", "mondrian"}
    assert lines["mondrian"] == [
        [cell["k"], cell["metrics"]["discernibility"]]
        for cell in found.result["cells"] if cell["algorithm"] == "mondrian"
    ]  # fmt: skip
    assert found.plot("groups", ax=axes) is axes
    with pytest.raises(kanon.BadInput, match="there is no 'nothing'; ask for one of k, "):
        found.plot("nothing")
    release = kanon.anonymize(people(), qi=QI, k=3, suppress="20%")
    assert len(release.risk().plot().get_lines()) == 2 and len(kanon.risk(people(), qi="age").plot().get_lines()) == 1


def test_without_matplotlib_it_is_said(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(kanon.BadInput, match="matplotlib is not installed"):
        kanon.risk(people(), qi="age").plot()


# ---- labels of others ---------------------------------------------------------------------------


def test_intervals_of_pandas_are_read():
    pandas = pytest.importorskip("pandas")
    ages = pandas.Series([30.5, 31, 40, 40.25, 44, 50, 30.75, 41])
    original = pandas.DataFrame({"age": ages})
    for cut in (
        pandas.cut(ages, [30, 40, 50]),
        pandas.cut(ages, [30, 40.25, 51], right=False),
        pandas.cut(ages, 2),
        pandas.qcut(ages, 2),
    ):
        for column in (cut, cut.astype(str), cut.astype(cut.cat.categories.dtype)):
            assert kanon.verify(pandas.DataFrame({"age": column}), qi="age", k=2, original=original)
    # A bound that a round bracket leaves out is not in it.
    wrong = pandas.cut(ages, [30, 40, 50]).astype(str)
    wrong[2] = "(40, 50]"
    found = kanon.verify(pandas.DataFrame({"age": wrong}), qi="age", k=2, original=original)
    assert not found and found.result["original"]["holds"] is False


# ---- what is shared -----------------------------------------------------------------------------


def test_labels_and_texts_are_shared():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"age": [31, 35, 42, 44] * 50, "ill": ["f" + "lu", "cold"] * 100})
    release = kanon.anonymize(table, qi={"age": "intervals:10"}, k=2, level={"age": "1..1"}, keep="ill").table
    for name in ("age", "ill"):
        assert release[name].dtype == object
        assert len({id(text) for text in release[name]}) == release[name].nunique() == 2
    category = kanon.anonymize(table.astype({"age": "category"}), qi={"age": "intervals:10"}, k=2,
                               level={"age": "1..1"}).table  # fmt: skip
    assert list(category["age"].cat.categories) == ["30-39", "40-49"]


@pytest.mark.parametrize("seed", range(12))
def test_texts_are_numbered_as_pandas_numbers_them(seed):
    import random

    from kanon import _columns

    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    chance = random.Random(seed)
    few = ["a", "b", "".join(["a"]), "".join(["", "b"]), None, float("nan"), "c" * 9, pandas.NaT][: 2 + seed % 7]
    made = {  # shared by many rows, an object for each row, or a beginning that does not look like the rest
        0: lambda i: chance.choice(few),
        1: lambda i: f"{i % 7} is not shared",
        2: lambda i: "first" if i < 5000 else f"{i} alone",
    }[seed % 3]
    values = numpy.array([made(i) for i in range(12000)] + [None], dtype=object)
    for given in (values, values[::2], values[:10]):
        codes, uniques = _columns._factorize(given)
        expected, known = pandas.factorize(given)
        assert codes.tolist() == expected.tolist() and list(uniques) == list(known)
