# Read by pyright alone: each call that a type checker must refuse ends with the word, and no other is refused.
from pathlib import Path

import kanon

people = {"age": [30, 31, 42, 43], "ill": ["flu", "flu", "cold", "cold"]}

release = kanon.anonymize(people, qi="age", k=2)
kanon.anonymize(people, qi=["age"], k=2, hierarchies={"age": "intervals:5,10"}, keep="ill", suppress="1%")
kanon.anonymize(people, qi={"age": "intervals:5"}, k=2, suppress=3, cost="ncp", algorithm="mondrian", threads=1)
kanon.anonymize(Path("people.csv"), qi="age", k=2, output=Path("release.csv"), class_="ill", for_="ill ~ age")
kanon.anonymize(people, qi="age", k=2, sensitive="ill", l=2, t={"ill": 0.2}, l_kind={"ill": "entropy"}, report=True)
kanon.anonymize(people, qi="age", k=2, hierarchies={"age": lambda age: [age // 10, "*"]}, progress=True)
kanon.anonymize(job="job.yaml", output="folder")
kanon.anonymize(release.table, qi="age", k=2)
kanon.verify(release, qi="age", k=2, original=people)
kanon.compare(people, qi="age", ks=[2, 5], algorithms=["auto", "mondrian"]).to_frame()
kanon.risk(people, qi="age").rows
kanon.risk(job="job.yaml").result["risk"]
kanon.profile("people.csv", sample=100).columns
kanon.check(people, rules="hipaa-safe-harbor", release_date="2026-03-31", reviewed="ill").columns
kanon.attack(release, register=people, qi="age=intervals:10", as_="prosecutor")
kanon.utility(release, original=people, classify="ill ~ age").frame("pairs")
kanon.hierarchy_build(people, "age", method="intervals:10")["age"]
kanon.search(people, qi="age", k=2, seed=3).summary.splitlines()
release.verify(original=None).holds
release.risk(threshold=5).plot()
release.compare_with(people, regress="age ~ ill").frame()
kanon.list()["costs"]
if kanon.check(people, rules="hipaa-safe-harbor", reviewed=["ill"]):
    pass
learnt = kanon.Anonymizer(qi=["age"], k=2, hierarchies={"age": "intervals:10"}, suppress="5%").fit(people)
learnt.transform(people)
learnt.levels_["age"] + 1
if kanon.verify(release, qi="age", k=2):
    release.report("report.html").strip()

kanon.anonymize(people, qi="age", k=2, supress="1%")  # wrong
kanon.anonymize(people, qi="age", k="five")  # wrong
kanon.anonymize(people, k=2)  # wrong
kanon.anonymize(7, qi="age", k=2)  # wrong
kanon.anonymize(people, qi="age", k=2, algorithm="mondrain")  # wrong
kanon.anonymize(people, qi="age", k=2, cost=["ncp"])  # wrong
kanon.anonymize(people, qi="age", k=2, others="refuses")  # wrong
kanon.anonymize(people, qi="age", k=2, keep_suppressed="yes")  # wrong
kanon.anonymize(people, "age", 2)  # wrong
kanon.anonymize(people, qi="age", k=2, t={"ill": "much"})  # wrong
kanon.anonymize(people, qi="age", k=2, hierarchies=5)  # wrong
kanon.anonymize(people, qi="age", k=2, progress="line")  # wrong
kanon.verify(release, qi="age", k=2, cost="ncp")  # wrong
kanon.compare(people, qi="age", k=2, metric="ncp")  # wrong
kanon.attack(release, as_="stranger")  # wrong
kanon.profile(people, qi="age")  # wrong
kanon.check(people, rule="hdx")  # wrong
kanon.hierarchy_build(people, method="intervals:10")  # wrong
kanon.anonymise(people, qi="age", k=2)  # wrong
kanon.Anonymizer(k=2)  # wrong
kanon.Anonymizer(qi="age", k=2, output="release.csv")  # wrong
kanon.Anonymizer(qi="age", k=2).fit()  # wrong
release.tabel  # wrong
release.verify(kk=5)  # wrong
release.result + 1  # wrong
