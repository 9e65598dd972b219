"""kanon: releases a table of people in which nobody can be singled out.

    >>> import kanon
    >>> people = {"age": [30, 31, 42, 43], "town": ["Bonn", "Bonn", "Ulm", "Ulm"],
    ...           "ill": ["flu", "flu", "cold", "cold"]}
    >>> release = kanon.anonymize(people, qi=["age", "town"], hierarchies={"age": "intervals:5,10"},
    ...                           k=2, keep="ill")
    >>> release.table["age"]
    ['30-34', '30-34', '40-44', '40-44']
    >>> release.result["verified"]
    True

`data` is a frame of pandas or polars, a table of pyarrow, anything with `__arrow_c_stream__`, a dict of
columns, or the path of a file. Every flag of the command line is a keyword argument, with underscores
for dashes: `suppress="1%"`, `keep_suppressed=True`, `algorithm="mondrian"`. A setting about columns
takes a name, a list of names, or a dict from names to their values.
"""

from __future__ import annotations

import csv
import html
import json
import os
import re
import sys
import tempfile
import warnings
from typing import Any, Callable, Iterable, Optional

from . import _columns, _kanon, _levels, _pictures, _texts
from ._errors import BadInput, Error, Failed, OutOfMemory, Unsatisfied

__version__ = _kanon.version()
__all__ = [
    "anonymize", "search", "verify", "risk", "utility", "attack", "profile", "compare", "hierarchy_build", "settings",
    "Release", "Result", "Utility", "Verification", "Table", "Error", "BadInput", "Unsatisfied", "Failed",
    "OutOfMemory",
]  # fmt: skip


# ---- errors -------------------------------------------------------------------------------------


def _raise(status: int, text: str):
    if status == 2:
        raise BadInput(text)
    if status == 3:
        raise Unsatisfied(text)
    if status == 130:
        raise KeyboardInterrupt
    if text.startswith("out of memory"):
        raise OutOfMemory(text)
    raise Failed(text)


# ---- tables -------------------------------------------------------------------------------------


class Table:
    """Columns in memory that any consumer of Arrow accepts: `pyarrow.table(table)`,
    `polars.DataFrame(table)`."""

    def __init__(self, columns: list, n_rows: int):
        self._columns = columns
        self._n_rows = n_rows

    def __arrow_c_stream__(self, requested_schema=None):
        return _kanon.make_stream([(self._columns, self._n_rows)])

    def __len__(self) -> int:
        return self._n_rows

    @property
    def column_names(self) -> list:
        return [column[0] for column in self._columns]

    def to_dict(self) -> dict:
        """A list per column; missing values are None."""
        return {column[0]: _columns.to_list(column) for column in self._columns}

    def __repr__(self) -> str:
        return f"<kanon.Table: {self._n_rows} rows, columns {', '.join(self.column_names)}>"


def _is_frame(data: Any) -> bool:
    """Also one of a class that somebody made of pandas' own."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def _batches(producer: Any) -> list:
    """What a producer gives: (columns, rows) of each batch."""
    try:
        return _kanon.read_stream(producer.__arrow_c_stream__())
    except MemoryError:
        raise
    except RuntimeError as error:
        raise Failed(str(error)) from None


class _Data:
    """What a user gave as a table: a path, or a stream that can be made as often as needed."""

    def __init__(self, data: Any):
        self.data = data
        self.path: Optional[str] = None
        self.columns: Optional[list] = None
        self.batches: Optional[list] = None
        self.shapes: dict = {}
        self.n_rows = 0
        module = type(data).__module__.split(".")[0]
        if isinstance(data, (str, os.PathLike)):
            self.kind, self.path = "path", os.fspath(data)
        elif module == "pandas" and hasattr(data, "to_frame"):
            raise TypeError(f"a {type(data).__name__} is one column; give a frame, such as data.to_frame('name')")
        elif _is_frame(data):
            self.kind = "pandas"
            self._take_pandas(data)
        elif hasattr(data, "__arrow_c_stream__"):
            self.kind = module if module in ("polars", "pyarrow") else "arrow"
        elif callable(getattr(data, "keys", None)) and hasattr(data, "__getitem__"):
            self.kind = "dict"
            self._take_dict(data)
        else:
            raise TypeError(
                f"{type(data).__name__} is not a table: give a data frame, a dict of columns, something "
                "with __arrow_c_stream__, or the path of a file"
            )

    def _take_column(self, name: Any, values: Any) -> int:
        """Appends a column; its length."""
        at = f"column {len(self.columns) + 1} is called {name!r}, which"
        if isinstance(name, tuple):
            raise BadInput(f"{at} is a tuple of names; join them: frame.columns = frame.columns.map('_'.join)")
        if not isinstance(name, str):
            raise BadInput(f"{at} is not text; rename it: frame.columns = frame.columns.map(str)")
        if "\0" in name:
            raise BadInput(f"{at} has a zero byte; rename it")
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            raise BadInput(f"{at} is not Unicode (half of a surrogate pair); rename that column")
        if isinstance(values, (str, bytes)):
            raise BadInput(f"column {name!r} is a single text; give a list of values")
        if isinstance(values, (set, frozenset, dict)) or not hasattr(values, "__iter__"):
            raise BadInput(
                f"column {name!r} is a {type(values).__name__}, in which values have no order; give a list of values"
                if hasattr(values, "__iter__")
                else f"column {name!r} is a single {type(values).__name__}; give a list of values"
            )
        if not hasattr(values, "__len__"):
            values = list(values)
        try:
            column, shape = _columns.from_any(name, values)
        except _columns.Unreadable as odd:
            column, shape = _columns.unread(name, len(values), str(odd)), _columns.Shape()
        except UnicodeEncodeError:
            raise BadInput(
                f"column {name!r} has text that is not Unicode (half of a surrogate pair); correct it"
            ) from None
        self.columns.append(column)
        self.shapes[name] = shape
        return column[3]

    def _take_pandas(self, frame) -> None:
        self.columns, self.n_rows = [], len(frame)
        for i, name in enumerate(frame.columns):
            self._take_column(name, frame.iloc[:, i])

    def _take_dict(self, table) -> None:
        self.columns = []
        lengths = {self._take_column(name, table[name]) for name in table.keys()}
        if len(lengths) > 1:
            raise BadInput("the columns have different lengths: %s" % sorted(lengths))
        self.n_rows = lengths.pop() if lengths else 0

    def stream(self):
        if self.columns is not None:
            return _kanon.make_stream([(self.columns, self.n_rows)])
        return _kanon.make_stream(self.batches) if self.batches else self.data.__arrow_c_stream__()

    def keep(self) -> None:
        """Takes the batches of a producer, which may be one that gives them once."""
        if self.path is None and self.columns is None and self.batches is None:
            self.batches = _batches(self.data)

    def _found(self, name: str) -> list:
        """The column in each batch."""
        if self.path is not None:
            raise BadInput(
                f"hierarchies[{name!r}]: a function needs the values, but the table is a file; read it first"
            )
        self.keep()
        batches = [(self.columns, self.n_rows)] if self.columns is not None else self.batches
        if not batches:
            raise BadInput("the table has columns but no rows; a table needs at least one row")
        found = [column for columns, _ in batches for column in columns if column[0] == name]
        if not found:
            raise BadInput(f"hierarchies[{name!r}]: the table has no such column")
        if not found[0][6] and found[0][1] != "n":
            raise BadInput(f"column {name!r} cannot be read, its type is {found[0][1]}; drop it")
        return found

    def values(self, name: str) -> dict:
        """The distinct values of a column as Python objects, by the text that kanon has for them."""
        values: dict = {}
        for column in self._found(name):
            values.update(_columns.distinct(column, self.shapes.get(name)))
        return values

    def refuse_two_missing(self, names: list) -> None:
        """What is missing in two ways is one to kanon, and two to whoever sees the table."""
        if self.kind not in ("pandas", "dict"):
            return
        for name in [name for name in names if name in self.shapes]:
            values = self.data[name]
            if hasattr(values, "isna"):
                values = values[values.isna()] if values.dtype == object else ()
            kinds = _columns.kinds_of_missing(values) if hasattr(values, "__len__") else set()
            if len(kinds) > 1:
                raise BadInput(
                    f"the table: column {name!r} has values that kanon counts as one, {' and '.join(sorted(kinds))}, "
                    "and whoever sees the table can tell them apart: how many rows look alike is not known; make them "
                    "one in the table, and verify it again"
                )

    def form(self, name: str) -> Optional[str]:
        """The type of a column, as far as it is known without reading anything."""
        return next((column[1] for column in self.columns or () if column[0] == name), None)

    def misses(self, name: str) -> bool:
        return any(_columns.misses(column) for column in self._found(name))

    def hint(self, error: str) -> str:
        """What is to be said of this table beside an error."""
        for name in self.data.index.names if self.kind == "pandas" else ():
            if f"no column '{name}'" in error:
                return f"; {name!r} is the index of the frame: give frame.reset_index()"
        return ""

    def give(self, columns: list, n_rows: int, unchanged: set):
        """Released columns as a table of the kind that came in."""
        table = Table(columns, n_rows)
        shapes = {name: shape if name in unchanged else shape.of_labels() for name, shape in self.shapes.items()}
        if self.kind == "pandas":
            import pandas

            series = {c[0]: _columns.to_series(c, shapes.get(c[0])) for c in columns}
            return pandas.DataFrame(series, columns=[c[0] for c in columns])
        if self.kind in ("dict", "path"):
            return {c[0]: _columns.to_plain(c, shapes.get(c[0])) for c in columns}
        if self.kind == "polars":
            import polars

            return polars.DataFrame(table)
        if self.kind == "pyarrow":
            import pyarrow

            return pyarrow.table(table)
        return table


# ---- settings -----------------------------------------------------------------------------------

_SETTINGS = _kanon.settings()


def settings(command: str = "anonymize") -> dict:
    """The settings of a command: their names and summaries.

    >>> "suppress" in kanon.settings("anonymize")
    True
    """
    dashed = command.replace("_", "-")
    found = {s["name"].replace("-", "_"): s["summary"] for s in _SETTINGS if dashed in s["commands"].split()}
    if not found:
        raise ValueError(f"there is no command {command!r}")
    return found


# What anjana and pyCANON call them.
_ELSEWHERE = {
    "quasi_ident": "qi", "ident": "drop", "sens_att": "sensitive", "l_div": "l", "supp_level": 'suppress="50%"',
    "delta": "delta_disclosure",
}  # fmt: skip


def _find(name: str, command: str) -> dict:
    dashed = name.rstrip("_").replace("_", "-")
    for setting in _SETTINGS:
        if setting["name"] == dashed and command in setting["commands"].split():
            return setting
    meant = _ELSEWHERE.get(name, "")
    if meant.split("=")[0] not in settings(command):
        meant = (_kanon.nearest(dashed, command) or "").replace("-", "_")
    hint = f"; did you mean {meant}?" if meant else ""
    raise TypeError(f"{command.replace('-', '_')}() has no setting {name!r}{hint}")


def _plain(name: str, value: Any) -> Any:
    """Arrays, series and indices of names or numbers as lists."""
    if isinstance(value, (set, frozenset)):
        raise TypeError(f"{name}: a set has no order; give a list")
    if hasattr(value, "tolist") and getattr(value, "ndim", None) in (0, 1):
        return value.tolist()
    if hasattr(value, "__array__") and getattr(value, "ndim", 0) > 1:
        raise TypeError(f"{name}: {type(value).__name__} has {value.ndim} dimensions; give a list of names")
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, list, tuple)) and not hasattr(value, "items"):
        return list(value)
    return value


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _add(out: list, setting: dict, value: Any) -> None:
    """Appends (name, column, value) for the C part."""
    name = setting["name"]
    if value is None or value is False:
        return
    if name == "json":
        raise TypeError("json: the result is in .result; write that to a file")
    if value is True and setting["writes"]:
        raise TypeError(f"{name.replace('-', '_')}: give the path of a file")
    if value is True:
        out.append((name, None, "true"))
    elif isinstance(value, dict):
        if not all(isinstance(column, str) for column in value):
            raise TypeError(f"{name.replace('-', '_')}: column names are text; give a dict with column names as keys")
        out.extend((name, column, None if held is None else _text(held)) for column, held in value.items())
    elif isinstance(value, (list, tuple)) and not setting["repeats"]:
        out.append((name, None, ",".join(_text(item) for item in value)))
    elif isinstance(value, (list, tuple)):
        for item in value:
            is_name = setting["takes_columns"] and isinstance(item, str)
            out.append((name, item, None) if is_name else (name, None, _text(item)))
    else:
        out.append((name, None, _text(value)))


def _hierarchy_rows(data: _Data, column: str, given: Any) -> list:
    """Lines of a hierarchy: a value, then its labels."""
    if callable(given):
        values = data.values(column)  # sorted, so that files of it do not tell the order of the rows
        rows = [[text, *_called(column, given, values[text])] for text in sorted(values)]
    elif isinstance(given, dict):
        known = None if data.path is not None else lambda: set(data.values(column))
        rows = _levels.lines(column, given, known)
        if rows is None:
            rows = [[value, *_labels(labels)] for value, labels in given.items()]
    elif hasattr(given, "itertuples"):
        rows = [list(row) for row in given.itertuples(index=False, name=None)]
    elif _is_list(given) and all(_is_list(row) for row in given):
        rows = [list(row) for row in given]
    else:
        raise TypeError(
            f"hierarchies[{column!r}] is a {type(given).__name__}: give a rule such as 'intervals:5,10', a file, a "
            "dict from values to labels, a list of lines [value, label, ...], or a function of a value"
        )
    if not all(rows):
        raise BadInput(f"hierarchies[{column!r}]: a line is empty; give the value, then its labels")
    if data.form(column) == "f":  # their values may be written as doubles
        rows = [[_texts.of_single(row[0]) if isinstance(row[0], float) else row[0], *row[1:]] for row in rows]
    rows = [["" if _columns.is_missing(cell) else _texts.of_object(cell) for cell in row] for row in rows]
    if callable(given) and data.misses(column):  # as builders have it: missing, but at the top
        if {row[-1] for row in rows} != {"*"}:
            rows = [[*row, "*"] for row in rows]
        return [*rows, [""] * (len(rows[0]) - 1 if rows else 1) + ["*"]]
    if len({row[-1] for row in rows}) > 1 or any(len(row) == 1 for row in rows):
        rows = [[*row, "*"] for row in rows]  # the top is one label
    return rows


def _is_list(value: Any) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, (str, bytes, dict))


def _labels(labels: Any) -> list:
    return list(labels) if _is_list(labels) else [labels]


def _called(column: str, function: Callable, value: Any) -> list:
    labels = _labels(function(value))
    if any(_columns.is_missing(label) for label in labels):
        raise BadInput(f"hierarchies[{column!r}]: the function returns no label for {value!r}; return one, or a list")
    return labels


def _take_hierarchies(data: _Data, given: Any, qi: Any, folder: str, out: list, made: dict) -> Any:
    """Hierarchies of columns, as files where they are Python's, which are `made`: what each is called.
    Returns what is left of `qi`."""
    if given is None:
        return qi
    if isinstance(given, (str, os.PathLike)):
        out.append(("hierarchies", None, os.fspath(given)))
        return qi
    if not isinstance(given, dict):
        raise TypeError(
            f"hierarchies is a {type(given).__name__}: give a folder, or a dict from columns to hierarchies"
        )
    names = list(qi or [])
    if isinstance(qi, str):  # as on the command line, but for rules and quotes, which may have commas
        names = [qi] if "=" in qi or '"' in qi else qi.split(",")
    held = dict(qi) if isinstance(qi, dict) else {name: None for name in names}
    for i, (column, hierarchy) in enumerate(given.items()):
        if column not in held:
            raise BadInput(f"hierarchies[{column!r}]: no quasi-identifier has this name (qi)")
        if isinstance(hierarchy, (str, os.PathLike)):
            held[column] = os.fspath(hierarchy)
            continue
        path = os.path.join(folder, f"hierarchy{i}.csv")
        with open(path, "w", newline="", encoding="utf-8", errors="surrogateescape") as file:
            rows = _hierarchy_rows(data, column, hierarchy)
            # The writer leaves these bare, and readers take them for the end of a line and the mark of an encoding.
            is_odd = any("\r" in cell or cell.startswith("\ufeff") for row in rows for cell in row)
            quoting = csv.QUOTE_ALL if is_odd else csv.QUOTE_MINIMAL
            csv.writer(file, delimiter=";", lineterminator="\n", quoting=quoting).writerows(rows)
        held[column] = path
        made[path] = f"hierarchies[{column!r}]"
    return held


# ---- progress -----------------------------------------------------------------------------------


def _bar() -> Callable:
    """One line on standard error that is written over."""

    def show(stage, done, total, best, bound):
        part = f" {100 * done // total:3d} %" if total else f" {done:,}"
        cost = f"  best {best:g}" if best is not None else ""
        sys.stderr.write(f"\r{stage:8s}{part}{cost}\033[K")
        sys.stderr.flush()

    return show


# ---- commands -----------------------------------------------------------------------------------


def _with_effort(job: str, result: dict) -> str:
    """A clock makes another release each time; steps make the same one."""
    if result.get("optimal") is not False or not result.get("effort"):
        return job
    lines = [line for line in job.splitlines(True) if not line.startswith(("effort:", "time-limit:"))]
    return "".join(lines) + "effort: %d\n" % result["effort"]


class Result:
    """What a command found: `.result` is the JSON of the command line, `.summary` its text."""

    def __init__(self, outcome: dict, notes: list):
        self.result: dict = json.loads(outcome["json"]) if outcome["json"] else {}
        self.summary: str = outcome["summary"]
        self.holds: bool = outcome["holds"]
        self.unchecked: Optional[str] = outcome["unchecked"]
        self.notes: list = notes
        self._job: str = outcome.get("job", "")
        self._no_job: Optional[str] = outcome.get("no_job")
        self._hierarchies: Optional[dict] = outcome["hierarchies"]

    def __bool__(self) -> bool:
        raise TypeError(
            "only kanon.verify() says whether a promise holds, so only its result can be used in `if`; what this one "
            "found is in .result and .summary"
        )

    def __getstate__(self) -> dict:
        """Hierarchies have values of people who were left out: pickles and copies go without."""
        return dict(self.__dict__, _hierarchies=None if self._hierarchies else {})

    def job(self, folder: Any = None) -> str:
        """The settings as the text of a job file, which makes the same release again: where the search was not
        proven, with the effort that it made in place of a time limit. Hierarchies that were given as Python objects
        are written into `folder`, as the files that the job names. Such files have all values of
        the column, also of people who were left out: they are private."""
        if self._no_job:
            raise BadInput(f"job: {self._no_job}")
        text = _with_effort(self._job, self.result)
        if self._hierarchies is None:
            raise BadInput("job: a copy does not have the hierarchies that were given as Python objects; ask the "
                "result itself")
        if self._hierarchies and folder is None:
            raise BadInput("job: hierarchies that were given as Python objects become files; give a folder for them")
        for path, lines in self._hierarchies.items():
            kept = os.path.join(os.fspath(folder), os.path.basename(path))
            with open(kept, "w", newline="", encoding="utf-8", errors="surrogateescape") as file:
                file.write(lines)
            text = text.replace(path, kept)
        return text

    def __repr__(self) -> str:
        return self.summary

    def _repr_html_(self) -> str:
        return "<pre>%s</pre>" % _pictures.escape(self.summary)


class Verification(Result):
    """What `verify` found: it is true if the promise holds, and false if it does not, or if something could not
    be checked."""

    def __bool__(self) -> bool:
        return self.holds


def _flat(value: dict, before: str = "") -> dict:
    """Nested objects as one row; lists of rows are tables of their own."""
    row = {}
    for key, inner in value.items():
        if isinstance(inner, dict):
            row.update(_flat(inner, f"{before}{key}."))
        elif not (isinstance(inner, list) and inner and isinstance(inner[0], dict)):
            row[f"{before}{key}"] = ", ".join(map(str, inner)) if isinstance(inner, list) else inner
    return row


class Utility(Result):
    """What can still be done with a release; `.frame(name)` has its figures as a table."""

    _tables = ("columns", "classes", "pairs", "changed", "guesses", "coefficients", "classifiers")

    def _rows(self, name: str) -> list:
        found = self.result
        if name == "classes":
            return [{"name": column["name"], **one} for column in found["columns"] for one in column["classes"]]
        if name == "guesses":
            guesses = found["propensity"]["guesses"] or {"least": 0, "greatest": 0, "original": [], "release": []}
            width = (guesses["greatest"] - guesses["least"]) / max(1, len(guesses["original"]))
            return [
                {"from": guesses["least"] + i * width, "to": guesses["least"] + (i + 1) * width, "original": before,
                 "release": after}
                for i, (before, after) in enumerate(zip(guesses["original"], guesses["release"]))
            ]
        if name in ("coefficients", "classifiers"):
            models = found["regressions" if name == "coefficients" else "classifications"]
            return [{"formula": model["formula"], **_flat(one)} for model in models for one in model[name]]
        return [_flat(row) for row in found[name]]

    def frame(self, name: str = "columns") -> Any:
        """A table of figures as a frame of pandas: `columns`, the `classes` that these are cut into, `pairs`, those that
        `changed` most, the `guesses` of the propensity score, `coefficients` of regressions and `classifiers`."""
        if "columns" not in self.result:
            raise BadInput("frame: a workload has no columns; its queries are in .result['queries']")
        if name not in self._tables:
            raise BadInput(f"frame: there is no {name!r}; ask for one of {', '.join(self._tables)}")
        try:
            import pandas
        except ImportError as error:
            raise BadInput("frame: pandas is not installed; the same figures are in .result") from error
        return pandas.DataFrame(self._rows(name))


class Release(Result):
    """A release that was recounted: `.table` has the type of the table that was given.

    Rows of the table are renumbered: an index could identify somebody."""

    def __init__(self, outcome: dict, notes: list, data: _Data, again: Optional[Callable]):
        super().__init__(outcome, notes)
        self._again = again
        self._json: str = outcome["json"]  # with the figures of the report
        self._files: dict = outcome["files"]
        self._figures: Optional[dict] = self.result.get("report")
        if "report" not in self._files:
            self.result.pop("report", None)
        self._digest: Optional[bytes] = None
        self.table = None
        if outcome["stream"] is not None:
            (batch,) = _kanon.read_stream(outcome["stream"])
            self._digest = _columns.digest(batch[0])
            unchanged = {
                column["name"]
                for column in self.result["columns"]
                if column["became"] == "unchanged" and "treated" not in column
            }
            by_path = _Data("")  # as where a job file names the table
            self.table = (by_path if data is None else data).give(*batch, unchanged)

    def __getstate__(self) -> dict:
        """Pickles and copies never hold the table that the release was made of."""
        return dict(super().__getstate__(), _again=None)

    def __bool__(self) -> bool:
        raise TypeError(
            "a release keeps its promise, otherwise anonymize() raises; kanon.verify() says whether another "
            "table does, and the rows are in .table"
        )

    def report(self, path: Any = None) -> str:
        """The report as HTML, also written to `path`. With anonymize(report=True) the search also looks
        for other solutions, and the report shows them."""
        if "report" not in self._files:
            self._files["report"] = self._make_report()
        page = self._files["report"]
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
        return page

    def _make_report(self) -> str:
        """From what the result has: nothing is searched or counted again."""
        if self._figures is None:
            raise Failed("report: the release has no figures for it; the notes say why")
        with tempfile.TemporaryDirectory(prefix="kanon-") as folder:
            result, page = os.path.join(folder, "result.json"), os.path.join(folder, "report.html")
            with open(result, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(self._json)
            outcome = _kanon.run("report", [("input", None, result), ("output", None, page)], [], False,
                                 None, None)  # fmt: skip
            if isinstance(outcome, tuple):
                _raise(outcome[0], outcome[1].replace(folder + os.sep, ""))
            return _read(page)

    @property
    def certificate(self) -> str:
        """A certificate, with which those who have the original can check that nothing was changed since
        (`kanon verify --certificate`). It is private as `.result` is: guesses can be tested against its
        checksums. It is there if anonymize() had `certificate=True`; otherwise the search is run once more."""
        if "certificate" not in self._files:
            self._files["certificate"] = self._make_certificate()
        return self._files["certificate"]

    def _make_certificate(self) -> str:
        if self._again is None or self._digest is None:
            raise BadInput(
                "certificate: if rows are shuffled, or the release is a file or comes from a pickle, it can only be "
                "made together with the release; give anonymize() certificate=True"
            )
        outcome = self._again({"certificate": True})[0]
        (batch,) = _kanon.read_stream(outcome["stream"])
        if _columns.digest(batch[0]) != self._digest:
            raise Failed(
                "certificate: the job now gives a different release, because the table or a file was changed; give "
                "anonymize() certificate=True, and it is made with the release"
            )
        return outcome["files"]["certificate"]

    def _repr_html_(self) -> str:
        return super()._repr_html_() + _pictures.draw(self._figures)


def _read(path: str) -> str:
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def _named(text: str, made: dict) -> str:
    """With what users gave in place of the files that were made of it."""
    for path, name in made.items():
        text = text.replace(path, name)
    return text


def _away(text: str, folder: str) -> str:
    """A text, or a page, that names files without their folder. In pages long names may break."""
    signs = [re.escape(html.escape(sign)) for sign in folder + os.sep]
    return re.sub("(?:<wbr>)?".join(signs) + "(?:<wbr>)?", "", text).replace(folder + os.sep, "")


def _without(text: str, *paths: str) -> str:
    """Without the lines that name files which are gone afterwards."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not any(path in line for path in paths))


def _take_files(command: str, given: dict, folder: str) -> dict:
    """The files that go with a release, by setting; those that nobody named are made in `folder`."""
    files = {}
    for setting, ending in (("report", ".html"), ("certificate", ".json")):
        if command == "anonymize" and given.get(setting):
            if given[setting] is True:
                given[setting] = os.path.join(folder, setting + ending)
            files[setting] = os.fspath(given[setting])
    return files


_TABLES = ("original", "population", "register")  # settings that are tables, too


def _run(command: str, data: Any, given: dict, more: Optional[dict] = None) -> tuple:
    """Runs a command: (outcome, notes, data)."""
    given = {name: _plain(name, value) if name not in _TABLES else value
             for name, value in dict(given, **(more or {})).items()}  # fmt: skip
    if given.get("input") is not None and data is not None:
        raise TypeError("input: the table is the first argument; leave this one out")
    progress = given.pop("progress", None)
    if isinstance(data, Release) and data.table is not None:
        data = data.table
    if data is None and "job" not in given:
        raise TypeError("None is not a table: give a data frame, a dict of columns, or the path of a file")
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise TypeError("progress is True, or a function of (stage, done, total, best, bound)")
    table = data if isinstance(data, _Data) or data is None else _Data(data)
    out: list = []
    streams = []
    notes: list = []
    made: dict = {}
    with tempfile.TemporaryDirectory(prefix="kanon-") as folder:
        others = {}
        for setting in _TABLES:
            if setting in given and not isinstance(given[setting], (str, os.PathLike, type(None))):
                _find(setting, command)
                others[setting] = _Data(given.pop(setting))
                streams.append((setting, others[setting].stream()))
        if "hierarchies" in given and not isinstance(given["hierarchies"], (str, os.PathLike)):
            # Hierarchies are about values before they were generalized.
            known = others.get("original", table)
            given["qi"] = _take_hierarchies(
                known, given.pop("hierarchies"), given.get("qi"), folder, out, made
            )
        files = _take_files(command, given, folder)
        for name, value in given.items():
            _add(out, _find(name, command), value)
        if command == "verify" and table is not None:
            looked_at = [[column] if column else (text or "").split(",") for name, column, text in out
                         if name in ("qi", "sensitive")]  # fmt: skip
            table.refuse_two_missing([name for names in looked_at for name in names])
        if table is not None and table.path is not None:
            out.append(("input", None, table.path))
        elif table is not None:
            streams.append(("input", table.stream()))
        out.sort(key=lambda setting: setting[0] == "job")  # it takes what nobody has set before
        wants_table = command == "anonymize" and given.get("output") is None
        show = _bar() if progress is True else progress or None
        try:
            outcome = _kanon.run(command, out, streams, wants_table, show, notes.append)
        finally:
            if progress is True:
                sys.stderr.write("\r\033[K")
        if isinstance(outcome, tuple):
            _raise(outcome[0], _named(outcome[1], made) + (table.hint(outcome[1]) if table else ""))
        if outcome["interrupted"]:
            warnings.warn("interrupted: the result is what was found by then", RuntimeWarning, stacklevel=3)
        outcome["files"] = {
            setting: _away(_read(path), folder) for setting, path in files.items()
        }
        outcome["json"] = (outcome["json"] or "").replace(folder + os.sep, "")
        outcome["summary"] = _without(outcome["summary"], folder).rstrip("\n") + "\n"
        outcome["hierarchies"] = {path: _read(path) for path in made}
        kept = [path for path in files.values() if path.startswith(folder)]
        outcome["job"] = _without(outcome.get("job", ""), *kept)
    return outcome, [_named(note, made) for note in notes], table


def anonymize(data: Any = None, **settings: Any) -> Release:
    """Finds the release that keeps the promise and loses least, recounts it, and returns it.

    >>> people = {"zip": ["53111", "53112", "89073", "89074"], "pay": [1, 2, 3, 4]}
    >>> release = kanon.anonymize(people, qi="zip", hierarchies={"zip": lambda z: [z[:2] + "***", "*"]},
    ...                           k=2, keep="pay")
    >>> release.table
    {'zip': ['53***', '53***', '89***', '89***'], 'pay': [1, 2, 3, 4]}

    `hierarchies` is a folder, or a dict from quasi-identifiers to a rule ("intervals:5,10"), a file, a
    dict from values to labels, a dict from levels to columns ({0: values, 1: labels}), a list of lines, or a
    function of a value; if their last labels differ, * is added on top. `progress` is True (a line on standard
    error) or a function of (stage, done, total, best, bound). With `report=True` and
    `certificate=True` these are made with the release. See `kanon.settings()`.

    A job file may name all of it: `kanon.anonymize(job="job.yaml")`. Where it names several tables, the release is a
    folder (`output="release"`), and `.table` is None.
    """
    outcome, notes, table = _run("anonymize", data, settings)
    is_shuffled = settings.get("shuffle") or settings.get("shuffle_key")

    def again(more: dict) -> tuple:
        return _run("anonymize", table, dict(settings, progress=None), more)

    return Release(outcome, notes, table, None if is_shuffled else again)


def search(data: Any = None, **settings: Any) -> Result:
    """The same search without a release; of several tables with `job` alone.

    >>> kanon.search({"age": [1, 1, 2, 2]}, qi="age", k=2).result["solution"]["levels"]
    [0]
    """
    return Result(*_run("search", data, settings)[:2])


def verify(data: Any, **settings: Any) -> Verification:
    """Recounts a release, also against its `original`; `.holds` says whether the promise holds, and so does
    `if kanon.verify(...):`.

    >>> kanon.verify({"age": [1, 1, 2]}, qi="age", k=2).holds
    False
    """
    return Verification(*_run("verify", data, settings)[:2])


def risk(data: Any = None, **settings: Any) -> Result:
    """How likely people are to be recognised in a table, or in the tables of `job`, or in a release of these.

    >>> kanon.risk({"age": [1, 1, 2]}, qi="age", k=2).result["risk"]["prosecutor"]["highest"]
    1.0
    """
    return Result(*_run("risk", data, settings)[:2])


def attack(data: Any, **settings: Any) -> Result:
    """What somebody finds out who has a release and something else, such as a `register` of people.

    >>> release = {"age": ["30-39", "30-39", "40-49"]}
    >>> found = kanon.attack(release, register={"age": [31, 35, 42]}, qi="age=intervals:10")
    >>> found.result["register"]["matched"]["one"]["people"]
    1
    """
    return Result(*_run("attack", data, settings)[:2])


def utility(data: Any = None, **settings: Any) -> Utility:
    """What can still be done with a release of `original`; with `workload`, how well it answers queries.

    >>> result = kanon.utility({"age": ["[1-2]", "[1-2]"]}, original={"age": [1, 2]}).result
    >>> result["columns"][0]["even"]["total_variation"]
    0.0
    """
    return Utility(*_run("utility", data, settings)[:2])


def profile(data: Any, **settings: Any) -> Result:
    """What is in the columns of a table, and which combinations single people out.

    >>> kanon.profile({"age": [1, 1, 2]}).result["input"]["rows"]
    3
    """
    return Result(*_run("profile", data, settings)[:2])


def compare(data: Any = None, **settings: Any) -> Result:
    """Several searches, values of k and limits on one table, or over the tables of `job`, side by side.

    >>> result = kanon.compare({"age": [1, 1, 2, 2]}, qi="age", ks=[2, 4], algorithms="auto").result
    >>> len(result["cells"])
    2
    """
    return Result(*_run("compare", data, settings)[:2])


def hierarchy_build(data: Any, column: Any, **settings: Any) -> dict:
    """Hierarchies that are built by rules: for each column the lines of its hierarchy, as `hierarchies` takes
    them.

    >>> kanon.hierarchy_build({"age": [30, 41]}, "age", method="intervals:10")["age"]
    [['30', '30-39', '*'], ['41', '40-49', '*']]
    """
    names = [column] if isinstance(column, str) else list(column)
    built = {}
    data = data if isinstance(data, _Data) else _Data(data)
    if len(names) > 1:
        data.keep()
    with tempfile.TemporaryDirectory(prefix="kanon-") as folder:
        for i, name in enumerate(names):
            path = os.path.join(folder, f"{i}.csv")
            asked = {name: column[name]} if isinstance(column, dict) else [name]
            _run("hierarchy-build", data, dict(settings, column=asked, output=path))
            with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
                built[name] = list(csv.reader(file, delimiter=";"))
    return built
