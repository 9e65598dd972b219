"""The package beside the command line: the same releases, types that stay, errors, threads, signals."""

import array
import copy
import csv
import ctypes
import datetime
import decimal
import doctest
import gc
import json
import os
import pickle
import random
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import types
from xml.etree import ElementTree

import pytest

import kanon

KANON = os.environ.get("KANON", "kanon")
QI = ["age", "gender", "race", "marital-status", "education", "native-country"]


def test_examples_of_docstrings():
    n_tried = 0
    for name in [name for name in sys.modules if name == "kanon" or name.startswith("kanon._")]:
        found = doctest.testmod(sys.modules[name], extraglobs={"kanon": kanon})
        n_tried += found.attempted
        assert found.failed == 0
    assert n_tried > 10


# ---- beside the command line --------------------------------------------------------------------


def census(folder):
    """A table with its hierarchies: Adult where it is, else the synthetic census."""
    data = os.environ.get("KANON_DATA") or os.path.join(os.getcwd(), "..", "shared", "data")
    adult = os.path.join(data, "adult")
    if os.path.exists(os.path.join(adult, "adult-30162.csv")):
        return os.path.join(adult, "adult-30162.csv"), os.path.join(adult, "hierarchies")
    subprocess.run([KANON, "generate", "census", "--rows", "3000", "-q"], cwd=folder, check=True)
    return os.path.join(folder, "census.csv"), os.path.join(folder, "census-hierarchies")


def read_csv(path):
    with open(path, newline="") as file:
        separator = ";" if ";" in file.readline() else ","
        file.seek(0)
        rows = list(csv.reader(file, delimiter=separator))
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


@pytest.fixture(scope="module")
def by_program(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("census"))
    table, hierarchies = census(folder)
    out = os.path.join(folder, "release.csv")
    words = ["--qi", ",".join(QI[:4]), "--hierarchies", hierarchies, "--k", "5", "--suppress", "1%",
             "--keep", "occupation", "--sensitive", "salary-class", "--l", "1"]  # fmt: skip
    subprocess.run([KANON, "anonymize", table, "-o", out, "-q", *words], check=True)
    given = dict(qi=QI[:4], hierarchies=hierarchies, k=5, suppress="1%", keep="occupation",
                 sensitive=["salary-class"], l=1)  # fmt: skip
    return table, read_csv(table), read_csv(out), given


def as_text(table):
    return {name: [str(value) for value in values] for name, values in table.items()}


class Producer:
    """A test double of a frame that is known by its stream alone, such as one of polars."""

    def __init__(self, table):
        self._data = kanon._tables.Data(table)

    def __arrow_c_stream__(self, requested_schema=None):
        return self._data.stream()


def test_dict_path_and_producer_give_the_release_of_the_program(by_program):
    path, table, expected, given = by_program
    assert as_text(kanon.anonymize(table, **given).table) == expected
    assert as_text(kanon.anonymize(path, **given).table) == expected
    released = kanon.anonymize(Producer(table), **given).table
    assert isinstance(released, kanon.Table) and as_text(released.to_dict()) == expected
    again = kanon.verify(released, qi=given["qi"], k=5, original=table, hierarchies=given["hierarchies"])
    assert again.holds


def test_tables_of_other_packages_come_back_as_theirs(monkeypatch):
    for package, maker in (("polars", "DataFrame"), ("pyarrow", "table")):

        class Theirs(Producer):
            __module__ = package + ".inside"

        double = types.ModuleType(package)
        setattr(double, maker, lambda table, kind=Theirs: kind(table.to_dict()))
        monkeypatch.setitem(sys.modules, package, double)
        released = kanon.anonymize(Theirs({"age": [1, 1], "n": [7, None]}), qi="age", k=2, keep="n").table
        assert type(released) is Theirs
        ((columns, n_rows),) = kanon._tables.batches_of(released)
        assert n_rows == 2 and kanon._columns.to_list(columns[1]) == [7, None]


def test_pandas_gives_the_release_of_the_program(by_program):
    pandas = pytest.importorskip("pandas")
    _, table, expected, given = by_program
    for dtype in ("Int64", "category", "string", "int8", "int64"):
        frame = pandas.DataFrame(table)
        frame["age"] = frame["age"].astype("int64").astype(dtype)
        frame["race"] = frame["race"].astype("category")
        frame["occupation"] = frame["occupation"].astype("string")
        release = kanon.anonymize(frame, **given)
        assert isinstance(release.table, pandas.DataFrame)
        assert as_text({name: release.table[name] for name in release.table}) == expected
    assert release.table["race"].dtype == "category"
    assert release.table["occupation"].dtype == "string"
    assert list(release.table.index) == list(range(len(release.table)))


# ---- types --------------------------------------------------------------------------------------


def test_dtypes_of_other_columns_stay():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "town": ["Ulm", "Ulm", "Bonn", "Bonn"],
            "whole": pandas.array([1, None, 3, 4], dtype="Int32"),
            "plain": pandas.Series([1, 2, 3, 4], dtype="uint8"),
            "real": [0.5, float("nan"), 2.0, 1e300],
            "single": pandas.Series([0.1, 2, 3, 4], dtype="float32"),
            "is": [True, False, True, True],
            "may": pandas.array([True, None, False, True], dtype="boolean"),
            "day": pandas.to_datetime(["2020-01-01", None, "2020-02-29", "2021-01-01"]),
            "zoned": pandas.to_datetime(["2020-07-01"] * 4).tz_localize("Europe/Berlin"),
            "rank": pandas.Categorical(["low", "high", None, "low"], ["low", "mid", "high"], ordered=True),
            "number": pandas.Categorical([3, 1, 3, 1]),
            "text": pandas.array(["a", None, "c", "d"], dtype="string"),
            "object": [datetime.date(2020, 1, 1), None, datetime.date(2021, 1, 1), 7],
        }
    )
    others = [name for name in frame if name != "town"]
    released = kanon.anonymize(frame, qi="town", k=2, keep=others).table
    for name in others:
        if name == "rank":  # values that nobody shows are gone, the order stays
            assert list(released[name].cat.categories) == ["low", "high"]
            assert released[name].cat.ordered
            assert list(released[name].astype(object).fillna("?")) == ["low", "high", "?", "low"]
            continue
        assert released[name].dtype == frame[name].dtype, name
        pandas.testing.assert_series_equal(released[name], frame[name])


def test_any_byte_order_is_read():
    pandas = pytest.importorskip("pandas")
    numpy = pytest.importorskip("numpy")
    frame = pandas.DataFrame({"a": [7, 7], "f": [0.5, 1.5]})
    other = frame.astype({"a": ">i8", "f": ">f4"})
    released = kanon.anonymize(other, qi="a", k=2, keep="f").table
    assert list(released["a"]) == [7, 7] and list(released["f"]) == [0.5, 1.5]
    assert released["f"].dtype == numpy.dtype(">f4")
    moments = numpy.array(["2020-01-01", "2020-01-02"], dtype=">M8[s]")
    released = kanon.anonymize({"a": [1, 1], "at": moments}, qi="a", k=2, keep="at").table
    assert released["at"][1] == datetime.datetime(2020, 1, 2)


def test_lists_keep_their_objects():
    table = {"town": ["a", "a"], "n": [1, None], "x": [0.5, 2], "d": [datetime.date(2020, 1, 1), "text"],
             "b": [True, False]}  # fmt: skip
    released = kanon.anonymize(table, qi="town", k=2, keep=["n", "x", "d", "b"]).table
    assert released == {**table, "x": [0.5, 2.0]}


def test_empty_texts_are_not_missing_ones():
    pandas = pytest.importorskip("pandas")
    texts = ["", None, "a", ""]
    table = {"town": ["a", "a", "b", "b"], "note": texts}
    assert kanon.anonymize(table, qi="town", k=2, keep="note").table["note"] == texts
    frame = pandas.DataFrame({"town": table["town"], "note": pandas.array(texts, dtype="string")})
    frame["object"] = texts
    released = kanon.anonymize(frame, qi="town", k=2, keep=["note", "object"]).table
    pandas.testing.assert_series_equal(released["note"], frame["note"])
    assert list(released["object"].fillna("?")) == ["", "?", "a", ""]


def test_empty_categories_are_not_missing_ones():
    pandas = pytest.importorskip("pandas")
    for values in (["", "b", "a", ""], ["", None, "a", ""]):
        for ordered in (False, True):
            kept = pandas.Categorical(values, categories=["b", "a", "", "z"], ordered=ordered)
            frame = pandas.DataFrame({"town": ["x", "x", "y", "y"], "kept": kept})
            released = kanon.anonymize(frame, qi="town", k=2, keep="kept").table["kept"]
            assert list(released.astype(object).fillna("?")) == [v if v is not None else "?" for v in values]
            assert released.cat.ordered == ordered and "z" not in released.cat.categories
            if ordered:
                assert list(released.cat.categories) == [c for c in ["b", "a", ""] if c in values]


def owner_of(array):
    """Whose memory an array has at last: an array's own, or something that was made from other memory."""
    while getattr(array, "base", None) is not None:
        array = array.base
    return array


@pytest.mark.parametrize("ordered", (True, False))
def test_frames_keep_no_memory_that_the_release_frees(ordered):
    pandas, numpy = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    n = 33000  # so many categories have codes that pandas takes as they come
    names = [f"name {i:05d}" for i in range(n)]
    mixed = [i if i % 2 else f"name {i}" for i in range(n)]  # not sorted by pandas
    days = pandas.Timestamp("2001-02-03") + pandas.to_timedelta(numpy.arange(n), unit="D")
    frame = pandas.DataFrame({
        "q": numpy.ones(n, dtype="int8"), "whole": numpy.arange(n), "real": numpy.arange(n) / 8,
        "single": numpy.arange(n, dtype="float32"), "yes": numpy.arange(n) % 3 == 0,
        "nullable": pandas.array([*range(n - 1), None], dtype="Int64"), "days": days,
        "zoned": days.tz_localize("UTC"), "text": names, "string": pandas.array(names, dtype="string"),
        "category": pandas.Categorical(names, categories=names[::-1], ordered=ordered),
        "mixed": pandas.Categorical(mixed, categories=mixed, ordered=ordered),
    })  # fmt: skip
    release = kanon.anonymize(frame, qi="q", k=2, keep=list(frame.columns[1:]))
    n_looked_at = 0
    for name, column in release.table.items():
        held = (column.cat.codes if hasattr(column, "cat") else column).array
        for part in ("_ndarray", "_data", "_mask"):
            if isinstance(getattr(held, part, None), numpy.ndarray):
                owner = owner_of(getattr(held, part))
                assert isinstance(owner, (bytes, numpy.ndarray)), name
                assert isinstance(owner, bytes) or owner.flags.owndata, name
                n_looked_at += 1
    assert n_looked_at > 10
    gc.collect()
    for _ in range(3):  # others take the memory
        kanon.anonymize({"a": [7] * 3 * n, "b": list(range(3 * n))}, qi="a", keep="b", k=2)
    pandas.testing.assert_frame_equal(release.table.drop(columns=["category", "mixed"]),
                                      frame.drop(columns=["category", "mixed"]))  # fmt: skip
    assert list(release.table["category"]) == names and list(release.table["mixed"]) == mixed
    assert release.verify()


def test_texts_with_zero_bytes_are_told_apart():
    pandas = pytest.importorskip("pandas")
    few, many = ["a\0b", "a\0c", "a", "a\0"], [f"a\0{i}" for i in range(5000)]
    for values in (few, few * 2000, many, few + [None] * 4, [*many, None, "a"]):
        frame = pandas.DataFrame({"q": [1] * len(values), "text": values})
        assert frame["text"].dtype == object
        for kept in (frame, frame.astype({"text": "string"})):
            released = kanon.anonymize(kept, qi="q", keep="text", k=2).table["text"]
            assert [None if pandas.isna(value) else value for value in released] == values
    frame = pandas.DataFrame({"text": ["a\0b", "a\0c", "x", "x"]})
    assert list(kanon.anonymize(frame, qi="text", k=2).table["text"]) == ["*"] * 4
    assert not kanon.verify(frame, qi="text", k=2)
    assert kanon.verify(pandas.concat([frame, frame]), qi="text", k=2)


def test_different_values_of_one_text_are_refused():
    pandas = pytest.importorskip("pandas")
    for values in ([1, "1"], [True, "true"], [datetime.date(2020, 1, 1), "2020-01-01"]):
        with pytest.raises(kanon.BadInput, match="column 'c' has different values with the same text"):
            kanon.anonymize({"a": [1, 1], "c": values}, qi="a", k=2, keep="c")
        frame = pandas.DataFrame({"a": [1, 1], "c": pandas.Categorical(values)})
        with pytest.raises(kanon.BadInput, match="'c'"):
            kanon.anonymize(frame, qi="a", k=2, keep="c")


def test_equal_objects_that_are_not_the_same_are_refused():
    pandas = pytest.importorskip("pandas")
    berlin = datetime.timezone(datetime.timedelta(hours=1))
    for one, other in (
        (1, 1.0),
        (0.0, -0.0),
        (decimal.Decimal("1.0"), decimal.Decimal("1.00")),
        (datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc), datetime.datetime(2020, 1, 1, 1, tzinfo=berlin)),
    ):
        frame = pandas.DataFrame({"q": [1, 1, 1, 1], "a": pandas.Series([one, other, "x", "x"], dtype=object)})
        for call in (
            lambda: kanon.verify(frame, qi="a", k=2),
            lambda: kanon.anonymize(frame, qi="q", k=2, keep="a"),
        ):
            with pytest.raises(kanon.BadInput, match="column 'a' has different values with the same text"):
                call()
    for values in ([None, float("nan"), "x", "x"], [None, pandas.NaT, "x", "x"], [pandas.NA, None, "x", "x"]):
        frame = pandas.DataFrame({"a": pandas.Series(values, dtype=object)})
        for table in (frame, {"a": values}):
            with pytest.raises(kanon.BadInput, match="column 'a' has values that kanon counts as one"):
                kanon.verify(table, qi=["a"], k=2)
    numpy = pytest.importorskip("numpy")
    mixed = pandas.DataFrame({"q": [1, 1], "a": pandas.Series([numpy.int64(1), 1], dtype=object)})
    assert list(kanon.anonymize(mixed, qi="q", k=2, keep="a").table["a"]) == [1, 1]
    assert kanon.verify({"a": [None, None, "x", "x"]}, qi="a", k=2).holds


def test_categories_that_no_row_has_are_asked_of_nobody():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": pandas.Categorical.from_codes([0, 0, 1, 1], ["b", "a", "z"])})
    frame["n"] = pandas.Categorical([10, 2, 3, 10])
    asked = []
    release = kanon.anonymize(frame, qi="a", k=2, hierarchies={"a": lambda value: asked.append(value) or "x"}, keep="n")
    assert sorted(asked) == ["a", "b"] and list(release.table["n"].cat.categories) == [2, 3, 10]
    assert list(release.table["n"]) == [10, 2, 3, 10]


def test_nanoseconds_are_not_cut_off():
    pandas = pytest.importorskip("pandas")
    moments = pandas.Series(pandas.to_datetime(["2020-01-02 03:04:05.123456789", "2020-01-02 03:04:05.123456"]))
    for at in (moments, moments.dt.tz_localize("UTC")):
        released = kanon.anonymize({"a": [1, 1], "at": at}, qi="a", k=2, keep="at").table["at"]
        assert released == list(at) and type(released[1]) is datetime.datetime
    clock = ("t", "ttn", 2, 2, 0, 0, [None, struct.pack("qq", 1, 2000)], None)
    table = kanon.Table([("a", "l", 2, 2, 0, 0, [None, bytes(16)], None), clock], 2)
    with pytest.raises(kanon.BadInput, match="no nanoseconds"):
        kanon.anonymize(table, qi="a", k=2, keep="t").table.to_dict()


def test_decimals_keep_all_their_digits():
    numbers = [12345678901234567890123456789012345678, -12345678901234567890123456789012345679]
    words = b"".join(number.to_bytes(16, "little", signed=True) for number in numbers)
    columns = [
        ("q", "l", 2, 2, 0, 0, [None, bytes(16)], None),
        ("d", "d:38,2", 2, 2, 0, 0, [None, words], None),
    ]
    table = kanon.Table(columns, 2)
    released = kanon.anonymize(table, qi="q", k=2, keep="d").table.to_dict()["d"]
    assert [str(value) for value in released] == [f"{n}"[:-2] + "." + f"{n}"[-2:] for n in numbers]
    assert kanon.anonymize(table, qi="d", k=2, hierarchies={"d": lambda value: "x"}).table.to_dict()["d"] == ["x", "x"]


def test_labels_are_texts_even_where_an_object_has_the_same():
    table = {"z": [10, "x", 11, "y"]}
    steps = {"z": {10: "10", "x": "10", 11: "11", "y": "11"}}
    assert kanon.anonymize(table, qi="z", k=2, hierarchies=steps).table == {"z": ["10", "10", "11", "11"]}
    assert kanon.anonymize(table, qi="z", k=1, hierarchies=steps).table == table


def test_suppressed_rows_leave_nothing_behind():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"town": pandas.Categorical(["a", "a", "secret"]), "n": [1, 2, 3]})
    released = kanon.anonymize(frame, qi="town", k=2, suppress=1, keep="n").table
    assert list(released["town"].cat.categories) == ["a"] and list(released["n"]) == [1, 2]


def test_columns_that_name_people_may_be_of_any_kind():
    pandas = pytest.importorskip("pandas")
    table = {"a": [1] * 4, "name": list("pqrs")}
    assert kanon.anonymize(table, qi="a", k=2, id="name").table == {"a": [1] * 4}
    frame = pandas.DataFrame(table).astype({"name": "category"})
    assert list(kanon.anonymize(frame, qi="a", k=2, id="name").table) == ["a"]


def test_verify_does_not_count_different_values_as_one():
    for values in (["", None], [0.0, -0.0], [float("nan"), None]):
        with pytest.raises(kanon.BadInput, match="column 'a' has values that kanon counts as one"):
            kanon.verify({"a": values}, qi="a", k=2)
        assert "column 'a'" in kanon.risk({"a": values}, qi="a", k=2).notes[0]
        released = kanon.anonymize({"a": values}, qi="a", k=2).table
        assert kanon.verify(released, qi="a", k=2).holds
    assert kanon.verify({"a": [0.5, 0.5, None, None]}, qi="a", k=2).holds


def test_attacks_take_frames():
    pandas = pytest.importorskip("pandas")
    people = pandas.DataFrame({"age": [31, 33, 36, 42, 55, 58], "income": [2400, 2600, 4100, 3900, 3100, 5200],
                               "ill": ["flu", "flu", "gout", "asthma", "flu", "angina"]})
    job = {"qi": ["age", "income"], "sensitive": "ill", "k": 2}
    release = kanon.anonymize(people, algorithm="mdav", summary="mean", **job).table
    found = kanon.attack(release, register=people, original=people, **job).result["register"]
    assert found["matched"]["none"]["people"] == 6
    assert found["nearest"]["right_at_random"]["expected"] == 2.5
    assert list(pandas.DataFrame(found["nearest"]["exposed"])["rows"]) == [2] * 6
    neighbour = kanon.attack(release, register=people[["age"]], qi="age", as_="neighbour", nearest=True)
    assert neighbour.result["register"]["nearest"]["right_at_random"] is None
    together = kanon.attack(release, register=people, original=people, sample=2, **job).result["register"]
    assert together["asked"] == 2 and together["nearest"]["asked"] == 2
    with pytest.raises(TypeError):
        kanon.attack(release, with_=release, **job)


# ---- hierarchies --------------------------------------------------------------------------------


def test_sampling_weights_bound_the_risk_of_each_row():
    survey = {"sex": ["f", "m", "m", "f"], "w": [180.5, 2, 3, 90]}
    given = {"qi": "sex=suppress", "sampling_weight": "w", "individual_risk": 0.1}
    release = kanon.anonymize(survey, keep="w", **given)
    (promise,) = release.result["privacy"]
    assert promise["individual-risk"] == 0.1 and 0 < promise["reached"] <= 0.1
    assert release.table == {"sex": ["*"] * 4, "w": survey["w"]}
    assert list(kanon.anonymize(survey, **given).table) == ["sex"]
    assert kanon.verify(release.table, **given).holds
    assert not kanon.verify(survey, **given).holds
    with pytest.raises(kanon.BadInput, match="has ''; a weight is a number above 0"):
        kanon.anonymize({"sex": ["f", "m"], "w": [1, None]}, **given)


def test_the_mean_risk_of_a_survey_has_a_limit():
    survey = {"sex": ["f", "m", "m", "f"], "w": [180.5, 2, 3, 90]}
    given = {"qi": "sex=suppress", "sampling_weight": "w", "global_risk": 0.1}
    release = kanon.anonymize(survey, **given)
    (promise,) = release.result["privacy"]
    assert promise["global-risk"] == 0.1 and 0 < promise["reached"] <= 0.1
    assert release.table == {"sex": ["*"] * 4}
    few = kanon.anonymize(survey, suppress=2, keep="w", **given)
    assert few.table == {"sex": ["f", "f"], "w": [180.5, 90]}
    assert kanon.verify(few.table, **given).holds
    assert not kanon.verify(survey, **given).holds


def test_what_no_report_can_tell_of_is_released_without_its_figures():
    survey = {"home": [1, 1, 2, 2, 3, 3, 4], "sex": ["f", "m"] * 3 + ["f"]}
    given = {"qi": "sex=suppress", "k": 3, "household": "home", "household_promise": "composition", "suppress": 1}
    release = kanon.anonymize(survey, **given)
    assert release.table == {"sex": ["f", "m"] * 3}
    assert "what it would say of households is not worked out" in release.notes[-1]
    with pytest.raises(kanon.Failed, match="the notes say why"):
        release.report()
    with pytest.raises(kanon.BadInput, match="leave report out"):
        kanon.anonymize(survey, report=True, **given)
    cells = {"qi": "sex,town", "recoding": "cell-suppression", "missing_matches": True, "subsets": 1, "k": 2}
    people = {"sex": ["f", "f", "m", "m"], "town": ["a", "b", "a", "b"]}
    release = kanon.anonymize(people, **cells)
    assert release.table == people and "reports show matches by all columns" in release.notes[-1]
    with pytest.raises(kanon.Failed, match="the notes say why"):
        release.report()


def test_weights_are_calibrated():
    survey = {"a": [1, 1, 1, 2, 3, 4], "area": ["n"] * 6, "w": [10, 20, 30, 5.5, 6, 7]}
    given = {"qi": "a", "k": 2, "suppress": 3, "sampling_weight": "w", "keep": "w", "calibrate": "area"}
    release = kanon.anonymize(survey, level={"a": 0}, **given)
    assert release.table == {"a": [1, 1, 1], "w": [13.0833333333333, 26.1666666666667, 39.25]}
    assert release.result["calibrated"]["by"] == ["area"] and release.result["calibrated"]["changed"] == 1
    assert kanon.verify(release.table, original=survey, **given).holds
    other = {**release.table, "w": [13.0833333333334, 26.1666666666667, 39.25]}
    assert not kanon.verify(other, original=survey, **given).holds


def test_risk_of_numbers_near_those_before():
    pay = {"pay": [10, 11, 20, 21, 30, 31, 40, 41], "age": [30, 31, 40, 41, 50, 51, 60, 61]}
    release = kanon.anonymize(pay, qi=["pay", "age"], k=2, algorithm="mdav", summary="mean")
    near = kanon.risk(release.table, original=pay, qi=["pay", "age"], near=10).result["near"]
    assert near["all"]["rows"] == 8 and near["linked"]["rows"] == 4 and near["shows_means"]
    assert kanon.risk(release.table, original=pay, qi=["pay", "age"], near=1).result["near"]["all"]["rows"] == 0
    with pytest.raises(kanon.BadInput, match="name the table that it was made from"):
        kanon.risk(release.table, qi=["pay", "age"], near=10)


def test_households_leave_whole():
    survey = {"home": [1, 1, 2, 2, 3, 3, 4, 4, 5, 6], "age": [31, 33, 35, 38, 34, 71, 36, 32, 39, 37]}
    given = {"qi": {"age": "intervals:10"}, "level": {"age": 1}, "household": "home", "suppress": 1, "k": 4}
    release = kanon.anonymize(survey, **given)
    assert release.table == {"age": ["30-39"] * 8}
    assert release.result["household"]["households"] == 6 and release.result["household"]["suppressed"] == 1
    settings = {name: value for name, value in given.items() if name != "level"}
    assert kanon.verify(release.table, original=survey, **settings).holds
    missing = {"age": release.table["age"][1:]}  # a member of somebody's household is missing
    assert not kanon.verify(missing, original=survey, **settings).holds
    risk = kanon.anonymize(survey, household_risk=0.25, **given).result["privacy"][1]
    assert risk["household-risk"] == 0.25 and abs(risk["reached"] - (1 - (7 / 8) ** 2)) < 1e-12
    with pytest.raises(kanon.BadInput, match="what it means where households leave whole"):
        kanon.anonymize(survey, subsets=1, **given)
    found = kanon.profile(survey, household="home").result["household"]
    assert found["of_several_rows"] == 4 and found["columns"] == [{"name": "age", "differing": 4}]


def test_every_set_of_columns_is_promised():
    people = {"sex": list("ffmm"), "town": ["Ulm", "Bonn"] * 2, "job": list("ncnc")}
    given = {"qi": ["sex", "town"], "keep": "job", "k": 2, "subsets": 1}
    release = kanon.anonymize(people, **given)
    assert release.table == people  # each column by itself shows everything twice
    assert kanon.verify(people, **given).holds
    assert not kanon.verify(people, **{**given, "subsets": 2}).holds
    assert not kanon.verify(people, **{**given, "k": None, "subsets": "1:2,2:2"}).holds


def test_a_release_is_made_for_a_model():
    people = {"age": [1, 2, 3, 4], "sex": list("fmfm"), "income": [10, 11, 50, 51]}
    release = kanon.anonymize(people, qi=["age", "sex"], k=2, algorithm="mondrian", **{"class": "income", "for": "income"})
    assert release.table["age"] == ["[1-2]", "[1-2]", "[3-4]", "[3-4]"]
    assert release.result["purpose"] == {"model": "income", "outcome": "income", "uses": ["age", "sex"], "by": "cuts"}
    release = kanon.anonymize(people, qi=["age", "sex"], keep="income", k=2, **{"for": "income ~ sex"})
    assert release.table["sex"] == list("fmfm") and release.result["purpose"]["by"] == "weights"


def test_few_are_unique_in_the_population():
    few = {"a": [1, 1, 2, 2, 3, 4]}
    given = {"qi": "a", "population_size": 60}
    release = kanon.anonymize(few, population_uniques=0.5, **given)
    (promise,) = release.result["privacy"]
    assert promise["population-uniques"] == 0.5 and 0 < promise["reached"] <= 0.5
    assert release.table["a"] == few["a"] and kanon.verify(few, population_uniques=0.5, **given).holds
    assert not kanon.verify(few, population_uniques=0.001, **given).holds
    for look in (kanon.anonymize, kanon.verify):
        with pytest.raises(kanon.BadInput, match="is less than the rows of the table"):
            look(few, qi="a", population_size=5, population_uniques=0.5)


def test_columns_by_themselves_promise_nothing_of_rows():
    pay = {"pay": [10, 11, 12, 20, 21, 22], "age": [61, 22, 35, 23, 62, 36]}
    given = {"qi": ["pay", "age"], "k": 2, "summary": "mean", "per_column": True}
    release = kanon.anonymize(pay, algorithm="univariate", **given)
    assert release.result["privacy"] == [{"model": "per-column", "k": 2}]
    assert release.result["per_column"]["holds"] and release.result["per_column"]["fewest_rows"] >= 2
    assert release.result["sse_gap"] == 0 and 0 < release.result["sse"] < 0.1
    assert kanon.verify(release.table, original=pay, **given).holds
    assert not kanon.verify(pay, **given).holds
    with pytest.raises(kanon.BadInput, match="promises nothing for rows as a whole"):
        kanon.anonymize(pay, algorithm="mdav", **given)


def test_hidden_cells_match_anything():
    people = {"sex": list("ffmmx"), "town": ["Ulm", "Ulm", "Ulm", "Bonn", "Rom"], "job": list("ncccj")}
    promise = {"qi": ["sex", "town", "job"], "k": 2, "missing_matches": True}
    release = kanon.anonymize(people, recoding="cell-suppression", suppress=1, **promise)
    assert release.result["matches"]["holds"] and release.result["matches"]["risk"]["highest"] <= 0.5
    assert "This is weaker than k-anonymity by groups" in release.report()
    assert kanon.verify(release.table, original=people, **promise)
    assert not kanon.verify(people, original=people, **promise)
    (cell,) = kanon.compare(people, recoding="cell-suppression", **promise).result["cells"]
    assert cell["verified"] and cell["matches"]["fewest"] >= 2
    with pytest.raises(kanon.BadInput, match="missing_matches=True: only cells that are hidden"):
        kanon.search(people, **promise)


def test_codes_are_called_text():
    codes, ages = [1, 2, 1, 2, 10, 10, 10, 10], [31, 32, 36, 37, 21, 22, 52, 53]
    tree = {1: ["north", "*"], 2: ["north", "*"], 10: ["south", "*"]}
    shown = []
    for text in ([], ["region"], "reg*"):
        release = kanon.anonymize({"region": codes, "age": ages}, qi=["region", "age"], k=2, cost="ncp", text=text,
                                  hierarchies={"region": tree, "age": "intervals:5,10"})
        shown.append(release.table.to_dict()["region"] if hasattr(release.table, "to_dict") else release.table["region"])
    assert str(shown[0]) != str(shown[1]) and str(shown[1]) == str(shown[2])


def test_hierarchies_in_every_form():
    people = {"zip": ["53111", "53112", "89073", "89074"]}
    forms = [
        {"53111": ["53", "*"], "53112": ["53", "*"], "89073": ["89", "*"], "89074": ["89", "*"]},
        [["53111", "53", "*"], ["53112", "53", "*"], ["89073", "89", "*"], ["89074", "89", "*"]],
        lambda value: (value[:2], "*"),
    ]
    for form in forms:
        released = kanon.anonymize(people, qi=["zip"], hierarchies={"zip": form}, k=2).table
        assert released["zip"] == ["53", "53", "89", "89"]
    built = kanon.hierarchy_build(people, {"zip": "prefix:2"})
    released = kanon.anonymize(people, qi="zip", hierarchies=built, k=2).table
    assert len(set(released["zip"])) == 2
    numbers = {"age": [30, 31, 42, 43]}
    released = kanon.anonymize(numbers, qi="age", hierarchies={"age": lambda n: n // 10 * 10}, k=2).table
    assert released["age"] == ["30", "30", "40", "40"]


def test_functions_are_not_asked_about_missing_values():
    pandas = pytest.importorskip("pandas")
    for missing in (None, ""):
        people = {"zip": ["53111", missing, "53222", missing, "89073", "89074"]}
        for table in (people, pandas.DataFrame(people), Producer(people), pandas.DataFrame(people, dtype="category")):
            release = kanon.anonymize(table, qi="zip", hierarchies={"zip": lambda code: code[:2]}, k=2).table
            found = release.to_dict() if isinstance(release, kanon.Table) else release
            found = [None if value != value else value for value in found["zip"]]
            assert found == ["53", None, "53", None, "89", "89"]
    only = kanon.anonymize({"a": [1, 1, None]}, qi="a", hierarchies={"a": lambda n: "x"}, k=3)
    assert only.table == {"a": ["*"] * 3}
    frame = pandas.DataFrame({"a": [0.5, 0.7, float("nan"), float("nan")]})
    assert list(kanon.anonymize(frame, qi="a", hierarchies={"a": int}, k=2).table["a"].fillna("?")) == ["0", "0", "?", "?"]
    assert kanon.anonymize({"a": [None, None]}, qi="a", hierarchies={"a": str}, k=2).table == {"a": [None, None]}


def texts_of_program(form, words, folder):
    """What the program writes for values of a type of Arrow."""
    path = os.path.join(folder, "texts.csv")
    n = array.array("q", range(len(words)))
    columns = [
        ("x", form, 2, len(words), 0, 0, [None, words.tobytes()], None),
        ("n", "l", 2, len(words), 0, 0, [None, n.tobytes()], None),
    ]
    kanon.anonymize(kanon.Table(columns, len(words)), qi="x", k=1, keep="n", output=path, force=True)
    with open(path, newline="") as file:
        return [row[0] for row in csv.reader(file)][1:]


def test_texts_are_those_of_the_program(tmp_path):
    random.seed(7)
    reals = [0.0, -0.0, 1.0, -2.5, 0.1, 1e300, -1e-300, 9.3e18, 2.0**53, 1 / 3, float("inf"), float("-inf")]
    reals += [random.uniform(-1, 1) * 10 ** random.randint(-20, 20) for _ in range(300)]
    reals += [struct.unpack("d", random.randbytes(8))[0] for _ in range(300)]
    reals = [real for real in reals if real == real]
    singles = array.array("f", [real for real in reals if abs(real) < 3e38])
    forms = [("g", array.array("d", reals)), ("f", singles)]
    forms += [("tdD", array.array("i", [0, -1, 18000, -25567]))]
    forms += [("tdm", array.array("q", [0, -86400000, 86400000 * 18000]))]
    for unit, digits in (("s", 0), ("m", 3), ("u", 6), ("n", 9)):
        seconds = [random.randint(-9 * 10**9, 9 * 10**9) for _ in range(50)]
        stamps = [s * 10**digits + random.choice([0, 5, 10 ** max(digits - 1, 0), 7]) for s in seconds]
        forms.append((f"ts{unit}:", array.array("q", stamps)))
        forms.append((f"ts{unit}:Europe/Berlin", array.array("q", stamps)))
        clock = array.array("q" if digits > 3 else "i", [s % 86400 * 10**digits + 1 for s in seconds] + [-1])
        forms.append((f"tt{unit}", clock))
    for form, words in forms:
        expected = texts_of_program(form, words, str(tmp_path))
        column = ("x", form, 2, len(words), 0, 0, [None, words.tobytes()], None)
        found = [kanon._columns._text_of_raw(form, raw) for raw in kanon._columns._raw(column)]
        assert found == expected, form


def test_functions_and_dicts_find_values_of_every_type():
    pandas = pytest.importorskip("pandas")
    moments = pandas.to_datetime(["2020-01-01 00:00:00.5", "2021-01-01"] * 2)
    for values in (
        [1.0, 2.5, 1.0, 2.5],
        pandas.Series([0.1, 1e20] * 2, dtype="float32"),
        moments,
        moments.tz_localize("Europe/Berlin"),
        [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)] * 2,
        [decimal.Decimal("1.50"), decimal.Decimal("2")] * 2,
        [True, False] * 2,
    ):
        frame = pandas.DataFrame({"a": values})
        by_value = {value: "x" for value in ([0.1, 1e20] if frame["a"].dtype == "float32" else frame["a"])}
        for hierarchy in (lambda value: ["x"], by_value):
            released = kanon.anonymize(frame, qi="a", k=4, hierarchies={"a": hierarchy}).table
            assert list(released["a"]) == ["x"] * 4


def test_singles_are_found_by_their_doubles():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": pandas.Series([0.1, 0.1, 2.5, None], dtype="float32")})
    for keys in (frame["a"].unique(), frame["a"].unique().tolist(), [0.1, 2.5, float("nan")], [0.1, 2.5, None]):
        released = kanon.anonymize(frame, qi="a", k=4, hierarchies={"a": {key: "x" for key in keys}}).table
        assert list(released["a"]) == ["x"] * 4


class Stream(ctypes.Structure):
    """The struct of Arrow, to let a test double misbehave."""


GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.c_void_p)
Stream._fields_ = [
    ("get_schema", ctypes.c_void_p),
    ("get_next", GET_NEXT),
    ("get_last_error", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class Batches:
    """A producer of several batches; with `fails` it ends with an error in place of the last one."""

    def __init__(self, tables, fails=False):
        self.tables, self.fails, self.kept = [kanon._tables.Data(table) for table in tables], fails, []
        self.skips = False  # no batch at all

    def __arrow_c_stream__(self, requested_schema=None):
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        capsules = [data.stream() for data in self.tables]
        streams = [Stream.from_address(pointer(c, b"arrow_array_stream")) for c in capsules]
        nexts = [GET_NEXT(ctypes.cast(s.get_next, ctypes.c_void_p).value) for s in streams]
        given = []

        def get_next(_, out):
            i = len(given)
            given.append(i)
            if self.fails and i + 1 >= len(streams):
                return 5
            if self.skips or i >= len(streams):
                ctypes.memset(out, 0, 80)
                return 0
            return nexts[i](ctypes.byref(streams[i]), out)

        callback = GET_NEXT(get_next)
        streams[0].get_next = callback
        self.kept.append((capsules, streams, nexts, callback))
        return capsules[0]


def test_functions_see_the_values_of_all_batches():
    tables = [{"a": [1, 1]}, {"a": [2, 2, 3]}]
    released = kanon.anonymize(Batches(tables), qi="a", k=5, hierarchies={"a": lambda n: f"<{n * 0 + 9}"})
    assert released.table.to_dict() == {"a": ["<9"] * 5}
    with pytest.raises(kanon.Failed, match="the producer of its rows failed"):
        kanon.anonymize(Batches(tables, fails=True), qi="a", k=2, hierarchies={"a": str})


class Dictionary:
    """A producer of one column of a dictionary, beside one of numbers; None is a null."""

    def __init__(self, values, indices):
        self.texts = kanon._columns._texts("", values)
        self.codes = array.array("i", [-1 if index is None else index for index in indices])

    def __arrow_c_stream__(self, requested_schema=None):
        n = len(self.codes)
        ones = array.array("q", [1] * n)
        columns = [
            kanon._columns._indices("x", self.codes, self.texts),
            ("n", "l", 2, n, 0, 0, [None, kanon._columns._address(ones)], None),
        ]
        return kanon._kanon.make_stream([(columns, n)])


def test_dictionaries_of_others_keep_empty_texts_and_nulls():
    release = kanon.anonymize(Dictionary(["", "b", "a"], [0, None, 1, 0, None, 2]), qi="n", k=2, keep="x")
    assert release.table.to_dict()["x"] == ["", None, "b", "", None, "a"]


def test_indices_of_one_value_are_one_in_a_release_and_refused_by_verify():
    twice = Dictionary(["a", "a", "b", "b"], [0, 1, 2, 3])
    for given in (dict(qi="x"), dict(qi="n", keep="x")):
        released = kanon.anonymize(twice, k=2, **given).table
        assert released.to_dict()["x"] == ["a", "a", "b", "b"]
        ((columns, _),) = kanon._tables.batches_of(released)
        (column,) = [column for column in columns if column[0] == "x"]
        assert kanon._columns._raw(column) == [0, 0, 1, 1] and column[7][3] == 2
        assert kanon.verify(released, qi="x", k=2).holds
    with pytest.raises(kanon.BadInput, match="one that a dictionary has twice"):
        kanon.verify(twice, qi="x", k=2)
    assert "a dictionary has twice" in kanon.risk(twice, qi="x", k=2).notes[0]


class Once:
    """A producer that can be asked once, such as a reader of batches."""

    def __init__(self, tables):
        self.batches = Batches(tables)  # its callback is called until the stream is read
        self.stream = self.batches.__arrow_c_stream__()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.stream


def test_producers_may_give_their_rows_once():
    tables = [{"a": ["u", "v"], "b": [1, 2]}, {"a": ["w", None], "b": [3, None]}]
    hierarchies = {"a": lambda value: "x"}
    released = kanon.anonymize(Once(tables), qi="a", k=4, hierarchies=hierarchies, keep="b").table.to_dict()
    assert released == {"a": ["*"] * 4, "b": [1, 2, 3, None]}
    built = kanon.hierarchy_build(Once(tables), {"a": "prefix:1", "b": "intervals:2"})
    assert [len(lines) for lines in built.values()] == [4, 4]


def test_streams_are_read_once_and_may_be_empty():
    read = kanon._kanon.read_stream
    stream = kanon._kanon.make_stream([([], 7)])
    assert read(stream) == [([], 7)]
    with pytest.raises(ValueError, match="already released or used"):
        read(stream)
    with pytest.raises(ValueError):
        read(object())
    batches = Batches([{"a": [1]}])
    assert read(batches.__arrow_c_stream__())[0][1] == 1


# ---- errors -------------------------------------------------------------------------------------


def test_errors_have_the_text_of_the_command_line():
    people = {"age": [1, 2, 3]}
    with pytest.raises(kanon.BadInput, match="no column 'aeg'"):
        kanon.anonymize(people, qi="aeg", k=2)
    with pytest.raises(kanon.Unsatisfied):
        kanon.anonymize({"age": [1, 2], "ill": ["flu", "flu"]}, qi="age", k=2, sensitive="ill", l=2)
    with pytest.raises(kanon.BadInput, match="check the path"):
        kanon.anonymize("/no/such/file.csv", qi="age", k=2)
    with pytest.raises(TypeError, match="did you mean suppress"):
        kanon.anonymize(people, qi="age", k=2, supress="1%")
    with pytest.raises(TypeError, match="is not a table"):
        kanon.anonymize(7, qi="age", k=2)
    with pytest.raises(kanon.BadInput, match="different lengths"):
        kanon.anonymize({"a": [1], "b": [1, 2]}, qi="a", k=1)
    with pytest.raises(kanon.BadInput, match="no row"):
        kanon.anonymize({"a": []}, qi="a", k=1)
    with pytest.raises(kanon.BadInput, match="column 'a' cannot be read, its type is Python's list"):
        kanon.anonymize({"a": [[1], [2]]}, qi="a", k=1)
    with pytest.raises(kanon.OutOfMemory):
        kanon.anonymize({"a": list(range(200000))}, qi="a", k=2, memory="64K")


def test_odd_columns_are_refused_by_name():
    pandas = pytest.importorskip("pandas")
    numpy = pytest.importorskip("numpy")
    for table, match in (
        ({1: [1, 1]}, "column 1 is called 1, which is not text"),
        ({"b\0": [1, 1]}, "zero byte"),
        ({"a": "abc"}, "column 'a' is a single text"),
        ({"a": ["\ud800"] * 2}, "column 'a' has text that is not Unicode"),
        ({"a": numpy.array([[1, 2], [1, 2]])}, "column 'a' has 2 dimensions"),
    ):
        with pytest.raises(kanon.BadInput, match=match):
            kanon.anonymize(table, qi="a", k=2)
    frame = pandas.DataFrame({"a": [1, 1], "b": [[1], [2]], "c": pandas.to_timedelta([1, 2])})
    for name, told in (("b", "Python's list"), ("c", "dtype timedelta64")):
        with pytest.raises(kanon.BadInput, match=f"column '{name}' cannot be read, its type is {told}"):
            kanon.anonymize(frame, qi="a", k=2, keep=name)
        with pytest.raises(kanon.BadInput, match=f"column '{name}' cannot be read, its type is {told}"):
            kanon.anonymize(frame, qi=name, k=2, hierarchies={name: str})
    assert list(kanon.anonymize(frame, qi="a", k=2, drop="b").table) == ["a"]
    with pytest.raises(kanon.BadInput, match="no row"):
        nothing = Batches([{"a": [1]}])
        nothing.skips = True
        kanon.anonymize(nothing, qi="a", k=2, hierarchies={"a": str})


def test_a_strangers_first_hour():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [30, 31, 42, 43], "town": ["Bonn", "Bonn", "Ulm", "Ulm"]})
    levels = frame.copy()
    levels.columns = pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    given = dict(qi="age", k=2)
    for error, match, call in (
        (kanon.BadInput, "no column 'aeg'.*did you mean 'age'", lambda: kanon.anonymize(frame, qi="aeg", k=2)),
        (kanon.BadInput, "reset_index", lambda: kanon.anonymize(frame.set_index("town"), qi="town", k=2)),
        (kanon.BadInput, "a tuple of names", lambda: kanon.anonymize(levels, qi="x", k=2)),
        (kanon.BadInput, r"map\(str\)", lambda: kanon.anonymize(pandas.DataFrame([[1], [1]]), qi="0", k=2)),
        (kanon.BadInput, "no such file", lambda: kanon.anonymize(frame, hierarchies={"age": "no.csv"}, **given)),
        (kanon.BadInput, "not a directory", lambda: kanon.anonymize(frame, hierarchies="no", **given)),
        (kanon.BadInput, "no quasi-identifier", lambda: kanon.anonymize(frame, hierarchies={"town": str}, **given)),
        (TypeError, r"\['age'\] is a int", lambda: kanon.anonymize(frame, hierarchies={"age": 5}, **given)),
        (TypeError, r"\['age'\] is a list", lambda: kanon.anonymize(frame, hierarchies={"age": ["3"]}, **given)),
        (TypeError, "hierarchies is a int", lambda: kanon.anonymize(frame, hierarchies=5, **given)),
        (kanon.BadInput, "returns no label for 30",
         lambda: kanon.anonymize(frame, hierarchies={"age": lambda age: None}, **given)),
        (ZeroDivisionError, "", lambda: kanon.anonymize(frame, hierarchies={"age": lambda age: 1 / 0}, **given)),
        (kanon.BadInput, "not a whole number", lambda: kanon.anonymize(frame, qi="age", k="two")),
        (kanon.BadInput, "only 4 rows", lambda: kanon.anonymize(frame, qi="age", k=5)),
        (kanon.BadInput, "no promise", lambda: kanon.anonymize(frame, qi="age")),
        (kanon.BadInput, "no quasi-identifier", lambda: kanon.anonymize(frame, k=2)),
        (kanon.BadInput, "did you mean mondrian", lambda: kanon.anonymize(frame, algorithm="mondrain", **given)),
        (kanon.BadInput, "^the original: no column 'age'",
         lambda: kanon.verify(frame, original=frame[["town"]], **given)),
        (kanon.BadInput, "^the population: no column 'age'",
         lambda: kanon.risk(frame, population=frame[["town"]], **given)),
        (TypeError, "a Series is one column", lambda: kanon.anonymize(frame["age"], **given)),
        (TypeError, "is not a table", lambda: kanon.anonymize(frame.groupby("age"), **given)),
        (TypeError, "None is not a table", lambda: kanon.anonymize(None, **given)),
        (TypeError, "progress is True", lambda: kanon.anonymize(frame, progress=5, **given)),
        (kanon.BadInput, "a single int", lambda: kanon.anonymize({"age": 1}, **given)),
        (kanon.BadInput, "is a set, in which", lambda: kanon.anonymize({"age": {1, 2}}, **given)),
        (ValueError, "no command 'anonymise'", lambda: kanon.settings("anonymise")),
    ):  # fmt: skip
        with pytest.raises(error, match=match):
            call()
    wide = pandas.DataFrame({f"c{i}": [1, 1] for i in range(2000)})
    assert kanon.anonymize(wide, qi=["c0", "c1"], k=2, keep=list(wide)[2:]).table.shape == (2, 2000)
    release = kanon.anonymize(frame, qi={"age": "intervals:10"}, k=2)
    assert kanon.verify(release, qi="age", k=2).holds
    lines = pandas.DataFrame([[30, "3"], [31, "3"], [42, "4"], [43, "4"]])
    assert list(kanon.anonymize(frame, hierarchies={"age": lines}, **given).table["age"]) == ["3", "3", "4", "4"]
    assert list(kanon.anonymize(frame, hierarchies={"age": lambda age: iter(["x", "*"])}, **given).table["age"])
    zoned = frame.assign(at=pandas.to_datetime(["2020-01-01"] * 4).tz_localize("Europe/Berlin"))
    assert kanon.anonymize(zoned, qi="at", k=4).table["at"].dtype == zoned["at"].dtype
    assert list(kanon.anonymize(frame.assign(x=float("nan")), qi="x", k=4, keep="age").table["x"].isna()) == [True] * 4


def test_large_numbers_stay_what_they_are():
    for values in ([2**63, 2**64 - 1], [2**64, -1], [2**60 + 1, 0.5], [10**400, 1.5]):
        assert kanon.anonymize({"a": [1, 1], "n": values}, qi="a", k=2, keep="n").table["n"] == values


def test_arrays_of_numpy_need_no_pandas(monkeypatch):
    numpy = pytest.importorskip("numpy")
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = {"a": numpy.array([1, 1]), "t": numpy.array(["x", "y"])}
    released = kanon.anonymize(table, qi="a", k=2, keep="t").table
    assert released == {"a": [1, 1], "t": ["x", "y"]}


def test_duplicate_names_are_refused():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1, 2], [1, 2]], columns=["a", "a"])
    with pytest.raises(kanon.BadInput, match="'a'"):
        kanon.anonymize(frame, qi="a", k=2)


class Broken:
    def __arrow_c_stream__(self, requested_schema=None):
        raise OSError("the cable was pulled")


def test_a_producer_that_raises_is_heard():
    with pytest.raises(OSError, match="cable"):
        kanon.anonymize(Broken(), qi="a", k=2)
    with pytest.raises(ValueError):
        kanon._kanon.run("search", [], [("input", object())], False, None, None)


# ---- work ---------------------------------------------------------------------------------------


def many(n=3000):
    return {f"q{c}": [(i * (c + 3) * 7919) % (40 + c) for i in range(n)] for c in range(6)}


def test_progress_is_told_and_may_raise():
    stages = []
    kanon.search(many(), qi=list(many(1)), k=5, progress=lambda *told: stages.append(told[0]))
    assert "search" in stages or "fold" in stages

    def stop(*told):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        kanon.search(many(), qi=list(many(1)), k=5, progress=stop)


def test_a_line_of_progress_is_taken_away(capsys):
    kanon.search(many(), qi=list(many(1)), k=5, progress=True)
    told = capsys.readouterr().err
    assert "search" in told and told.endswith("\r\033[K")
    with pytest.raises(kanon.BadInput):
        kanon.search(many(), qi="none", k=5, progress=True)
    assert capsys.readouterr().err.endswith("\r\033[K")


class Presses:
    """A progress function that presses Ctrl-C so many times, first when the search has told of a best so far."""

    def __init__(self, times):
        self.left = times
        self.has_begun = False

    def __call__(self, stage, done, total, best, bound):
        self.has_begun = self.has_begun or (stage == "search" and best is not None)
        if self.has_begun and self.left:
            self.left -= 1
            signal.raise_signal(signal.SIGINT)


def test_the_first_interrupt_of_a_search_keeps_its_best_so_far():
    table = many(20000)
    with pytest.warns(RuntimeWarning, match="interrupted"):
        found = kanon.search(table, qi=list(table), k=3, algorithm="k-optimize", threads=1, progress=Presses(1))
    assert found.result["solution"]
    assert not found.result["solution"].get("optimal", False)
    with pytest.warns(RuntimeWarning, match="interrupted"):
        release = kanon.anonymize(table, qi=list(table), k=3, algorithm="k-optimize", threads=1, progress=Presses(1))
    assert kanon.verify(release, qi=list(table), k=3)
    assert kanon.search({"a": [1, 1]}, qi="a", k=2).holds


def test_the_second_interrupt_and_one_of_anything_else_stop_it():
    table = many(20000)
    with pytest.raises(KeyboardInterrupt):
        kanon.anonymize(table, qi=list(table), k=3, algorithm="k-optimize", threads=1, progress=Presses(2))

    def press(stage, *_):
        if stage == "read":
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        kanon.search(table, qi=list(table), k=3, algorithm="k-optimize", threads=1, progress=press)
    assert kanon.search({"a": [1, 1]}, qi="a", k=2).holds


def test_only_what_verify_found_is_true_or_false():
    good, bad = {"a": [1, 1, 2, 2]}, {"a": [1, 1, 2]}
    assert kanon.verify(good, qi="a", k=2)
    assert not kanon.verify(bad, qi="a", k=2)
    for other in (kanon.search, kanon.risk, kanon.profile, kanon.compare):
        asked = {} if other is kanon.profile else {"qi": "a", "k": 2}
        with pytest.raises(TypeError, match=r"kanon\.verify"):
            bool(other(good, **asked))
    with pytest.raises(TypeError, match=r"kanon\.verify"):
        bool(kanon.anonymize(good, qi="a", k=2))


def test_a_subinterpreter_is_refused_at_import():
    code = (
        "try:\n    import _xxsubinterpreters as inner\nexcept ImportError:\n    import _interpreters as inner\n"
        "one = inner.create()\n"
        "told = inner.run_string(one, 'try:\\n    import kanon\\nexcept ImportError as error:\\n    print(error)\\n"
        "else:\\n    print(\"imported\")')\n"
        "print(told if told else '')\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    if "No module named '_interpreters'" in ran.stderr:
        pytest.skip("this Python has no subinterpreters")
    assert "subinterpreter" in ran.stdout + ran.stderr
    assert "imported" not in ran.stdout


def test_two_threads_run_two_jobs():
    table = many()
    results = []

    def work():
        results.append(kanon.anonymize(table, qi=list(table), k=5, algorithm="mondrian").table)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 2 and results[0] == results[1]


def test_other_threads_run_meanwhile():
    table, done, counted = many(20000), [], 0

    def work():
        done.append(kanon.search(table, qi=list(table), k=3, algorithm="k-optimize", time_limit=0.5, threads=1))

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        counted += 1
        time.sleep(0.001)
    thread.join()
    assert done and counted > 20  # where the lock was held, there would be none


def test_rows_that_change_while_they_are_read_never_break_the_promise():
    numpy = pytest.importorskip("numpy")
    pandas = pytest.importorskip("pandas")
    random = numpy.random.default_rng(5)
    n, stop = 20000, threading.Event()
    numbers = random.integers(0, 40, n)
    codes = array.array("i", [int(code) for code in random.integers(0, 3, n)])
    view = numpy.frombuffer(codes, dtype="int32")
    texts = kanon._columns._texts("", ["x", "", "long enough for no view"])

    class Changing:
        def __arrow_c_stream__(self, requested_schema=None):
            columns = [
                ("n", "l", 2, n, 0, 0, [None, kanon._columns._address(numbers)], None),
                kanon._columns._indices("d", codes, texts),
            ]
            return kanon._kanon.make_stream([(columns, n)])

    def change():
        while not stop.is_set():
            numbers[random.integers(0, n, 100)] = random.integers(0, 400, 100)
            view[random.integers(0, n, 100)] = random.integers(0, 4, 100)  # also none of the values

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for i in range(40):
            given = dict(qi=["n", "d"]) if i % 2 else dict(qi="n", keep="d")
            try:
                released = kanon.anonymize(Changing(), k=5, suppress="50%", **given).table.to_dict()
            except kanon.Error:
                view[view == 3] = 0
                continue
            groups = pandas.DataFrame({name: released[name] for name in ("n", "d")[: 2 if i % 2 else 1]}).fillna("?")
            assert groups.value_counts().min() >= 5
    finally:
        stop.set()
        thread.join()
    view[:] = 0
    assert kanon.anonymize(Changing(), qi="d", k=5).table is not None


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.skipif("KANON_SANITIZED" in os.environ, reason="a sanitizer keeps what is freed")
def test_a_thousand_jobs_leak_nothing():
    people = {"age": list(range(50)) * 4, "note": ["a text of some length"] * 200}
    before = 0
    for i in range(1000):
        kanon.anonymize(people, qi="age", k=2, keep="note")
        try:
            kanon.anonymize(people, qi="aeg", k=2)
        except kanon.BadInput:
            pass
        if i == 200:
            gc.collect()
            before = resident()
    gc.collect()
    assert resident() - before < 8 << 20


# ---- what goes with a release -------------------------------------------------------------------


def test_report_certificate_and_job():
    people = {"age": [30, 31, 42, 43]}
    given = dict(qi={"age": "intervals:5,10"}, k=2, algorithm="exhaustive")
    release = kanon.anonymize(people, **given)
    assert "<html" in release.report().lower() and "report" not in release.result
    assert "k" in release.certificate
    assert "k: 2" in release.job()
    assert "<pre>" in kanon.risk(people, qi="age", k=2)._repr_html_()
    at_once = kanon.anonymize(people, **given, report=True, certificate=True)
    assert "k: 2" in at_once.job() and "report" not in at_once.job() and "report" in at_once.result
    assert at_once.certificate == release.certificate


def test_a_job_repeats_an_answer_that_was_not_proven(tmp_path):
    people = {name: [(row * step) % 7 for row in range(60)] for name, step in zip("abcd", (1, 2, 3, 5))}
    given = dict(qi={name: "intervals:2,4" for name in people}, k=3, cost="ncp", effort=2)
    release = kanon.anonymize(people, **given, time_limit=1000)
    assert release.result["optimal"] is False and release.result["gap"] >= 0
    effort = release.result["effort"]
    job = release.job()
    assert "effort: %d\n" % effort in job and "time-limit" not in job
    again = kanon.anonymize(people, **dict(given, effort=effort))
    assert again.table == release.table
    best = kanon.anonymize(people, **dict(given, effort="all"))
    assert best.result["optimal"] and "effort: all" in best.job()
    assert best.result["metrics"]["ncp"] <= release.result["metrics"]["ncp"]
    with pytest.raises(kanon.BadInput, match="write a number of steps"):
        kanon.anonymize(people, **dict(given, effort="much"))


def pictures(release):
    """How many there are; each is well-formed."""
    html = release._repr_html_()
    found = html[html.index("</pre>") + len("</pre>") :]
    return [part.tag for part in ElementTree.fromstring(f"<div>{found}</div>")]


def test_a_notebook_shows_two_pictures_and_searches_nothing(monkeypatch, tmp_path):
    people = {"age": [30, 31, 42, 43] * 5, "<b>": ["x", "y"] * 10, "who": list(range(10)) * 2}
    hierarchies = {"age": lambda age: [age // 10 * 10]}
    given = dict(qi=["age", "<b>"], hierarchies=hierarchies, k=2)
    releases = [
        kanon.anonymize(people, **given),
        kanon.anonymize(people, **given, suppress="50%", shuffle=True),
        kanon.anonymize(people, **given, suppress="50%", keep_suppressed=True),
        kanon.anonymize(people, **given, report=True),
        kanon.anonymize(people, **given, person="who"),
        kanon.anonymize(people, **given, output=tmp_path / "out.csv"),
        kanon.anonymize(people, qi=["age", "<b>"], k=2, algorithm="mondrian"),
    ]
    wide = {f"column {i}": [1, 2, 1, 2] for i in range(40)}
    releases.append(kanon.anonymize(wide, qi=list(wide), k=2))
    monkeypatch.setattr(kanon._kanon, "run", None)
    for release in releases:
        assert len(pictures(release)) == 2
        assert "<b>" not in release._repr_html_()


def test_without_figures_there_is_no_picture_and_no_report():
    release = kanon.anonymize({"age": [1, 1]}, qi="age", k=2)
    release._figures = None
    assert "<svg" not in release._repr_html_()
    with pytest.raises(kanon.Failed, match="no figures"):
        release.report()


def test_what_goes_with_a_release_is_about_that_release(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [1, 1, 2, 2]})
    hierarchies = {"age": {1: "x", 2: "x", 9: "x"}}
    release = kanon.anonymize(frame, qi="age", k=2, hierarchies=hierarchies)
    frame.loc[1, "age"] = 9
    frame.loc[0, "age"] = 9
    with pytest.raises(kanon.Failed, match="now gives a different release"):
        release.certificate
    assert "<html" in release.report(tmp_path / "report.html").lower()
    assert (tmp_path / "report.html").read_text() == release.report()
    shuffled = kanon.anonymize({"age": [1, 1]}, qi="age", k=2, shuffle=True)
    assert "<html" in shuffled.report().lower()
    with pytest.raises(kanon.BadInput, match="certificate=True"):
        shuffled.certificate
    path = tmp_path / "other.html"
    out = str(tmp_path / "out.csv")
    assert kanon.anonymize({"age": [1, 1]}, qi="age", k=2, output=out, report=path).report() == path.read_text()


def test_pickles_and_copies_do_not_hold_the_table():
    people = {"name": ["Zelda", "Yvonne", "Xaver"], "age": [1, 1, 77], "ill": ["flu", "cold", "gout"]}
    release = kanon.anonymize(people, qi="age", id="name", keep="ill", k=2, suppress="1")
    for copied in (pickle.loads(pickle.dumps(release)), copy.deepcopy(release)):
        assert copied.table == {"age": [1, 1], "ill": ["flu", "cold"]}
        assert copied.report() == release.report() and repr(copied) == repr(release)
        assert copied._again is None
        with pytest.raises(kanon.BadInput, match="comes from a pickle"):
            copied.certificate
    data = pickle.dumps(release)
    assert not [word for word in (b"Zelda", b"Xaver", b"gout") if word in data]


def test_nothing_names_a_file_that_is_gone(tmp_path, monkeypatch):
    folder = tmp_path / "a_folder.with & signs"  # where names break in pages
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    release = kanon.anonymize({"age": [1, 1]}, qi="age", k=2, hierarchies={"age": lambda age: "x"},
                              report=True, certificate=True)  # fmt: skip
    texts = [release.summary, release.report(), release.certificate, json.dumps(release.result)]
    assert not [text for text in texts if "signs" in text]
    assert "memory:age.csv" in release.report()


def test_hierarchies_of_python_are_written_to_no_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen = set()

    def look(*told):
        seen.update(os.path.join(folder, file) for folder, _, files in os.walk(tmp_path) for file in files)

    people = {"age": [31, 31, 42, 42] * 500, "a\"b": ["x", "y"] * 1000}
    release = kanon.anonymize(people, qi=["age"], k=2, hierarchies={"age": lambda age: f"{age // 10}x"}, progress=look)
    assert release.verify(progress=look) and not seen
    # A name that a job file writes in another way goes by a file, which is gone afterwards.
    odd = kanon.anonymize(people, qi=["a\"b"], k=2, hierarchies={"a\"b": {"x": "v", "y": "v"}})
    assert odd.verify() and "memory" not in odd.job(tmp_path) and os.listdir(tmp_path) == ["hierarchy0.csv"]


def test_jobs_and_errors_name_no_temporary_file(tmp_path):
    release = kanon.anonymize({"a": [1, 1]}, qi="a", k=2, hierarchies={"a": lambda n: "x"})
    with pytest.raises(kanon.BadInput, match="give a folder"):
        release.job()
    job = release.job(tmp_path)
    assert str(tmp_path) in job and (tmp_path / "hierarchy0.csv").read_text() == "1;x\n"
    with pytest.raises(kanon.BadInput, match=r"^hierarchies\['a'\]: no line for the value '1'"):
        kanon.anonymize({"a": [1, 1]}, qi="a", k=2, hierarchies={"a": {2: "x"}})


def test_a_job_finds_its_hierarchies_from_where_it_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job").mkdir()
    table = {"town": ["Bonn", "Berlin", "Ulm", "Unna"]}
    release = kanon.anonymize(table, qi="town", k=2, hierarchies={"town": lambda town: town[0]})
    (tmp_path / "job" / "job.yaml").write_text(release.job("job"))
    assert kanon.anonymize(table, job="job/job.yaml").table == release.table == {"town": ["B", "B", "U", "U"]}


def test_copies_of_a_release_have_no_value_of_those_who_are_left_out(tmp_path):
    towns = {"town": ["Ulm"] * 6 + ["Bonn"] * 5 + ["Zanzibar"]}
    release = kanon.anonymize(towns, qi="town", k=5, suppress=1, level={"town": 0},
                              hierarchies={"town": lambda town: [town[:1], "*"]})  # fmt: skip
    copied = pickle.dumps(release)
    assert b"Zanzibar" not in copied and pickle.loads(copied).table == release.table
    assert pickle.loads(copied).report() == release.report()
    with pytest.raises(kanon.BadInput, match="ask the result itself"):
        pickle.loads(copied).job(tmp_path)
    release.job(tmp_path)
    lines = (tmp_path / "hierarchy0.csv").read_text().splitlines()
    assert lines == sorted(lines)


def test_job_files_are_read(tmp_path):
    (tmp_path / "people.csv").write_text("age\n1\n1\n2\n2\n")
    (tmp_path / "job.yaml").write_text("input: people.csv\nqi: age\nk: 2\n")
    assert kanon.anonymize(None, job=tmp_path / "job.yaml").table == {"age": [1, 1, 2, 2]}
    assert kanon.anonymize({"age": [5, 5]}, job=tmp_path / "job.yaml").table == {"age": [5, 5]}
    (tmp_path / "job.yaml").write_text("qi: age\nk: 2\noutput: out.csv\n")
    assert kanon.anonymize({"age": [5, 5]}, job=tmp_path / "job.yaml").table is None
    assert (tmp_path / "out.csv").read_text() == "age\n5\n5\n"


def test_releases_go_into_files(tmp_path):
    out = tmp_path / "release.csv"
    release = kanon.anonymize({"age": [1, 1]}, qi="age", k=2, output=out)
    assert release.table is None and out.read_text() == "age\n1\n1\n"


def test_every_setting_is_there():
    for command in ("anonymize", "search", "verify", "risk", "utility", "profile", "compare"):
        assert "qi" in kanon.settings(command) or command == "profile"
    assert "suppress" in kanon.settings() and "keep_suppressed" in kanon.settings()


# ---- what a review found ------------------------------------------------------------------------


def test_frames_of_other_classes_and_categories_of_numbers():
    pandas = pytest.importorskip("pandas")

    class Mine(pandas.DataFrame):
        pass

    people = Mine({"q": [1, 1, 1], "c": pandas.Categorical([10, 2, None])})
    table = kanon.anonymize(people, qi="q", k=2, keep="c").table
    assert isinstance(table, pandas.DataFrame) and list(table.c.cat.categories) == [2, 10]
    assert table.c.tolist()[:2] == [10, 2] and table.c.isna().tolist() == [False, False, True]


def test_settings_of_odd_kinds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = {"a": [1, 1], "b": [1, 1]}
    for setting in ("output", "json"):
        with pytest.raises(TypeError, match=setting):
            kanon.anonymize(people, qi="a", k=2, **{setting: True})
    with pytest.raises(TypeError, match="first argument"):
        kanon.anonymize(people, qi="a", k=2, input="x.csv")
    assert not list(tmp_path.iterdir())
    assert len(kanon.compare(people, qi=people.keys(), ks=range(1, 3), algorithms="auto").result["cells"]) == 2
    assert kanon.anonymize(people, qi="a,b", k=2, hierarchies={"a": {1: "x"}}).table == people
    with pytest.raises(TypeError, match="qi: column names are text"):
        kanon.anonymize(people, qi={1: "intervals:5"}, k=2)
    with pytest.raises(kanon.BadInput, match="a line is empty"):
        kanon.anonymize(people, qi="a", k=2, hierarchies={"a": [[]]})
    with pytest.raises(kanon.BadInput, match="rename that column"):
        kanon.anonymize({"\udc80": [1]}, qi="a", k=2)
    for odd in ("x\r", "\ufeffx"):
        assert kanon.anonymize({"a": [odd, "y"]}, qi="a", k=2, hierarchies={"a": lambda v: "u"}).table["a"] == ["u", "u"]


def test_what_can_still_be_done_comes_as_frames():
    pandas = pytest.importorskip("pandas")
    table = {"age": [31, 35, 38, 52, 56, 51], "sex": ["f", "f", "f", "m", "m", "m"], "pay": [1, 2, 4, 3, 5, 6]}
    release = dict(table, age=["[31-38]"] * 3 + ["[51-56]"] * 3)
    found = kanon.utility(release, original=table, regress="pay ~ age", classify="sex ~ pay")
    columns = found.frame()
    assert isinstance(columns, pandas.DataFrame) and list(columns["name"]) == ["age", "sex", "pay"]
    assert list(columns["cells.coarser"]) == [1.0, 0.0, 0.0]
    assert columns["numbers.release.mean"][0] == 44.0
    classes = found.frame("classes")
    assert list(classes[classes["name"] == "sex"]["release"]) == [0.5, 0.5]
    assert len(found.frame("pairs")) == 3 and found.frame("pairs")["columns"][0] == "age, sex"
    assert len(found.frame("changed")) == 3
    assert found.frame("guesses")["original"].sum() == pytest.approx(1)
    assert list(found.frame("coefficients")["formula"].unique()) == ["pay ~ age"]
    assert len(found.frame("classifiers")) > 1
    with pytest.raises(kanon.BadInput, match="there is no 'rows'; ask for one of columns, classes"):
        found.frame("rows")


def test_utility_fits_models_of_both_tables():
    table = {"age": [20, 30, 40, 50, 60, 70] * 4, "sex": ["f", "m"] * 12, "pay": [age * 7 % 23 for age in range(24)],
             "rich": ["no", "no", "yes", "no", "yes", "yes"] * 4}
    found = kanon.utility(table, original=table, regress=["pay ~ age + sex", "rich ~ age"], classify="rich ~ age").result
    linear, logistic = found["regressions"]
    assert linear["kind"] == "linear" and logistic["kind"] == "logistic"
    assert linear["mean_overlap"] == pytest.approx(1)
    assert [c["column"] for c in linear["coefficients"]] == [None, "age", "sex"]
    assert found["classifications"][0]["held_out"] is True
    with pytest.raises(kanon.BadInput, match="did you mean 'age'"):
        kanon.utility(table, original=table, regress="pay ~ agee")
