#!/usr/bin/env python3
"""--where against the same rows in a file of their own.

  where.py --kanon KANON [--rounds N] [--seed S]

Random tables (numbers with decimal commas, dates, text with quotes, missing values in several spellings) and random
expressions. Each expression is judged here by its definition, with three truth values, row by row; the rows for which it
is true are written to a file. Then every command must say the same of that file and of the whole table with --where: the
same release byte by byte, the same results.

KANON_TEST_ROUNDS is the number of tables (default: 25). Exit status 0 when all holds."""
import argparse
import csv
import datetime
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from decimal import Decimal

# ---- tables ---------------------------------------------------------------------------------------
# A value is what kanon has of it: a Decimal, a date, a text, or None where it is missing.

REGIONS = ["North", "South", "Nor\"th", "O'Neill", "north", "North ", "and", "é", "a,b", "1", "01", "1.0", "--", ");"]
COLUMNS = ["age", "income", "region", "born", "hours per week", "id", "code"]


def make_rows(draw):
    n = draw.randint(8, 60)
    ages = [draw.randint(0, 9) * 10 for _ in range(4)]
    regions = draw.sample(REGIONS, 4)
    rows = []
    for i in range(n):
        missing = lambda share, value: None if draw.random() < share else value
        rows.append({
            "age": missing(0.1, Decimal(draw.choice(ages))),
            "income": missing(0.1, Decimal(draw.randint(-20, 40)) / 4),
            "region": missing(0.1, draw.choice(regions)),
            "born": missing(0.1, datetime.date(2000 + draw.randint(0, 2), draw.randint(1, 3), 1)),
            "hours per week": Decimal(draw.randint(1, 3)),
            "id": Decimal(i // 2),
            "code": draw.choice("xyz"),
        })
    return rows


def written(column, value, draw):
    if value is None:
        return draw.choice(["", "NA"])
    if column == "income":
        return str(value).replace(".", ",")
    if column == "born":
        return value.strftime("%d.%m.%Y")
    return str(value)


def write(path, rows):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, delimiter=";", lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows(rows)


# ---- expressions ------------------------------------------------------------------------------------
# A tree: ("and"|"or", a, b), ("not", a), ("test", column, sign, [values]), ("missing", column)


def make_test(draw, rows):
    column = draw.choice(["age", "income", "region", "region", "born", "hours per week"])
    if draw.random() < 0.12:
        return ("missing", column)
    known = [row[column] for row in rows if row[column] is not None]
    values = [draw.choice(known)] if known else [{"born": datetime.date(2001, 1, 1), "region": "x"}.get(column, Decimal(1))]
    if column == "region":
        sign = draw.choice(["=", "!=", "in", "not in"])
    else:
        sign = draw.choice(["=", "!=", "<", "<=", ">", ">=", "in", "not in"])
        if column in ("age", "income") and draw.random() < 0.3:
            values[0] += Decimal("0.25")
    if sign in ("in", "not in"):
        values += [draw.choice(known) for _ in range(draw.randint(0, 3)) if known]
    return ("test", column, sign, values)


def make_tree(draw, rows, depth):
    kind = draw.random()
    if depth == 0 or kind < 0.35:
        return make_test(draw, rows)
    if kind < 0.5:
        return ("not", make_tree(draw, rows, depth - 1))
    return (draw.choice(["and", "or"]), make_tree(draw, rows, depth - 1), make_tree(draw, rows, depth - 1))


def judge(tree, row):
    """True, False or None: unknown."""
    if tree[0] == "missing":
        return row[tree[1]] is None
    if tree[0] == "not":
        inner = judge(tree[1], row)
        return None if inner is None else not inner
    if tree[0] in ("and", "or"):
        a, b = judge(tree[1], row), judge(tree[2], row)
        decisive = tree[0] == "or"
        if a is decisive or b is decisive:
            return decisive
        return None if a is None or b is None else not decisive
    _, column, sign, values = tree
    value = row[column]
    if value is None:
        return None
    return {"=": lambda: value == values[0], "!=": lambda: value != values[0], "<": lambda: value < values[0],
            "<=": lambda: value <= values[0], ">": lambda: value > values[0], ">=": lambda: value >= values[0],
            "in": lambda: value in values, "not in": lambda: value not in values}[sign]()


def quoted(text, draw):
    quote = draw.choice("\"'")
    return quote + text.replace(quote, 2 * quote) + quote


def shown_value(value, draw):
    if isinstance(value, Decimal):
        return str(value) + (draw.choice(["", "", "0"]) if "." in str(value) else draw.choice(["", "", ".0", ".00"]))
    return value.isoformat() if isinstance(value, datetime.date) else quoted(value, draw)


def shown_name(column, draw):
    return column if " " not in column and draw.random() < 0.7 else quoted(column, draw)


def word(text, draw):
    return draw.choice([text, text, text.upper()])


def shown(tree, draw, level=0):
    """Levels: 0 or, 1 and, 2 not and tests."""
    if tree[0] == "missing":
        return f"{shown_name(tree[1], draw)} {word('is missing', draw)}"
    if tree[0] == "not":
        if tree[1][0] == "missing" and draw.random() < 0.5:
            return f"{shown_name(tree[1][1], draw)} is not missing"
        return word("not", draw) + " " + shown(tree[1], draw, 2)
    if tree[0] in ("and", "or"):
        own = 1 if tree[0] == "and" else 0
        # Both are associative: what stands on the right needs parentheses only where it binds less.
        text = f"{shown(tree[1], draw, own)} {word(tree[0], draw)} {shown(tree[2], draw, own)}"
        return f"({text})" if own < level or draw.random() < 0.2 else text
    _, column, sign, values = tree
    name = shown_name(column, draw)
    if "in" in sign:
        return f"{name} {word(sign, draw)} (" + ", ".join(shown_value(v, draw) for v in values) + ")"
    blank = draw.choice(["", " "]) if name[-1] in "\"'" else " "
    sign = {"=": draw.choice(["=", "=="]), "!=": draw.choice(["!=", "<>"])}.get(sign, sign)
    return f"{name}{blank}{sign}{draw.choice(['', ' '])}{shown_value(values[0], draw)}"


# ---- commands ---------------------------------------------------------------------------------------

READING = ["--decimal", "income=,", "--date-format", "born=%d.%m.%Y", "--missing", "NA", "--separator", ";",
           "--text", "region"]
QI = ["--qi", "age=intervals:20,100", "--qi", "region=suppress", "--qi", "born=date:month,year"]
JOBS = [
    ["--drop", "*", "--k", "2", "--suppress", "30%"],
    ["--keep", "income", "--drop", "*", "--k", "3", "--suppress", "2", "--keep-suppressed"],
    ["--sensitive", "code", "--l", "2", "--drop", "*", "--k", "2", "--suppress", "50%"],
    ["--person", "id", "--drop", "*", "--k", "2", "--suppress", "50%"],
    ["--drop", "*", "--k", "2", "--recoding", "cell-suppression", "--suppress", "20%", "--keep", "hours per week"],
    ["--drop", "*", "--k", "3", "--population", "POPULATION", "--k-map", "4", "--suppress", "40%"],
    ["--drop", "*", "--k", "2", "--algorithm", "mondrian", "--keep", "hours per week"],
]
NEVER_SAME = re.compile(r'"(time_ms|seconds|peak_memory_bytes|path|bytes|version|command|where|whole_hash|name|sha256|date|made)"')


def run(kanon, *arguments):
    done = subprocess.run([kanon, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def same_part(value):
    """A result without what says where things are, how long it took, and which settings it had."""
    if isinstance(value, dict):
        return {k: same_part(v) for k, v in value.items()
                if not NEVER_SAME.fullmatch(f'"{k}"') and k not in ("settings", "input", "options", "notes", "job")}
    if isinstance(value, list):
        return [same_part(v) for v in value]
    return value


def first_difference(a, b, at=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted({*a, *b}):
            if a.get(key) != b.get(key):
                return first_difference(a.get(key), b.get(key), f"{at}.{key}")
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return first_difference(x, y, f"{at}[{i}]")
    a, b = json.dumps(a), json.dumps(b)
    same = len(os.path.commonprefix([a, b]))
    return f"{at}: {a[max(0, same - 100):same + 200]}\nand {b[max(0, same - 100):same + 200]}"


class Failure(Exception):
    pass


def compare(kanon, folder, text, command, flags, is_release=False):
    """The whole with --where, and the file of the chosen rows."""
    sides = []
    for name, more in (("whole.csv", ["--where", text]), ("chosen.csv", [])):
        result = os.path.join(folder, name + ".json")
        out = os.path.join(folder, name + ".out")
        for path in (result, out):
            if os.path.exists(path):
                os.unlink(path)
        own = [f.replace("POPULATION", os.path.join(folder, "whole.csv")) for f in flags]
        own = [f.replace("ORIGINAL", os.path.join(folder, name)) for f in own]
        table = [] if "--original" in own else [os.path.join(folder, name)]
        status, stdout, stderr = run(kanon, command, *table, *own, *more, "--json", result, "--quiet",
                                     *(["-o", out] if is_release else []))
        content = open(out, "rb").read() if os.path.exists(out) else None
        figures = json.loads(open(result).read().replace("whole.csv", "chosen.csv")) if os.path.exists(result) else None
        sides.append((status, content, same_part(figures), stdout + stderr))
    (a, b) = sides
    if a[:3] != b[:3]:
        raise Failure(f"kanon {command} {' '.join(flags)}\n--where {text}\nends with {a[0]} and {b[0]}\n{a[3]}\n{b[3]}\n"
                      f"releases {'differ' if a[1] != b[1] else 'are the same'}\n{first_difference(a[2], b[2])}")
    if a[0] == 2 and not re.search(r"has only|no group can be|has no value|no value is known|nothing is known|is missing in all", a[3]):
        raise Failure(f"kanon {command} {' '.join(flags)}: {a[3]}")
    return a[0]


def one_round(kanon, folder, draw, counts):
    rows = make_rows(draw)
    tree = make_tree(draw, rows, draw.randint(0, 4))
    text = shown(tree, draw)
    lines = [[written(c, row[c], draw) for c in COLUMNS] for row in rows]
    chosen = [line for row, line in zip(rows, lines) if judge(tree, row) is True]
    write(os.path.join(folder, "whole.csv"), lines)
    write(os.path.join(folder, "chosen.csv"), chosen)
    counts["rows"] += len(rows)
    counts["chosen"] += len(chosen)
    job = draw.choice(JOBS)
    if not chosen:
        status, _, stderr = run(kanon, "search", os.path.join(folder, "whole.csv"), *READING, *QI, "--k", "2",
                                "--where", text, "--quiet")
        if status != 2 or "chooses none" not in stderr:
            raise Failure(f"--where {text}\nno row is chosen, and it ends with {status}: {stderr}")
        counts["none"] += 1
        return
    status = compare(kanon, folder, text, "anonymize", READING + QI + job, True)
    release = os.path.join(folder, "release.csv")
    if status == 0:
        os.rename(os.path.join(folder, "chosen.csv.out"), release)
        counts["released"] += 1
    other = draw.choice(["search", "risk", "compare", "profile"])
    if other == "risk":
        compare(kanon, folder, text, "risk", READING + ["--qi", "age,region,born"])
    elif other == "profile":
        compare(kanon, folder, text, "profile", READING)
    else:
        compare(kanon, folder, text, other, READING + QI + ["--drop", "*", "--k", "2", "--suppress", "30%"])
    if status == 0:
        settings = [f.replace("POPULATION", os.path.join(folder, "whole.csv")) for f in job]
        if "--algorithm" in settings:
            at = settings.index("--algorithm")
            del settings[at:at + 2]
        compare(kanon, folder, text, "verify", [release, *READING, *QI, *settings, "--original", "ORIGINAL"])
        if "--keep-suppressed" not in job and "cell-suppression" not in job:
            compare(kanon, folder, text, "utility", [release, *READING, *QI, "--original", "ORIGINAL"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kanon", required=True)
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("KANON_TEST_ROUNDS", 25)))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counts = {"rows": 0, "chosen": 0, "none": 0, "released": 0}
    for number in range(options.rounds):
        draw = random.Random(options.seed * 1000003 + number)
        with tempfile.TemporaryDirectory() as folder:
            try:
                one_round(options.kanon, folder, draw, counts)
            except Failure as failure:
                print(f"table {number}, seed {options.seed}:\n{failure}", file=sys.stderr)
                return 1
    print(f"{options.rounds} tables: {counts['chosen']} of {counts['rows']} rows chosen, {counts['released']} releases, "
          f"{counts['none']} cohorts without a row")
    return 0 if counts["released"] > 0 or options.rounds < 10 else 1


if __name__ == "__main__":
    sys.exit(main())
