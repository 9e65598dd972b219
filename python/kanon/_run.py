"""Runs a command of the library on what a user gave."""

from __future__ import annotations

import html
import os
import re
import sys
import tempfile
from typing import Any, Callable, Optional

from . import _kanon
from ._errors import Note, raise_of, warn
from ._hierarchies import take_hierarchies
from ._settings import add, find, in_python, plain
from ._tables import Data


def _bar() -> Callable:
    """One line on standard error that is written over."""

    def show(stage, done, total, best, bound):
        part = f" {100 * done // total:3d} %" if total else f" {done:,}"
        cost = f"  best {best:g}" if best is not None else ""
        sys.stderr.write(f"\r{stage:8s}{part}{cost}\033[K")
        sys.stderr.flush()

    return show


def read(path: str) -> str:
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def named(text: str, made: dict) -> str:
    """With what users gave in place of the files that were made of it."""
    for path, hierarchy in made.items():
        text = text.replace(path, hierarchy.called)
    return text


def _away(text: str, folder: str) -> str:
    """A text, or a page, that names files without their folder. In pages long names may break."""
    signs = [re.escape(html.escape(sign)) for sign in folder + os.sep]
    return re.sub("(?:<wbr>)?".join(signs) + "(?:<wbr>)?", "", text).replace(folder + os.sep, "")


def _without(text: str, *paths: str) -> str:
    """Without the lines that name files which are gone afterwards."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not any(path in line for path in paths))


def _take_files(command: str, given: dict, folder: str) -> dict:
    """The files that go with a release, by setting; those that nobody named are made in `folder`."""
    files = {}
    for setting, ending in (("report", ".html"), ("certificate", ".json")):
        if command == "anonymize" and given.get(setting):
            if given[setting] is True:
                given[setting] = os.path.join(folder, setting + ending)
            files[setting] = os.fspath(given[setting])
    return files


def released(data: Any) -> Any:
    """The rows of a release, where somebody gives one as a table."""
    table = getattr(data, "table", None) if hasattr(data, "_is_release") else None
    return data if table is None else table


_TABLES = ("original", "population", "register")  # settings that are tables, too


def run(command: str, data: Any, given: dict, more: Optional[dict] = None, is_told: bool = True) -> tuple:
    """Runs a command: (outcome, notes, data)."""
    given = {name: plain(name, value) if name not in _TABLES else value
             for name, value in dict(given, **(more or {})).items()}  # fmt: skip
    if given.get("input") is not None and data is not None:
        raise TypeError("input: the table is the first argument; leave this one out")
    progress = given.pop("progress", None)
    data = released(data)
    if data is None and "job" not in given:
        raise TypeError("None is not a table: give a data frame, a dict of columns, or the path of a file")
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise TypeError("progress is True, or a function of (stage, done, total, best, bound)")
    table = data if isinstance(data, Data) or data is None else Data(data)
    out: list = []
    streams = []
    notes: list = []
    made: dict = {}
    with tempfile.TemporaryDirectory(prefix="kanon-") as folder:
        others = {}
        for setting in _TABLES:
            if setting in given and not isinstance(given[setting], (str, os.PathLike, type(None))):
                find(setting, command)
                others[setting] = given.pop(setting)
                if not isinstance(others[setting], Data):
                    others[setting] = Data(released(others[setting]))
                streams.append((setting, others[setting].stream()))
        if "hierarchies" in given and not isinstance(given["hierarchies"], (str, os.PathLike)):
            # Hierarchies are about values before they were generalized.
            known = others.get("original", table)
            given["qi"] = take_hierarchies(
                known, given.pop("hierarchies"), given.get("qi"), folder, out, made
            )
        files = _take_files(command, given, folder)
        for name, value in given.items():
            add(out, find(name, command), value)
        if command == "verify" and table is not None:
            looked_at = [[column] if column else (text or "").split(",") for name, column, text in out
                         if name in ("qi", "sensitive")]  # fmt: skip
            table.refuse_two_missing([name for names in looked_at for name in names])
        if table is not None and table.path is not None:
            out.append(("input", None, table.path))
        elif table is not None:
            streams.append(("input", table.stream()))
        out.sort(key=lambda setting: setting[0] == "job")  # it takes what nobody has set before
        wants_table = command == "anonymize" and given.get("output") is None
        show = _bar() if progress is True else progress or None
        try:
            outcome = _kanon.run(command, out, streams, wants_table, show, notes.append)
        finally:
            if progress is True:
                sys.stderr.write("\r\033[K")
        if isinstance(outcome, tuple):
            text = in_python(named(outcome[1], made), command)
            raise_of(outcome[0], text + (table.hint(outcome[1]) if table else ""))
        outcome["files"] = {
            setting: _away(read(path), folder) for setting, path in files.items()
        }
        outcome["json"] = (outcome["json"] or "").replace(folder + os.sep, "")
        outcome["summary"] = _without(outcome["summary"], folder).rstrip("\n") + "\n"
        outcome["hierarchies"] = {path: (hierarchy.name, hierarchy.text) for path, hierarchy in made.items()}
        kept = [path for path in files.values() if path.startswith(folder)]
        outcome["job"] = _without(outcome.get("job", ""), *kept)
    notes = [in_python(named(note, made), command) for note in notes]
    for note in notes if is_told else ():
        warn(note, Note)
    if outcome["interrupted"]:
        warn("interrupted: the result is what was found by then", RuntimeWarning)
    return outcome, notes, table
