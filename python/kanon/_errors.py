"""What may go wrong, and what is worth knowing although nothing did."""

from __future__ import annotations

import sys
import warnings


class Error(Exception):
    """What a command could not do; its text is that of the command line."""


class BadInput(Error, ValueError):
    """Wrong use or bad data: exit status 2 of the command line."""


class Unsatisfied(Error):
    """Nothing within the limits keeps the promise: exit status 3."""


class Failed(Error, RuntimeError):
    """It could not be done: files, memory, a database. Exit status 1."""


class OutOfMemory(Failed, MemoryError):
    """There was not enough memory, or more than `memory` allows was needed."""


class Note(UserWarning):
    """What a careful person would want to know although nothing failed; also in `.notes`. A note is for whoever
    has the table: it may tell of rows that a release hides."""


def raise_of(status: int, text: str):
    """The exception of a status of the library."""
    if status == 2:
        raise BadInput(text)
    if status == 3:
        raise Unsatisfied(text)
    if status == 130:
        raise KeyboardInterrupt
    if text.startswith("out of memory"):
        raise OutOfMemory(text)
    raise Failed(text)


def warn(text: str, category: type) -> None:
    """A warning at the line of the user that called."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "kanon":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


for _class in (Error, BadInput, Unsatisfied, Failed, OutOfMemory, Note):
    _class.__module__ = "kanon"  # where users find them
