"""What functions take, from the registry of the library: their signatures and their help. What type checkers and
editors read is made of the same, when the package is built (python/stub/make.py)."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

from ._anonymizer import is_refused
from ._settings import COMMANDS, function_of, in_python, name_of, of_command

_FIRST = ("qi", "k", "hierarchies")  # as everybody gives them
# What Python says of these itself.
_OF_PYTHON = {
    "hierarchies": "a folder, or a dict from quasi-identifiers to a rule, a file, a dict, a list of lines, or a function",
    "progress": "True for a line on standard error, or a function of (stage, done, total, best, bound)",
}


def parameters(command: str) -> list:
    """The settings of a command in the order of its signature: (name, setting); `progress` is Python's alone."""
    own = [setting for setting in of_command(command) if not _is_positional(command, setting)]
    places = {name: place for place, name in enumerate(_FIRST)}
    own.sort(key=lambda setting: (places.get(setting["name"], len(places)), not setting["everyday"]))
    return [(name_of(setting), setting) for setting in own] + [("progress", None)]


def _is_positional(command: str, setting: dict) -> bool:
    return command == "hierarchy-build" and setting["name"] in ("column", "output")


def is_needed(command: str, name: str) -> bool:
    return name == "qi" and COMMANDS[command]["needs_columns"]


def positional(command: str) -> list:
    return ["data", "column"] if command == "hierarchy-build" else ["data"]


def signature(command: str) -> inspect.Signature:
    kinds = inspect.Parameter
    found = [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in positional(command)]
    for name, _ in parameters(command):
        default = kinds.empty if is_needed(command, name) else None
        found.append(kinds(name, kinds.KEYWORD_ONLY, default=default))
    return inspect.Signature(found)


# ---- help ---------------------------------------------------------------------------------------


def _line(command: str, name: str, setting: Any) -> str:
    if name in _OF_PYTHON:
        said = _OF_PYTHON[name]
    else:
        said = in_python(setting["summary"], command)
        if setting["choices"]:
            said += ": " + ", ".join(setting["choices"].split("|"))
        if setting["fallback"]:
            said += f" (default: {in_python(setting['fallback'], command)})"
    return textwrap.fill(said, 100, initial_indent=f"{name}: ", subsequent_indent="    ")


def help_of(command: str) -> str:
    """The settings, those of every day first, the others under the headings of the command line."""
    groups: dict = {}
    for name, setting in parameters(command):
        is_everyday = name in _FIRST or name == "progress" or setting["everyday"]
        heading = "Settings" if is_everyday else setting["group"].split(" (")[0]
        groups.setdefault(heading, []).append(_line(command, name, setting))
    lines = [line for heading, own in groups.items() for line in ["", heading, "-" * len(heading), *own]]
    return "\n".join(lines[1:])


def of_anonymizer() -> list:
    """What the Anonymizer takes of the settings of anonymize()."""
    return [(name, setting) for name, setting in parameters("anonymize") if not is_refused(name, setting)]


def give(functions: dict, anonymizer: type) -> None:
    """Gives each function the signature and the help of its command."""
    kinds = inspect.Parameter
    anonymizer.__signature__ = inspect.Signature([
        kinds(name, kinds.KEYWORD_ONLY, default=kinds.empty if name == "qi" else None) for name, _ in of_anonymizer()
    ])  # fmt: skip
    for command, function in functions.items():
        function.__module__ = "kanon"
        function.__signature__ = signature(command)
        function.__doc__ = inspect.cleandoc(function.__doc__) + "\n\n" + help_of(command) + "\n"
