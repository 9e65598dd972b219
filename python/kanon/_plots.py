"""Pictures by matplotlib, where it is installed."""

from __future__ import annotations

from typing import Any, Optional

from . import _frames
from ._errors import BadInput


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise BadInput("plot: matplotlib is not installed; the same figures are in .result") from error
    return pyplot.subplots()[1]


def _title(cell: dict, told: list) -> str:
    return ", ".join(str(cell[key]) if key in ("algorithm", "cost") else f"{key} {cell[key]}" for key in told)


def comparison(cells: list, y: Optional[str], ax: Any) -> Any:
    """A line over k for each of the other choices. Searches that found nothing have no point."""
    keys = [key for key in ("algorithm", "cost", "suppress", "asked_recoding") if any(cell.get(key) for cell in cells)]
    told = [key for key in keys if len({cell.get(key) for cell in cells}) > 1] or keys[:1]
    lines: dict = {}
    for cell in cells:
        row = _frames.flat(cell)
        what = y if y is not None else f"metrics.{cell['cost']}"
        if what not in row and not cell.get("error"):
            numbers = [key for key, value in row.items() if isinstance(value, (int, float))]
            raise BadInput(f"plot: there is no {what!r}; ask for one of {', '.join(numbers)}")
        line = lines.setdefault(_title(cell, told), [])
        if row.get(what) is not None and cell.get("k") is not None:
            line.append((cell["k"], row[what]))
    axes = _axes(ax)
    for title, points in lines.items():
        points.sort()
        axes.plot([k for k, _ in points], [value for _, value in points], marker="o", label=title)
    costs = sorted({cell["cost"] for cell in cells})
    axes.set_xlabel("k")
    axes.set_ylabel(y if y is not None else costs[0] if len(costs) == 1 else "cost")
    axes.legend()
    return axes


def risk(result: dict, ax: Any) -> Any:
    """Rows by the size of their group, as shares of all rows; before, where that is known, and now."""
    axes = _axes(ax)
    measured = [("now", result["risk"])] if result.get("before") is None else [
        ("before", result["before"]), ("release", result["risk"])]  # fmt: skip
    for place, (title, figures) in enumerate(measured):
        sizes = sorted((one["size"], one["size"] * one["groups"]) for one in figures["sizes"])
        total = max(1, sum(rows for _, rows in sizes))
        axes.plot([size for size, _ in sizes], [rows / total for _, rows in sizes], marker="os"[place], label=title)
    axes.set_xscale("log")
    axes.set_xlabel("rows that look alike")
    axes.set_ylabel("share of the rows")
    if len(measured) > 1:
        axes.legend()
    return axes
