"""Executes notebooks as a kernel does, without one: the code cells one after the other in one namespace, and what the
last expression of a cell is, is shown.

    notebooks.py FILE.ipynb...
"""

import ast
import json
import sys


class Failed(Exception):
    """A cell that raised."""


def shown(value):
    """What a notebook shows of a value."""
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


def execute(path):
    """What each code cell shows, or None; and the names that are there at the end."""
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    assert notebook["nbformat"] == 4 and all(cell["cell_type"] in ("code", "markdown") for cell in notebook["cells"])
    names = {"__name__": "__main__"}
    outputs = []
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        where = f"{path}, code cell {number}"
        try:
            exec(compile(tree, where, "exec"), names)
            value = eval(compile(ast.Expression(last.value), where, "eval"), names) if last is not None else None
            outputs.append(None if value is None else shown(value))
        except Exception as error:
            raise Failed(f"{where}: {type(error).__name__}: {error}") from error
    return outputs, names


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print(path, len(execute(path)[0]), "cells")
