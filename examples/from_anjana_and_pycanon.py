"""What anjana and pyCANON are used for, done with kanon: k-anonymity, l-diversity and t-closeness, and the figures that a
release reaches. The hierarchies have the shape that anjana takes. It works with plain lists, with numpy and with pandas."""

import random

import kanon

random.seed(1)
n = 2000
data = {
    "race": [random.choice(["Black", "White", "Other"]) for _ in range(n)],
    "age": [random.randrange(17, 80) for _ in range(n)],
    "sex": [random.choice(["Female", "Male"]) for _ in range(n)],
    "native-country": [random.choice(["Canada", "Cuba", "India", "Japan"]) for _ in range(n)],
    "salary-class": [random.choice(["<=50K", "<=50K", "<=50K", ">50K"]) for _ in range(n)],
}
continents = {"Canada": "America", "Cuba": "America", "India": "Asia", "Japan": "Asia"}
hierarchies = {  # per column the levels; level 0 is the column itself, or each of its values once
    "age": {
        0: data["age"],
        1: [f"[{age // 5 * 5}, {age // 5 * 5 + 5})" for age in data["age"]],
        2: [f"[{age // 10 * 10}, {age // 10 * 10 + 10})" for age in data["age"]],
    },
    "sex": {0: data["sex"], 1: ["*"] * n},
    "native-country": {0: list(continents), 1: list(continents.values()), 2: ["*"] * len(continents)},
}
quasi_ident = ["age", "sex", "native-country"]

# anjana: k_anonymity(data, ["race"], quasi_ident, 10, 50, hierarchies)
release = kanon.anonymize(data, drop="race", qi=quasi_ident, k=10, suppress="50%", hierarchies=hierarchies)

# anjana: l_diversity(..., "salary-class", 10, 2, 50, ...), then t_closeness(..., 10, 0.5, 50, ...) of what came out.
# Here both are promised at once, and one search finds what keeps them all and loses least.
release = kanon.anonymize(
    data, drop="race", qi=quasi_ident, sensitive="salary-class", k=10, l=2, t=0.5, suppress="50%", hierarchies=hierarchies
)
print(release.summary)

# anjana: utils.get_transformation(...), utils.apply_transformation(data, quasi_ident, hierarchies, levels)
levels = release.result["solution"]["levels"]
again = kanon.anonymize(data, qi=quasi_ident, k=10, suppress="50%", hierarchies=hierarchies, levels=levels)
assert again.result["solution"]["levels"] == levels

# pyCANON: anonymity.k_anonymity(data, QI), report.print_report(data, QI, SA)
risk = kanon.risk(release.table, qi=quasi_ident, sensitive="salary-class").result["risk"]
print("k", risk["smallest"])
for name in ("alpha", "l", "entropy_l", "t", "beta", "delta_disclosure"):
    print(name, risk["sensitive"][0][name])
assert risk["smallest"] >= 10 and risk["sensitive"][0]["l"] >= 2 and risk["sensitive"][0]["t"] <= 0.5
