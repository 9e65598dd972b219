"""Figures as frames of pandas."""

from __future__ import annotations

from typing import Any, Optional

from ._errors import BadInput
from ._tables import Data


def pandas_for(what: str) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise BadInput(f"{what}: pandas is not installed; the same figures are in .result") from error
    return pandas


def flat(value: dict, before: str = "") -> dict:
    """Nested objects as one row; lists of rows are tables of their own."""
    row = {}
    for key, inner in value.items():
        if isinstance(inner, dict):
            row.update(flat(inner, f"{before}{key}."))
        elif not (isinstance(inner, list) and inner and isinstance(inner[0], dict)):
            row[f"{before}{key}"] = ", ".join(map(str, inner)) if isinstance(inner, list) else inner
    return row


def make(rows: list, what: str) -> Any:
    return pandas_for(what).DataFrame(rows)


def index_of(data: Optional[Data]) -> Any:
    """The labels of the rows that a user gave; None where they have none."""
    return data.data.index if data is not None and data.kind == "pandas" else None


def of_csv(path: str, data: Optional[Data]) -> Any:
    """A file with a line for each row of a table, which its first column counts from 1."""
    frame = pandas_for("rows").read_csv(path, keep_default_na=False, na_values={"smallest_set": [""]})
    if data is not None and data.path is None and len(frame) != data.count():
        raise BadInput("rows: of some rows only (where), which have no labels then; choose the rows of the frame first")
    labels = index_of(data)
    number = frame.columns[0]
    if labels is not None:
        return frame.set_index(labels[frame[number].to_numpy() - 1]).drop(columns=number)
    return frame.set_index(number)
