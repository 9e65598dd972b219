"""The rows of a table that verify() found in groups which are too small."""

from __future__ import annotations

from typing import Any, Optional

from . import _frames
from ._errors import BadInput
from ._tables import Data


def rows(result: dict, data: Optional[Data]) -> Any:
    pandas = _frames.pandas_for("failing")
    k = next((promise["k"] for promise in result.get("privacy") or [] if promise["model"] == "k-anonymity"), None)
    if data is None or data.path is not None:
        raise BadInput("failing: the table is a file; read it first, and verify what was read")
    if result["input"]["rows"] != data.count():
        raise BadInput("failing: some rows of the table were verified (where); choose the rows of the frame first")
    if not k:
        raise BadInput("failing: no k was promised, and only groups that are too small are listed; give k")
    if any(result.get(other) for other in ("person", "household", "matches", "beside")
           if other != "beside" or result["beside"]["parts"]):  # fmt: skip
        raise BadInput("failing: rows do not stand for themselves in this promise; .result has what was counted")
    names = result["quasi_identifiers"]
    shown = data.texts(names)
    sizes: dict = {}
    for key in shown:
        sizes[key] = sizes.get(key, 0) + 1
    small = [place for place, key in enumerate(shown) if sizes[key] < k]
    if len(small) != result["small_rows"]:  # rows of * alone are left out, not too small
        small = [place for place in small if any(text != "*" for text in shown[place])]
    if len(small) != result["small_rows"]:
        raise BadInput("failing: verify() counts these rows in a way that is not listed; .result has the counts")
    numbers: dict = {}
    lines = [
        {"group": numbers.setdefault(shown[place], len(numbers) + 1), "rows": sizes[shown[place]],
         **dict(zip(names, shown[place]))}
        for place in small
    ]  # fmt: skip
    labels = _frames.index_of(data)
    index = pandas.RangeIndex(data.count()) if labels is None else labels
    return pandas.DataFrame(lines, index=index[small], columns=["group", "rows", *names])
