#!/usr/bin/env python3
"""Sequences of two to four releases of the same people by every search that keeps pasts: levels, cuts, regions and
clusters (docs/papers/over-time.md).

  over_time_searches.py --kanon KANON [--rounds N] [--seed S]

Each release is made by another search, cost and promise, of tables whose people join, leave, come back and change.
Nothing is shared with the program: cells are counted from what rows show and from who is whose. Held against it are
what the release shows, who is left out, that nothing is found only where nothing can be, and the recount of verify.
Small tables are also attacked by enumeration (worlds.py).

Exit status 0 when all holds."""
import argparse
import csv
import itertools
import json
import os
import random
import re
import sys
import tempfile

import worlds

# Groups of one release are known to the attacker, so labels need not be read (worlds.linked_owners).
worlds.covers = lambda *_: True

LEVELS = ("bisect", "exhaustive", "incognito")
REGIONS = ("mondrian", "mondrian-relaxed")
LOCAL = ("iterate", "progressive", "top-down")
CUTS = ("greedy", "hill-climb", "anneal", "genetic") + 3 * ("k-optimize",)
ONLY = []
KINDS = [LEVELS, REGIONS, REGIONS, LOCAL, LOCAL, CUTS, CUTS]
TREE = {"nurse": "care", "cook": "care", "clerk": "craft", "smith": "craft"}
JOBS = tuple(TREE)


class People:
    """Everybody, in the table or not: (age, sex, job, illness)."""

    def __init__(self, rng):
        self.rng = rng
        self.n = rng.choice((8, 9, 9, 30, 60, 120))
        self.ages = rng.choice((4, 8, 40))
        self.is_constant = rng.random() < 0.7
        self.has_unknown = rng.random() < 0.3
        self.churn = rng.choice((0.02, 0.1, 0.3))
        self.rows = {p: self.new_row() for p in range(self.n)}
        self.inside = {p for p in self.rows if rng.random() < 0.85}

    def new_row(self):
        rng = self.rng
        age = "?" if self.has_unknown and rng.random() < 0.1 else str(rng.randrange(self.ages))
        return (age, rng.choice("fm"), rng.choice(JOBS), rng.randrange(3))

    def table(self):
        return {p: self.rows[p] for p in sorted(self.inside)}

    def go_on(self):
        for p in self.rows:
            if self.rng.random() < self.churn:
                self.inside ^= {p}
            if self.rng.random() < self.churn / 2:
                row = self.new_row()
                self.rows[p] = row[:3] + (self.rows[p][3] if self.is_constant else row[3],)


class Question:
    def __init__(self, rng, n_rows, people):
        kind = rng.choice(KINDS)
        self.search = ONLY[0] if ONLY else rng.choice(kind)
        self.was_proven, self.qi_words = False, []
        self.k = rng.randint(2, 3 if n_rows < 20 else 6)
        self.l = rng.randint(2, 3) if kind is not CUTS and rng.random() < 0.35 else 1
        self.alpha = (rng.choice((5, 6, 7)) if kind in (REGIONS, LOCAL) and self.l == 1 and
                      rng.random() < 0.2 else None)
        if self.search in ("incognito", "bisect"):
            self.alpha = None
        self.limit = min(n_rows, rng.choice((0, 2, n_rows // 3, n_rows // 2, n_rows // 2)))
        costs = {LEVELS: ("discernibility", "ncp", "height"), CUTS: ("discernibility",)}
        words = ["--algorithm", self.search, "--cost",
                 rng.choice(costs.get(kind, ("discernibility", "ncp", "distortion")))]
        ages = "intervals:2,4,8" if kind is not REGIONS or rng.random() < 0.5 else None
        if kind is REGIONS:
            words += ["--split", rng.choice(("widest", "entropy", "cost"))]
            words += ["--ranges", rng.choice(("tight", "tight", "global"))
                      if self.search == "mondrian" else "tight"]
            if rng.random() < 0.3:
                words += ["--level", "sex=0"]
            if ages is None and not people.has_unknown and rng.random() < 0.2:
                self.qi_words = ["--summary", rng.choice(("mean", "median", "both"))]
                self.limit = 0
        if kind is CUTS and rng.random() < 0.3:
            words += ["--recoding", "full-subtree"]
        self.words = words
        self.is_exact = kind in (REGIONS, LOCAL) and "--level" not in words and not self.alpha
        self.qi = ["--qi", "age=" + ages if ages else "age", "--qi", "sex=suppress",
                   "--qi", "job=jobs.csv" if kind is LOCAL or rng.random() < 0.5 else "job=suppress"]
        self.promise = ["--k", str(self.k), "--suppress", str(self.limit)]
        if self.l > 1:
            self.promise += ["--l", str(self.l)]
        if self.alpha:
            self.promise += ["--alpha", "0.%d" % self.alpha]
        self.common = self.qi + self.qi_words + ["--id", "id", "--keep", "row", "--sensitive", "ill", "--ledger",
                                 "people.ledger", "--key", "key"] + self.promise

    def is_good(self, values):
        return (len(values) >= self.k and len(set(values)) >= self.l and
                (not self.alpha or
                 all(10 * values.count(v) <= self.alpha * len(values) for v in values)))

    def __str__(self):
        return " ".join(self.words + self.common)


def write_table(name, table):
    with open(name, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["row", "id", "age", "sex", "job", "ill"])
        for row, (p, values) in enumerate(table.items()):
            out.writerow([row, "p%d" % p, *values])


def read_release(name, table):
    """{person: (what she shows, her value)}."""
    people = list(table)
    with open(name, newline="") as file:
        return {people[int(row["row"])]: ((row["age"], row["sex"], row["job"],
                                           *(row[name] for name in row if name == "age-mean")),
                                          int(row["ill"]))
                for row in csv.DictReader(file)}


def cells_of(people, before, label):
    trace = worlds.traces_of(before, people)
    cells = {}
    for p in people:
        cells.setdefault((label(p), trace[p]), []).append(p)
    return list(cells.values())


def covers(shown, value):
    if shown in ("*", value):
        return True
    span = re.fullmatch(r"\[?(\d+)(?:-|\.\.)(\d+)[\])]?", shown)
    if span:
        return value.isdigit() and int(span[1]) <= int(value) <= int(span[2])
    if shown.startswith("{"):
        return any(covers(part.strip(), value) for part in shown[1:-1].split(","))
    return TREE.get(value) == shown


def expect_release(question, table, before, found):
    values = {p: table[p][3] for p in table}
    for cell in cells_of(found, before, lambda p: found[p][0]):
        if not question.is_good([values[p] for p in cell]):
            return "a cell of %d breaks the promise: %s" % (len(cell), cell)
    if len(table) - len(found) > question.limit:
        return "%d are left out" % (len(table) - len(found))
    for p, (shown, value) in found.items():
        is_middle = "mean" in question.common or "median" in question.common
        cells = list(zip(shown, table[p]))[is_middle:3]
        if value != values[p] or not all(covers(*cell) for cell in cells):
            return "%s is shown as %s" % (table[p], shown)
    return None


def expect_possible(question, table, before, found):
    """Whoever fails in the whole table fails everywhere; the others can be one group."""
    values = {p: table[p][3] for p in table}
    whole = cells_of(table, before, lambda p: None)
    failing = {p for cell in whole if not question.is_good([values[p] for p in cell]) for p in cell}
    can_be = len(failing) <= question.limit and len(failing) < len(table)
    if found is None:
        return "nothing was found" if question.is_exact and can_be else None
    if question.l == 1 and not question.alpha and failing & set(found):
        return "%s cannot be released" % (failing & set(found))
    if question.is_exact and question.search in REGIONS and set(table) - set(found) != failing:
        return "%s are left out, and not %s" % (set(table) - set(found), failing)
    return None


def expect_best(question, table, before, found):
    """k-optimize against all sets of cuts."""
    if question.search != "k-optimize" or any(row[0] == "?" for row in table.values()):
        return None
    places = [sorted({row[a] for row in table.values()}, key=(int, str, str)[a]) for a in range(3)]
    n_cuts = [len(values) - 1 for values in places]
    if {"--recoding", "job=jobs.csv"} & set(question.words + question.qi) or sum(n_cuts) > 9:
        return None
    index = [{v: i for i, v in enumerate(values)} for values in places]

    def cost(label_of):
        sizes, lost = {}, 0
        for cell in cells_of(table, before, label_of):
            if len(cell) < question.k:
                lost += len(cell)
            else:
                sizes[label_of(cell[0])] = sizes.get(label_of(cell[0]), 0) + len(cell)
        if lost > question.limit or not sizes:
            return None
        return sum(n * n for n in sizes.values()) + lost * len(table)

    costs = []
    for chosen in itertools.product((0, 1), repeat=sum(n_cuts)):
        parts = [chosen[sum(n_cuts[:a]):sum(n_cuts[:a + 1])] for a in range(3)]
        sums = [[sum(part[:i]) for i in range(len(part) + 1)] for part in parts]
        costs.append(cost(lambda p: tuple(sums[a][index[a][table[p][a]]] for a in range(3))))
    best = min((c for c in costs if c is not None), default=None)
    if found is None:
        return "nothing was found, and the best costs %d" % best if best is not None else None
    sizes = {}
    for shown, _ in found.values():
        sizes[shown] = sizes.get(shown, 0) + 1
    mine = sum(n * n for n in sizes.values()) + (len(table) - len(found)) * len(table)
    question.was_proven = True
    return None if mine == best else "it costs %d, and the best %s" % (mine, best)


def expect_verified(kanon, question, names, found):
    words = ["verify", names[1], "--original", names[0], "--quiet"] + question.common
    status, error = worlds.run_kanon(kanon, words)
    if status != 0:
        return "verify: %d %s" % (status, error)
    with open(names[1], newline="") as file:
        text = file.read()
    if len(found) > 1:
        with open("copy.csv", "w", newline="") as file:
            file.write(text[:text.rindex("\n", 0, -1) + 1])
        words[1] = "copy.csv"
        if worlds.run_kanon(kanon, words)[0] != 3:
            return "verify takes a release of which a row was cut off"
    return None


def bytes_of(name):
    with open(name, "rb") as file:
        return file.read()


def put_ledger(content):
    with open("people.ledger", "wb") as file:
        file.write(content)
    os.chmod("people.ledger", 0o600)


def expect_hidden(kanon, question, table, found, ledger, rng, done):
    """Where others are left out in their place and the release is the same, so is all that may be shared."""
    if question.search not in REGIONS or len(found) == len(table) or not ledger:
        return None
    after, shown = bytes_of("people.ledger"), []
    for rows in (table, {p: row if p in found else (str(rng.randrange(60)),) + row[1:]
                         for p, row in table.items()}):
        write_table("other.csv", rows)
        put_ledger(ledger)
        words = ["anonymize", "other.csv", "-o", "shown.csv", "--report", "shown.html", "--picture",
                 "shown.svg", "--picture-columns", "age,sex", "--quiet", "--force"]
        status, error = worlds.run_kanon(kanon, words + question.words + question.common)
        if status != 0:
            return "with other rows left out: %d %s" % (status, error)
        page = re.sub(rb"[0-9.]+ m?s\b", b"", bytes_of("shown.html"))
        shown.append((bytes_of("shown.csv"), page, bytes_of("shown.svg")))
    put_ledger(after)
    if shown[0][0] == shown[1][0]:
        done["others left out"] += 1
        if shown[0] != shown[1]:
            return "what may be shared tells of who is left out"
    return None


def expect_people_told(found):
    """Each row is somebody else, and the result says so, and how many groups there are."""
    with open("result.json") as file:
        told = json.load(file)["people"]
    want = [{"column": "id", "rows": len(found), "people": len(found),
             "groups": len({shown for shown, _ in found.values()}), "small_groups": 0}]
    return None if told == want else "people: %s, and not %s" % (told, want)


def one_sequence(kanon, rng, done):
    people, before = People(rng), []
    with open("jobs.csv", "w") as file:
        file.writelines("%s,%s,*\n" % job for job in TREE.items())
    for t in range(rng.randint(2, 4)):
        table = people.table()
        people.go_on()
        question = Question(rng, len(table), people)
        names = "t%d.csv" % t, "r%d.csv" % t
        if len(table) < question.k or (before and not set(table) & {p for r in before for p in r}):
            continue
        write_table(names[0], table)
        ledger = bytes_of("people.ledger") if before else None
        status, error = worlds.run_kanon(kanon, ["anonymize", names[0], "-o", names[1], "--quiet", "--json",
                                                 "result.json", "--force"] +
                                         question.words + question.common)
        if status not in (0, 3):
            return "%s: %d %s" % (question, status, error)
        found = read_release(names[1], table) if status == 0 else None
        why = (expect_possible(question, table, before, found) or
               expect_best(question, table, before, found))
        done["best of all cuts"] += question.was_proven
        if not why and found is not None:
            why = (expect_release(question, table, before, found) or
                   expect_people_told(found) or
                   expect_verified(kanon, question, names, found) or
                   expect_hidden(kanon, question, table, found, ledger, rng, done))
        if why:
            return "%s: %s\n%s\n%s\n%s\n%s" % (question, why, error, before, table, found)
        if found is None:
            done["nothing"] += 1
            continue
        before.append(found)
        key = "after others" if len(before) > 1 else "first"
        done[key] += 1
        if len(before) > 1:
            done["by"][question.search] = done["by"].get(question.search, 0) + 1
            done["with rows left out"] += len(found) < len(table)
        if people.n < 10 and len(before) > 1:
            rule = worlds.Rule(question.k, question.l, alpha=question.alpha)
            try:
                worlds.attack(rule, before, [{p: (0, "f") for p in people.rows}] * len(before),
                              people.is_constant)
            except worlds.Broken as broken:
                return "%s: %s\n%s" % (question, broken, before)
            done["attacked"] += 1
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kanon", required=True)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--search", help="this one alone")
    args = parser.parse_args()
    if args.search:
        ONLY.append(args.search)
        KINDS[:] = [kind for kind in KINDS if args.search in kind]
    kanon, home = os.path.abspath(args.kanon), os.getcwd()
    done = {"first": 0, "after others": 0, "nothing": 0, "attacked": 0, "with rows left out": 0,
            "best of all cuts": 0, "others left out": 0,
            "by": {}}
    for i in range(args.rounds):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            with open("key", "wb") as file:
                file.write(bytes(range(32)))
            os.chmod("key", 0o600)
            why = one_sequence(kanon, random.Random(args.seed * 1000003 + i), done)
            os.chdir(home)
        if why:
            sys.exit("round %d, seed %d: %s" % (i, args.seed, why))
    print("all hold: %s" % done)
    if args.rounds >= 100 and (done["after others"] < args.rounds * 3 // 4 or done["attacked"] < 20 or
                               done["with rows left out"] < 20 or not done["best of all cuts"] or not done["others left out"]):
        sys.exit("too few of some kind: the test says nothing")


if __name__ == "__main__":
    main()
