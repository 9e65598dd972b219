"""From a frame to a release that others may see, step by step. Run it, or take it apart in a notebook.

It works with pandas where that is there, and with a plain dict of columns otherwise."""

import random

import kanon

# A table of people. The name is left out of the release: only columns that are named are in it.
random.seed(1)
towns = ["53111", "53113", "53225", "89073", "89075", "89077"]
people = {
    "name": [f"person {i}" for i in range(400)],
    "age": [18 + random.randrange(60) for _ in range(400)],
    "zip": [random.choice(towns) for _ in range(400)],
    "illness": [random.choice(["flu", "cold", "asthma", "gout"]) for _ in range(400)],
    "cost": [round(random.uniform(10, 900), 2) for _ in range(400)],
}
try:
    import pandas

    table = pandas.DataFrame(people)
    table["illness"] = table["illness"].astype("category")
except ImportError:
    table = people

# What is in it, and who stands out?
print(kanon.profile(table).summary)
before = kanon.risk(table, qi=["age", "zip"], k=5).result["risk"]["prosecutor"]["rows_at_risk"]
print(f"{before} of 400 people share age and zip with fewer than four others\n")

# How values may become coarser: a rule for ages, a function for codes.
hierarchies = {"age": "intervals:5,10,20", "zip": lambda code: [code[:4] + "*", code[:2] + "***", "*"]}

release = kanon.anonymize(
    table,
    qi=["age", "zip"],
    hierarchies=hierarchies,
    k=5,
    sensitive="illness",
    l=2,
    keep="cost",
    suppress="2%",
    cost="ncp",
)
print(release.summary)
print(release.table if table is people else release.table.head())

# The same check that kanon made itself, as anybody can make it who has both tables.
again = kanon.verify(release.table, original=table, qi=["age", "zip"], k=5, hierarchies=hierarchies)
assert again.holds and release.result["verified"]
