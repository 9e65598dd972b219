"""The examples of anjana's and pyCANON's READMEs on Adult, with kanon: CPU seconds of the calls alone, the table being a
frame already, as theirs were timed.

    PYTHONPATH=build/python python3 bench/python_tools.py TABLE HIERARCHIES [REPEATS]

The least of REPEATS (5) is printed. What anjana's own examples print is in docs/manual/coming-from-python-tools.md."""

import sys
import time

import pandas

import kanon

table, hierarchies = sys.argv[1:3]
repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 5
frame = pandas.read_csv(table)
sex = "sex" if "sex" in frame else "gender"
asked = dict(qi=["age", "education", "marital-status", "occupation", sex, "native-country"], k=10,
             suppress="50%", hierarchies=hierarchies, drop="*")  # fmt: skip
sensitive = dict(asked, sensitive="salary-class")


def least(call):
    times = []
    for _ in range(repeats):
        start = time.process_time()
        found = call()
        times.append(time.process_time() - start)
    return min(times), found


def show(name, seconds, text):
    print(f"{name:36s} {seconds:8.3f} s  {text}")


print(f"{len(frame):,} rows")
for name, settings in (
    ("k-anonymity 10", asked),
    ("k-anonymity 10, l-diversity 2", dict(sensitive, l=2)),
    ("k-anonymity 10, t-closeness 0.5", dict(sensitive, t=0.5)),
    ("all three", dict(sensitive, l=2, t=0.5)),
):
    seconds, release = least(lambda: kanon.anonymize(frame, **settings))
    again = kanon.risk(release.table, qi=asked["qi"]).result["risk"]
    show(name, seconds, f"{len(release.table):,} rows, {again['groups']:,} groups of {again['smallest']} or more, "
         f"levels {release.result['solution']['levels']}, proven: {release.result['optimal']}")  # fmt: skip
    assert release.result["verified"] and again["smallest"] >= 10

seconds, risk = least(lambda: kanon.risk(release.table, qi=asked["qi"], sensitive="salary-class", c=2))
reached = risk.result["risk"]["sensitive"][0]
show("all figures of a release", seconds, ", ".join(f"{name} {reached[name]:.4g}" for name in
     ("alpha", "l", "entropy_l", "t", "beta")))  # fmt: skip
