"""Hierarchies by level, as anjana has them: {0: values, 1: their labels, 2: ...}, each as long as the first.

A dict from values to labels may look alike where the values are 0, 1, 2 and so on. The column tells which of both it is;
where it could be either, the dict is refused."""

from __future__ import annotations

from typing import Any, Callable, Optional

from . import _columns
from ._errors import BadInput


def _is_level(labels: Any) -> bool:
    return hasattr(labels, "__len__") and hasattr(labels, "__iter__") and not isinstance(labels, (str, bytes, dict))


def _texts(name: str, labels: Any) -> list:
    return _columns.texts(_columns.from_any(name, labels)[0])


def lines(name: str, given: dict, values: Optional[Callable[[], set]]) -> Optional[list]:
    """The lines of a hierarchy, each value once, or None where `given` goes from values to labels.
    `values()` is what the column has, as text; None where the table is a file, and lists are labels."""
    numbers = [key for key in given if isinstance(key, int) and not isinstance(key, bool)]
    if len(numbers) < len(given) or sorted(numbers) != list(range(len(given))) or len(given) < 2:
        return None
    levels = [given[level] for level in range(len(given))]
    if not all(_is_level(labels) for labels in levels):
        return None
    are_lists = all(isinstance(labels, (list, tuple)) for labels in levels)
    if are_lists and (values is None or not _are_meant(name, levels, values())):
        return None
    for level, labels in enumerate(levels):
        if len(labels) != len(levels[0]):
            raise BadInput(
                f"hierarchies[{name!r}]: level {level} has {len(labels)} labels, and level 0 has {len(levels[0])} "
                "values; give as many, in the same order"
            )
    return _once(name, list(zip(*(_texts(name, labels) for labels in levels))))


def _are_meant(name: str, levels: list, values: set) -> bool:
    """Whether lists are levels, and not the labels of the values 0, 1, 2."""
    may_be_values = values <= {str(number) for number in range(len(levels))}
    may_be_levels = len({len(labels) for labels in levels}) == 1 and values <= set(_texts(name, levels[0]))
    if may_be_values and may_be_levels:
        raise BadInput(
            f"hierarchies[{name!r}]: a dict of 0, 1, ... is either the levels or the values of this column; for levels "
            "give sorted(set(zip(*levels.values()))), for values [[value, *labels], ...]"
        )
    return not may_be_values


def _once(name: str, rows: list) -> list:
    first: dict = {}
    for number, row in enumerate(rows):
        known = first.setdefault(row[0], number)
        for level, label in enumerate(row):
            if rows[known][level] != label:
                raise BadInput(
                    f"hierarchies[{name!r}]: entries {known} and {number} have the same value and different labels at "
                    f"level {level}; give one label for each value"
                )
    return [list(rows[number]) for number in first.values()]
