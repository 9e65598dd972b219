"""What commands found."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Optional

from . import _frames, _pictures, _plots
from ._errors import BadInput
from ._run import run
from ._settings import name_of, settings_for
from ._tables import Data


def _with_effort(job: str, result: dict) -> str:
    """A clock makes another release each time; steps make the same one."""
    if result.get("optimal") is not False or not result.get("effort"):
        return job
    lines = [line for line in job.splitlines(True) if not line.startswith(("effort:", "time-limit:"))]
    return "".join(lines) + "effort: %d\n" % result["effort"]


class Result:
    """What a command found: `.result` is the JSON of the command line, `.summary` its text."""

    def __init__(self, outcome: dict, notes: list, data: Optional[Data] = None, given: Optional[dict] = None):
        self.result: dict = json.loads(outcome["json"]) if outcome["json"] else {}
        self.summary: str = outcome["summary"]
        self.holds: bool = outcome["holds"]
        self.unchecked: Optional[str] = outcome["unchecked"]
        self.notes: list = notes
        self._job: str = outcome.get("job", "")
        self._no_job: Optional[str] = outcome.get("no_job")
        self._hierarchies: Optional[dict] = outcome["hierarchies"]
        self._data = data  # what it was asked of, and with which settings
        self._given = given

    def __bool__(self) -> bool:
        raise TypeError(
            "only kanon.verify() and kanon.check() say whether something holds, so only their results can be used in "
            "`if`; what this one found is in .result and .summary"
        )

    def __getstate__(self) -> dict:
        """Hierarchies have values of people who were left out, and so has the table: pickles and copies go
        without."""
        return dict(self.__dict__, _hierarchies=None if self._hierarchies else {}, _data=None, _given=None)

    def _asked(self, what: str) -> dict:
        if self._given is None:
            raise BadInput(f"{what}: a copy does not have the table or the settings; ask the result itself")
        return self._given

    def job(self, folder: Any = None) -> str:
        """The settings as the text of a job file, which makes the same release again: where the search was not
        proven, with the effort that it made in place of a time limit. Hierarchies that were given as Python objects
        are written into `folder`, as the files that the job names. Such files have all values of
        the column, also of people who were left out: they are private."""
        if self._no_job:
            raise BadInput(f"job: {self._no_job}")
        text = _with_effort(self._job, self.result)
        if self._hierarchies is None:
            raise BadInput("job: a copy does not have the hierarchies that were given as Python objects; ask the "
                "result itself")
        if self._hierarchies and folder is None:
            raise BadInput("job: hierarchies that were given as Python objects become files; give a folder for them")
        for path, (name, lines) in self._hierarchies.items():
            kept = os.path.join(os.path.abspath(os.fspath(folder)), name)  # a job names files from where it stands itself
            with open(kept, "w", newline="", encoding="utf-8", errors="surrogateescape") as file:
                file.write(lines)
            text = text.replace(path, kept)
        return text

    def __repr__(self) -> str:
        return self.summary

    def _repr_html_(self) -> str:
        return "<pre>%s</pre>" % _pictures.escape(self.summary)


class Verification(Result):
    """What `verify` found: it is true if the promise holds, and false if it does not, or if something could not
    be checked."""

    def __bool__(self) -> bool:
        return self.holds

    @property
    def failing(self) -> Any:
        """The rows in groups that are smaller than the promised k, as a frame of pandas: the quasi-identifiers, the
        number and the size of the group, and the labels that the rows have in your frame. Other promises
        (`l`, `t` ...) have no such list; what they reach is in `.result["privacy"]`."""
        from ._failing import rows

        self._asked("failing")
        return rows(self.result, self._data)


class Check(Result):
    """What `check` found: it is true if nothing is against the rule and every column was decided."""

    def __bool__(self) -> bool:
        return self.holds

    @property
    def columns(self) -> Any:
        """A line for each column, as a frame of pandas: what was found, and why."""
        return _frames.make([_frames.flat(column) for column in self.result["columns"]], "columns")


class Risk(Result):
    """How likely people are to be recognised."""

    def __init__(self, outcome: dict, notes: list, data: Optional[Data], given: dict):
        super().__init__(outcome, notes, data, given)
        self._rows: Any = None

    def __getstate__(self) -> dict:
        return dict(super().__getstate__(), _rows=None)

    @property
    def rows(self) -> Any:
        """A line for each row of the table, as a frame of pandas with the labels of your rows: its group, its risk, and
        the smallest sets of columns that make it unique. It is for those who may see the table, and never to
        be shared. Risk is measured once more for it."""
        if self._rows is None:
            given = dict(self._asked("rows"), progress=None, force=True)
            with tempfile.TemporaryDirectory(prefix="kanon-") as folder:
                path = os.path.join(folder, "rows.csv")
                run("risk", self._data, dict(given, rows=path), is_told=False)
                self._rows = _frames.of_csv(path, self._data)
        return self._rows.copy()

    def plot(self, ax: Any = None) -> Any:
        """How many rows are in groups of which size, before and after, drawn by matplotlib; returns the axes."""
        return _plots.risk(self.result, ax)


class Profile(Result):
    """What is in the columns of a table."""

    @property
    def columns(self) -> Any:
        """A line for each column, as a frame of pandas."""
        return _frames.make([_frames.flat(column) for column in self.result["columns"]], "columns")


# What tells searches of a comparison apart, in the order in which a title names it.
_CELL = {"k": "k", "suppress": "suppress", "algorithm": "algorithm", "cost": "cost", "recoding": "asked_recoding"}


class Comparison(Result):
    """Several searches side by side. `.cells` has the settings of each, for `kanon.anonymize(table, **cell)`."""

    @property
    def cells(self) -> list:
        """The settings of each search: anonymize() makes its release with them."""
        common = settings_for("anonymize", self._asked("cells"), "compare")
        return [
            dict(common, **{name: cell[key] for name, key in _CELL.items() if cell.get(key) is not None})
            for cell in self.result["cells"]
        ]

    def to_frame(self) -> Any:
        """A line for each search, as a frame of pandas, in the order of `.cells`."""
        lines = [{key: value for key, value in cell.items() if key != "command"} for cell in self.result["cells"]]
        return _frames.make([_frames.flat(line) for line in lines], "to_frame")

    def plot(self, y: Optional[str] = None, ax: Any = None) -> Any:
        """What each k costs, a line for each of the other choices, drawn by matplotlib; `y` is a column of
        `to_frame()`, by default the cost. Returns the axes."""
        return _plots.comparison(self.result["cells"], y, ax)


class Utility(Result):
    """What can still be done with a release; `.frame(name)` has its figures as a table."""

    _tables = ("columns", "classes", "pairs", "changed", "guesses", "coefficients", "classifiers")

    def _rows(self, name: str) -> list:
        found = self.result
        if name == "classes":
            return [{"name": column["name"], **one} for column in found["columns"] for one in column["classes"]]
        if name == "guesses":
            guesses = found["propensity"]["guesses"] or {"least": 0, "greatest": 0, "original": [], "release": []}
            width = (guesses["greatest"] - guesses["least"]) / max(1, len(guesses["original"]))
            return [
                {"from": guesses["least"] + i * width, "to": guesses["least"] + (i + 1) * width, "original": before,
                 "release": after}
                for i, (before, after) in enumerate(zip(guesses["original"], guesses["release"]))
            ]
        if name in ("coefficients", "classifiers"):
            models = found["regressions" if name == "coefficients" else "classifications"]
            return [{"formula": model["formula"], **_frames.flat(one)} for model in models for one in model[name]]
        return [_frames.flat(row) for row in found[name]]

    def frame(self, name: str = "columns") -> Any:
        """A table of figures as a frame of pandas: `columns`, the `classes` that these are cut into, `pairs`, those that
        `changed` most, the `guesses` of the propensity score, `coefficients` of regressions and `classifiers`."""
        if "columns" not in self.result:
            raise BadInput("frame: a workload has no columns; its queries are in .result['queries']")
        if name not in self._tables:
            raise BadInput(f"frame: there is no {name!r}; ask for one of {', '.join(self._tables)}")
        return _frames.make(self._rows(name), "frame")
