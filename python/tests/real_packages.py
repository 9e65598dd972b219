"""What holds with the packages themselves: pandas, polars, pyarrow, scikit-learn. python/tests/real.sh runs it; the
suite does not, because Debian does not have them all. What is missing is skipped, and named."""

import datetime

import pytest

import kanon

pytestmark = pytest.mark.filterwarnings("ignore::kanon.Note")

PEOPLE = {
    "age": [31, 35, 38, 42, 44, 49] * 10,
    "sex": ["f", "m", "f", "m", "f", None] * 10,
    "born": [datetime.date(1980 + i % 7, 1, 1 + i % 9) for i in range(60)],
    "pay": [i / 4 for i in range(60)],
    "sick": [i % 3 == 0 for i in range(60)],
}
ASKED = dict(qi={"age": "intervals:10", "sex": "suppress"}, k=5, suppress="20%", keep=["born", "pay", "sick"],
             level={"age": "1..1"})  # fmt: skip


def as_frame(name):
    module = pytest.importorskip(name, reason=f"{name} is not installed")
    return module.table(PEOPLE) if name == "pyarrow" else module.DataFrame(PEOPLE)


def columns_of(table):
    """A list per column, missing values None."""
    if hasattr(table, "to_pydict"):
        return table.to_pydict()
    if hasattr(table, "to_dicts"):
        return table.to_dict(as_series=False)
    return {name: [None if value != value else value for value in table[name].tolist()] for name in table.columns}


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_frames_give_the_release_of_lists(name):
    frame = as_frame(name)
    release = kanon.anonymize(frame, **ASKED)
    assert type(release.table) is type(frame)
    assert columns_of(release.table) == kanon.anonymize(PEOPLE, **ASKED).table
    assert release.verify() and release.risk().result["risk"]["smallest"] >= 5


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_columns_that_are_kept_have_their_types(name):
    frame = as_frame(name)
    table = kanon.anonymize(frame, **ASKED).table
    if name == "pyarrow":
        assert all(table.schema.field(kept).type == frame.schema.field(kept).type for kept in ("born", "pay", "sick"))
    elif name == "polars":
        assert all(table.schema[kept] == frame.schema[kept] for kept in ("born", "pay", "sick"))
    else:
        assert all(table[kept].dtype == frame[kept].dtype for kept in ("pay", "sick"))


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_levels_are_learnt_on_frames(name):
    asked = {key: value for key, value in ASKED.items() if key != "level"}
    learnt = kanon.Anonymizer(**asked).fit(as_frame(name))
    told, expected = columns_of(learnt.transform(as_frame(name))), learnt.transform(PEOPLE)
    assert all(told[column] == expected[column] for column in ("age", "sex", "pay"))


def test_dtypes_of_pandas_2():
    pandas = pytest.importorskip("pandas", "2.0", reason="pandas is not installed, or older than 2")
    frame = pandas.DataFrame({
        "q": ["a", "a", "b", "b"], "moment": pandas.array(["2020-01-01", "2020-01-02", "2021-01-01", None],
                                                         dtype="datetime64[s]"),
        "text": pandas.array(["x", None, "y", "x"], dtype="string"),
        "whole": pandas.array([1, None, 3, 4], dtype="Int64"),
        "yes": pandas.array([True, None, False, True], dtype="boolean"),
    })  # fmt: skip
    table = kanon.anonymize(frame, qi="q", k=2, keep=["moment", "text", "whole", "yes"]).table
    pandas.testing.assert_frame_equal(table.drop(columns="q"), frame.drop(columns="q"))


def test_scikit_learn_takes_it_for_a_transformer():
    sklearn_base = pytest.importorskip("sklearn.base", reason="scikit-learn is not installed")
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    frame = as_frame("pandas")[["age", "sex", "sick"]]
    learnt = kanon.Anonymizer(qi=ASKED["qi"], k=5, suppress="20%")
    copy = sklearn_base.clone(learnt)
    assert copy is not learnt and copy.get_params() == learnt.get_params()
    both = pipeline.Pipeline([("safe", learnt), ("numbers", preprocessing.OneHotEncoder(handle_unknown="ignore"))])
    numbers = both.fit_transform(frame, frame["sick"])
    assert numbers.shape[0] == len(frame) == both.transform(frame).shape[0]
    assert both.named_steps["safe"].levels_
