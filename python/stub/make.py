"""Makes what type checkers and editors read of the package: the template, with every function as the registry has it.

    make.py template.pyi __init__.pyi
"""

import json
import re
import sys
from typing import Any

from kanon import _settings as settings, _signatures as signatures

TABLES = ("original", "population", "register")  # which may be in memory
_NUMBERS = ("A", "B", "D", "E", "F", "L", "P", "R", "S", "T", "W", "K", "N", "SECONDS", "DAYS")


def _scalar(argument: str, setting: dict) -> str:
    """The type of a value that stands alone."""
    if setting["choices"]:
        return "Literal[%s]" % ", ".join(json.dumps(choice) for choice in setting["choices"].split("|"))
    if argument in ("N", "K", "M"):
        return "Whole"
    if argument in _NUMBERS or argument == "C" and setting["group"] != "Input" and setting["name"] != "codes-separator":
        return "Number"
    if argument in ("N|P%|all", "N|all", "SIZE", "M|M:K,M:K", "N|NAME", "C"):
        return "Union[Number, str]"
    return "Path" if setting["takes_path"] else "str"


def type_of(command: str, name: str, setting: Any) -> str:
    """The type of an argument; None may be given for all of them."""
    if name == "progress":
        return "Progress"
    if name == "hierarchies" and command != "generate":
        return "Hierarchies"
    if name in TABLES:
        return "Data"
    argument = setting["argument"]
    if argument is None:
        return "bool"
    if setting["name"] in ("report", "certificate") and setting["writes"] and command == "anonymize":
        return "Union[bool, Path]"
    if setting["takes_columns"]:
        return "Columns" if "=" in argument or setting["repeats"] else "str"
    if argument.startswith("[NAME=]"):
        one = _scalar(argument[len("[NAME=]") :].split(",")[0], setting)
        return f"Union[{one}, Mapping[str, {one}]" + (", Iterable[str]]" if one == "str" else "]")
    if "," in argument and not setting["takes_path"]:
        one = _scalar(argument.split(",")[0].split("|")[0], setting)
        return f"Union[str, {one}, Iterable[{one}]]" if one != "str" else "Union[str, Iterable[str]]"
    one = _scalar(argument, setting)
    return f"Union[{one}, Iterable[{one}]]" if setting["repeats"] else one


def _typed(command: str, is_by_job: bool) -> list:
    """Arguments with their types. A call has its table and columns, or a job file that names them."""
    lines = []
    for name in signatures.positional(command):
        kind = "Columns" if name == "column" else "Data"
        lines.append(f"{name}: Optional[{kind}] = ..." if is_by_job else f"{name}: {kind}")
    lines.append("*")
    for name, setting in signatures.parameters(command):
        kind = type_of(command, name, setting)
        is_needed = name == "job" if is_by_job else signatures.is_needed(command, name)
        lines.append(f"{name}: {kind}" if is_needed else f"{name}: Optional[{kind}] = ...")
    return lines


def stub_of(function: str, command: str, gives: str, indent: str = "") -> str:
    """The function as a stub has it."""
    takes_job = any(name == "job" for name, _ in signatures.parameters(command)) and command != "hierarchy-build"
    ways = [False, True] if takes_job else [False]
    text = ""
    for is_by_job in ways:
        lines = "".join(f"\n{indent}    {line}," for line in _typed(command, is_by_job))
        text += f"{indent}@overload\n" if len(ways) > 1 else ""
        text += f"{indent}def {function}({lines}\n{indent}) -> {gives}: ...\n"
    return text


def method_of(method: str, command: str, gives: str, own: str) -> str:
    """A method of a result, which has the settings of a command: all of them may be left out."""
    taken = {line.split(":")[0] for line in own.split(", ")}
    lines = ["self", *filter(None, own.split(", ")), "*"]
    for name, setting in signatures.parameters(command):
        if name not in taken:
            lines.append(f"{name}: Optional[{type_of(command, name, setting)}] = ...")
    return f"    def {method}(" + "".join(f"\n        {line}," for line in lines) + f"\n    ) -> {gives}: ...\n"


def init_of_anonymizer() -> str:
    """The constructor of the Anonymizer."""
    lines = ["self", "*"]
    for name, setting in signatures.of_anonymizer():
        kind = type_of("anonymize", name, setting)
        lines.append(f"{name}: {kind}" if name == "qi" else f"{name}: Optional[{kind}] = ...")
    return "    def __init__(" + "".join(f"\n        {line}," for line in lines) + "\n    ) -> None: ...\n"


def stub(template: str) -> str:
    """The template with a line `#: function COMMAND RESULT` or `#: method NAME COMMAND RESULT [ARGUMENT: TYPE]` in place
    of each function, and `#: anonymizer` for the constructor of that."""

    def fill(match: Any) -> str:
        what, *words = match[1].split(" ", 4)
        if what == "function" and words[0] not in settings.COMMANDS:
            return ""
        if what == "function":
            return stub_of(settings.function_of(words[0]), words[0], words[1])
        if what == "anonymizer":
            return init_of_anonymizer()
        name, command, gives, *own = words
        return method_of(name, command, gives, own[0] if own else "")

    return re.sub(r"^ *#: (.*)\n", fill, template, flags=re.M)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        text = stub(file.read())
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(text)
