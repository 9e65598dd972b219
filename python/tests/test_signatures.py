"""What functions take, what they are called, and what type checkers read of it."""

import ast
import inspect
import keyword
import os
import re
import warnings

import pytest

import kanon

FUNCTIONS = ["anonymize", "search", "verify", "risk", "utility", "attack", "profile", "compare", "check",
             "hierarchy_build"]  # fmt: skip
FUNCTIONS += ["import_project"] if hasattr(kanon, "import_project") else []


def stub():
    with open(os.path.join(os.path.dirname(kanon.__file__), "__init__.pyi"), encoding="utf-8") as file:
        return ast.parse(file.read())


def functions_of(body):
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def test_signatures_are_those_of_the_registry():
    assert str(inspect.signature(kanon.anonymize)).startswith("(data, *, qi, k=None, hierarchies=None, ")
    for name in FUNCTIONS:
        parameters = inspect.signature(getattr(kanon, name)).parameters
        asked = [p for p in parameters.values() if p.kind is p.KEYWORD_ONLY]
        known = set(kanon.settings(name)) - {"input", "json", "quiet", "no_progress", "column", "output", "width"}
        assert known <= {p.name for p in asked} <= set(kanon.settings(name)) | {"progress"}
        assert not any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        assert not any(keyword.iskeyword(parameter) for parameter in parameters)
    assert {"class_", "for_"} <= set(inspect.signature(kanon.anonymize).parameters)
    assert "as_" in inspect.signature(kanon.attack).parameters


def test_help_has_every_setting_and_no_flag():
    for name in FUNCTIONS:
        text = getattr(kanon, name).__doc__
        for parameter in list(inspect.signature(getattr(kanon, name)).parameters)[1:]:
            assert re.search(rf"^{parameter}: \S", text, re.M) or parameter == "column"
        assert not re.search(r"(?<![\w-])--[a-z]", text.replace("kanon verify --certificate", ""))
    assert "discernibility" in kanon.anonymize.__doc__


def test_dir_shows_what_is_public():
    assert dir(kanon) == sorted([*kanon.__all__, "list", "__version__"])
    assert all(hasattr(kanon, name) for name in dir(kanon))
    named = {}
    exec("from kanon import *", named)
    assert "list" not in named and "anonymize" in named


def test_calls_of_before_still_work():
    people = {"age": [1, 1, 2, 2], "ill": ["a", "b", "a", "b"], "sex": ["f", "f", "m", "m"]}
    for given in ({"class": "ill"}, {"class_": "ill"}):
        assert kanon.search(people, qi="age", k=2, cost="classification", **given).result
    for given in ({"for": "ill ~ age"}, {"for_": "ill ~ age"}):
        assert kanon.anonymize(people, qi=["age", "sex"], k=2, keep="ill", **given).table


def test_what_there_is_is_listed():
    kinds = kanon.list()
    assert "ncp" in [cost["name"] for cost in kinds["costs"]]
    assert "discernibility" in repr(kinds) and not repr(kinds).lstrip().startswith("{")


# ---- types --------------------------------------------------------------------------------------


def test_the_stub_has_what_there_is():
    tree = stub()
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef) and node.name[0] != "_"}
    functions = functions_of(tree.body)
    assert sorted([*classes, *functions]) == sorted([*kanon.__all__, "list"])
    for name, node in classes.items():
        real = getattr(kanon, name)
        assert [base.id for base in node.bases if hasattr(base, "id")] == [
            base.__name__ for base in real.__bases__ if base is not object
        ]
        methods = set(functions_of(node.body))
        public = {key for key in vars(real) if not key.startswith("_")}
        assert public <= methods and all(hasattr(real, method) for method in methods)
    for name in FUNCTIONS:
        parameters = inspect.signature(getattr(kanon, name)).parameters
        for way in functions[name]:
            assert [argument.arg for argument in way.args.args + way.args.kwonlyargs] == list(parameters)
    attributes = {part.target.id for part in classes["Result"].body if isinstance(part, ast.AnnAssign)}
    result = kanon.search({"a": [1, 1]}, qi="a", k=2)
    assert attributes == {key for key in vars(result) if not key.startswith("_")}


# ---- messages -----------------------------------------------------------------------------------


@pytest.mark.parametrize("text, expected", [
    ("give --k 5 or --suppress 1%", 'give k=5 or suppress="1%"'),
    ("leave --shuffle out", "leave shuffle=True out"),
    ("--qi NAME=FILE gives one", "qi={NAME: FILE} gives one"),
    ("with --hierarchies DIR.", "with hierarchies=DIR."),
    ("--cost ncp, or --class NAME", 'cost="ncp", or class_=NAME'),
    ("use --algorithm exhaustive, which", 'use algorithm="exhaustive", which'),
    ("--keep-suppressed", "keep_suppressed=True"),
    ("--delta 1e-6 and --k-map 3", "delta=1e-6 and k_map=3"),
    ("--qi age,zip-code", 'qi="age,zip-code"'),
    ("`kanon profile` lists them", "`kanon.profile()` lists them"),
    ("`kanon hierarchy build` shows", "`kanon.hierarchy_build()` shows"),
    ("see kanon help hierarchy build", "see help(kanon.hierarchy_build)"),
    ("write --output-encoding utf-8", 'write output_encoding="utf-8"'),
    ("column '--k' and a--k and --nothing", "column '--k' and a--k and --nothing"),
])  # fmt: skip
def test_messages_name_arguments(text, expected):
    from kanon._settings import in_python

    assert in_python(text) == expected


def test_notes_are_warnings_where_the_user_called():
    people = {"age": [1, 1, 2, 2], "who": ["a", "b", "c", "d"]}
    with pytest.warns(kanon.Note) as told:
        release = kanon.anonymize(people, qi="age", k=2)
    assert [str(one.message) for one in told] == release.notes
    assert all(one.filename == __file__ for one in told)
    assert any("keep=NAME" in note for note in release.notes) and not any("--" in note for note in release.notes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", kanon.Note)
        kanon.anonymize(people, qi="age", k=2)
        release.certificate  # made by the same job once more: its notes were told


def test_errors_name_arguments():
    with pytest.raises(kanon.BadInput, match=r"k=N|k=5|k ") as raised:
        kanon.anonymize({"age": [1, 2]}, qi="age")
    assert "--" not in str(raised.value)
    with pytest.raises(TypeError, match="has no setting 'clas'; did you mean class_?"):
        kanon.anonymize({"age": [1, 2]}, qi="age", k=2, clas="age")
