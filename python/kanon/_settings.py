"""Settings: what the registry of the library says of them, and values of Python as it takes them."""

from __future__ import annotations

import json
import keyword
import os
import re
from typing import Any, Iterable, Optional

from . import _kanon

SETTINGS = _kanon.settings()
COMMANDS = {command["name"]: command for command in _kanon.all_commands()}
_FUNCTIONS = {"import": "import_project"}  # whose name is another one
# The command line has them; here there is no file of standard output, and no terminal to write on.
_ELSEWHERE_ONLY = ("input", "json", "quiet", "progress", "no-progress", "width")


def function_of(command: str) -> str:
    """What the function of a command is called."""
    return _FUNCTIONS.get(command, command.replace("-", "_"))


def command_of(function: str) -> str:
    return next((name for name, other in _FUNCTIONS.items() if other == function), function.replace("_", "-"))


def name_of(setting: dict) -> str:
    """What a setting is called as an argument: words of Python have an underscore behind them."""
    name = setting["name"].replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def is_for(setting: dict, command: str) -> bool:
    return command in setting["commands"].split()


def of_command(command: str) -> list:
    """The settings of a command that are arguments of its function."""
    return [setting for setting in SETTINGS if is_for(setting, command) and setting["name"] not in _ELSEWHERE_ONLY]


def settings(command: str = "anonymize") -> dict:
    """The settings of a command: their names and summaries.

    >>> "suppress" in kanon.settings("anonymize")
    True
    """
    dashed = command_of(command)
    found = {name_of(s): in_python(s["summary"], dashed) for s in SETTINGS if is_for(s, dashed)}
    if not found:
        raise ValueError(f"there is no command {command!r}")
    return found


def settings_for(command: str, given: dict, source: str) -> dict:
    """Those of the settings that were given to `source` which mean something to `command`. Where files were written
    is left out."""
    kept = {}
    for name, value in given.items():
        setting = None if name in ("progress", "hierarchies") else lookup(name, source)
        if name == "progress" or setting is not None and (setting["writes"] or setting["name"] in _ELSEWHERE_ONLY):
            continue
        if name == "hierarchies" or lookup(name, command) is not None:
            kept[name] = value
    return kept


# What anjana and pyCANON call them.
_ELSEWHERE = {
    "quasi_ident": "qi", "ident": "drop", "sens_att": "sensitive", "l_div": "l", "supp_level": 'suppress="50%"',
    "delta": "delta_disclosure",
}  # fmt: skip


def lookup(name: str, command: str) -> Optional[dict]:
    dashed = name.rstrip("_").replace("_", "-")
    return next((s for s in SETTINGS if s["name"] == dashed and is_for(s, command)), None)


def find(name: str, command: str) -> dict:
    setting = lookup(name, command)
    if setting is not None:
        return setting
    meant = _ELSEWHERE.get(name, "")
    if meant.split("=")[0] not in settings(command):
        near = _kanon.nearest(name.rstrip("_").replace("_", "-"), command)
        meant = name_of({"name": near}) if near else ""
    hint = f"; did you mean {meant}?" if meant else ""
    raise TypeError(f"{function_of(command)}() has no setting {name!r}{hint}")


# ---- messages -----------------------------------------------------------------------------------

_SWITCHES = {s["name"] for s in SETTINGS if s["argument"] is None}
_WORDS = {s["name"]: set((s["choices"] or "").split("|")) - {""} for s in SETTINGS}
_OF_COLUMNS = {s["name"] for s in SETTINGS if s["takes_columns"]}
_FLAG = re.compile(r"""(?<![\w'"\-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:(?P<sign>[ =])(?P<value>[^\s;:()`]+))?""")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?$")
_HOLDER = re.compile(r"[A-Z][A-Z_]*$")  # what stands for a value: NAME, FILE, N
_SHOWN = re.compile(
    r"(\d+(\.\d+)?%|[A-Z][A-Z_]*([=.,|]+[A-Z_a-z0-9.]+)*|[\w*]+=[\w:,.*-]+"
    r"|-?\d+(\.\d+)?(,\d+)*|\d+e-\d+|\d+\.\.\d+|[a-z][\w-]*(,[a-z][\w-]*)+|[a-z][a-z0-9]*(-[a-z0-9]+)+)$"
)  # fmt: skip
_ALL = "|".join(sorted((re.escape(c["words"]) for c in COMMANDS.values()), key=len, reverse=True))
_HELP = re.compile(rf"\bkanon help ({_ALL})\b")
_COMMAND = re.compile(
    rf"\bkanon ({_ALL}" +
    r"|list)\b(?=[`,;:.)]| (?:and|or|shows?|lists?|does|makes?|has|for|of|to|is|with|--)|$)"
)  # fmt: skip


def _argument(match: Any) -> str:
    name, value = match[1], match["value"]
    if name not in _WORDS:
        return match[0]
    called = name_of({"name": name})
    if name in _SWITCHES:
        return f"{called}=True" + (match["sign"] + value if value else "")
    rest = ""
    while value and value[-1] in ".,":
        value, rest = value[:-1], value[-1] + rest
    if value and (_SHOWN.match(value) or value in _WORDS[name]):
        if _NUMBER.match(value) or _HOLDER.match(value):
            return f"{called}={value}{rest}"
        column, sign, held = value.partition("=")
        if sign and name in _OF_COLUMNS and "," not in column:
            parts = [part if _HOLDER.match(part) else json.dumps(part) for part in (column, held)]
            return f"{called}={{{parts[0]}: {parts[1]}}}{rest}"
        return f"{called}={json.dumps(value)}{rest}"
    return called + (match["sign"] + value + rest if value else "")


def in_python(text: str, command: str = "") -> str:
    """A text of the library with arguments in place of flags: `--k 5` is k=5, and `kanon verify` kanon.verify()."""
    text = _HELP.sub(lambda match: f"help(kanon.{function_of(match[1].replace(' ', '-'))})", text)
    text = _COMMAND.sub(lambda match: f"kanon.{function_of(match[1].replace(' ', '-'))}()", text)
    return _FLAG.sub(_argument, text)


# ---- values -------------------------------------------------------------------------------------


def plain(name: str, value: Any) -> Any:
    """Arrays, series and indices of names or numbers as lists."""
    if isinstance(value, (set, frozenset)):
        raise TypeError(f"{name}: a set has no order; give a list")
    if hasattr(value, "tolist") and getattr(value, "ndim", None) in (0, 1):
        return value.tolist()
    if hasattr(value, "__array__") and getattr(value, "ndim", 0) > 1:
        raise TypeError(f"{name}: {type(value).__name__} has {value.ndim} dimensions; give a list of names")
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, list, tuple)) and not hasattr(value, "items"):
        return list(value)
    return value


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def add(out: list, setting: dict, value: Any) -> None:
    """Appends (name, column, value) for the C part."""
    name = setting["name"]
    if value is None or value is False:
        return
    if name == "json":
        raise TypeError("json: the result is in .result; write that to a file")
    if value is True and setting["writes"]:
        raise TypeError(f"{name.replace('-', '_')}: give the path of a file")
    if value is True:
        out.append((name, None, "true"))
    elif isinstance(value, dict):
        if not all(isinstance(column, str) for column in value):
            raise TypeError(f"{name.replace('-', '_')}: column names are text; give a dict with column names as keys")
        for column, held in value.items():
            text = held.encoded() if hasattr(held, "encoded") else None if held is None else _text(held)
            out.append((name, column, text))
    elif isinstance(value, (list, tuple)) and not setting["repeats"]:
        out.append((name, None, ",".join(_text(item) for item in value)))
    elif isinstance(value, (list, tuple)):
        for item in value:
            is_name = setting["takes_columns"] and isinstance(item, str)
            out.append((name, item, None) if is_name else (name, None, _text(item)))
    else:
        out.append((name, None, _text(value)))
