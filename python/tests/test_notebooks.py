"""The notebooks of examples/ run, and say what their text says. They are executed by tests/notebooks.py, which needs no kernel."""

import glob
import json
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import notebooks  # noqa: E402

import kanon  # noqa: E402

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
pytestmark = pytest.mark.filterwarnings("ignore::kanon.Note")


@pytest.fixture(autouse=True)
def no_windows(monkeypatch, tmp_path):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)  # a notebook leaves nothing behind
    yield
    assert not os.listdir(tmp_path)
    sys.modules["matplotlib.pyplot"].close("all") if "matplotlib.pyplot" in sys.modules else None


def execute(name):
    return notebooks.execute(os.path.join(EXAMPLES, name + ".ipynb"))


def test_a_model_is_trained_before_and_after():
    outputs, names = execute("train_before_and_after")
    scores = names["scores"]
    assert scores["trained before"] > scores["always the most frequent"] + 0.05
    assert scores["trained after"] > scores["always the most frequent"] + 0.05
    assert len(names["safe_test"]) == len(names["test"]) and any(names["learnt"].levels_.values())
    assert kanon.verify(names["safe_test"], qi=["age", "sex", "district"], k=10, suppress="15%")
    assert all(outputs)


def test_k_is_swept_and_drawn():
    outputs, names = execute("sweep_k_and_plot")
    assert len(names["found"].cells) == len(names["table"]) == 10
    assert names["risk"].result["risk"]["prosecutor"]["highest"] <= 0.05
    assert "<svg" in "".join(filter(None, outputs)) and len(names["axes"].get_lines()) == 2


def test_a_release_of_a_colleague_is_checked():
    outputs, names = execute("check_a_release")
    assert "NOT what was promised" in "".join(filter(None, outputs))
    assert len(names["found"].failing) == len(names["sent"]) - len(names["good"]) > 0
    assert names["again"].holds


def test_notebooks_are_kept_without_what_they_showed():
    found = glob.glob(os.path.join(EXAMPLES, "*.ipynb"))
    assert len(found) == 3
    for path in found:
        with open(path, encoding="utf-8") as file:
            for cell in json.load(file)["cells"]:
                assert cell["cell_type"] == "markdown" or (cell["outputs"] == [] and cell["execution_count"] is None)


def test_a_cell_that_fails_is_named(tmp_path):
    path = tmp_path / "broken.ipynb"
    cells = [{"cell_type": "code", "source": ["1 / 1"]}, {"cell_type": "code", "source": ["x = 1\n", "1 / 0"]}]
    path.write_text(json.dumps({"nbformat": 4, "cells": cells}))
    with pytest.raises(notebooks.Failed, match="code cell 2: ZeroDivisionError"):
        notebooks.execute(path)
    path.unlink()
