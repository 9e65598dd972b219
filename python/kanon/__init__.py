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

from . import _columns, _commands, _kanon, _signatures
from ._anonymizer import Anonymizer
from ._commands import (
    anonymize, attack, check, compare, hierarchy_build, profile, risk, search, utility, verify,
)  # fmt: skip
from ._commands import list_kinds as list
from ._errors import BadInput, Error, Failed, Note, OutOfMemory, Unsatisfied
from ._release import Release
from ._results import Check, Comparison, Profile, Result, Risk, Utility, Verification
from ._settings import settings
from ._tables import Table

__version__ = _kanon.version()
# `list` is there as well, but not for `from kanon import *`, which would hide Python's.
__all__ = [
    "anonymize", "search", "verify", "risk", "utility", "attack", "profile", "compare", "check", "hierarchy_build", "settings",
    "Anonymizer", "Release", "Result", "Utility", "Verification", "Check", "Risk", "Profile", "Comparison", "Table", "Error",
    "BadInput", "Unsatisfied", "Failed", "OutOfMemory", "Note",
]  # fmt: skip

for _public in (Anonymizer, Release, Result, Utility, Verification, Check, Risk, Profile, Comparison, Table):
    _public.__module__ = "kanon"  # where users find them, and pickles
if "import" in _commands.FUNCTIONS:
    from ._commands import import_project

    __all__.append("import_project")
_signatures.give(_commands.FUNCTIONS, Anonymizer)


def __dir__():
    return sorted([*__all__, "list", "__version__"])
