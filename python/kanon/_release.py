"""A release, and what can be asked of it."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Callable, Optional

from . import _columns, _kanon, _pictures
from ._errors import BadInput, Failed, raise_of
from ._results import Result, Utility, Verification, Risk
from ._run import read, run
from ._settings import settings_for
from ._tables import Data


class Release(Result):
    """A release that was recounted: `.table` has the type of the table that was given.

    Rows of the table are renumbered: an index could identify somebody."""

    _is_release = True

    def __init__(self, outcome: dict, notes: list, data: Optional[Data], given: dict, again: Optional[Callable]):
        super().__init__(outcome, notes, data, given)
        self._again = again
        self._json: str = outcome["json"]  # with the figures of the report
        self._files: dict = outcome["files"]
        self._figures: Optional[dict] = self.result.get("report")
        if "report" not in self._files:
            self.result.pop("report", None)
        self._digest: Optional[bytes] = None
        self.table = None
        if outcome["stream"] is not None:
            (batch,) = _kanon.read_stream(outcome["stream"])
            self._digest = _columns.digest(batch[0])
            self._names, self._n_rows = [column[0] for column in batch[0]], batch[1]
            unchanged = {
                column["name"]
                for column in self.result["columns"]
                if column["became"] == "unchanged" and "treated" not in column
            }
            by_path = Data("")  # as where a job file names the table
            if data is not None:
                data.forget()
            self.table = (by_path if data is None else data).give(*batch, unchanged)

    def __getstate__(self) -> dict:
        """Pickles and copies never hold the table that the release was made of."""
        return dict(super().__getstate__(), _again=None)

    def __bool__(self) -> bool:
        raise TypeError(
            "a release keeps its promise, otherwise anonymize() raises; kanon.verify() says whether another "
            "table does, and the rows are in .table"
        )

    def report(self, path: Any = None) -> str:
        """The report as HTML, also written to `path`. With anonymize(report=True) the search also looks
        for other solutions, and the report shows them."""
        if "report" not in self._files:
            self._files["report"] = self._make_report()
        page = self._files["report"]
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
        return page

    def _make_report(self) -> str:
        """From what the result has: nothing is searched or counted again."""
        if self._figures is None:
            raise Failed("report: the release has no figures for it; the notes say why")
        with tempfile.TemporaryDirectory(prefix="kanon-") as folder:
            result, page = os.path.join(folder, "result.json"), os.path.join(folder, "report.html")
            with open(result, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(self._json)
            outcome = _kanon.run("report", [("input", None, result), ("output", None, page)], [], False,
                                 None, None)  # fmt: skip
            if isinstance(outcome, tuple):
                raise_of(outcome[0], outcome[1].replace(folder + os.sep, ""))
            return read(page)

    @property
    def certificate(self) -> str:
        """A certificate, with which those who have the original can check that nothing was changed since
        (`kanon verify --certificate`). It is private as `.result` is: guesses can be tested against its
        checksums. It is there if anonymize() had `certificate=True`; otherwise the search is run once more."""
        if "certificate" not in self._files:
            self._files["certificate"] = self._make_certificate()
        return self._files["certificate"]

    def _make_certificate(self) -> str:
        if self._again is None or self._digest is None:
            raise BadInput(
                "certificate: if rows are shuffled, or the release is a file or comes from a pickle, it can only be "
                "made together with the release; give anonymize() certificate=True"
            )
        outcome = self._again({"certificate": True})[0]
        (batch,) = _kanon.read_stream(outcome["stream"])
        if _columns.digest(batch[0]) != self._digest:
            raise Failed(
                "certificate: the job now gives a different release, because the table or a file was changed; give "
                "anonymize() certificate=True, and it is made with the release"
            )
        return outcome["files"]["certificate"]

    def _ask(self, what: str, command: str, more: dict) -> tuple:
        """Runs a command on the release, with the settings that made it as far as the command knows them."""
        given = settings_for(command, self._asked(what), "anonymize")
        given.update(more)
        if given.get("original") is None:  # of which rows it is made is asked of the original alone
            given.pop("where", None)
        table = self.table if self.table is not None else self._given.get("output")
        if table is None:
            raise BadInput(f"{what}: the release is a file that a job file names; give kanon.{command}() its path")
        return run(command, table, given), given

    def _original(self, more: dict) -> dict:
        """With the table that the release was made of, where that is one table."""
        if "original" in more:
            return more
        path = (self.result.get("input") or {}).get("path")  # also of a table that a job file names
        original = path if self._data is None or self._data.path is not None else self._data
        return more if original is None else dict(more, original=original)

    def verify(self, **settings: Any) -> Verification:
        """Recounts the release with the settings that made it, and holds it against the table that it was made of.
        Settings that are given here win; `original=None` leaves that table out.

        >>> kanon.anonymize({"age": [1, 1, 2, 2]}, qi="age", k=2).verify().holds
        True
        """
        # What the release left out it must not have, also where no word was said of it.
        if not any(name in given for name in ("others", "job") for given in (settings, self._asked("verify"))):
            settings["others"] = "drop"
        (outcome, notes, data), given = self._ask("verify", "verify", self._original(settings))
        return Verification(outcome, notes, data, given)

    def risk(self, **settings: Any) -> Risk:
        """How likely people are to be recognised in the release, beside the table that it was made of.

        >>> kanon.anonymize({"age": [1, 1, 2, 2]}, qi="age", k=2).risk().result["risk"]["prosecutor"]["highest"]
        0.5
        """
        (outcome, notes, data), given = self._ask("risk", "risk", self._original(settings))
        return Risk(outcome, notes, data, given)

    def compare_with(self, original: Any, **settings: Any) -> Utility:
        """What can still be done with the release, compared with `original`: kanon.utility() with the settings that
        made it.

        >>> table = {"age": [1, 1, 2, 2]}
        >>> kanon.anonymize(table, qi="age", k=2).compare_with(table).result["columns"][0]["even"]["total_variation"]
        0.0
        """
        (outcome, notes, data), given = self._ask("compare_with", "utility", dict(settings, original=original))
        return Utility(outcome, notes, data, given)

    def _repr_html_(self) -> str:
        return super()._repr_html_() + _pictures.draw(self._figures)
