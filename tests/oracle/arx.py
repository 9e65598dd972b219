#!/usr/bin/env python3
"""Projects of ARX, written here with every setting that is taken over: the job that kanon import makes of each finds the
same optimum as the settings typed by hand, and keeps its promise. Archives that are hostile or broken leave nothing.

  arx.py --kanon KANON

Exit status 0 when all holds."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import warnings
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
MAKE = os.path.join(HERE, "..", "cli", "make-deid.py")


def table(rows=240, seed=7):
    draw = random.Random(seed)
    lines = ["name;age;sex;zip;born;ill;pay;note"]
    for i in range(rows):
        born = f"{draw.randint(1, 28):02d}.{draw.randint(1, 12):02d}.{draw.randint(1950, 1953)}"
        lines.append(f"p{i};{draw.randint(20, 59)};{draw.choice('MF')};{draw.choice(['1010', '1011', '1020', '2010'])};{born};"
                     f"{draw.choice(['flu', 'cold', 'cancer', 'gout', 'none'])};{draw.randint(1, 5) * 1000};n{i % 3}")
    return "\n".join(lines) + "\n"


def hierarchies():
    age = "".join(f"{a};{a // 10 * 10}-{a // 10 * 10 + 9};{'young' if a < 40 else 'old'};*\n" for a in range(20, 60))
    sex = "M;*\nF;*\n"
    zips = "".join(f"{z};{z[:3]}*;{z[:2]}**;****\n" for z in ["1010", "1011", "1020", "2010"])
    born = "".join(f"{d:02d}.{m:02d}.{y};{m:02d}.{y};{y}\n" for y in range(1950, 1954) for m in range(1, 13) for d in range(1, 29))
    ill = "flu;mild;*\ncold;mild;*\nnone;mild;*\ncancer;severe;*\ngout;severe;*\n"
    return {"age": age, "sex": sex, "zip": zips, "born": born, "ill": ill}


def columns(**changes):
    roles = {"name": "IDENTIFYING_ATTRIBUTE", "age": "QUASI_IDENTIFYING_ATTRIBUTE", "sex": "QUASI_IDENTIFYING_ATTRIBUTE",
             "zip": "QUASI_IDENTIFYING_ATTRIBUTE", "born": "INSENSITIVE_ATTRIBUTE", "ill": "SENSITIVE_ATTRIBUTE",
             "pay": "SENSITIVE_ATTRIBUTE", "note": "INSENSITIVE_ATTRIBUTE"}
    out = []
    for name, role in roles.items():
        column = {"name": name, "type": role}
        column.update(changes.get(name, {}))
        out.append(column)
    return out


QI = ["--qi", "age=F/hierarchies/age.csv", "--qi", "sex=F/hierarchies/sex.csv", "--qi", "zip=F/hierarchies/zip.csv"]
BASE = ["F/data.csv", "--separator", ";", *QI, "--id", "name", "--keep", "note,born", "--sensitive", "ill,pay"]
OF = " for attribute 'ill'"
CASES = {
    # what ARX prints -> what is typed
    "k": (["5-anonymity"], "Loss", 0.02, ["--k", "5", "--cost", "ncp", "--suppress", "2%"]),
    "two of k": (["3-anonymity", "6-anonymity", "4-anonymity"], "Height", 0.0, ["--k", "6", "--cost", "height", "--suppress", "0%"]),
    "distinct": (["4-anonymity", "distinct-3-diversity" + OF], "Non-monotonic discernability", 0.1,
                 ["--k", "4", "--l", "ill=3", "--cost", "discernibility", "--suppress", "10%"]),
    "entropy": (["2-anonymity", "entropy-2.5-diversity" + OF], "Average equivalence class size", 0.05,
                ["--k", "2", "--l", "ill=2.5", "--l-kind", "ill=entropy", "--cost", "average-class", "--suppress", "5%"]),
    "shannon": (["2-anonymity", "shannon-entropy-2.5-diversity" + OF], "Precision", 0.05,
                ["--k", "2", "--l", "ill=2.5", "--l-kind", "ill=entropy", "--cost", "precision", "--suppress", "5%"]),
    "recursive": (["2-anonymity", "recursive-(4.0,2)-diversity" + OF], "Monotonic discernability (DM*)", 0.2,
                  ["--k", "2", "--l", "ill=2", "--l-kind", "ill=recursive", "--c", "ill=4", "--cost", "discernibility", "--suppress", "20%"]),
    "t equal": (["2-anonymity", "0.4-closeness with equal ground-distance" + OF], "Loss", 0.1,
                ["--k", "2", "--t", "ill=0.4", "--t-distance", "ill=equal", "--cost", "ncp", "--suppress", "10%"]),
    "t ordered": (["2-anonymity", "0.3-closeness with ordered distance for attribute 'pay'"], "Loss", 0.1,
                  ["--k", "2", "--t", "pay=0.3", "--t-distance", "pay=ordered", "--cost", "ncp", "--suppress", "10%"],
                  {"pay": {"datatype": "Integer"}}),
    "t hierarchical": (["2-anonymity", "0.3-closeness with hierarchical ground-distance" + OF], "Loss", 0.1,
                       ["--k", "2", "--t", "ill=0.3", "--t-distance", "ill=hierarchical", "--t-hierarchy",
                        "ill=F/hierarchies/ill.csv", "--cost", "ncp", "--suppress", "10%"]),
    "delta": (["2-anonymity", "2.5-disclosure privacy" + OF], "Loss", 0.3,
              ["--k", "2", "--delta-disclosure", "ill=2.5", "--cost", "ncp", "--suppress", "30%"]),
    "basic beta": (["2-anonymity", "1.5-basic likeness" + OF], "Loss", 0.3,
                   ["--k", "2", "--beta", "ill=1.5", "--beta-kind", "ill=basic", "--cost", "ncp", "--suppress", "30%"]),
    "enhanced beta": (["2-anonymity", "enhanced-1.5-likeness" + OF], "Loss", 0.3,
                      ["--k", "2", "--beta", "ill=1.5", "--beta-kind", "ill=enhanced", "--cost", "ncp", "--suppress", "30%"]),
    "average risk": (["(0.05)-avg-reidentification-risk"], "Loss", 0.05,
                     ["--average-risk", "0.05", "--cost", "ncp", "--suppress", "5%"]),
    "sample uniques": (["(0.0)-sample-uniqueness", "2-anonymity"], "Loss", 0.05,
                       ["--at-risk", "0", "--below", "2", "--k", "2", "--cost", "ncp", "--suppress", "5%"]),
    "two columns": (["2-anonymity", "distinct-2-diversity" + OF, "distinct-2-diversity for attribute 'pay'"], "Loss", 0.05,
                    ["--k", "2", "--l", "ill=2", "--l", "pay=2", "--cost", "ncp", "--suppress", "5%"]),
    "bounds": (["3-anonymity"], "Loss", 0.1,
               ["--k", "3", "--cost", "ncp", "--suppress", "10%", "--level", "age=1..2", "--level", "zip=0..2"],
               {"age": {"min": "1", "max": "2"}, "zip": {"max": "2"}}),
    "weights": (["5-anonymity"], "Loss", 0.1,
                ["--k", "5", "--cost", "ncp", "--suppress", "10%", "--weight", "age=0.9", "--weight", "zip=0.1", "--weight", "sex=0.5"],
                {}, {"age": 0.9, "zip": 0.1, "sex": 0.5, "note": 0.7}),
    "dates, no hierarchy, several tops": (
        ["2-anonymity"], "Loss", 0.9,
        ["--k", "2", "--cost", "ncp", "--suppress", "90%", "--qi", "born=F/hierarchies/born.csv", "--level", "born=0..2", "--qi",
         "note", "--level", "note=0", "--date-format", "born=%d.%m.%Y"],
        {"born": {"type": "QUASI_IDENTIFYING_ATTRIBUTE", "datatype": "Date/Time", "format": "dd.MM.yyyy"},
         "note": {"type": "QUASI_IDENTIFYING_ATTRIBUTE"}}),
}


def run(*arguments, cwd=None):
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def fail(*words):
    print("FAILED:", *words, file=sys.stderr)
    sys.exit(1)


def make(folder, spec, name="p.deid"):
    path = os.path.join(folder, "spec.json")
    json.dump(spec, open(path, "w"))
    status, _, error = run(sys.executable, MAKE, os.path.join(folder, name), path)
    if status:
        fail("make-deid.py:", error)


def spec_of(criteria, metric, limit, changes=None, weights=None):
    return {"table": table(), "columns": columns(**(changes or {})), "hierarchies": hierarchies(), "criteria": criteria,
            "metric": metric, "limit": limit, "weights": weights or {}}


def answer(path):
    found = json.load(open(path))
    return {key: found[key] for key in ("quasi_identifiers", "privacy", "suppression", "cost", "solution", "metrics", "optimal")}


def one_case(kanon, folder, name, criteria, metric, limit, typed, changes=None, weights=None):
    make(folder, spec_of(criteria, metric, limit, changes, weights))
    status, out, error = run(kanon, "import", "p.deid", "-o", "F", "--json", "i.json", cwd=folder)
    if status:
        fail(name, "is not imported:", error)
    left = [item["what"] for item in json.load(open(os.path.join(folder, "i.json")))["left"]]
    if set(left) - {"suppressed rows", "input/config.dat", "project.dat"}:
        fail(name, "leaves", left, out)
    base = list(BASE)
    for column in ("born", "note"):
        if changes and column in changes:
            base[base.index("--keep") + 1] = base[base.index("--keep") + 1].replace(column, "").strip(",")
    if not base[base.index("--keep") + 1]:
        del base[base.index("--keep"):base.index("--keep") + 2]
    results = []
    for words, result in ((["--job", "F/kanon.yaml"], "a.json"), (base + typed, "b.json")):
        status, out, error = run(kanon, "anonymize", *words, "-o", result + ".csv", "--json", result, "--quiet", cwd=folder)
        if status:
            fail(name, words, status, error, open(os.path.join(folder, "F/kanon.yaml")).read())
        results.append(answer(os.path.join(folder, result)))
    if results[0] != results[1]:
        fail(name, results[0], results[1], open(os.path.join(folder, "F/kanon.yaml")).read())
    a, b = (open(os.path.join(folder, f"{r}.json.csv"), "rb").read() for r in "ab")
    if a != b:
        fail(name, "releases differ")
    status, out, error = run(kanon, "verify", "a.json.csv", "--job", "F/kanon.yaml", "--quiet", cwd=folder)
    if status:
        fail(name, "does not verify:", status, error, out)


def population(kanon, folder):
    whole = table()
    lines = whole.splitlines(True)
    spec = spec_of(["(8)-map", "(0.0,0.9)-presence"], "Loss", 0.2)
    spec["subset"] = lines[0] + "".join(lines[1::2])
    make(folder, spec)
    status, out, error = run(kanon, "import", "p.deid", "-o", "F", "--quiet", cwd=folder)
    if status:
        fail("population:", error)
    typed = ["F/subset.csv", *BASE[1:], "--population", "F/data.csv", "--k-map", "8", "--presence", "0.0..0.9", "--cost", "ncp",
             "--suppress", "20%"]
    for words, result in ((["--job", "F/kanon.yaml"], "a.json"), (typed, "b.json")):
        status, out, error = run(kanon, "anonymize", *words, "-o", result + ".csv", "--json", result, "--quiet", cwd=folder)
        if status:
            fail("population:", words, status, error)
    if answer(os.path.join(folder, "a.json")) != answer(os.path.join(folder, "b.json")):
        fail("population: other answers")


def left_of(kanon, folder, spec, name):
    """What is listed of a project that is imported, each with its reason, and the job."""
    make(folder, spec)
    run("rm", "-rf", *(os.path.join(folder, name) for name in ("F", "i.json", "n.csv")))
    status, out, error = run(kanon, "import", "p.deid", "-o", "F", "--json", "i.json", cwd=folder)
    if status:
        fail(name, "is not imported:", error)
    found = json.load(open(os.path.join(folder, "i.json")))
    return found, {item["what"]: item["why"] for item in found["left"]}, open(os.path.join(folder, "F/kanon.yaml")).read()


def subsets(kanon, folder):
    """A subset is one as soon as a byte of it differs, however its lines end; the same bytes are all rows."""
    lines = table().splitlines(True)
    rows = {"one row": lines[0] + lines[1], "one row without an end": lines[0] + lines[1].rstrip("\n"),
            "ends of lines": "".join(lines[:9]).replace("\n", "\r"), "as long, another row": "".join(lines)[:-2] + "9\n",
            "all but the last end": "".join(lines)[:-1]}
    for name, subset in rows.items():
        found, _, job = left_of(kanon, folder, {**spec_of(["(2)-map"], "Loss", 0.2), "subset": subset}, name)
        if not found["subset"] or "subset.csv" not in job or "population" not in job:
            fail(name, "is not taken for a subset:", job)
        if open(os.path.join(folder, "F/subset.csv"), newline="").read() != subset:
            fail(name, "is not copied byte for byte")
    found, why, job = left_of(kanon, folder, spec_of(["(2)-map"], "Loss", 0.2), "all rows")
    if found["subset"] or "(2)-map" not in why or "subset.csv" in job:
        fail("all rows are a subset:", found)


def missing(kanon, folder):
    """NULL is missing where a field of a row is that, and only there."""
    rows = "".join(f"{a};{i}\n" for a in (31, 32, "NULL", "NULL") for i in (1, 2))
    for text, is_there in ((f"age;ill\n{rows}", True), (f'age;ill\n"NULL";1\n32;2\n', True), ("age;ill\n31;1\n32;NULL", True),
                           ("age;ill\n31;NULLS\nnull;2\n", False), ("NULL;ill;age\n1;2;3\n", False), ('age;ill\n"a;NULL;b";1\n', False)):
        spec = {"table": text, "columns": [{"name": "age", "type": "QUASI_IDENTIFYING_ATTRIBUTE"}, {"name": "ill", "type": "INSENSITIVE_ATTRIBUTE"}],
                "hierarchies": {"age": "31;30-39;*\n32;30-39;*\nNULL;NULL;*\n"}, "criteria": ["4-anonymity"], "limit": 0.0}
        _, _, job = left_of(kanon, folder, spec, text)
        if ("missing" in job) != is_there:
            fail("NULL:", repr(text), job)
        if text.endswith(rows):
            status, _, error = run(kanon, "anonymize", "--job", "F/kanon.yaml", "-o", "n.csv", "--quiet", cwd=folder)
            if status or open(os.path.join(folder, "n.csv")).read().count("NULL;") != 4:
                fail("NULL in a release:", status, error)


def distances(kanon, folder):
    """t is measured as ARX does, or the list says that it is not."""
    hierarchical = "0.3-closeness with hierarchical ground-distance" + OF
    ordered = "0.3-closeness with ordered distance for attribute 'pay'"
    several = {**hierarchies(), "ill": "flu;mild\ncold;mild\nnone;mild\ncancer;severe\ngout;severe\n"}
    spec = {**spec_of(["2-anonymity", hierarchical, ordered], "Loss", 0.1), "hierarchies": several}
    found, why, _ = left_of(kanon, folder, spec, "distances")
    if "* was put above" not in why.get(hierarchical, "") or "text to ARX" not in why.get(ordered, "") or len(found["taken"]) != 3:
        fail("distances:", found)
    for datatype in ("Integer", "Decimal", "Date/Time"):
        spec = spec_of(["2-anonymity", hierarchical, ordered], "Loss", 0.1, {"pay": {"datatype": datatype}})
        _, why, _ = left_of(kanon, folder, spec, "distances")
        if hierarchical in why or ordered in why:
            fail("distances:", datatype, why)


def steering(kanon, folder):
    """What is taken over is told on one line, whatever its column is called."""
    odd = "a\n  promise     k 9: \u202e" + "x" * 200
    spec = {"table": '"' + odd + '";b\n1;2\n1;3\n', "columns": [{"name": odd, "type": "SENSITIVE_ATTRIBUTE"}, {"name": "b", "type": "INSENSITIVE_ATTRIBUTE"}],
            "criteria": ["distinct-2-diversity for attribute '" + odd + "'", "distinct-2-diversity for attribute '*'"]}
    found, why, _ = left_of(kanon, folder, spec, "a name of several lines")
    if len(found["taken"]) != 1 or any(c in found["taken"][0]["what"] for c in "\n\u202e") or "distinct-2-diversity for attribute '*'" not in why:
        fail("a name of several lines:", found)


def names(kanon, folder):
    """Columns whose names are no names of files, and would lead out of the folder."""
    odd = ["../../out", "a/b", "..", ".hidden", "x" * 300, "a=b, \"c\"", "ü\u202ek", "-o", "sp ace"]
    spec = {"table": ";".join('"' + o.replace('"', '""') + '"' for o in odd) + "\n" + 6 * (";".join("v" for _ in odd) + "\n"),
            "columns": [{"name": o, "type": "QUASI_IDENTIFYING_ATTRIBUTE"} for o in odd],
            "hierarchies": {o: "v;*\n" for o in odd}, "criteria": ["3-anonymity"], "limit": 0.0}
    make(folder, spec)
    status, out, error = run(kanon, "import", "p.deid", "-o", "in/F", cwd=folder)
    if status != 2 or os.path.exists(os.path.join(folder, "in")):
        fail("a folder below one that is not there:", status, error)
    os.mkdir(os.path.join(folder, "in"))
    before = set(os.listdir(folder))
    status, out, error = run(kanon, "import", "p.deid", "-o", "in/F", cwd=folder)
    if status:
        fail("odd names:", error)
    if set(os.listdir(folder)) != before or os.listdir(os.path.join(folder, "in")) != ["F"]:
        fail("files outside of the folder:", os.listdir(folder), os.listdir(os.path.join(folder, "in")))
    for path, _, files in os.walk(os.path.join(folder, "in", "F")):
        for file in files:
            if not all(c.isalnum() or c in "._- " for c in file):
                fail("a name of the archive is one of a file:", file)
    status, out, error = run(kanon, "anonymize", "--job", "in/F/kanon.yaml", "-o", "r.csv", "--quiet", cwd=folder)
    if status:
        fail("odd names:", error, open(os.path.join(folder, "in/F/kanon.yaml")).read())


def hostile(kanon, folder):
    good = spec_of(["3-anonymity"], "Loss", 0.0)
    cases = {
        "entities": {"input/config.xml": "<!DOCTYPE c [<!ENTITY a 'aaaa'>]><config>&a;</config>"},
        "an outer file": {"input/definition.xml": "<!DOCTYPE c SYSTEM 'file:///etc/passwd'><definition/>"},
        "deep": {"input/definition.xml": "<a>" * 5000 + "</a>" * 5000},
        "long text": {"input/definition.xml": "<definition><assigment><name>" + "x" * 100000 + "</name></assigment></definition>"},
        "cut off": {"input/definition.xml": "<definition><assigment><name>age"},
        "no column": {"input/definition.xml": "<definition></definition>"},
        "two of one": {"input/definition.xml": "<definition>" + 2 * "<assigment><name>a</name></assigment>" + "</definition>"},
        "a column of a pattern": {"data/input.csv": "b;c\n1;2\n",
                                  "input/definition.xml": "<definition><assigment><name>*</name><type>INSENSITIVE_ATTRIBUTE</type></assigment></definition>"},
        "no such column": {"data/input.csv": "age;sex\n1;2\n"},
        "a subset without rows": {"data/input_subset.csv": table().splitlines()[0] + "\n"},
        "a subset of nothing": {"data/input_subset.csv": ""},
        "a subset of other columns": {"data/input_subset.csv": "age;sex\n1;2\n"},
        "no table": {"data/input.csv": None, "data/input_subset.csv": None},
        "a bomb": {"data/input.csv": "0" * 60000000},
    }
    for name, raw in cases.items():
        make(folder, {**good, "raw": raw})
        before = sorted(os.listdir(folder))
        status, out, error = run(kanon, "import", "p.deid", "-o", "F", cwd=folder)
        if status != 2 or sorted(os.listdir(folder)) != before:
            fail(name, status, out, error, os.listdir(folder))
        if not error.startswith("kanon: p.deid: "):
            fail(name, error)
    for part in ("data/input.csv", "input/config.xml", "input/hierarchies/age.csv"):
        make(folder, good)
        with warnings.catch_warnings(), zipfile.ZipFile(os.path.join(folder, "p.deid"), "a") as archive:
            warnings.simplefilter("ignore")
            archive.writestr(part, "<config/>")
        before = sorted(os.listdir(folder))
        status, out, error = run(kanon, "import", "p.deid", "-o", "F", cwd=folder)
        if status != 2 or "two parts" not in error or sorted(os.listdir(folder)) != before:
            fail("two parts of a name:", status, out, error)
    make(folder, good)
    whole = open(os.path.join(folder, "p.deid"), "rb").read()
    draw = random.Random(3)
    for round_ in range(60):
        data = bytearray(whole)
        for _ in range(draw.randint(1, 6)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        if round_ % 3 == 0:
            data = data[:draw.randrange(len(data))]
        open(os.path.join(folder, "q.deid"), "wb").write(data)
        status, out, error = run(kanon, "import", "q.deid", "-o", "F", "--quiet", cwd=folder)
        if status not in (0, 2):
            fail("damaged", round_, status, error)
        if status == 0:
            run("rm", "-r", os.path.join(folder, "F"))
        elif any(f.startswith("F") for f in os.listdir(folder)):
            fail("damaged", round_, "leaves", os.listdir(folder))
    open(os.path.join(folder, "q.deid"), "wb").write(b"no archive")
    if run(kanon, "import", "q.deid", "-o", "F", cwd=folder)[0] != 2:
        fail("no archive")
    os.mkdir(os.path.join(folder, "there"))
    if run(kanon, "import", "p.deid", "-o", "there", cwd=folder)[0] != 2 or os.listdir(os.path.join(folder, "there")):
        fail("a folder that is there")
    os.symlink("/tmp", os.path.join(folder, "link"))
    if run(kanon, "import", "p.deid", "-o", "link", cwd=folder)[0] != 2:
        fail("a link")


def left(kanon, folder):
    spec = spec_of(["3-anonymity", "(0.01)-population-uniqueness (dankar)", "(5)-map estimated as (3)-anonymity (POISSON)",
                    "(5)-map", "0.2-closeness with hierarchical ground-distance for attribute 'pay'",
                    "(2.0, 1E-5)-differential privacy", "grassberger-entropy-2.0-diversity for attribute 'ill'",
                    "evil\u2028\u001b[31m".replace("\u001b", "?") + "x" * 400], "Non-uniform entropy", 1.5,
                   {"age": {"function": "Interval"}, "pay": {"datatype": "Decimal", "format": "#,##0.00"}})
    spec["more"] = {"data/output.csv": "x\n", "filter.dat": "\xac\xed", "output/config.xml": "<x/>", "output/definition.xml": "<x/>",
                    "../../evil": "x", "input/hierarchies/nobody.csv": "a;*\n"}
    make(folder, spec)
    status, out, error = run(kanon, "import", "p.deid", "-o", "F", "--json", "i.json", cwd=folder)
    items = json.load(open(os.path.join(folder, "i.json")))["left"]
    if status or len(items) != 18 or any(not item["why"] for item in items) or "\u2028" in out:
        fail("what is left:", status, error, len(items), items)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kanon", required=True)
    kanon = os.path.abspath(parser.parse_args().kanon)
    for name, case in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            one_case(kanon, folder, name, *case)
    for part in (population, subsets, missing, distances, steering, names, hostile, left):
        with tempfile.TemporaryDirectory() as folder:
            part(kanon, folder)
    print(f"{len(CASES)} projects, each with the optimum of what is typed")


if __name__ == "__main__":
    main()
