#!/usr/bin/env python3
"""Several releases of the same people, attacked by enumeration (docs/papers/over-time.md).

  worlds.py [--rounds N] [--seed S]   random sequences of releases by a plain recoding, with the rule of the
                                         paper and without it; examples by hand
  worlds.py --kanon KANON             the same sequences released by the program with its ledger, held against the best
                                         of all nodes by the rule, and recounted by verify; also copies that were changed
  worlds.py --beliefs                 how far the belief of who sees sums alone goes above a share
  worlds.py --m-invariance            what m-invariance costs beside cells, on tables of eight people

Nothing is shared with the program, and what attacks is not what keeps the rule: possible worlds are enumerated, or
matched, from what was released and from what the attacker knows.

Exit status 0 when all holds."""
import argparse
import importlib.util
import itertools
import os
import random
import subprocess
import sys
import tempfile

# ---- tables ---------------------------------------------------------------------------------------
# A person is a number. A table is {person: (age, sex, value)}; a release is {person: (label, value)}.

AGES, VALUES = 8, 3
NODES = [(width, sex) for width in (1, 2, 4, 8) for sex in (True, False)]


def label_of(node, age, sex):
    width, shows_sex = node
    low = age // width * width
    return (low, low + width - 1, sex if shows_sex else "*")


def covers(label, age, sex):
    return label[0] <= age <= label[1] and label[2] in ("*", sex)


# ---- the rule, as the paper has it ----------------------------------------------------------------


class Rule:
    def __init__(self, k, l, leavers="count", attacker="knows-when", alpha=None):
        self.k, self.l, self.leavers, self.attacker = k, l, leavers, attacker
        self.alpha = alpha  # in tenths

    def is_good(self, people, values):
        has = [values[p] for p in people]
        return len(has) >= self.k and len(set(has)) >= self.l and self.keeps_alpha(has)

    def keeps_alpha(self, has):
        return not self.alpha or all(10 * has.count(v) <= self.alpha * len(has) for v in has)


def traces_of(releases, people):
    return {p: tuple(r[p][0] if p in r else None for r in releases) for p in people}


# The hash by which the program names people in its ledger, written down a second time.
KEY = bytes(range(32))
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("make_ledger", os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "cli", "make-ledger.py"))
ledgers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(ledgers)
MARK_KEY = ledgers.keyed(KEY, ledgers.MAGIC, b"mark")


def hashed(person, seed):
    """Of the program, where there is no seed."""
    if seed is None:
        return ledgers.siphash(MARK_KEY, b"p%d" % person)
    return random.Random("%d/%d" % (person, seed)).random()


def repair(rule, parts, n_out, is_good, seed):
    """The parts of an earlier cell that stay, as lists; 1 <= n_out < k."""
    need = rule.k - n_out
    if sum(len(part) - rule.k for part in parts) >= need:
        left = [sorted(part, key=lambda p: hashed(p, seed)) for part in parts]
        for _ in range(need):
            largest = min(left, key=lambda part: (-len(part), hashed(part[0], seed)))
            largest.pop()
        if all(is_good(part) for part in left):
            return left
    if not parts:
        return []
    smallest = min(parts, key=lambda part: (len(part), min(hashed(p, seed) for p in part)))
    return [part for part in parts if part is not smallest]


def keep_the_rule(rule, table, node, releases, seed=0, has_sex=True):
    """Who stays, with the label of each."""
    everybody = set(table) | {p for r in releases for p in r}
    label = {p: label_of(node, age, sex) for p, (age, sex, _) in table.items()}
    values = {p: row[2] for p, row in table.items()}
    trace = traces_of(releases, everybody)
    newcomer = tuple(None for _ in releases)
    cells = {}
    for p in table:
        cells.setdefault((trace[p], label[p]), []).append(p)
    kept = {at: cell for at, cell in cells.items() if rule.is_good(cell, values)}
    if rule.leavers == "repair":
        for earlier in {t for t in trace.values() if t != newcomer}:
            all_of_it = [p for p in everybody if trace[p] == earlier]
            parts = [cell for at, cell in kept.items() if at[0] == earlier]
            n_out = len(all_of_it) - sum(map(len, parts))
            if len(all_of_it) < rule.k or not 0 < n_out < rule.k:
                continue
            kept = {at: cell for at, cell in kept.items() if at[0] != earlier}
            for part in repair(rule, parts, n_out, lambda part: rule.is_good(part, values), seed):
                kept[earlier, label[part[0]]] = part
    if rule.attacker == "knows-if":
        for (earlier, shown), cell in cells.items():
            if earlier == newcomer and (earlier, shown) not in kept:
                hidden = [p for p in cell if is_hidden(table[p], shown, kept, newcomer, has_sex)]
                if hidden:
                    kept[earlier, shown] = hidden
    return {p: label[p] for cell in kept.values() for p in cell}


def is_hidden(row, shown, kept, newcomer, has_sex):
    """Whether one cell of the group would take her in, by what it showed in each earlier release. What
    the new one does not have is not known of her."""
    age, sex = row[0], row[1] if has_sex else None
    return any(at[1] == shown and at[0] != newcomer and
               all(label is None or covers(label, age, sex) for label in at[0]) for at in kept)


def leavers_of(rule, release, releases):
    """People who are out of earlier cells of k or more, of whom 1 to k - 1 are; and who is stranded."""
    trace = traces_of(releases, {p for r in releases for p in r})
    leavers, stranded = set(), set()
    for earlier in set(trace.values()):
        cell = {p for p in trace if trace[p] == earlier}
        out = cell - set(release)
        if len(cell) < rule.k:
            stranded |= cell
        elif 0 < len(out) < rule.k:
            leavers |= out
    return leavers, stranded


# ---- attacks --------------------------------------------------------------------------------------


def possible_values(releases):
    """Who knows everybody's groups, and that values never change: sums of groups alone. Every world is
    an assignment of values to people. {person: {value: number of worlds}}, and all worlds."""
    people = sorted({p for r in releases for p in r})
    groups = [[(t, r[p][0]) for t, r in enumerate(releases) if p in r] for p in people]
    left = {}
    for t, r in enumerate(releases):
        for label, value in r.values():
            left[t, label, value] = left.get((t, label, value), 0) + 1
    weights = [{} for _ in people]
    chosen = [None] * len(people)

    def go(i):
        if i == len(people):
            for j, value in enumerate(chosen):
                weights[j][value] = weights[j].get(value, 0) + 1
            return 1
        n = 0
        for value in range(VALUES):
            keys = [(t, label, value) for t, label in groups[i]]
            if all(left.get(key, 0) > 0 for key in keys):
                for key in keys:
                    left[key] -= 1
                chosen[i] = value
                n += go(i + 1)
                for key in keys:
                    left[key] += 1
        return n

    n_worlds = go(0)
    return dict(zip(people, weights)), n_worlds


def owners(n, may_be):
    """may_be[record] are people; which of them a record is in some one-to-one assignment. By matching: record
    r is of p exactly when all others can be matched without both."""
    def matched(without, person):
        taken = {}

        def place(record, seen):
            for p in may_be[record]:
                if p != person and p not in seen:
                    seen.add(p)
                    if p not in taken or place(taken[p], seen):
                        taken[p] = record
                        return True
            return False

        return all(place(r, set()) for r in range(n) if r != without)

    return [{p for p in may_be[r] if matched(r, p)} for r in range(n)]


def linked_owners(releases, rows_of, knows_when):
    """Who can tell which rows of all releases are one person's. The records are of people of the last release, or
    with knows_when of everybody. rows_of[t][p] is her (age, sex) then. {person: people of whom her record may be}."""
    last = releases[-1]
    people = sorted({p for r in releases for p in r} if knows_when else last)
    may_be = []
    for owner in people:
        fits = set()
        for p in people:
            fits_all = True
            for t, r in enumerate(releases):
                if knows_when and (p in r) != (owner in r):
                    fits_all = False
                elif owner in r:
                    fits_all &= covers(r[owner][0], *rows_of[t][p])
                    # Of whom she knows to be in she knows the group, also where labels overlap.
                    knows = knows_when or r is last
                    fits_all &= not knows or r[owner][0] == r[p][0]
            if fits_all:
                fits.add(p)
        may_be.append(fits)
    return dict(zip(people, owners(len(people), may_be)))


class Broken(Exception):
    pass


def attack(rule, releases, rows_of, is_constant):
    """Raises Broken where somebody learns what the last release should not tell."""
    last, before = releases[-1], releases[:-1]
    leavers, stranded = leavers_of(rule, last, before)
    checked = set(last)
    if rule.leavers == "repair":
        if leavers:
            raise Broken("leavers: %s" % leavers)
        checked = {p for r in releases for p in r} - stranded
    if is_constant and rule.attacker == "knows-when":
        weights, n_worlds = possible_values(releases)
        assert n_worlds > 0
        for p in last:
            if len(weights[p]) < rule.l:
                raise Broken("sums: %d has %d values" % (p, len(weights[p])))
        for p in checked:
            for r in releases:
                if p in r:
                    may_be = [q for q in r if r[q][0] == r[p][0] and r[p][1] in weights[q]]
                    if len(may_be) < rule.k:
                        raise Broken("sums: the row of %d is of %s" % (p, may_be))
    found = linked_owners(releases, rows_of, rule.attacker == "knows-when")
    for p, may_be in found.items():
        if p in checked and len(may_be) < rule.k:
            raise Broken("links: the rows of %d are of %s" % (p, may_be))
    for p in last:
        values = {last[owner][1] for owner in last if p in found[owner]}
        if len(values) < rule.l:
            raise Broken("links: %d has %d values" % (p, len(values)))
        # Her row is any of these, and each is as likely.
        if rule.attacker == "knows-when" and not rule.keeps_alpha(
                [last[owner][1] for owner in last if p in found[owner]]):
            raise Broken("links: %d has one value too likely" % p)


# ---- sequences ------------------------------------------------------------------------------------


class World:
    """People over time: rows[t][p] of everybody, in the table or not; tables[t] of who is in it."""

    def __init__(self, rng, most=9):
        self.is_constant = rng.random() < 0.7
        self.n_people = rng.randint(5, most)
        self.n_releases = rng.randint(2, 4)
        moves = rng.random() < 0.4
        ages = rng.choice((2, 4, AGES))
        rows = {p: (rng.randrange(ages), rng.choice("fm"), rng.randrange(VALUES))
                for p in range(self.n_people)}
        inside = {p for p in rows if rng.random() < 0.8}
        churn = rng.choice((0.1, 0.25, 0.4))
        self.rows, self.tables = [], []
        for _ in range(self.n_releases):
            self.rows.append(dict(rows))
            self.tables.append({p: rows[p] for p in sorted(inside)})
            for p in rows:
                if rng.random() < churn:
                    inside ^= {p}
                age, sex, value = rows[p]
                if moves and rng.random() < 0.3:
                    age = min(age + 1, AGES - 1)
                if not self.is_constant and rng.random() < 0.3:
                    value = rng.randrange(VALUES)
                rows[p] = (age, sex, value)
        self.moves = moves

    def known(self):
        return [{p: row[:2] for p, row in rows.items()} for rows in self.rows]


def release_plainly(rule, world, rng, with_the_rule, after_each):
    """A release of each table at the first node, of some order, that leaves out few enough."""
    releases, seed = [], rng.randrange(1000)
    coarse = sorted(NODES, key=lambda node: (node[0] * (1 if node[1] else 2), rng.random()))
    for table in world.tables:
        for node in coarse:
            kept = keep_the_rule(rule, table, node, releases if with_the_rule else [], seed)
            if kept and len(table) - len(kept) <= max(2, len(table) // 3):
                releases.append({p: (label, table[p][2]) for p, label in kept.items()})
                after_each(releases)
                break
        else:
            return releases
    return releases


def random_sequences(rounds, seed):
    done = {"kept": 0, "released": 0, "broken": 0, "without": 0}
    for i in range(rounds):
        rng = random.Random(seed * 1000003 + i)
        world = World(rng)
        rule = Rule(rng.randint(2, 3), rng.randint(1, 2), rng.choice(("count", "repair")),
                    "knows-if" if not world.moves and rng.random() < 0.35 else "knows-when",
                    rng.choice((None, None, None, 5, 6, 7)))
        known = world.known()

        def attacked(releases):
            try:
                attack(rule, releases, known[:len(releases)], world.is_constant)
            except Broken as why:
                sys.exit("round %d, seed %d, k=%d l=%d %s %s: %s\n%s" %
                         (i, seed, rule.k, rule.l, rule.leavers, rule.attacker, why, releases))
            done["kept"] += len(releases) > 1

        def only_counted(releases):
            done["without"] += len(releases) > 1
            try:
                attack(rule, releases, known[:len(releases)], world.is_constant)
            except Broken:
                done["broken"] += 1

        release_plainly(rule, world, rng, True, attacked)
        release_plainly(rule, world, rng, False, only_counted)
    print("%d releases after others keep the rule, and nobody learns more; without it %d of %d tell "
          "more" % (done["kept"], done["broken"], done["without"]))
    if rounds >= 300 and (done["kept"] < rounds // 4 or done["broken"] < rounds // 10):
        sys.exit("too few of them say anything")


# ---- people with several rows ---------------------------------------------------------------------
# A table is {person: [(age, sex, value), ...]}, a release {person: [(label, value), ...]}.


def histories_of(releases, people):
    return {p: tuple(tuple(sorted(label for label, _ in r[p])) if p in r else None
                     for r in releases) for p in people}


def keep_histories(rule, table, node, releases, seed=0):
    """Cells are of the same groups equally often, in every release; each piece is held against l."""
    shown = {p: [(label_of(node, age, sex), v) for age, sex, v in rows] for p, rows in table.items()}

    def is_good(cell):
        values = [{v for p in cell for label, v in shown[p] if label == g}
                  for g in {label for label, _ in shown[cell[0]]}]
        return len(cell) >= rule.k and all(len(has) >= rule.l for has in values)

    everybody = set(table) | {p for r in releases for p in r}
    trace, newcomer = histories_of(releases, everybody), tuple(None for _ in releases)
    cells = {}
    for p in table:
        cells.setdefault((trace[p], tuple(sorted(label for label, _ in shown[p]))), []).append(p)
    kept = {at: cell for at, cell in cells.items() if is_good(cell)}
    for earlier in {t for t in trace.values() if t != newcomer and rule.leavers == "repair"}:
        parts = [cell for at, cell in kept.items() if at[0] == earlier]
        n = sum(t == earlier for t in trace.values())
        n_out = n - sum(map(len, parts))
        if n < rule.k or not 0 < n_out < rule.k:
            continue
        kept = {at: cell for at, cell in kept.items() if at[0] != earlier}
        for part in repair(rule, parts, n_out, is_good, seed):
            kept[earlier, part[0]] = part
    return {p: shown[p] for cell in kept.values() for p in cell}


def could_have(released, rows):
    """Whether somebody with these quasi-identifiers could have these rows of a release."""
    return len(released) == len(rows) and any(
        all(covers(label, *row[:2]) for (label, _), row in zip(released, order))
        for order in itertools.permutations(rows))


def attack_histories(rule, releases, tables):
    """Who knows all rows of everybody, and which of all releases are one person's."""
    people = sorted({p for r in releases for p in r})
    last = releases[-1]
    may_be = [{p for p in people if all(
        (p in r) == (owner in r) and (owner not in r or could_have(r[owner], table[p]))
        for r, table in zip(releases, tables))} for owner in people]
    found = dict(zip(people, owners(len(people), may_be)))
    checked = set(last)
    if rule.leavers == "repair":
        trace = histories_of(releases[:-1], {p for r in releases[:-1] for p in r})
        cells = [{p for p in trace if trace[p] == earlier} for earlier in set(trace.values())]
        if any(len(cell) >= rule.k and 0 < len(cell - set(last)) < rule.k for cell in cells):
            raise Broken("histories: leavers")
        checked = set(people) - {p for cell in cells if len(cell) < rule.k for p in cell}
    for p in checked:
        if len(found[p]) < rule.k:
            raise Broken("histories: the rows of %d are of %s" % (p, found[p]))
    for p in last:
        for group in {label for label, _ in last[p]}:
            values = {v for o in last if p in found[o] for label, v in last[o] if label == group}
            if len(values) < rule.l:
                raise Broken("histories: %d has %d values in %s" % (p, len(values), group))


def tables_of_people(rng, most):
    ages, churn = rng.choice((1, 2, 4)), rng.choice((0.1, 0.25))
    everybody = range(rng.randint(4, most))
    rows_of = {p: [(rng.randrange(ages), rng.choice("fm"), rng.randrange(VALUES))
                   for _ in range(rng.choice((1, 1, 2)))] for p in everybody}
    tables, inside = [], {p for p in everybody if rng.random() < 0.9}
    for _ in range(rng.randint(2, 3)):
        tables.append({p: list(rows_of[p]) for p in sorted(inside)})
        for p in everybody:
            if rng.random() < churn:
                inside ^= {p}
            if rng.random() < churn:
                rows_of[p] = [(rng.randrange(ages), sex, v) for _, sex, v in rows_of[p]]
    return tables


def sequences_of_histories(rounds, seed):
    done = {True: [0, 0], False: [0, 0]}
    for i in range(rounds):
        rng = random.Random(seed * 7919 + i)
        rule = Rule(rng.randint(2, 3), rng.randint(1, 2), rng.choice(("count", "count", "repair")))
        tables = tables_of_people(rng, 8)
        for with_the_rule in (True, False):
            releases, used = [], []
            for table in tables:
                for node in sorted(NODES, key=lambda node: node[0] * (1 if node[1] else 2)):
                    kept = keep_histories(rule, table, node, releases if with_the_rule else [])
                    if kept and len(table) - len(kept) <= max(2, len(table) // 2):
                        releases.append(kept)
                        used.append(table)
                        break
                else:
                    break
                done[with_the_rule][0] += len(releases) > 1
                try:
                    attack_histories(rule, releases, used)
                except Broken as why:
                    if with_the_rule:
                        sys.exit("histories, round %d, seed %d: %s\n%s" % (i, seed, why, releases))
                    done[False][1] += 1
    print("several rows: %d releases after others keep the rule, and nobody learns more; without it "
          "%d of %d tell more" % (done[True][0], done[False][1], done[False][0]))
    if rounds >= 300 and (done[True][0] < rounds // 4 or done[False][1] < rounds // 10):
        sys.exit("too few of them say anything")


# ---- the program ----------------------------------------------------------------------------------

PROVEN = ("exhaustive", "bisect", "incognito", "screen", "bottom-up")
OTHERS = ("samarati", "hash-minimal", "datafly")


def has_ledger(kanon):
    text = subprocess.run([kanon, "anonymize", "--help", "--all"], capture_output=True, text=True).stdout
    return "--ledger" in text


def write_table(path, rows):
    """Rows are (person, number, (age, sex, value))."""
    with open(path, "w") as file:
        file.write("id,row,age,sex,ill\n")
        for p, number, (age, sex, value) in rows:
            file.write("p%d,%d,%d,%s,v%d\n" % (p, number, age, sex, value))


def read_release(path):
    out = {}
    with open(path) as file:
        names = file.readline().strip().split(",")
        for line in file:
            row = {"sex": "*", **dict(zip(names, line.strip().split(",")))}
            ages = [0, AGES - 1] if row["age"] == "*" else [int(n) for n in row["age"].split("-")]
            out[int(row["row"])] = ((ages[0], ages[-1], row["sex"]), int(row["ill"][1:]))
    return out


def cost_of(name, labels, table, node):
    """What is compared is exact; average-class by its groups alone."""
    groups = {}
    for label in labels.values():
        groups[label] = groups.get(label, 0) + 1
    n_out = len(table) - len(labels)
    if name == "height":
        return (1, 2, 4, 8).index(node[0]) + (not node[1])
    if name == "average-class":
        return -(len(groups) + (n_out > 0))
    return sum(n * n for n in groups.values()) + n_out * len(table)


def run_kanon(kanon, words):
    done = subprocess.run([kanon] + words, capture_output=True, text=True)
    return done.returncode, done.stderr


class Question:
    """How the program is asked for one release, and what verify is told of it."""

    def __init__(self, rule, limit, search, cost, has_sex, names="--id"):
        self.search, self.limit, self.cost, self.has_sex = search, limit, cost, has_sex
        self.nodes = [node for node in NODES if has_sex or not node[1]]
        self.words = ["--qi", "age=intervals:2,4,8", names, "id", "--keep", "row",
                      "--sensitive", "ill", "--k", str(rule.k), "--suppress", str(limit),
                      "--ledger", "ledger", "--key", "key"]
        self.words += ["--qi", "sex=suppress"] if has_sex else ["--drop", "sex"]
        if rule.l > 1:
            self.words += ["--l", str(rule.l)]
        if rule.alpha:
            self.words += ["--alpha", "0.%d" % rule.alpha]
        if rule.attacker != "knows-when":
            self.words += ["--attacker", rule.attacker]
        if rule.leavers != "count":
            self.words += ["--leavers", rule.leavers]

    def anonymize(self, kanon, table, release, shuffles):
        return run_kanon(kanon, ["anonymize", table, "-o", release, "--quiet", "--algorithm",
                                 self.search, "--cost", self.cost] + self.words +
                         ["--shuffle"] * shuffles)

    def verify(self, kanon, table, release):
        return run_kanon(kanon, ["verify", release, "--original", table, "--quiet"] + self.words)[0]


def expect_best(rule, table, question, before, found):
    """The release is that of a node, as the rule makes it, and the cheapest where the search says so."""
    costs, search = {}, question.search
    for node in question.nodes:
        labels = keep_the_rule(rule, table, node, before, None, question.has_sex)
        if labels and len(table) - len(labels) <= question.limit:
            cost = cost_of(question.cost, labels, table, node)
            costs.setdefault(cost, []).append(labels)
    if found is None:
        return "nothing was found" if costs and search in PROVEN + ("auto",) else None
    labels = {p: label for p, (label, _) in found.items()}
    if not any(labels == other for others in costs.values() for other in others):
        return "no node is released so"
    if search in PROVEN + ("auto",) and labels not in costs[min(costs)]:
        return "it is not what costs %d, the least" % min(costs)
    return None


def has_hidden(rule, found, before):
    """Whether newcomers stay where fewer than k are new."""
    new = [label for p, (label, _) in found.items() if not any(p in r for r in before)]
    return bool(before) and any(new.count(label) < rule.k for label in new)


def one_sequence(kanon, verifier, rng, done):
    # Of many people only what is best is asked: worlds are too many.
    world = World(rng, 9 if rng.random() < 0.6 else 40)
    is_small = world.n_people <= 9
    known, before = world.known(), []
    for t, table in enumerate(world.tables):
        # What is promised, and which columns are released, need not be the same each time.
        rule = Rule(rng.randint(2, 3), rng.randint(1, 2), rng.choice(("count", "count", "repair")),
                    alpha=rng.choice((None, None, 5, 6, 7)))
        if not rule.alpha and not (is_small and world.moves) and rng.random() < 0.4:
            rule.attacker = "knows-if"
        search = rng.choice(PROVEN + OTHERS)
        if rule.alpha or rule.leavers == "repair":
            search = rng.choice(("exhaustive", "screen", "auto"))
        limit = rng.randint(0, 4 if is_small else 12)
        cost = rng.choice(("discernibility", "average-class", "height"))
        question = Question(rule, min(len(table), limit), search, cost,
                            rng.random() < 0.8)
        names = "t%d.csv" % t, "r%d.csv" % t
        if len(table) < rule.k:  # refused before anything is searched
            continue
        write_table(names[0], [(p, p, row) for p, row in table.items()])
        status, error = question.anonymize(kanon, *names, rng.random() < 0.3)
        # People who are not in the table cannot be told from another table's.
        if status == 2 and before and not set(table) & {p for r in before for p in r}:
            return None
        if status not in (0, 3):
            return "%s: %s" % (search, error)
        found = read_release(names[1]) if status == 0 else None
        why = expect_best(rule, table, question, before, found)
        if why:
            return "%s %s, %s, limit %d: %s\n%s\n%s\n%s" % (
                search, cost, rule.__dict__, question.limit, why, before, table, found)
        done["refused"] += found is None
        if found is None:
            continue
        done["hidden"] += has_hidden(rule, found, before)
        before.append(found)
        known_of = [known[i] for i in range(len(known)) if os.path.exists("r%d.csv" % i)]
        try:
            if is_small:
                attack(rule, before, known_of, world.is_constant)
        except Broken as broken:
            return "%s: %s\n%s" % (search, broken, before)
        done["released"] += 1
        done["after others"] += len(before) > 1
        if question.verify(verifier, *names) != 0:
            return "verify does not agree: %s\n%s" % (rule.__dict__, before)
        with open(names[1]) as file:
            text = file.read()
        with open("copy.csv", "w") as file:
            file.write(text if len(found) < 2 else text[:text.rindex("\n", 0, -1) + 1])
        if len(found) > 1 and question.verify(verifier, names[0], "copy.csv") != 3:
            return "verify takes a release of which a row was cut off"
    return None


def best_of_histories(rule, table, question, before, found):
    """The same of people with several rows, by discernibility of rows; the limit is of people."""
    costs, n_rows = {}, sum(map(len, table.values()))
    for node in question.nodes:
        kept = keep_histories(rule, table, node, before, None)
        if kept and len(table) - len(kept) <= question.limit:
            sizes = {}
            for rows in kept.values():
                for label, _ in rows:
                    sizes[label] = sizes.get(label, 0) + 1
            cost = sum(n * n for n in sizes.values()) + (n_rows - sum(sizes.values())) * n_rows
            costs.setdefault(cost, []).append({p: sorted(rows) for p, rows in kept.items()})
    if found is None:
        return "nothing was found" if costs else None
    is_best = costs and {p: sorted(rows) for p, rows in found.items()} in costs[min(costs)]
    return None if is_best else "it is not what costs least"


def one_sequence_of_people(kanon, verifier, rng, done):
    is_small = rng.random() < 0.6
    tables, before, used = tables_of_people(rng, 8 if is_small else 24), [], []
    for t, table in enumerate(tables):
        rule = Rule(rng.randint(2, 3), rng.randint(1, 2), rng.choice(("count", "count", "repair")))
        search = rng.choice(PROVEN)
        if rule.leavers == "repair":
            search = rng.choice(("exhaustive", "screen", "auto"))
        limit = rng.randint(0, max(2, len(table) // 2))
        question = Question(rule, min(len(table), limit), search, "discernibility", True, "--person")
        names = "t%d.csv" % t, "r%d.csv" % t
        if len(table) < rule.k or before and not set(table) & {p for r in before for p in r}:
            continue
        rows = [(p, 10 * p + i, row) for p in table for i, row in enumerate(table[p])]
        rng.shuffle(rows)
        write_table(names[0], rows)
        status, error = question.anonymize(kanon, *names, False)
        if status not in (0, 3):
            return "people: %s: %s" % (search, error)
        found = None
        if status == 0:
            found = {}
            for number, row in read_release(names[1]).items():
                found.setdefault(number // 10, []).append(row)
        why = best_of_histories(rule, table, question, before, found)
        if why:
            return "people: %s, %s, limit %d: %s\n%s\n%s\n%s" % (
                search, rule.__dict__, question.limit, why, before, table, found)
        done["refused"] += found is None
        if found is None:
            continue
        before.append(found)
        used.append(table)
        try:
            if is_small:
                attack_histories(rule, before, used)
        except Broken as broken:
            return "people: %s\n%s" % (broken, before)
        done["people"] += 1
        done["people after others"] += len(before) > 1
        if question.verify(verifier, *names) != 0:
            return "people: verify does not agree: %s\n%s" % (rule.__dict__, before)
        with open(names[1]) as file:
            text = file.read()
        with open("copy.csv", "w") as file:
            file.write(text[:text.rindex("\n", 0, -1) + 1])
        if question.verify(verifier, names[0], "copy.csv") != 3:
            return "people: verify takes a release of which a row was cut off"
    return None


def sequences_of_the_program(kanon, verifier, rounds, seed):
    done = dict.fromkeys(
        ("released", "after others", "people", "people after others", "hidden", "refused"), 0)
    home = os.getcwd()
    for i in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            with open("key", "wb") as file:
                file.write(KEY)
            os.chmod("key", 0o600)
            make = one_sequence_of_people if i % 4 == 3 else one_sequence
            why = make(kanon, verifier, random.Random(seed * 1000003 + i), done)
            os.chdir(home)
        if why:
            sys.exit("round %d, seed %d: %s" % (i, seed, why))
    print("%d releases of the program, %d of them after others, and %d of people with several rows, %d of "
          "them after others: the best by the rule, verified, and nobody learns more; newcomers "
          "are hidden in %d; %d questions without an answer" % tuple(done.values()))


# ---- examples -------------------------------------------------------------------------------------


def expect(what, is_so):
    if not is_so:
        sys.exit("example: " + what)


def breaks(rule, releases, rows_of=None, is_constant=True):
    everybody = {p for r in releases for p in r}
    if rows_of is None:  # any that the labels allow
        rows_of = [{p: (r[p][0][0], r[p][0][2]) if p in r else (0, "f") for p in everybody}
                   for r in releases]
    try:
        attack(rule, releases, rows_of, is_constant)
    except Broken as why:
        return str(why)
    return None


def group(low, people, values):
    return {p: ((low, low, "*"), v) for p, v in zip(people, values)}


def examples():
    # Groups of two in each release, and one person has both: the values that never change tell hers.
    two = [{**group(0, (1, 2), (0, 1)), **group(1, (3, 4), (0, 2))},
           {**group(0, (1, 3), (0, 0)), **group(1, (2, 4), (1, 2))}]
    expect("each release alone keeps k = 2", not breaks(Rule(2, 1), two[:1]))
    expect("two releases put together are unique rows", breaks(Rule(2, 1), two))
    # Values that nobody else can have.
    expect("with l = 2 in the first", not breaks(Rule(2, 2), two[:1]))
    expect("sums alone tell values", "sums" in (breaks(Rule(2, 2), two) or ""))
    # Three of four stay: the fourth is alone in her trace, and her value is what is missing.
    one_left = [group(0, (1, 2, 3, 4), (0, 1, 2, 0)), group(0, (1, 2, 3), (0, 1, 2))]
    expect("who stays has k", not breaks(Rule(2, 1), one_left))
    expect("who left alone has not", "leavers" in (breaks(Rule(2, 1, "repair"), one_left) or ""))
    # Nobody loses k where two leave, but their values are known: models are not promised of them.
    two_left = [group(0, (1, 2, 3, 4), (0, 0, 0, 1)), group(0, (3, 4), (0, 1))]
    expect("two who leave have k", not breaks(Rule(2, 2, "repair"), two_left))
    expect("and one value", len(possible_values(two_left)[0][1]) == 1)
    # Values change: the new ones are two in each cell, and the old ones one, for who links rows.
    changed = [group(0, (1, 2, 3, 4), (0, 0, 1, 1)),
               {**group(0, (1, 2), (0, 1)), **group(1, (3, 4), (0, 1))}]
    expect("cells keep l for new values", not breaks(Rule(2, 2), changed, is_constant=False))
    linked = linked_owners(changed, [{p: (0, "f") for p in range(1, 5)},
                                     {1: (0, "f"), 2: (0, "f"), 3: (1, "f"), 4: (1, "f")}], True)
    expect("old values are known", {changed[0][o][1] for o in linked if 1 in linked[o]} == {0})
    # That some group covers a newcomer in each release is not enough: one cell has to.
    rows = {1: (0, "f"), 2: (0, "f"), 3: (1, "f"), 4: (1, "f"), 5: (1, "f")}
    new = [{**group(0, (1, 2), (0, 1)), **group(1, (3, 4), (0, 1))},
           {1: ((0, 1, "f"), 0), 2: ((0, 1, "f"), 1), 5: ((0, 1, "f"), 2),
            3: ((1, 1, "*"), 0), 4: ((1, 1, "*"), 1)}]
    expect("the newcomer is found",
           "of {5}" in (breaks(Rule(2, 1, attacker="knows-if"), new, [rows, rows]) or ""))
    hidden = [new[0], {3: ((0, 1, "f"), 0), 4: ((0, 1, "f"), 1), 5: ((0, 1, "f"), 2)}]
    expect("one cell hides her",
           not breaks(Rule(2, 1, attacker="knows-if"), hidden, [rows, rows]))
    expect("not from who knows when", breaks(Rule(2, 1), hidden, [rows, rows]))
    # A bad example of repair: 8 people, 1 left; see the paper.
    table = {p: (0 if p < 3 else 4, "f", 0) for p in range(1, 8)}
    before = [group(0, range(8), (0,) * 8)]
    rule = Rule(3, 1, "repair")
    expect("2 of 7 leave with 1", len(keep_the_rule(rule, table, (8, True), before)) == 5)
    expect("2 and 1 are out", len(keep_the_rule(rule, table, (4, True), before)) == 5)
    the_2x2()


def the_2x2():
    """Four cells of 4, with 2, 2, 2 and 0 ill: the belief of who sees sums is 306 / 478."""
    ill = {p: int(p % 4 < 2 and p < 12) for p in range(16)}
    releases = [{p: ((p // 8, p // 8, "*"), ill[p]) for p in ill},
                {p: ((p // 4 % 2, p // 4 % 2, "*"), ill[p]) for p in ill}]
    weights, n_worlds = possible_values(releases)
    expect("478 worlds", n_worlds == 478)
    expect("306 of them", all(weights[p].get(1, 0) == 306 for p in range(4)))


# ---- beliefs --------------------------------------------------------------------------------------


def beliefs(rounds, seed):
    """Cells of k, each with alpha = 1/2, in two releases of two groups: the greatest belief in a value for
    who sees sums, and for how many people it is above."""
    for k in (2, 3, 4, 5):
        above, people, most = 0, 0, 0.0
        rng = random.Random(seed + k)
        for _ in range(rounds):
            cells = [[1] * n + [0] * (k - n) for n in
                     (rng.randint(0, k // 2) for _ in range(4))]
            # The number of ill people of each cell is all that worlds differ in.
            ways = _sums(cells, k)
            total = sum(ways.values())
            for i in range(4):
                belief = sum(w * x[i] for x, w in ways.items()) / total / k
                people += k
                above += k * (belief > 0.5 + 1e-12)
                most = max(most, belief)
        print("cells of %d, alpha 0.5: %.1f %% of people above it, the greatest belief is %.2f" %
              (k, 100 * above / people, most))


def _sums(cells, k):
    import math
    a, b, c, d = map(sum, cells)
    ways = {}
    for x in range(k + 1):
        rest = (x, a + b - x, a + c - x, d - a + x)
        if all(0 <= n <= k for n in rest):
            ways[rest] = math.prod(math.comb(k, n) for n in rest)
    return ways


# ---- m-invariance ---------------------------------------------------------------------------------


def best_partition(people, ages, may_be_a_group):
    """The cheapest way to release people in groups that show their least and greatest age: 1 for who
    is left out, else the share of all ages that her group spans. By sets of people."""
    n = len(people)
    costs, choice = [0.0] * (1 << n), [0] * (1 << n)
    group_cost = {}
    for members in range(1, 1 << n):
        block = [people[i] for i in range(n) if members >> i & 1]
        if may_be_a_group(block):
            span = max(ages[p] for p in block) - min(ages[p] for p in block)
            group_cost[members] = len(block) * span / (AGES - 1)
    for members in range(1, 1 << n):
        lowest = members & -members
        best, taken = 1 + costs[members ^ lowest], 0
        rest = part = members ^ lowest
        while True:
            block = part | lowest
            if block in group_cost and group_cost[block] + costs[members ^ block] < best - 1e-9:
                best, taken = group_cost[block] + costs[members ^ block], block
            if part == 0:
                break
            part = part - 1 & rest
        costs[members], choice[members] = best, taken
    groups, left = [], (1 << n) - 1
    while left:
        block = choice[left]
        if block:
            groups.append([people[i] for i in range(n) if block >> i & 1])
        left ^= block or left & -left
    return groups, costs[-1]


def compare_m_invariance(rounds, seed):
    """Three releases of tables of eight people, each the cheapest of all partitions under its rule."""
    kinds = ("each alone", "cells, k = 2", "cells, k = l = 2", "2-invariance")
    for n_values in (2, 3, 4):
        for n_moving in (1, 2):
            cost = {kind: [0.0] * 3 for kind in kinds}
            rng = random.Random(seed)
            for _ in range(rounds):
                ages = {p: rng.randrange(AGES) for p in range(8 + 2 * n_moving)}
                values = {p: rng.randrange(n_values) for p in ages}
                for kind in kinds:
                    trace = {p: () for p in ages}
                    signature = {}
                    for t in range(3):
                        people = list(range(t * n_moving, t * n_moving + 8))

                        def fits(block):
                            has = [values[p] for p in block]
                            if kind == "2-invariance":
                                return (len(block) >= 2 and len(set(has)) == len(has) and
                                        all(signature.get(p, set(has)) == set(has) for p in block))
                            if kind == "each alone":
                                return len(block) >= 2 and len(set(has)) >= 2
                            cells = {}
                            for p in block:
                                cells.setdefault(trace[p], []).append(values[p])
                            least = 2 if kind.endswith("l = 2") else 1
                            return all(len(c) >= 2 and len(set(c)) >= least for c in cells.values())

                        groups, loss = best_partition(people, ages, fits)
                        cost[kind][t] += loss / 8 / rounds
                        group_of = {p: i for i, g in enumerate(groups) for p in g}
                        for p in ages:
                            trace[p] += (group_of.get(p),)
                        for g in groups:
                            for p in g:
                                signature.setdefault(p, {values[q] for q in g})
            print("%d values, %d of 8 leave and come each time" % (n_values, n_moving))
            for kind in kinds:
                print("    %-18s" % kind + "".join("%8.3f" % c for c in cost[kind]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kanon")
    parser.add_argument("--verifier", help="another program that verifies")
    parser.add_argument("--sequences", type=int, default=60, help="of releases of the program")
    parser.add_argument("--beliefs", action="store_true")
    parser.add_argument("--m-invariance", action="store_true")
    args = parser.parse_args()
    if args.beliefs:
        beliefs(2000, args.seed)
        return
    if args.m_invariance:
        compare_m_invariance(min(args.rounds, 100), args.seed)
        return
    examples()
    random_sequences(args.rounds, args.seed)
    sequences_of_histories(args.rounds, args.seed)
    if args.kanon and not has_ledger(args.kanon):
        print("skipped: the program has no ledger")
    elif args.kanon:
        kanon = os.path.abspath(args.kanon)
        verifier = os.path.abspath(args.verifier) if args.verifier else kanon
        sequences_of_the_program(kanon, verifier, args.sequences, args.seed)


if __name__ == "__main__":
    main()
