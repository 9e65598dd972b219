"""Levels that are learnt on one table and applied to others, as scikit-learn's transformers are used."""

from __future__ import annotations

import os
from typing import Any, Optional

from . import _commands
from ._errors import BadInput, Failed, Unsatisfied
from ._hierarchies import hierarchy_rows, names_of
from ._run import released
from ._settings import find, lookup
from ._tables import Data

# These labels follow from the value alone. All other rules look at the table: what they made of the first one is kept.
_BY_VALUE = ("intervals", "digits", "prefix", "date", "age", "suppress")
# A row stays where it is, and comes out once.
_REFUSED = ("job", "levels", "apply", "keep_suppressed", "shuffle", "shuffle_key", "epsilon", "ledger", "where",
            "format", "engine")  # fmt: skip
# What only the search needs.
_OF_SEARCH = ("Search", "Options of single searches")


def _is_rule(text: str, names: Any) -> bool:
    return text.split(":")[0] in names


def is_refused(name: str, setting: Optional[dict]) -> bool:
    return name in _REFUSED or (setting is not None and setting["writes"])


class Anonymizer:
    """Finds levels on one table (`fit`) and applies them to that table or others (`transform`), where the promise is
    counted again: for pipelines that learn on one table and predict on another. The settings are those of
    kanon.anonymize(); the search shows one level of its hierarchy for each column.

    >>> learnt = kanon.Anonymizer(qi=["age"], hierarchies={"age": "intervals:10"}, k=2, keep="pay", suppress="50%")
    >>> learnt = learnt.fit({"age": [31, 35, 42, 44], "pay": [1, 2, 3, 4]})
    >>> learnt.levels_
    {'age': 1}
    >>> learnt.transform({"age": [38, 51, 33], "pay": [5, 6, 7]})
    {'age': ['30-39', '*', '30-39'], 'pay': ['5', '*', '7']}

    `transform` gives back as many rows as it got, in their order: groups that do not keep the promise are rows of `*`,
    as many as `suppress` allows; beyond that it raises kanon.Failed. A value that a hierarchy has no line for is
    an error that names it; functions and rules such as `intervals:10` have a label for every value. Columns that are
    kept are text, as with `keep_suppressed`. What the release of the first table did not have is not released of another.
    A fitted object is private.
    """

    levels_: dict
    feature_names_in_: list
    n_features_in_: int

    def __init__(self, **settings: Any):
        self._settings: dict = {}
        self._take(settings)

    def _take(self, settings: dict) -> None:
        for name in settings:
            if name == "progress":
                continue
            setting = None if name == "hierarchies" else find(name, "anonymize")
            if is_refused(name, setting):
                raise TypeError(f"Anonymizer: {name} has no meaning for rows that go from table to table; leave it out")
        if "qi" not in settings and "qi" not in self._settings:
            raise TypeError("Anonymizer: qi is missing: name the columns by which somebody could be recognised")
        self._settings.update(settings)

    def __getstate__(self) -> dict:
        """Pickles and copies go without the values that were learnt from a table: where transform() needs them, it asks
        for another fit(). The settings are there as they were given."""
        if not getattr(self, "_is_of_values", False):
            return dict(self.__dict__)
        return dict(self.__dict__, _hierarchies=None, _lines=None)

    # ---- the protocol ---------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict:
        return dict(self._settings)

    def set_params(self, **settings: Any) -> "Anonymizer":
        self._take(settings)
        return self

    def fit(self, X: Any, y: Any = None) -> "Anonymizer":
        """Finds the levels: those of the release that kanon.anonymize() makes of X."""
        data = X if isinstance(X, Data) else Data(released(X))
        data.keep()
        names, rules = self._columns(self._settings["qi"])
        hierarchies, lines, is_of_values = self._learn(data, rules)
        given = dict(self._settings, qi=names)
        if hierarchies is not None:
            given["hierarchies"] = hierarchies
        release = _commands.anonymize(data, **given)
        levels = release.result["solution"]["levels"]
        if levels is None:
            raise BadInput(
                f"Anonymizer: the search found {release.result['recoding']} values, which are about the rows of this table; "
                "leave algorithm and recoding out, and levels of hierarchies are found, which mean the same in others"
            )
        self.levels_ = dict(zip(release.result["quasi_identifiers"], levels))
        self.feature_names_in_ = data.names()
        self.n_features_in_ = len(self.feature_names_in_)
        self._names_out = list(release._names)
        self._names, self._hierarchies, self._lines, self._is_of_values = names, hierarchies, lines, is_of_values
        return self

    def transform(self, X: Any) -> Any:
        """X at the levels that were learnt, as a table of its kind, with as many rows."""
        if not hasattr(self, "levels_"):
            raise Failed("Anonymizer: nothing was learnt yet; call fit() first")
        if self._lines is None:
            raise Failed(
                "Anonymizer: a copy does not have the values that hierarchies were learnt from (functions, quantiles and "
                "frequency have some); call fit() again"
            )
        data = X if isinstance(X, Data) else Data(released(X))
        data.keep()
        given = {name: value for name, value in self._settings.items() if not self._is_of_search(name)}
        given.update(qi=self._names, keep_suppressed=True, levels=[str(level) for level in self.levels_.values()])
        if self._hierarchies is not None:
            given["hierarchies"] = self._for(data)
        try:
            release = _commands.anonymize(data, **given)
        except Unsatisfied as error:
            raise Failed(str(error)) from None
        unseen = [name for name in release._names if name not in self._names_out]
        if unseen:
            raise BadInput(
                f"Anonymizer: the table that was learnt from released no column {', '.join(map(repr, unseen))}, so nobody "
                "decided what becomes of it; leave it out, or call fit() with a table that has it"
            )
        if release._n_rows != (release.result["input"]["rows"] if data.path is not None else data.count()):
            raise Failed("Anonymizer: these settings leave rows out; ask kanon.anonymize() for such a release")
        return release.table

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """The same as fit(X).transform(X)."""
        data = X if isinstance(X, Data) else Data(released(X))
        return self.fit(data).transform(data)

    def get_feature_names_out(self, input_features: Any = None) -> list:
        """The columns of what transform() gives."""
        if not hasattr(self, "levels_"):
            raise Failed("Anonymizer: nothing was learnt yet; call fit() first")
        return list(self._names_out)

    def __repr__(self) -> str:
        """Without hierarchies that are objects, which have values of people, and without paths of secrets."""
        told = []
        for name, value in self._settings.items():
            setting = lookup(name, "anonymize")
            if setting is not None and setting["secret"]:
                value = ...
            elif name == "hierarchies" and isinstance(value, dict):
                value = {column: rule if isinstance(rule, str) else ... for column, rule in value.items()}
            elif not isinstance(value, (str, int, float, list, tuple, dict)):
                value = ...
            told.append(f"{name}={value!r}".replace("Ellipsis", "..."))
        return f"Anonymizer({', '.join(told)})"

    # ---- hierarchies ----------------------------------------------------------------------------

    def _columns(self, qi: Any) -> tuple:
        """The names of the quasi-identifiers, and the rules that stand beside them."""
        if isinstance(qi, dict):
            return list(qi), {name: rule for name, rule in qi.items() if rule is not None}
        if isinstance(qi, str) and "=" in qi:
            raise BadInput('Anonymizer: write hierarchies as a dict, such as qi={"age": "intervals:5"}')
        return names_of(qi), {}

    def _learn(self, data: Data, rules: dict) -> tuple:
        """The hierarchies of all tables, the lines that functions gave for the first one, and whether any of both were
        made of its values."""
        given = self._settings.get("hierarchies")
        if given is not None and not isinstance(given, dict):
            if rules:
                raise BadInput("Anonymizer: hierarchies are a folder, and qi has some, too; give one of the two")
            return given, {}, False
        rules = dict(rules, **(given or {}))
        builders = {builder["name"].split(":")[0] for builder in _commands.list_kinds()["hierarchy_builders"]}
        learnt, lines, n_built = {}, {}, 0
        for column, rule in rules.items():
            if callable(rule):
                lines[column] = hierarchy_rows(data, column, rule)
                learnt[column] = rule
            elif isinstance(rule, os.PathLike):
                learnt[column] = os.fspath(rule)
            elif not isinstance(rule, str):
                learnt[column] = hierarchy_rows(data, column, rule)
            elif _is_rule(rule, builders) and not _is_rule(rule, _BY_VALUE):
                learnt[column] = _commands.hierarchy_build(data, column, method=rule)[column]
                n_built += 1
            else:
                learnt[column] = rule
        return learnt or None, lines, bool(lines or n_built)

    def _for(self, data: Data) -> Any:
        """The hierarchies for a table: functions are asked about its values, and what they said before stays."""
        if not isinstance(self._hierarchies, dict):
            return self._hierarchies
        asked = dict(self._hierarchies)
        for column, before in self._lines.items():
            rows = {row[0]: row for row in [*before, *hierarchy_rows(data, column, self._hierarchies[column])]}
            depth = max(len(row) for row in rows.values())
            # Where only one of both tables has a missing value, or several values at the top, the other has no * there.
            asked[column] = [row + ["*"] if len(row) == depth - 1 else row for row in rows.values()]
        return asked

    def _is_of_search(self, name: str) -> bool:
        setting = lookup(name, "anonymize")
        return setting is not None and setting["group"].split(" (")[0] in _OF_SEARCH
