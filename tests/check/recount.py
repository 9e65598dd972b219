"""The programs of verify/ and `kanon verify` give the same verdict: random tables, released by random searches under
random promises, right and changed; and certificates, right and forged.

    recount.py KANON ROOT     (KANON_TEST_ROUNDS tables, 40; KANON_TEST_SEED)

Where one of the two refuses to judge (1) the pair is counted and told; 0 beside 3 is a failure, and so is
2 beside anything else. At least some of each kind must have been seen."""

import contextlib
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter

kanon, root = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
sys.dont_write_bytecode = True
sys.path[0] = os.path.join(root, "verify")
import recount  # noqa: E402
import recount_certificate  # noqa: E402

rounds, seed = int(os.environ.get("KANON_TEST_ROUNDS", 40)), int(os.environ.get("KANON_TEST_SEED", 1))

TREE = {"Bonn": ["West", "*"], "Essen": ["West", "*"], "Ulm": ["South", "*"], "Trier": ["West", "*"], "Hof": ["South", "*"], "": ["", "*"]}
SICK = {"Flu": ["Lung", "*"], "Cough": ["Lung", "*"], "HIV": ["Blood", "*"], "Burn": ["Skin", "*"]}


def hierarchies():
    os.makedirs("h")
    with open("h/age.csv", "w") as file:
        for age in range(20, 40):
            low, wide = age // 2 * 2, age // 10 * 10
            file.write(f"{age};{low}-{low + 1};{wide}-{wide + 9};*\n")
    for name, tree in (("town", TREE), ("sick", SICK)):
        with open(f"h/{name}.csv", "w") as file:
            file.writelines(";".join([value, *labels]) + "\n" for value, labels in tree.items())
    with open("h/sex.csv", "w") as file:
        file.write("m;*\nf;*\n")


def table(draw):
    n, towns = draw.randint(8, 40), draw.sample(["Bonn", "Essen", "Ulm", "Trier", "Hof", ""], draw.randint(2, 6))
    sicks, few = draw.sample(sorted(SICK), draw.randint(2, 4)), draw.randint(2, 20)
    wages = draw.choice([["1", "2", "3"], ["10", "20", "20.0", "45.5"], ["1", "", "7"], ["7", "07", "x"]])
    people = draw.randint(n // 3 + 1, n)
    odd = draw.choice([["a, b", "{c}", "d"], ["[1-2]", 'say "x"', "*?"], ["?", "", "x"], ["?", "5", "6", "17"], ["?", "", "2", "3"], ["{c}", "c", "d"], ["-5", "-1.5", "0", "2", "1e1"],
                       ["2020-02-28", "2020-02-29", "2021-01-01"], ["1,5", "2,0", "-3", "11,25"], ["1", "-7", "", "30"],
                       ["2020-02-28", "", "1999-12-31", "2000-01-01"], ["a", "A", "a "], ["-10", "-9", "-8", "-1", "7"]])
    rows = [[str(draw.randrange(people)), str(20 + draw.randrange(few)), draw.choice(towns), draw.choice("mf"),
             draw.choice(sicks), draw.choice(wages), draw.choice("xyz"), draw.choice(odd)] for _ in range(n)]
    return [["who", "age", "town", "sex", "sick", "wage", "more", "odd"], *rows]


def promise(draw, sensitive):
    """Flags of promises about the sensitive column."""
    kind = draw.choice(["none", "none", "l", "entropy", "recursive", "alpha", "value", "refined", "t", "t-how", "beta", "basic", "delta"])
    share = f"{draw.choice([0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9])}"
    return {"none": [], "l": ["--l", draw.choice("23")],
            "entropy": ["--l", draw.choice(["1.2", "1.5", "2"]), "--l-kind", "entropy"],
            "recursive": ["--l", draw.choice("23"), "--l-kind", "recursive", "--c", draw.choice(["1", "2.5", "4"])],
            "alpha": ["--alpha", share], "refined": ["--alpha", share, "--refined"],
            "value": ["--alpha", share, "--alpha-value", "HIV" if sensitive == "sick" else "7"],
            "t": ["--t", share], "t-how": ["--t", share, "--t-distance", draw.choice(["equal", "hierarchical" if sensitive == "sick" else "ordered"])],
            "beta": ["--beta", draw.choice(["0.5", "1", "2"])], "basic": ["--beta", draw.choice(["0.5", "1"]), "--beta-kind", "basic"],
            "delta": ["--delta-disclosure", draw.choice(["0.5", "1", "2.5"])]}[kind]


def write(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def changed(draw, rows):
    """The release with one thing wrong with it, or with nothing wrong: rows in another order."""
    head, rows = rows[0], [row[:] for row in rows[1:]]
    if not rows:
        return [head]
    for _ in range(draw.choice([1, 1, 2, 3])):
        how, at = draw.choice(["cell", "swap", "remove", "twice", "shuffle", "label", "group"]), draw.randrange(len(rows))
        other, column = draw.randrange(len(rows)), draw.randrange(len(head))
        if how == "cell":
            rows[at][column] = rows[other][column]
        elif how == "swap":
            rows[at][column], rows[other][column] = rows[other][column], rows[at][column]
        elif how == "remove" and len(rows) > 1:
            del rows[at]
        elif how == "twice":
            rows.insert(draw.randrange(len(rows) + 1), rows[at][:])
        elif how == "shuffle":
            draw.shuffle(rows)
        elif how == "label":
            rows[at][column] = draw.choice(["*", "{a, b}", "[-10--1]", "[-7-30]", "{?, [1-30]}", "1.0", "?", "", "[2020-02-28, 2021-01-01]", "20-29", "West", "[20-30]", "(20, 30]", "{Bonn, Ulm}", "m", "HIV", "nobody"])
        elif how == "group":
            new = draw.choice(["*", "20-29", "West", "[20-39]", "nobody"])
            rows = [row[:column] + [new if row[column] == rows[at][column] else row[column]] + row[column + 1:] for row in rows]
    return [head, *rows]


def both(flags):
    theirs = subprocess.run([kanon, "verify", *flags], capture_output=True, text=True)
    mine = io.StringIO()
    with contextlib.redirect_stdout(mine), contextlib.redirect_stderr(mine):
        try:
            if "--certificate" in flags:
                status = recount_certificate.main(flags)
            else:
                status = recount.answer("", recount.verify_release, recount.arguments(flags))
        except SystemExit as end:
            status = end.code
    return theirs.returncode, status, theirs.stdout + theirs.stderr, mine.getvalue()


def compare(flags, seen, what, keep):
    theirs, mine, said, counted = both(flags)
    seen[what, theirs, mine] += 1
    if theirs != mine and (1 not in (theirs, mine) or 2 in (theirs, mine)):
        print(f"kanon verify: {theirs}, recount.py: {mine}: {' '.join(flags)}\n{said}{counted}")
        for path in keep:
            with open(path) as file:
                print(f"--- {path}\n{file.read()}")
        return 1
    return 0


def a_round(draw, seen):
    write("t.csv", table(draw))
    qi = draw.sample(["age", "town", "sex"], draw.randint(1, 3))
    sensitive = draw.choice(["sick", "sick", "wage", "odd", "odd"])
    k, person = draw.choice("223"), draw.random() < 0.3
    if sensitive != "odd" and draw.random() < 0.4:
        qi.append("odd")
    search = draw.choice(["mondrian", "k-optimize", "hill-climb", "mondrian-relaxed"] if "odd" in qi else ["auto", "auto", "exhaustive", "mondrian", "top-down", "k-optimize", "mdav"])
    promised = promise(draw, sensitive)
    flags = ["--qi", ",".join(qi), "--k", k, "--sensitive", sensitive, *promised]
    if draw.random() < 0.3 and "--alpha-value" not in promised and sensitive != "sick":  # a second column, and one promise of its own
        flags[5] += ",sick"
        flags += draw.choice([["--l", "sick=2"], ["--alpha", "sick=0.7"], ["--t", "sick=0.5", "--t-distance", "sick=equal"], ["--beta", "sick=2"]])
    flags += ["--hierarchies", "h"] if search not in ("k-optimize", "mdav") or draw.random() < 0.5 else []
    flags += draw.choice([[], [], ["--decimal", ","]]) + draw.choice([[], [], ["--missing", "?,7"]])
    flags += ["--person", "who"] if person else []
    flags += ["--person-promise", "histories"] if person and search == "auto" and draw.random() < 0.4 else []
    flags += ["--suppress-by", "row"] if person and "histories" not in flags and draw.random() < 0.4 else []
    limit = ["--suppress", draw.choice(["3", "10%", "50%", "all"])] if draw.random() < 0.6 else []
    flags += limit + (["--keep", "more"] if draw.random() < 0.5 else []) + (["--keep-suppressed"] if limit and draw.random() < 0.3 else [])
    made = subprocess.run([kanon, "anonymize", "t.csv", "-o", "r.csv", "--algorithm", search, "--force", "--quiet", *flags],
                          capture_output=True, text=True)
    if made.returncode:
        seen["not made"] += 1
        return 0
    wrong = compare(["r.csv", "--original", "t.csv", *flags], seen, "right", ["t.csv", "r.csv"])
    with open("r.csv", newline="") as file:
        rows = [row or [""] for row in csv.reader(file)]
    for _ in range(6):
        write("m.csv", changed(draw, rows))
        asked = flags[:]
        if draw.random() < 0.3:  # another promise than it was made for
            asked[asked.index("--k") + 1] = draw.choice("1234")
        if promised and draw.random() < 0.3:
            at = asked.index(promised[0]) + 1
            asked[at] = str(float(asked[at]) / 2) if promised[0] not in ("--l",) else "3"
        alone = not person and draw.random() < 0.3
        wrong += compare(["m.csv", *([] if alone else ["--original", "t.csv"]), *asked], seen, "changed", ["t.csv", "m.csv"])
    return wrong


def forged(draw, proof):
    """The certificate with one claim changed."""
    proof = json.loads(json.dumps(proof))
    how = draw.choice(["drop", "move", "solution", "value", "count", "k", "limit"])
    nodes = proof[draw.choice(["minimal", "failing"])]
    if how in ("drop", "move", "count") and nodes:
        node = draw.choice(nodes)
        if how == "drop":
            nodes.remove(node)
        elif how == "move":
            node["levels"][draw.randrange(len(node["levels"]))] = draw.randrange(3)
        else:
            node["suppressed"] = node.get("suppressed", 0) + 1
            node.pop("row", None)
    elif how == "solution":
        proof["solution"]["levels"][0] = draw.randrange(2)
    elif how == "value":
        proof["solution"]["value"] *= 1.5
    elif how == "k":
        proof["privacy"][0]["k"] += 1
    elif how == "limit":
        proof["suppression"]["limit"] += 1
    return proof


def a_certificate(draw, seen):
    write("t.csv", table(draw))
    qi = draw.sample(["age", "town", "sex"], draw.randint(1, 3))
    flags = ["--qi", ",".join(qi), "--k", draw.choice("2345"), "--hierarchies", "h", "--cost",
             draw.choice(["height", "precision", "distortion", "discernibility", "average-class", "ncp"])]
    flags += ["--suppress", draw.choice(["2", "20%"])] if draw.random() < 0.6 else []
    flags += ["--person", "who"] if draw.random() < 0.4 else []
    flags += ["--suppress-by", "row"] if "--person" in flags and draw.random() < 0.4 else []
    flags += ["--person-promise", "histories"] if "--person" in flags and "row" not in flags and draw.random() < 0.4 else []
    made = subprocess.run([kanon, "search", "t.csv", "--certificate", "c.json", "--force", "--quiet", *flags], capture_output=True, text=True)
    if made.returncode:
        seen["not made"] += 1
        return 0
    check = ["t.csv", "--hierarchies", "h", "--certificate"]
    wrong = compare([*check, "c.json"], seen, "proof", ["t.csv", "c.json"])
    with open("c.json") as file:
        proof = json.load(file)
    for _ in range(4):
        with open("f.json", "w") as file:
            json.dump(forged(draw, proof), file)
        wrong += compare([*check, "f.json"], seen, "forged", ["t.csv", "f.json"])
    return wrong


def main():
    seen, wrong = Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        hierarchies()
        for number in range(rounds):
            draw = random.Random(seed * 1_000_003 + number)
            wrong += a_round(draw, seen) + (a_certificate(draw, seen) if number % 3 == 0 else 0)
            if wrong > int(os.environ.get("KANON_TEST_SHOW", 3)):
                break
        os.chdir("/")
    for what, times in sorted(seen.items(), key=str):
        print(*([what] if isinstance(what, str) else [f"{what[0]}: kanon verify {what[1]}, recount.py {what[2]}"]), times, sep="  ")
    wanted = [("right", 0, 0), ("changed", 0, 0), ("changed", 3, 3), ("proof", 0, 0), ("forged", 3, 3)]
    missing = [what for what in wanted if not seen[what]]
    if missing:
        print(f"never seen: {missing}")
    return bool(wrong or missing)


if __name__ == "__main__":
    sys.exit(main())
