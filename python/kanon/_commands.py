"""The commands of kanon as functions. What they take, and their help, is in the registry: _signatures.py."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from typing import Any, Optional

from . import _kanon
from ._release import Release
from ._results import Check, Comparison, Profile, Result, Risk, Utility, Verification
from ._run import released, run
from ._settings import COMMANDS
from ._tables import Data


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
    outcome, notes, table = run("anonymize", data, settings)
    is_shuffled = settings.get("shuffle") or settings.get("shuffle_key")

    def again(more: dict) -> tuple:
        return run("anonymize", table, dict(settings, progress=None), more, is_told=False)

    return Release(outcome, notes, table, settings, None if is_shuffled else again)


def search(data: Any = None, **settings: Any) -> Result:
    """The same search without a release; of several tables with `job` alone.

    >>> kanon.search({"age": [1, 1, 2, 2]}, qi="age", k=2).result["solution"]["levels"]
    [0]
    """
    return Result(*run("search", data, settings)[:2])


def verify(data: Any, **settings: Any) -> Verification:
    """Recounts a release, also against its `original`; `.holds` says whether the promise holds, and so does
    `if kanon.verify(...):`.

    >>> kanon.verify({"age": [1, 1, 2]}, qi="age", k=2).holds
    False
    """
    return Verification(*run("verify", data, settings), settings)


def check(data: Any, **settings: Any) -> Check:
    """Holds a table against a rule of law or of an office: `.holds`, and `if kanon.check(...):`, where nothing is against
    it and every column was decided.

    >>> kanon.check({"ssn": ["078-05-1120", "219-09-9999"]}, rules="hipaa-safe-harbor").holds
    False
    """
    return Check(*run("check", data, settings), settings)


def import_project(data: Any, **settings: Any) -> Result:
    """Makes a job of a project of another program: `data` is its path, and `output` the folder."""
    return Result(*run("import", data, settings), settings)


def risk(data: Any = None, **settings: Any) -> Risk:
    """How likely people are to be recognised in a table, or in the tables of `job`, or in a release of these.

    >>> kanon.risk({"age": [1, 1, 2]}, qi="age", k=2).result["risk"]["prosecutor"]["highest"]
    1.0
    """
    return Risk(*run("risk", data, settings), settings)


def attack(data: Any, **settings: Any) -> Result:
    """What somebody finds out who has a release and something else, such as a `register` of people.

    >>> release = {"age": ["30-39", "30-39", "40-49"]}
    >>> found = kanon.attack(release, register={"age": [31, 35, 42]}, qi="age=intervals:10")
    >>> found.result["register"]["matched"]["one"]["people"]
    1
    """
    return Result(*run("attack", data, settings)[:2])


def utility(data: Any = None, **settings: Any) -> Utility:
    """What can still be done with a release of `original`; with `workload`, how well it answers queries.

    >>> result = kanon.utility({"age": ["[1-2]", "[1-2]"]}, original={"age": [1, 2]}).result
    >>> result["columns"][0]["even"]["total_variation"]
    0.0
    """
    return Utility(*run("utility", data, settings), settings)


def profile(data: Any, **settings: Any) -> Profile:
    """What is in the columns of a table, and which combinations single people out.

    >>> kanon.profile({"age": [1, 1, 2]}).result["input"]["rows"]
    3
    """
    return Profile(*run("profile", data, settings), settings)


def compare(data: Any = None, **settings: Any) -> Comparison:
    """Several searches, values of k and limits on one table, or over the tables of `job`, side by side.

    >>> result = kanon.compare({"age": [1, 1, 2, 2]}, qi="age", ks=[2, 4], algorithms="auto").result
    >>> len(result["cells"])
    2
    """
    return Comparison(*run("compare", data, settings), settings)


def hierarchy_build(data: Any, column: Any, **settings: Any) -> dict:
    """Hierarchies that are built by rules: for each column the lines of its hierarchy, as `hierarchies` takes
    them.

    >>> kanon.hierarchy_build({"age": [30, 41]}, "age", method="intervals:10")["age"]
    [['30', '30-39', '*'], ['41', '40-49', '*']]
    """
    names = [column] if isinstance(column, str) else list(column)
    built = {}
    data = data if isinstance(data, Data) else Data(released(data))
    if len(names) > 1:
        data.keep()
    with tempfile.TemporaryDirectory(prefix="kanon-") as folder:
        for i, name in enumerate(names):
            path = os.path.join(folder, f"{i}.csv")
            asked = {name: column[name]} if isinstance(column, dict) else [name]
            run("hierarchy-build", data, dict(settings, column=asked, output=path))
            with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
                built[name] = list(csv.reader(file, delimiter=";"))
    return built


class Kinds(dict):
    """What there is, by kind: a list for each of `privacy`, `costs`, `searches` and so on."""

    def __init__(self, found: dict, words: str):
        super().__init__(found)
        self._words = words

    def __repr__(self) -> str:
        return self._words


def list_kinds() -> Kinds:
    """The privacy models, costs, searches, recoding models and formats: each with its name, what it does, its options
    and its paper. Printed, those that most users choose from.

    >>> [cost["name"] for cost in kanon.list()["costs"]][:2]
    ['height', 'discernibility']
    """
    found, words = _kanon.kinds()
    return Kinds(json.loads(found), words)


# By the command that each runs.
FUNCTIONS = {
    "anonymize": anonymize, "search": search, "verify": verify, "risk": risk, "attack": attack, "utility": utility,
    "profile": profile, "compare": compare, "hierarchy-build": hierarchy_build, "check": check,
    "import": import_project,
}  # fmt: skip
FUNCTIONS = {command: function for command, function in FUNCTIONS.items() if command in COMMANDS}
