"""A job file of somebody else loads no code, and makes no command write that only looks."""

import kanon
import pytest

TABLE = {"age": [1, 1, 2, 2]}


def test_a_job_file_names_no_library(tmp_path):
    job = tmp_path / "job.yaml"
    job.write_text("qi: [age]\nk: 2\nduckdb: evil.so\n")
    with pytest.raises(kanon.BadInput, match="cannot name a library.*duckdb=PATH.*KANON_DUCKDB"):
        kanon.verify(TABLE, job=job)


def test_a_written_job_has_no_library_and_no_driver(tmp_path):
    text = kanon.search(TABLE, qi="age", k=2, duckdb="/nowhere.so").job()
    assert "duckdb" not in text and "k: 2" in text


def test_what_only_looks_writes_nothing_for_a_job_file(tmp_path):
    job = tmp_path / "job.yaml"
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    job.write_text("qi: [age]\nk: 2\nrows: victim.txt\nforce: true\n")
    looked = kanon.risk(TABLE, job=job)
    assert victim.read_text() == "precious"
    assert any("that are ignored: rows, force" in note for note in looked.notes)
    kanon.risk(TABLE, job=job, rows=victim, force=True)
    assert victim.read_text() != "precious"


def test_arguments_win_over_the_job_file_wherever_it_stands(tmp_path):
    job = tmp_path / "job.yaml"
    job.write_text("qi: [age]\nk: 4\n")
    assert kanon.search(TABLE, job=job, k=2, qi=["age"]).result["solution"]["levels"] == [0]
