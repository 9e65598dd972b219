"""Hierarchies that are given as objects of Python, as the files that the library reads."""

from __future__ import annotations

import csv
import io
import os
import re
from typing import Any, Callable, NamedTuple

from . import _columns, _levels, _texts
from ._errors import BadInput
from ._tables import Data


def hierarchy_rows(data: Data, column: str, given: Any) -> list:
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


def names_of(columns: Any) -> list:
    """As on the command line, but for rules and quotes, which may have commas."""
    if isinstance(columns, str):
        return [columns] if "=" in columns or '"' in columns else columns.split(",")
    return list(columns or [])


def _is_list(value: Any) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, (str, bytes, dict))


def _labels(labels: Any) -> list:
    return list(labels) if _is_list(labels) else [labels]


def _called(column: str, function: Callable, value: Any) -> list:
    labels = _labels(function(value))
    if any(_columns.is_missing(label) for label in labels):
        raise BadInput(f"hierarchies[{column!r}]: the function returns no label for {value!r}; return one, or a list")
    return labels


class Lines(list):
    """Lines of a hierarchy that are handed over in memory: raw values are written to no disk."""

    def encoded(self) -> list:
        return [[cell.encode("utf-8", "surrogateescape") for cell in row] for row in self]


class Made(NamedTuple):
    """A hierarchy that was an object of Python: what messages call it, and the file that it is for a job file."""

    called: str
    name: str
    text: str


def _goes_by_memory(column: str, rows: list) -> bool:
    """Names that a job file has to write in another way stay with files, and so do lines that are refused."""
    return (
        bool(re.fullmatch(r"[\w-]+(?:[ .][\w-]+)*", column, re.ASCII))
        and 1 <= len(rows[0]) <= 250
        and all(len(row) == len(rows[0]) for row in rows)
        and not any("\0" in cell for row in rows for cell in row)
    ) if rows else False


def as_file(rows: list) -> str:
    """Lines as the text of a file."""
    text = io.StringIO(newline="")
    # The writer leaves these bare, and readers take them for the end of a line and the mark of an encoding.
    is_odd = any("\r" in cell or cell.startswith("\ufeff") for row in rows for cell in row)
    quoting = csv.QUOTE_ALL if is_odd else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=";", lineterminator="\n", quoting=quoting).writerows(rows)
    return text.getvalue()


def take_hierarchies(data: Data, given: Any, qi: Any, folder: str, out: list, made: dict) -> Any:
    """Hierarchies of columns. Those that are Python's go by memory where they can, else as files, and are `made`, by
    what the library calls them. Returns what is left of `qi`."""
    if given is None:
        return qi
    if isinstance(given, (str, os.PathLike)):
        out.append(("hierarchies", None, os.fspath(given)))
        return qi
    if not isinstance(given, dict):
        raise TypeError(
            f"hierarchies is a {type(given).__name__}: give a folder, or a dict from columns to hierarchies"
        )
    held = dict(qi) if isinstance(qi, dict) else {name: None for name in names_of(qi)}
    for i, (column, hierarchy) in enumerate(given.items()):
        if column not in held:
            raise BadInput(f"hierarchies[{column!r}]: no quasi-identifier has this name (qi)")
        if isinstance(hierarchy, (str, os.PathLike)):
            held[column] = os.fspath(hierarchy)
            continue
        rows = hierarchy_rows(data, column, hierarchy)
        if _goes_by_memory(column, rows):
            held[column] = Lines(rows)
            made[f"memory:{column}.csv"] = Made(f"hierarchies[{column!r}]", f"hierarchy{i}.csv", as_file(rows))
            continue
        path = os.path.join(folder, f"hierarchy{i}.csv")
        with open(path, "w", newline="", encoding="utf-8", errors="surrogateescape") as file:
            file.write(as_file(rows))
        held[column] = path
        made[path] = Made(f"hierarchies[{column!r}]", f"hierarchy{i}.csv", as_file(rows))
    return held
