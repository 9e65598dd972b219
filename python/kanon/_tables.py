"""What users give as a table, and what they get back: frames, dicts of columns, anything of Arrow, paths."""

from __future__ import annotations

import os
import sys
from typing import Any, Optional

from . import _columns, _kanon
from ._errors import BadInput, Failed


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


def is_frame(data: Any) -> bool:
    """Also one of a class that somebody made of pandas' own."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def batches_of(producer: Any) -> list:
    """What a producer gives: (columns, rows) of each batch."""
    try:
        return _kanon.read_stream(producer.__arrow_c_stream__())
    except MemoryError:
        raise
    except RuntimeError as error:
        raise Failed(str(error)) from None


class Data:
    """What a user gave as a table: a path, or a stream that can be made as often as needed."""

    def __init__(self, data: Any):
        self.data = data
        self.path: Optional[str] = None
        self._made: Optional[list] = None  # the columns, where they were made here
        self.batches: Optional[list] = None
        self.shapes: dict = {}
        self.n_rows = 0
        module = type(data).__module__.split(".")[0]
        if isinstance(data, (str, os.PathLike)):
            self.kind, self.path = "path", os.fspath(data)
        elif module == "pandas" and hasattr(data, "to_frame"):
            raise TypeError(f"a {type(data).__name__} is one column; give a frame, such as data.to_frame('name')")
        elif is_frame(data):
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

    @property
    def columns(self) -> Optional[list]:
        """The columns of a frame or a dict; None of others."""
        if self._made is None and self.kind == "pandas":
            self._take_pandas(self.data)
        return self._made

    def forget(self) -> None:
        """Lets go of what was made of a frame: it can be made again, and costs memory until then."""
        if self.kind == "pandas":
            self._made = None

    def _take_column(self, name: Any, values: Any) -> int:
        """Appends a column; its length."""
        at = f"column {len(self._made) + 1} is called {name!r}, which"
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
        self._made.append(column)
        self.shapes[name] = shape
        return column[3]

    def _take_pandas(self, frame) -> None:
        self._made, self.n_rows = [], len(frame)
        for i, name in enumerate(frame.columns):
            self._take_column(name, frame.iloc[:, i])

    def _take_dict(self, table) -> None:
        self._made = []
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
            self.batches = batches_of(self.data)

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

    def texts(self, names: list) -> list:
        """The texts that kanon has for these columns, row by row."""
        self.keep()
        batches = [(self.columns, self.n_rows)] if self.columns is not None else self.batches
        rows: list = []
        for columns, _ in batches or []:
            found = {column[0]: column for column in columns}
            rows.extend(zip(*(_columns.texts(found[name]) for name in names)))
        return rows

    def names(self) -> list:
        batches = [(self.columns, self.n_rows)] if self.columns is not None else self.batches or []
        return [column[0] for columns, _ in batches[:1] for column in columns]

    def count(self) -> int:
        """How many rows there are, where they are in memory."""
        return self.n_rows if self.columns is not None else sum(n for _, n in self.batches or [])

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
        shapes = {name: shape if name in unchanged else shape.of_labels() for name, shape in self.shapes.items()}
        if self.kind == "pandas":
            import pandas

            series = {c[0]: _columns.to_series(c, shapes.get(c[0])) for c in columns}
            return pandas.DataFrame(series, copy=False)
        if self.kind in ("dict", "path"):
            return {c[0]: _columns.to_plain(c, shapes.get(c[0])) for c in columns}
        if self.kind != "polars":  # labels are few, and many rows show each; to polars a dictionary is another type
            columns = [
                _columns.with_dictionary(column) if column[0] not in unchanged and column[1] in ("u", "U") else column
                for column in columns
            ]
        table = Table(columns, n_rows)
        if self.kind == "polars":
            import polars

            return polars.DataFrame(table)
        if self.kind == "pyarrow":
            import pyarrow

            return pyarrow.table(table)
        return table
