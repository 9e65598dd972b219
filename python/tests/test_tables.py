"""Tables that belong together: a job file names them, and the release is a folder."""

import json
import os

import kanon
import pytest

JOB = """tables:
  people: {input: people.csv, key: id, qi: {age: "intervals:10", sex: suppress}, keep: [note]}
  stays: {input: stays.csv, key: stay, of: people, qi: {ward: suppress}}
  codes: {input: codes.csv, of: stays, sensitive: [code]}
k: 2
suppress: 2
"""


@pytest.fixture
def job(tmp_path):
    (tmp_path / "people.csv").write_text(
        "id,age,sex,note\n1,31,F,a\n2,34,F,b\n3,38,M,c\n4,31,M,d\n5,33,F,e\n6,39,M,f\n"
    )
    (tmp_path / "stays.csv").write_text("stay,id,ward\n10,1,A\n11,2,B\n12,3,A\n13,3,B\n14,4,B\n15,4,A\n16,6,A\n17,6,A\n")
    (tmp_path / "codes.csv").write_text("stay,code\n10,x\n11,y\n17,z\n")
    path = tmp_path / "job.yaml"
    path.write_text(JOB)
    return path


def test_a_job_over_several_tables_becomes_a_folder(job, tmp_path):
    folder = tmp_path / "release"
    release = kanon.anonymize(job=job, output=folder)
    assert release.table is None
    assert release.holds
    assert release.result["promise"]["of"] == "histories"
    assert [(table["name"], table["rows"]) for table in release.result["tables"]] == [("people", 6), ("stays", 8), ("codes", 3)]
    assert release.result["release"]["verified"] is True
    assert "k=2 for histories" in release.summary
    assert sorted(os.listdir(folder)) == ["codes.csv", "people.csv", "stays.csv"]
    assert any("pseudonyms" in note for note in release.notes)
    assert release._repr_html_().startswith("<pre>")


def test_the_job_file_may_name_the_folder_and_arguments_win(job, tmp_path):
    job.write_text(JOB + "output: one\n")
    assert kanon.anonymize(job=job).table is None
    assert kanon.anonymize(job=job, output=tmp_path / "two", suppress="all", effort=50).result["promise"]["k"] == 2
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["one", "two"]


def test_verify_says_whether_the_folder_is_what_was_promised(job, tmp_path):
    folder = tmp_path / "release"
    kanon.anonymize(job=job, output=folder)
    assert kanon.verify(folder, job=job)
    assert not kanon.verify(folder, job=job, k=3)
    lines = (folder / "stays.csv").read_text().splitlines(True)
    (folder / "stays.csv").write_text("".join(lines[:-1]))
    refuted = kanon.verify(folder, job=job)
    assert not refuted.holds and refuted.result["faults"]


def test_the_same_job_and_key_make_the_same_folder_and_the_file_is_the_job(job, tmp_path):
    key = tmp_path / "key"
    key.write_text("0123456789abcdef" * 2)
    key.chmod(0o600)
    first = kanon.anonymize(job=job, output=tmp_path / "one", key=key)
    kanon.anonymize(job=job, output=tmp_path / "two", key=key, threads=3)
    for name in ("people.csv", "stays.csv", "codes.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    with pytest.raises(kanon.BadInput, match="written in its file alone; keep that file"):
        first.job()


def test_the_report_is_made_with_the_release(job, tmp_path):
    release = kanon.anonymize(job=job, output=tmp_path / "release", report=True)
    assert "<html" in release.report() and os.sep + "kanon-" not in release.report()
    other = kanon.anonymize(job=job, output=tmp_path / "other")
    with pytest.raises(kanon.Error):
        other.report()


def test_search_finds_what_anonymize_releases(job, tmp_path):
    found = kanon.search(job=job).result
    made = kanon.anonymize(job=job, output=tmp_path / "release").result
    for key in ("levels", "cost_of_all", "suppressed_people", "optimal"):
        assert found[key] == made[key]
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["release"]


def test_compare_asks_for_each_k_over_all_tables(job):
    cells = kanon.compare(job=job, ks=[2, 3]).result["cells"]
    assert [(cell["k"], cell["status"]) for cell in cells] == [(2, 0), (3, 3)]
    assert cells[0]["metrics"]["ncp"] == kanon.search(job=job).result["cost_of_all"]


def test_risk_is_of_the_tables_or_of_a_release(job, tmp_path):
    before = kanon.risk(job=job).result
    assert before["release"] is None and before["before"] is None
    kanon.anonymize(job=job, output=tmp_path / "release")
    after = kanon.risk(tmp_path / "release", job=job).result
    assert after["before"] == before["risk"]
    assert after["risk"]["prosecutor"]["highest"] <= 1 / 2


def test_what_is_not_taken_says_why(job, tmp_path):
    with pytest.raises(kanon.BadInput, match="no target was named; write -o FOLDER"):
        kanon.anonymize(job=job)
    with pytest.raises(kanon.BadInput, match="each table of the job names its own"):
        kanon.anonymize({"age": [1, 2]}, job=job, output=tmp_path / "release")
    with pytest.raises(kanon.BadInput, match="kanon utility takes one table"):
        kanon._run.run("utility", None, {"job": job})
    with pytest.raises(TypeError, match="None is not a table"):
        kanon.anonymize(k=2)
    with pytest.raises(kanon.BadInput, match="certificate"):
        kanon.anonymize(job=job, output=tmp_path / "release").certificate
    assert not (tmp_path / "again").exists()


def test_nothing_is_released_where_nothing_is_within_the_limits(job, tmp_path):
    with pytest.raises(kanon.Unsatisfied):
        kanon.anonymize(job=job, output=tmp_path / "release", k=7, suppress=0)
    assert not (tmp_path / "release").exists()


def test_profile_finds_out_which_table_belongs_to_which(job, tmp_path):
    written = tmp_path / "proposed.yaml"
    stays = tmp_path / "stays.csv"
    stays.write_text(stays.read_text().replace("stay,id", "stay,person_id"))
    result = kanon.profile(
        tmp_path / "codes.csv", beside=[tmp_path / "people.csv", tmp_path / "stays.csv"], job_out=written
    ).result
    assert {table["name"]: (table["key"], table["of"]) for table in result["tables"]} == {
        "people": ("id", None),
        "stays": ("stay", "people"),
        "codes": (None, "stays"),
    }
    assert json.dumps(result["words"])
    text = written.read_text().replace("k: 5", "k: 2").replace("suppress: 5%", "suppress: all")
    written.write_text(text)
    assert kanon.anonymize(job=written).result["release"]["verified"]
    with pytest.raises(kanon.BadInput, match="one is in memory"):
        kanon.profile({"id": [1, 2]}, beside=tmp_path / "stays.csv")
