#!/usr/bin/env python3
"""`kanon utility` without a workload against its definitions, written down a second time and plainly.

    fidelity.py KANON DATA   random tables, and the files of statistical offices in DATA/survey, if they are there

Every figure of the result is recomputed from the two tables as texts: from lists of all values that each
single cell stands for. KANON_TEST_ROUNDS is the number of random tables.
"""

import csv
import datetime
import json
import math
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:  # the propensity score is not recomputed then
    numpy = None

ROUNDS = int(os.environ.get("KANON_TEST_ROUNDS", "150"))
HIERARCHY = {"a": "low", "b": "low", "c": "mid", "d": "mid", "e": "mid", "f": "top"}
QUANTILES = [("least", 0), ("percentile_5", 0.05), ("percentile_25", 0.25), ("median", 0.5), ("percentile_75", 0.75),
             ("percentile_95", 0.95), ("greatest", 1)]
MISSING = "missing"


# ---- what a cell stands for -----------------------------------------------------------------------------------------


def value_of(kind, text):
    if text in ("", "?"):
        return MISSING
    if kind == "date":
        return datetime.date.fromisoformat(text).toordinal()
    return text if kind == "text" else round(float(text), 6)


class Column:
    """A column of both tables, and what each released cell stands for."""

    def __init__(self, name, kind, original, released, step=1.0):
        self.name, self.kind, self.step = name, kind, step
        self.original = [value_of(kind, text) for text in original]
        self.values = sorted(set(self.original), key=lambda v: (v != MISSING, v if v != MISSING else 0)
                             if kind != "text" else (v != MISSING, v))
        self.texts = released
        self.known = set(original)
        self.cells = [self.cover(text) for text in released]

    def units(self, low, high):
        first, last = round(low / self.step), round(high / self.step)
        return [round(unit * self.step, 6) for unit in range(first, last + 1)]

    def cover(self, text):
        if text == "*":
            return self.values
        if text in self.known:
            return [value_of(self.kind, text)]
        if text.startswith("{"):
            return [value for part in text[1:-1].split(", ") for value in self.cover(part)]
        if text.startswith(("[", "(")):
            low, high = text[1:-1].split("..") if ".." in text else text[1:-1].split(", ") if ", " in text \
                else (text[1:-1].split("-") if self.kind != "date" else (text[1:11], text[12:22]))
            low, high = value_of(self.kind, low), value_of(self.kind, high)
            units = self.units(low, high)
            return [unit for unit in units if (unit != low or text[0] == "[") and (unit != high or text[-1] == "]")]
        if self.kind == "text":
            return [value for value in self.values if HIERARCHY.get(value) == text]
        return [value_of(self.kind, text)]

    def showing(self, row):
        text = self.texts[row]
        if text == "*":
            return "hidden"
        is_value = text in self.known or (self.kind == "number" and text[:1] not in "[({")
        return "exact" if is_value and self.cells[row][0] in self.values else "coarser"

    def middle(self, row):
        numbers = [value for value in self.cells[row] if value != MISSING]
        if self.texts[row] == "*" or not numbers:
            return None
        return min(numbers) + (max(numbers) - min(numbers)) / 2


# ---- figures --------------------------------------------------------------------------------------------------------


def shares(pairs):
    found = {}
    for value, weight in pairs:
        found[value] = found.get(value, 0) + weight
    total = sum(found.values())
    return {value: weight / total for value, weight in found.items()}


def distance(p, q):
    both = set(p) | set(q)
    # what the original does not have is one place
    inside = [value for value in both if value in p]
    outside = sum(q[value] for value in both if value not in p)
    variation = (sum(abs(p[v] - q.get(v, 0)) for v in inside) + outside) / 2
    hellinger = math.sqrt((sum((math.sqrt(p[v]) - math.sqrt(q.get(v, 0))) ** 2 for v in inside) + outside) / 2)
    return {"total_variation": variation, "hellinger": hellinger}


def distances(column, weights, released_weights):
    p = shares(zip(column.original, weights))
    even = shares((value, weight / len(cell)) for cell, weight in zip(column.cells, released_weights) for value in cell)
    by_shares = []
    for cell, weight in zip(column.cells, released_weights):
        inside = sum(p[value] for value in cell if value in p)
        if inside == 0:
            by_shares.append(("nowhere", weight))
        by_shares += [(value, weight * p[value] / inside) for value in cell if value in p and inside > 0]
    return distance(p, even), distance(p, shares(by_shares))


def summary(numbers, weights):
    known = [(number, weight) for number, weight in zip(numbers, weights) if number not in (None, MISSING)]
    total = sum(weight for _, weight in known)
    out = {"known": total / sum(weights), "mean": None, "standard_deviation": None, **{name: None for name, _ in QUANTILES}}
    if not known:
        return out
    mean = sum(number * weight for number, weight in known) / total
    out["mean"] = mean
    n = len(known)
    if n > 1:
        out["standard_deviation"] = math.sqrt(sum(w * (x - mean) ** 2 for x, w in known) / total * n / (n - 1))
    known.sort()
    for name, share in QUANTILES:
        up_to = 0
        for number, weight in known:
            up_to += weight
            if up_to >= share * total - 1e-9 * total:
                out[name] = number
                break
    return out


def expected_columns(columns, weights, released_weights):
    for column in columns:
        rows = range(len(column.texts))
        total = sum(released_weights)
        cells = {word: sum(released_weights[row] for row in rows if column.showing(row) == word) / total
                 for word in ("exact", "coarser", "hidden")}
        even, by_shares = distances(column, weights, released_weights)
        numbers = None
        if column.kind == "number":
            numbers = {"original": summary(column.original, weights),
                       "release": summary([column.middle(row) for row in rows], released_weights)}
        yield {"name": column.name, "type": column.kind, "cells": cells, "even": even, "by_shares": by_shares,
               "numbers": numbers}


# ---- pairs ----------------------------------------------------------------------------------------------------------


class Classes:
    """The classes of a column, by the definition in the manual."""

    def __init__(self, column, weights):
        self.column = column
        values, units = column.values, shares(zip(column.original, weights))
        if len(values) <= 20:
            self.of = {value: i for i, value in enumerate(values)}
        elif column.kind == "text":
            frequent = sorted(values, key=lambda value: (-units[value], values.index(value)))[:19]
            self.of = {value: frequent.index(value) if value in frequent else 19 for value in values}
        else:
            known = [value for value in values if value != MISSING]
            total = sum(w for value, w in zip(column.original, weights) if value != MISSING)
            self.of, below = {MISSING: "missing"}, 0
            for value in known:
                self.of[value] = int(10 * below / total + 1e-12)
                below += sum(w for v, w in zip(column.original, weights) if v == value)

    def find(self, value):
        if value in self.of:
            return self.of[value]
        known = [v for v in self.column.values if v != MISSING]
        below = [v for v in known if v <= value]
        return self.of[below[-1] if below else known[0]]

    def spread(self, cell):
        return shares((self.find(value), 1) for value in cell)


def contingency(a, b, weights):
    return shares(((i, j), weight * p * q) for x, y, weight in zip(a, b, weights) for i, p in x.items() for j, q in y.items())


def cramers_v(table):
    rows, columns = {}, {}
    for (i, j), share in table.items():
        rows[i] = rows.get(i, 0) + share
        columns[j] = columns.get(j, 0) + share
    least = min(len(rows), len(columns))
    if least < 2:
        return None
    phi = sum((table.get((i, j), 0) - p * q) ** 2 / (p * q) for i, p in rows.items() for j, q in columns.items())
    return min(1.0, math.sqrt(phi / (least - 1)))


def pearson(x, y, w):
    total = sum(w)
    mx, my = sum(a * c for a, c in zip(x, w)) / total, sum(b * c for b, c in zip(y, w)) / total
    sxx = sum(c * (a - mx) ** 2 for a, c in zip(x, w))
    syy = sum(c * (b - my) ** 2 for b, c in zip(y, w))
    if len(set(x)) < 2 or len(set(y)) < 2:
        return None
    return sum(c * (a - mx) * (b - my) for a, b, c in zip(x, y, w)) / math.sqrt(sxx * syy)


def ranks(x, w):
    return [sum(c for v, c in zip(x, w) if v < value) + sum(c for v, c in zip(x, w) if v == value) / 2 for value in x]


def both_known(x, y, w):
    rows = [row for row in zip(x, y, w) if row[0] not in (None, MISSING) and row[1] not in (None, MISSING)]
    return [list(part) for part in zip(*rows)] if rows else [[], [], []]


def before_after(before, after):
    return {"original": before, "release": after,
            "difference": None if before is None or after is None else after - before}


def expected_pairs(columns, weights, released_weights):
    classes = [Classes(column, weights) for column in columns]
    spread = [([{c.find(v): 1.0} for v in c.column.original], [c.spread(cell) for cell in c.column.cells]) for c in classes]
    for i, a in enumerate(columns):
        for j in range(i + 1, len(columns)):
            b = columns[j]
            tables = [contingency(spread[i][0], spread[j][0], weights),
                      contingency(spread[i][1], spread[j][1], released_weights)]
            variation = sum(abs(tables[0].get(k, 0) - tables[1].get(k, 0)) for k in set(tables[0]) | set(tables[1])) / 2
            found = {"columns": [a.name, b.name], "total_variation": variation,
                     "cramers_v": before_after(*[cramers_v(table) for table in tables]),
                     "correlation": None, "rank_correlation": None}
            if "text" not in (a.kind, b.kind):
                rows = range(len(a.texts))
                sides = [both_known(a.original, b.original, weights),
                         both_known([a.middle(row) for row in rows], [b.middle(row) for row in rows], released_weights)]
                plain = [pearson(*side) if side[0] else None for side in sides]
                ranked = [pearson(ranks(x, w), ranks(y, w), w) if x else None for x, y, w in sides]
                found["correlation"], found["rank_correlation"] = before_after(*plain), before_after(*ranked)
            yield found


# ---- all numbers together -------------------------------------------------------------------------------------------


def are_in_order(columns):
    """Row i of the release can be row i of the original."""
    for column in columns:
        rows = range(len(column.texts))
        if len(column.original) != len(rows):
            return False
        is_mean = [column.showing(row) == "coarser" and column.texts[row][:1] not in "[({" for row in rows]
        has_means = column.kind == "number" and any(is_mean)
        for row in rows:
            if not (has_means and (is_mean[row] or column.showing(row) == "exact")):
                if column.original[row] not in column.cells[row]:
                    return False
            elif column.middle(row) is not None:
                alike = [column.original[other] for other in rows if column.texts[other] == column.texts[row]]
                known = [number for number in alike if number != MISSING]
                if not known or not min(known) - 1e-9 <= column.middle(row) <= max(known) + 1e-9:
                    return False
    return True


def expected_il1s(columns, weights, in_order):
    varying = []
    for column in columns:
        if column.kind == "number":
            deviation = summary(column.original, weights)["standard_deviation"]
            if deviation is not None and len(set(column.original) - {MISSING}) > 1:
                varying.append((column, deviation))
    if not varying or not in_order:
        return {"value": None, "columns": len(varying), "compared": None, "absent": "rows" if varying else "numbers"}
    total = compared = all_cells = 0.0
    for column, deviation in varying:
        for row, (before, weight) in enumerate(zip(column.original, weights)):
            after = column.middle(row)
            all_cells += weight
            if before != MISSING and after is not None:
                total += weight * abs(before - after) / (math.sqrt(2) * deviation)
                compared += weight
    if compared == 0:
        return {"value": None, "columns": len(varying), "compared": None, "absent": "hidden"}
    return {"value": total / all_cells, "columns": len(varying), "compared": compared / all_cells, "absent": None}


def count_below(matrix, x):
    """How many eigenvalues lie below x: the negative pivots of matrix - x."""
    n = len(matrix)
    m = [[value - (x if i == j else 0) for j, value in enumerate(row)] for i, row in enumerate(matrix)]
    below = 0
    for k in range(n):
        pivot = m[k][k] or 1e-300
        below += pivot < 0
        for i in range(k + 1, n):
            factor = m[i][k] / pivot
            for j in range(k + 1, n):
                m[i][j] -= factor * m[k][j]
    return below


def eigenvalues(matrix):
    found, n = [], len(matrix)
    for i in range(n):
        low, high = -2.0 * n - 0.1234567, 2.0 * n + 0.3456789  # no pivot is ever 0
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (low, middle) if count_below(matrix, middle) > i else (middle, high)
        found.append(high)
    return sorted(found, reverse=True)


def covariance(x, y, w):
    total, n = sum(w), len(w)
    mx, my = sum(a * c for a, c in zip(x, w)) / total, sum(b * c for b, c in zip(y, w)) / total
    return sum(c * (a - mx) * (b - my) for a, b, c in zip(x, y, w)) / total * n / (n - 1)


def correlations(sides, weights):
    """None: two columns have too few rows in common."""
    deviations = [summary(side, weights)["standard_deviation"] for side in sides]
    matrix = [[1.0] * len(sides) for _ in sides]
    for i, a in enumerate(sides):
        for j in range(i):
            x, y, w = both_known(a, sides[j], weights)
            if len(w) < 2:
                return None
            matrix[i][j] = matrix[j][i] = covariance(x, y, w) / deviations[i] / deviations[j]
    return matrix


def expected_eigenvalues(columns, weights, released_weights):
    varying = []
    for column in [column for column in columns if column.kind == "number"]:
        after = [column.middle(row) for row in range(len(column.texts))]
        if len(set(column.original) - {MISSING}) > 1 and len(set(after) - {None}) > 1:
            varying.append((column.original, after))
    found = {"value": None, "columns": len(varying), "absent": "numbers"}
    if len(varying) < 2:
        return found
    matrices = correlations([side[0] for side in varying], weights), correlations([side[1] for side in varying], released_weights)
    if None in matrices:
        return found
    before, after = (eigenvalues(matrix) for matrix in matrices)
    if any(abs(e) <= 1e-10 * before[0] for e in before):
        return {**found, "absent": "tied"}
    return {**found, "value": sum(abs(e - d) / e for e, d in zip(before, after)), "absent": None}


# ---- propensity -----------------------------------------------------------------------------------------------------

MOST_PARTS = 64


def design_rows(columns, weights, released_weights):
    """Rows of numbers, of both tables; whether a released one covers more than it may be written out as."""
    is_drawn = False
    originals, releases = [[] for _ in weights], [[([], 1.0)] for _ in released_weights]
    for column in columns:
        if column.kind == "text":
            classes = Classes(column, weights)
            names = sorted(set(classes.of.values()))
            for row, value in enumerate(column.original):
                originals[row] += [float(classes.find(value) == name) for name in names]
            for row, cell in enumerate(column.cells):
                parts = classes.spread(cell)
                if len(releases[row]) * len(parts) > 4000:
                    return None, None, None, True
                releases[row] = [(one + [float(which == name) for name in names], share * more)
                                 for one, share in releases[row] for which, more in parts.items()]
            continue
        shown = [row for row in range(len(column.texts)) if column.middle(row) is not None]
        known = [value for value in column.original if value != MISSING]
        mean = sum(column.middle(row) * released_weights[row] for row in shown) / sum(released_weights[row] for row in shown) \
            if shown else (min(known) + max(known)) / 2
        for row, value in enumerate(column.original):
            originals[row] += [mean if value == MISSING else value, float(value == MISSING)]
        for row, text in enumerate(column.texts):
            middle = column.middle(row)
            more = [mean if middle is None else middle, float(middle is None and text != "*")]
            releases[row] = [(one + more, share) for one, share in releases[row]]
    rows, y, w = [], [], []
    for table, outcome, table_weights in (([[(one, 1.0)] for one in originals], 0.0, weights), (releases, 1.0, released_weights)):
        each = len(table_weights) / sum(table_weights)
        for parts, weight in zip(table, table_weights):
            is_drawn = is_drawn or len(parts) > MOST_PARTS
            for one, share in parts:
                rows.append([1.0, *one])
                y.append(outcome)
                w.append(weight * each * share)
    return rows, y, w, is_drawn


def expected_propensity(columns, weights, released_weights):
    """By Newton's steps with the pseudo-inverse, which bears columns that follow from others."""
    rows, y, w, is_drawn = design_rows(columns, weights, released_weights)
    if rows is None:
        return None, is_drawn
    x, y, w = numpy.array(rows), numpy.array(y), numpy.array(w)
    x[:, 1:] -= x[:, 1:].mean(axis=0)
    lengths = numpy.sqrt((x ** 2).mean(axis=0))
    x = x[:, lengths > 1e-12] / lengths[lengths > 1e-12]
    rank = int(numpy.linalg.matrix_rank(x, tol=1e-7 * math.sqrt(len(x))))
    b = numpy.zeros(x.shape[1])
    found = numpy.full(len(x), 0.5)
    for _ in range(60):
        curve = w * numpy.maximum(found * (1 - found), 1e-14)
        b = b + numpy.linalg.pinv((x.T * curve) @ x, rcond=1e-13, hermitian=True) @ (x.T @ (w * (y - found)))
        found = 1 / (1 + numpy.exp(-numpy.clip(x @ b, -40, 40)))
    n, c = len(weights) + len(released_weights), len(released_weights) / (len(weights) + len(released_weights))
    pmse = float((w * (found - c) ** 2).sum() / n)
    return {"pmse": pmse, "parameters": rank, "expected": (rank - 1) * (1 - c) ** 2 * c / n, "released_share": c, "rows": n}, is_drawn


def check_propensity(found, columns, weights, released_weights, faults):
    expected, is_drawn = expected_propensity(columns, weights, released_weights)
    if expected is None:
        return
    is_small = expected["rows"] < 3 * expected["parameters"]  # everything is told apart, and a coefficient is what it may be
    if found["absent"]:
        if is_small and found["absent"] == "unsettled":
            return
        faults.append(f"propensity: {found} is not {expected}")
        return
    for key, value in expected.items():
        if key != "pmse":
            compare(f"propensity.{key}", found[key], value, faults)
    # where something is told apart without an error the guesses have a limit, which nobody reaches
    slack = 0.3 * expected["pmse"] + 0.02 if is_drawn else 1e-5 if found["separated"] else 1e-8
    if not (is_small and found["separated"]) and abs(found["pmse"] - expected["pmse"]) > slack:
        faults.append(f"propensity: pMSE {found['pmse']!r} is not {expected['pmse']!r}{' or near' if is_drawn else ''}")
    if found["expected"] > 0:
        compare("propensity.ratio", found["ratio"], found["pmse"] / found["expected"], faults)
    for table in ("original", "release"):
        compare(f"propensity.guesses.{table}", sum(found["guesses"][table]), 1.0, faults)


# ---- comparing ------------------------------------------------------------------------------------------------------


def compare(place, found, expected, faults, tolerance=1e-9):
    if isinstance(expected, dict):
        if not isinstance(found, dict) or set(found) != set(expected):
            faults.append(f"{place}: {found} is not {expected}")
            return
        for key, value in expected.items():
            compare(f"{place}.{key}", found[key], value, faults, tolerance)
    elif isinstance(expected, list):
        if len(found) != len(expected):
            faults.append(f"{place}: {len(found)} are not {len(expected)}")
        for i, (a, b) in enumerate(zip(found, expected)):
            compare(f"{place}[{i}]", a, b, faults, tolerance)
    elif isinstance(expected, float) and isinstance(found, (int, float)):
        if abs(found - expected) > tolerance * max(1, abs(expected)):
            faults.append(f"{place}: {found!r} is not {expected!r}")
    elif found != expected:
        faults.append(f"{place}: {found!r} is not {expected!r}")


def measure(kanon, *more):
    words = [kanon, "utility", "release.csv", "--original", "original.csv", "--json", "-", "--quiet", *more]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def write(name, header, rows):
    with open(name, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def check_classes(found, column, weights, released_weights, faults):
    """Shares by class; classes are told in the order of their values."""
    classes = Classes(column, weights)
    before = shares((classes.find(value), weight) for value, weight in zip(column.original, weights))
    after = {}
    for cell, weight in zip(column.cells, released_weights):
        for which, share in classes.spread(cell).items():
            after[which] = after.get(which, 0) + weight * share / sum(released_weights)
    order = []
    for value in column.values:
        if classes.find(value) not in order:
            order.append(classes.find(value))
    compare(f"{column.name}.classes", [[one["original"], one["release"]] for one in found],
            [[before.get(which, 0.0), after.get(which, 0.0)] for which in order], faults)


def check(result, columns, weights, released_weights):
    faults = []
    for found, column in zip(result["columns"], columns):
        check_classes(found.pop("classes"), column, weights, released_weights, faults)
    compare("columns", result["columns"], list(expected_columns(columns, weights, released_weights)), faults)
    pairs = list(expected_pairs(columns, weights, released_weights))
    compare("pairs", result["pairs"], pairs, faults)
    in_order = are_in_order(columns)
    compare("rows_in_order", result["rows_in_order"], in_order, faults)
    compare("il1s", result["numbers"]["il1s"], expected_il1s(columns, weights, in_order), faults)
    eigen = expected_eigenvalues(columns, weights, released_weights)
    compare("eigenvalues", result["numbers"]["eigenvalues"], eigen, faults, 1e-6)
    if numpy:
        check_propensity(result["propensity"], columns, weights, released_weights, faults)
    most = sorted((-pair["total_variation"] for pair in pairs))[:20]
    compare("changed", [-pair["total_variation"] for pair in result["changed"]], most, faults)
    return faults


# ---- random tables --------------------------------------------------------------------------------------------------


def random_value(rng, kind):
    if kind != "text" and rng.random() < 0.1:
        return rng.choice(["", "?"])
    if kind == "whole":
        return str(rng.randint(0, 9) ** 2)
    if kind == "tenth":
        return f"{rng.randint(0, 40) / 10:.1f}"
    if kind == "date":
        return (datetime.date(2020, 2, 20) + datetime.timedelta(rng.randint(0, 15))).isoformat()
    return rng.choice("aabbbcdef")


def coarser(rng, kind, text):
    """A label that covers the value."""
    pick = rng.random()
    if pick < 0.1 or (text in ("", "?") and pick < 0.5):
        return "*"
    if text in ("", "?"):
        return rng.choice(["{%s, [3-7]}" % text, text]) if kind == "whole" and text == "?" else text
    if kind == "text":
        return rng.choice([HIERARCHY[text], "{%s, %s}" % tuple(sorted([text, "a" if text != "a" else "b"]))])
    if kind == "whole":
        low, high = int(text) - rng.randint(0, 5), int(text) + rng.randint(1, 9)
        low = max(0, low)
        return rng.choice([f"[{low}-{high}]", f"[{low}, {high + 1})", f"{low + (high - low) // 2}"])
    if kind == "tenth":
        low, high = float(text) - rng.randint(1, 9) / 10, float(text) + rng.randint(0, 9) / 10
        low = max(0, low)
        return f"[{low:.1f}-{high:.1f}]" if low == 0 else f"({low:.1f}, {high:.1f}]"
    date = datetime.date.fromisoformat(text)
    return f"[{date - datetime.timedelta(rng.randint(0, 5))} - {date + datetime.timedelta(rng.randint(1, 5))}]" \
        .replace(" - ", "..")


def random_case(rng, kanon):
    kinds = [rng.choice(["whole", "tenth", "text", "date"]) for _ in range(rng.randint(1, 5))]
    names = [f"{kind}{i}" for i, kind in enumerate(kinds)]
    n = rng.choice([rng.randint(1, 40), rng.randint(40, 90)])
    rows = [[random_value(rng, kind) for kind in kinds] for _ in range(n)]
    for i, kind in enumerate(kinds):  # a known value decides the type, and the last decimal the unit
        rows[0][i] = {"whole": "4", "tenth": "1.5", "text": "a", "date": "2020-02-29"}[kind]
    share = rng.choice([0, 0.3, 0.9])
    released = [[coarser(rng, kind, text) if rng.random() < share else text for kind, text in zip(kinds, row)] for row in rows]
    if rng.random() < 0.5:
        kept = rng.randint(1, n)
        order = rng.sample(range(n), kept)
    else:
        order = list(range(n))
    weights = [1.0] * n
    more = []
    if rng.random() < 0.4:
        texts = [f"{rng.randint(1, 400) / 4:.2f}" for _ in range(n)]
        weights = [float(text) for text in texts]
        names = [*names, "w"]
        rows = [[*row, text] for row, text in zip(rows, texts)]
        released = [[*row, text] for row, text in zip(released, texts)]
        more = ["--sampling-weight", "w"]
    released = [released[row] for row in order]
    write("original.csv", names, rows)
    write("release.csv", names, released)
    for name, kind in zip(names, kinds):
        if kind == "text":
            more += ["--qi", f"{name}=h.csv"]
    columns = [Column(name, kind if kind in ("text", "date") else "number", [row[i] for row in rows],
                      [row[i] for row in released], 0.1 if kind == "tenth" else 1.0)
               for i, (name, kind) in enumerate(zip(names, kinds))]
    return check(measure(kanon, *more), columns, weights, [weights[row] for row in order])


# ---- files of statistical offices -----------------------------------------------------------------------------------


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return header, rows


def survey_case(kanon, path):
    """Numbers that are means of three neighbours, as microaggregation makes them: rows are known."""
    header, rows = read(path)
    header, rows = header[:5], [row[:5] for row in rows]
    released = [list(row) for row in rows]
    for column in range(len(header)):
        order = sorted(range(len(rows)), key=lambda row: float(rows[row][column]))
        for first in range(0, len(order), 3):
            group = order[first:first + 3]
            mean = sum(float(rows[row][column]) for row in group) / len(group)
            for row in group:
                released[row][column] = repr(round(mean, 3))
    write("original.csv", header, rows)
    write("release.csv", header, released)
    columns = [Column(name, "number", [row[i] for row in rows], [row[i] for row in released])
               for i, name in enumerate(header)]
    return check(measure(kanon), columns, [1.0] * len(rows), [1.0] * len(rows))


def main():
    kanon = os.path.realpath(sys.argv[1])
    survey = os.path.join(os.path.realpath(os.environ.get("KANON_DATA", sys.argv[2])), "survey")
    faults, n = [], 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("h.csv", "w", encoding="utf-8") as file:
            file.writelines(f"{value};{label};*\n" for value, label in HIERARCHY.items())
        for seed in range(ROUNDS):
            faults += [f"table {seed}: {fault}" for fault in random_case(random.Random(seed), kanon)]
            n += 1
            if faults:
                break
        for name in ("tarragona.csv", "census-1080.csv"):
            if os.path.exists(os.path.join(survey, name)):
                faults += [f"{name}: {fault}" for fault in survey_case(kanon, os.path.join(survey, name))]
                n += 1
            else:
                print(f"skipped: {name} is not there")
        os.chdir("/")
    for fault in faults[:20]:
        print(fault)
    print(f"{n} tables, {len(faults)} problems")
    sys.exit(bool(faults))


main()
