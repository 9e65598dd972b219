#!/usr/bin/env python3
"""What a promise over several releases costs, and what releases tell together without it (docs/papers/over-time.md).

  over_time.py KANON [--rows N] [--seed S]

1. Four releases of the same generated people, k = 5, each by itself and with a ledger, the last made in two ways: rows that are
   alone, or among fewer than k, when two releases are joined by the order of their rows, and all four; ncp of each.
2. Four releases, of which so many of 100 people leave each time and as many others come: ncp of each, by itself and with
   a ledger. k = 5, up to 2 % left out, by levels, mondrian and iterate.
3. The second of two releases, k = 5 and iterate, where 10 of 100 people have left, after a first one with a larger k.

All of it is written into a folder of its own, and forgotten. Some minutes."""
import argparse
import collections
import csv
import itertools
import json
import os
import random
import subprocess
import tempfile

QUASI = ("age", "gender", "education", "occupation")
K = 5
FOUR = (("levels, ncp", ["--cost", "ncp"]),
        ("levels, discernibility", ["--cost", "discernibility"]),
        ("mondrian, ncp", ["--algorithm", "mondrian", "--cost", "ncp"]),
        ("mondrian", ["--algorithm", "mondrian"]),
        ("mondrian-relaxed", ["--algorithm", "mondrian-relaxed"]))


def run(kanon, words):
    """Whether there is an answer."""
    done = subprocess.run([kanon] + words, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit("%s\n%s" % (" ".join(words), done.stderr))
    if done.returncode == 3:
        print("    none: %s" % done.stderr.strip())
    return done.returncode == 0


def generate(kanon, n):
    run(kanon, ["generate", "census", "--rows", str(n), "-o", "all.csv", "--force"])
    with open("all.csv", newline="") as file:
        return list(csv.DictReader(file))


def write(name, rows, numbers):
    with open(name, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(("id", "row") + QUASI)
        for i in numbers:
            out.writerow([i, i] + [rows[i][c] for c in QUASI])


def release(kanon, table, words, ledger, k=K):
    """{row: what it shows}, and the result."""
    words = ["anonymize", table, "-o", "release.csv", "--hierarchies", "census-hierarchies", "--qi",
             ",".join(QUASI), "--id", "id", "--keep", "row", "--k", str(k), "--json", "result.json",
             "--force", "--quiet"] + words
    if ledger:
        words += ["--ledger", "the.ledger", "--key", "key"]
    if not run(kanon, words):
        return None, None
    with open("release.csv", newline="") as file:
        shown = {int(row["row"]): tuple(row[c] for c in QUASI) for row in csv.DictReader(file)}
    with open("result.json") as file:
        return shown, json.load(file)


def joined(releases):
    """Rows that are in all of them, and what they show together: how many are alone, and among fewer than k."""
    rows = set.intersection(*(set(r) for r in releases))
    groups = collections.Counter(tuple(r[row] for r in releases) for row in rows)
    return groups, sum(n for n in groups.values() if n == 1), sum(
        n for n in groups.values() if n < K)


def four(kanon, rows):
    write("table.csv", rows, range(len(rows)))
    for ledger in (False, True):
        releases = []
        print("with a ledger" if ledger else "each by itself")
        for i, (name, words) in enumerate(FOUR):
            if ledger and i == 3:
                with open("the.ledger", "rb") as file:
                    before = file.read()
            if ledger and i == 4:  # in place of the fourth
                with open("the.ledger", "wb") as file:
                    file.write(before)
            limit = ["--suppress", "1%"] if ledger or i == 1 else []
            shown, result = release(kanon, "table.csv", words + limit, ledger)
            releases.append(shown)
            told = result["ledger"] or {"leavers": 0, "stranded": 0}
            print("    %-24s ncp %.4f, %d left out, %d leavers, %d stranded" %
                  (name, result["metrics"]["ncp"], len(rows) - len(shown), told["leavers"],
                   told["stranded"]))
        for a, b in itertools.combinations(range(4), 2):
            _, alone, few = joined([releases[a], releases[b]])
            print("    %-50s %5d alone, %5d among fewer than %d" %
                  (FOUR[a][0] + " and " + FOUR[b][0], alone, few, K))
        groups, alone, few = joined(releases[:4])
        print("    %-50s %5d alone, %5d among fewer than %d, of %d" %
              ("all four", alone, few, K, sum(groups.values())))


def quarters(kanon, rows, n, seed, search):
    words = ["--cost", "ncp", "--suppress", "2%", "--algorithm", search]
    for percent in (2, 10, 25):
        rng = random.Random(seed)
        inside, waiting = list(range(n)), list(range(n, len(rows)))
        if os.path.exists("the.ledger"):
            os.remove("the.ledger")
        print("%s: %d of 100 people leave, and others come" % (search, percent))
        for quarter in range(4):
            write("table.csv", rows, sorted(inside))
            _, alone = release(kanon, "table.csv", words, False)
            _, result = release(kanon, "table.csv", words, True)
            if not result:
                break
            told = result["ledger"]
            print("    release %d: ncp %.3f alone, %.3f with a ledger; %d left out, %d leavers, %d "
                  "stranded" % (quarter + 1, alone["metrics"]["ncp"], result["metrics"]["ncp"],
                                result["suppression"]["rows"], told["leavers"], told["stranded"]))
            leave = set(rng.sample(inside, n * percent // 100))
            come, waiting = waiting[:len(leave)], waiting[len(leave):]
            inside = [i for i in inside if i not in leave] + come


def after_larger(kanon, rows):
    words = ["--algorithm", "iterate", "--cost", "ncp", "--suppress", "2%"]
    for k in (5, 10, 15):
        write("table.csv", rows, range(len(rows)))
        _, first = release(kanon, "table.csv", words, True, k)
        write("table.csv", rows, [i for i in range(len(rows)) if i % 10 != 3])
        print("k = %d, then %d, where 10 of 100 people have left" % (k, K))
        _, second = release(kanon, "table.csv", words, True)
        if second:
            print("    ncp %.3f, then %.3f; %d left out" %
                  (first["metrics"]["ncp"], second["metrics"]["ncp"], second["suppression"]["rows"]))
        os.remove("the.ledger")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kanon")
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    kanon = os.path.abspath(args.kanon)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("key", "wb") as file:
            file.write(bytes(range(32)))
        os.chmod("key", 0o600)
        rows = generate(kanon, args.rows)
        four(kanon, rows)
        os.remove("the.ledger")
        after_larger(kanon, rows)
        rows = generate(kanon, 2 * args.rows)
        for search in ("bisect", "mondrian", "iterate"):
            quarters(kanon, rows, args.rows, args.seed, search)
        os.chdir("/")


if __name__ == "__main__":
    main()
