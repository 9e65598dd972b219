"""Recounts a released CSV table from the definitions alone.

    recount.py RELEASE --qi age,zip --k 5 [--original TABLE --hierarchies DIR] [...]

Flags are those of `kanon verify`. Exit status 0: verified; 1: nothing is false, but something could not be judged;
2: wrong use or bad input; 3: refuted. It needs Python 3.8 and nothing else, shares no code with kanon, and counts in
whole numbers and fractions; only logarithms are rounded (`log_limit`). What would take too long it does not judge.

Not checked: what a flag asks for that `--help` does not name (status 2); whether a file quotes a text in one row and
not in another; how a release was made; and whether k, or the columns that were named, protect anybody enough.
Certificates are checked by recount_certificate.py, which reads tables by this file."""
import argparse
import csv
import os
import re
import sys
from collections import Counter, defaultdict
from datetime import datetime
from decimal import Decimal, ROUND_FLOOR, getcontext
from fractions import Fraction

MISSING = ("missing",)  # every word for what is missing: one value, a category of its own
UNKNOWN = (MISSING, "?")  # two values that have no place among numbers and dates
MOST_STEPS = 1_000_000  # of a search for people, or pairs of rows in another order: beyond it nothing is judged

class Bad(Exception):
    """Wrong use or bad input: status 2."""
class Open(Exception):
    """Cannot be judged: status 1."""
# ------------------------------------------------------------------------------------------ Tables and values

def read_csv(path, separator=None, encoding="utf-8"):
    """The lines of a CSV file; unless it is told, the separator is the most frequent one of the first line."""
    try:
        with open(path, encoding=encoding, newline="") as file:
            text = file.read().lstrip("\ufeff")
        separator = "\t" if separator == "tab" else separator or max(",;\t|", key=text.split("\n", 1)[0].count)
        return list(csv.reader(text.splitlines(True), delimiter=separator, strict=True))
    except (OSError, UnicodeError, LookupError, TypeError, csv.Error) as problem:
        raise Bad(f"{path}: {problem}")

class Table:
    """`columns` are the names, `rows` lists of texts, in which MISSING stands for what is missing."""
    def __init__(self, path, args):
        lines = read_csv(path, args.separator, args.encoding)
        if len(lines) < 2 or len(set(lines[0])) < len(lines[0]):
            raise Bad(f"{path}: no row, or two columns of one name")
        self.path, self.columns, words = path, lines[0], {"", *args.missing}
        lines = [line or [""] for line in lines[1:]]
        if any(len(line) != len(self.columns) for line in lines):
            raise Bad(f"{path}: a row has more or fewer fields than the header")
        self.rows = [[MISSING if cell in words else cell for cell in line] for line in lines]
        self.words = {name: {line[at] for line in lines} & words for at, name in enumerate(self.columns)}
    def column(self, name):
        if name not in self.columns:
            raise Bad(f"{self.path}: no column '{name}'")
        return [row[self.columns.index(name)] for row in self.rows]

def as_number(text, decimal="."):
    """The number that a text is, or None. What has a zero before it (007) is a code, not a number."""
    point = re.escape(decimal)
    match = re.fullmatch(rf"[+-]?(?:\d+(?:{point}\d*)?|{point}\d+)(?:[eE]([+-]?\d+))?", text, re.ASCII)
    if not match or re.match(r"[+-]?0\d", text) or len(text) > 400:
        return None
    if abs(int(match.group(1) or 0)) > 300:
        raise Open(f"the number {text} is too great or too small for this program")
    return Fraction(text.replace(decimal, "."))

def as_date(text, form=None):
    """The seconds of a moment, or None: 1980-03-14, with a time behind it or without, or as --date-format says."""
    try:
        if form or re.fullmatch(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d)?)?", text, re.ASCII):
            moment = datetime.strptime(text, form) if form else datetime.fromisoformat(text)
            return Fraction((moment - datetime(1, 1, 1)).total_seconds())
    except ValueError:
        pass
    return None

def meanings(texts, args, name):
    """(kind, reader) of a column: numbers or dates where all known values are, and then spellings of one number are
    one value; else text. ? is not known. --decimal and --date-format are taken where they fit all of a column."""
    known = {text for text in texts if text not in UNKNOWN}
    readers = [("number", lambda text: as_number(text, args.decimal)), ("number", as_number),
               ("date", lambda text: as_date(text, args.date_format)), ("date", as_date)]
    for kind, read in readers if name not in args.text else []:
        if all(read(text) is not None for text in known):
            return kind, lambda text: text if text in UNKNOWN else read(text)
    return "text", lambda text: text

def hierarchies(args, names, files=None):
    """{column: {value: its labels from the value itself to the top}}, of DIR/NAME.csv or --qi NAME=FILE."""
    found, files = {}, args.hierarchy_of if files is None else files
    for name in names:
        path = files.get(name) or (args.hierarchies and os.path.join(args.hierarchies, name + ".csv"))
        tree = os.path.splitext(path or "")[0] + ".txt"
        given = name in files
        if given and not path.endswith(".csv") or path and not os.path.exists(path) and os.path.exists(tree):
            raise Open(f"'{name}': a tree or a builder; `kanon hierarchy` convert or build writes it as columns")
        if given or path and os.path.exists(path):
            lines = [line for line in read_csv(path) if line]
            found[name] = {line[0] if line[0] not in ("", *args.missing) else MISSING: line for line in lines}
            if len({len(line) for line in lines}) != 1 or len({tuple(line) for line in lines}) != len(found[name]):
                raise Bad(f"{path}: lines of unequal length, or two of one value")
    return found

# ------------------------------------------------------------------------------- What a released cell stands for

class Cover:
    """What the cells of a column stand for (docs/workloads.md, What a released value stands for)."""
    def __init__(self, name, tree, texts, args):
        self.args, self.tree, self.seen = args, tree, {}
        self.kind, self.meant = meanings(texts, args, name)
        self.others = {*texts, *(label for labels in tree.values() for label in labels)}  # each means itself alone
    def covers(self, cell, text):
        if (cell, text) not in self.seen:
            self.seen[cell, text] = self.stands_for(cell, text)
        return self.seen[cell, text]
    def stands_for(self, cell, text):
        """The value itself, *, a label above it, a list that names it, or an interval that holds it."""
        if cell == text or cell == "*" or cell in self.tree.get(text, []):
            return True
        if cell == MISSING or cell in self.others:
            return False
        if cell.startswith("{") and cell.endswith("}"):
            return any(self.stands_for(part, text) for part in self.parts(cell[1:-1].rstrip(" ")))
        return self.kind != "text" and text not in UNKNOWN and self.holds(cell, self.meant(text))
    def parts(self, inside):
        """What a list names, between ", ": [30, 32.5) is one part, and a word of --missing is what is missing."""
        for part in re.findall(r'(?:^|(?<=, ))("(?:[^"]|"")*"|[\[(][^\])]*[\])]|.*?)(?=, |$)', inside):
            part = part[1:-1].replace('""', '"') if part[:1] == '"' else part
            yield from [part, MISSING] if part in ("", *self.args.missing) else [part]
    def holds(self, cell, value):
        """Whether an interval holds a value: [17-24], [-3..-1], [30, 32.5); a round bracket excludes its bound."""
        match = re.fullmatch(r"([\[(])(.*)([\])])", cell, re.DOTALL)
        cuts = match and [(cut.start(), cut.end()) for cut in re.finditer(r"\.\.|, |-", match.group(2))]
        for end, begin in cuts or []:
            low, high = self.bound(match.group(2)[:end]), self.bound(match.group(2)[begin:])
            if low is not None and high is not None:
                return (low <= value <= high and (match.group(1) == "[" or low != value)
                        and (match.group(3) == "]" or high != value))
        return False
    def bound(self, text):
        if text in ("-inf", "inf"):
            return float(text)
        read, given = (as_number, self.args.decimal) if self.kind == "number" else (as_date, self.args.date_format)
        return read(text, given) if read(text, given) is not None else read(text)

def place_in_order(released, originals, fits):
    """For each released row the first original row behind the one before that it can stand for, or None."""
    places, at = [], -1
    for row in released:
        at = next((i for i in range(at + 1, len(originals)) if fits(row, originals[i])), None)
        if at is None:
            return None
        places.append(at)
    return places

def place_in_any_order(released, originals, fits):
    """Whether every released row can have an original row of its own: it takes a free one, or one whose holder can
    have another. Rows that are alike are counted together."""
    kinds, spare, holders = Counter(released), Counter(originals), defaultdict(Counter)
    if len(kinds) * len(spare) > MOST_STEPS:
        raise Open("rows are in another order, and too many to be placed")
    edges = {row: [other for other in spare if fits(row, other)] for row in kinds}
    def place(row, tried):
        for other in edges[row]:
            if other not in tried:
                tried.add(other)
                free = spare[other] > 0
                holder = None if free else next((one for one in +holders[other] if place(one, tried)), None)
                if free or holder:
                    spare[other] -= free
                    holders[other][holder] -= 1
                    holders[other][row] += 1
                    return True
        return False

    return all(place(row, set()) for row in kinds.elements())

def people_released(released, originals, people, fits):
    """The places of the released rows for each set of people, at most two, whose rows in order these are."""
    total, found, steps = Counter(people), [], 0
    stack = [(0, [], {})]
    while stack and len(found) < 2:
        at, places, stays = stack.pop()
        while at < len(originals):
            who, steps = people[at], steps + 1
            if steps > MOST_STEPS:
                raise Open("the search for the people of the release was not finished")
            if who not in stays:
                stack.append((at + 1, places, {**stays, who: False}))
                stays = {**stays, who: True}
            if stays[who]:
                if len(places) == len(released) or not fits(released[len(places)], originals[at]):
                    break
                places = places + [at]
            at += 1
        if at == len(originals) and len(places) == len(released) == sum(total[one] for one in stays if stays[one]):
            found.append(places)
    return found

# --------------------------------------------------------------------------- Promises about sensitive values
# Each is about a crowd (a group of rows). `counts`: the rows, or people, of each value; `size`: all rows or people;
# `q`: the share of each value, its count over the sum of all counts; `p`: the same of the whole table.

def distinct_l(counts, l):
    """At least l different values."""
    return len(counts) >= l

def entropy_l(counts, l):
    """- sum of q log q >= log l; in whole numbers: n^n >= l^n * product of c^c."""
    n, product = sum(counts.values()), 1
    for count in counts.values():
        product *= count**count
    return n**n * l.denominator**n >= l.numerator**n * product

def recursive_l(counts, l, c):
    """r1 < c (r_l + ... + r_m), where r are the counts in descending order."""
    r = sorted(counts.values(), reverse=True)
    return r[0] < c * sum(r[int(l) - 1:])

def alpha(counts, size, limit, values, combined, refined):
    """No value (of those named; or all named ones together) has more than alpha * size, refined: rounded up."""
    looked = [count for value, count in counts.items() if values is None or value in values]
    return (sum(looked) if combined else max(looked, default=0)) <= (-(-limit * size // 1) if refined else limit * size)

def t_equal(q, p):
    """The share that has to move: half the sum of |q - p|."""
    return sum(abs(q[value] - p[value]) for value in p) / 2

def t_ordered(q, p):
    """The shares that move from each value to the next, over the steps; the missing is before the smallest."""
    moved, total, order = 0, Fraction(0), sorted(p, key=lambda value: (value != MISSING, value != "?", value))
    for value in order[:-1]:
        moved += q[value] - p[value]
        total += abs(moved)
    return total / max(1, len(order) - 1)

def t_hierarchical(q, p, labels):
    """A move costs (level of the lowest common node) / (level of the top): so each level below the top adds the share
    that has to leave its nodes, over the number of levels."""
    height, total = len(next(iter(labels.values()))) - 1, Fraction(0)
    for level in range(height):
        surplus = Counter()
        for value in p:
            surplus[labels[value][level]] += q[value] - p[value]
        total += sum(map(abs, surplus.values())) / 2
    return total / height

def log_limit(function, fraction):
    """What is no fraction (-ln p, 2^D), rounded down to a multiple of 2^-31 (what-it-promises.md, Exactly)."""
    number = function(Decimal(fraction.numerator) / fraction.denominator)
    return Fraction(int((number * 2**31).to_integral_value(ROUND_FLOOR)), 2**31)

def beta_likeness(q, p, limit, kind):
    """(q - p) / p <= beta for every value; enhanced: and <= -ln p."""
    def most(share):
        return limit if kind == "basic" else min(limit, log_limit(lambda x: -x.ln(), share))
    return all(p[value] and q[value] - p[value] <= most(p[value]) * p[value] for value in q)

def delta_disclosure(q, p, limit):
    """|log2(q / p)| < D for every value of the table: a crowd that lacks one fails."""
    factor = Fraction(2)**limit if limit.denominator == 1 else log_limit(lambda x: 2**x, limit)
    return all(p[value] < q[value] * factor and q[value] < p[value] * factor for value in p)

# ------------------------------------------------------------------------------------------------- A release

class Verdict:
    """The lines that are printed, and the worst of what they say."""
    def __init__(self):
        self.lines, self.false, self.open = [], False, False
    def say(self, what, holds, detail=""):
        self.false, self.open = self.false or holds is False, self.open or holds is None
        word = {True: "holds", False: "DOES NOT HOLD", None: "could not be judged"}[holds]
        self.lines.append(f"  {what}: {word}{', ' if detail else ''}{detail}")

def for_columns(given, columns, kind):
    """{column: value} of --l 2 and --l illness=3; without a name it is for all other columns."""
    pairs = [item.rpartition("=") for item in given]
    try:
        found = {name: kind(value) for name, _, value in pairs if not name for name in columns}
        found.update({name: kind(value) for name, _, value in pairs if name})
    except (ValueError, ZeroDivisionError):
        raise Bad(f"not a number, or no such kind: {' '.join(given)}")
    if given and (not columns or set(found) - set(columns)):
        raise Bad(f"{' '.join(given)}: no such column in --sensitive")
    return found

def check_columns(args, release, verdict):
    """With --keep or --drop exactly the columns that were named are released; those of --id never are."""
    extra = set(release.columns) - {*args.qi, *args.sensitive, *args.keep, args.person}
    wrong = set(release.columns) & {*args.id, *args.drop} | set(args.keep) - set(release.columns)
    wrong |= extra if args.keep or args.drop else set()
    if args.keep or args.drop or args.id:
        verdict.say("columns", not wrong, ", ".join(sorted(wrong)))

def check_cover(args, release, original, shown, verdict):
    """Every released row stands for an original row of its own: its quasi-identifiers cover those of that row, and
    all other columns are the same. Returns the original rows where they are certain enough to tell the person."""
    trees = hierarchies(args, args.qi)
    cover = {name: Cover(name, trees.get(name, {}), original.column(name), args) for name in args.qi}
    tests = [cover[name].covers if name in cover else (lambda cell, text: cell == text) for name in release.columns]
    originals = list(zip(*[original.column(name) for name in release.columns]))
    released = [tuple(release.rows[i]) for i in shown]
    def fits(row, other):
        return all(test(cell, text) for test, cell, text in zip(tests, row, other))

    if len(release.rows) > len(originals) or args.keep_suppressed and args.person and len(release.rows) < len(originals):
        verdict.say("number of rows", False, f"{len(release.rows)}, the original has {len(originals)}")
    if len(release.rows) == len(originals) and all(fits(row, originals[i]) for row, i in zip(released, shown)):
        verdict.say("cover", True, "each row in its place")
        return shown
    places = place_in_order(released, originals, fits)
    if places is None:
        holds = place_in_any_order(released, originals, fits)
        verdict.say("cover", holds, "in another order" if holds else "some released row has no original row left")
        return None
    verdict.say("cover", True, "in the same order")
    if not args.person or args.person in release.columns:
        return places
    people = original.column(args.person)
    if not args.by_people:
        last = place_in_order(released[::-1], originals[::-1], fits)
        return places if all(people[a] == people[-1 - b] for a, b in zip(places, last[::-1])) else None
    sets = people_released(released, originals, people, fits)
    if not sets:
        verdict.say("people", False, "no set of people has these rows")
    return sets[0] if len(sets) == 1 else None

def people_of(args, release, original, shown, places, verdict):
    """{row: person}, by the release itself or by the original rows. By person, whoever is released is so with all
    rows; None: it is open whose rows these are."""
    whose = original.column(args.person) if original else []
    if args.person in release.columns:
        people = {i: release.column(args.person)[i] for i in shown}
    elif not original:
        raise Bad(f"{release.path}: no column '{args.person}', and no --original to take it from")
    elif places is None:
        verdict.say("people", None, "whose rows these are is open")
        return None
    else:
        people = {i: whose[at] for i, at in zip(shown, places)}
    if MISSING in people.values() or MISSING in whose:
        raise Bad("a row has no person")
    if original and args.by_people:
        all_rows, rows = Counter(whose), Counter(people.values())
        verdict.say("whole people", all(rows[who] == all_rows[who] for who in rows))
    return people

def crowds_of(args, release, shown, people):
    """Groups: the rows that show the same in all quasi-identifiers. With histories: those of them whose people have
    the same history, which is what all rows of a person show together, each as often as it is there."""
    key = {i: tuple(release.rows[i][release.columns.index(name)] for name in args.qi) for i in shown}
    if people and args.person_promise == "histories":
        history = defaultdict(Counter)
        for i in shown:
            history[people[i]][key[i]] += 1
        key = {i: (key[i], frozenset(history[people[i]].items())) for i in shown}
    crowds = defaultdict(list)
    for i in shown:
        crowds[key[i]].append(i)
    return list(crowds.values())

def check_sensitive(args, name, release, original, crowds, shown, people, asked, verdict):
    """The promises about one sensitive column, in every crowd. With people each counts once for each value that she
    has. What the column is (numbers, dates, text) follows from the released values."""
    cells = release.column(name)
    kind, read = meanings([cells[i] for i in shown], args, name)
    def meant(text):  # the original may have a value that is none of this kind: it is itself
        value = read(text)
        return text if value is None else value
    def count(rows, texts, whose):
        return Counter(value for _, value in {(whose[i] if whose else i, meant(texts[i])) for i in rows})

    whole = count(shown, cells, people)
    if original:
        whose = original.column(args.person) if people else None
        whole = count(range(len(original.rows)), original.column(name), whose)
    p = {value: Fraction(whole[value], sum(whole.values())) for value in {*whole, *(meant(cells[i]) for i in shown)}}
    trees = hierarchies(args, [name], args.t_tree) if name in asked["t"] else {}
    distance = asked["t_distance"].get(name, "auto")
    if distance == "auto":
        by_tree = name in args.t_tree or kind == "text" and name in trees
        distance = "hierarchical" if by_tree else "equal" if kind == "text" else "ordered"
    tree = {meant(text): labels for text, labels in trees.get(name, {}).items()}
    judged = not (distance == "hierarchical" and set(p) - set(tree) or distance == "ordered" and kind == "text")
    if not judged and not original:
        raise Bad(f"'{name}': a value has no {distance} distance from others")
    named, fails = {meant(value) for value in args.alpha_value} or None, Counter()
    for rows in crowds:
        counts = count(rows, cells, people)
        size, total = len({people[i] for i in rows} if people else rows), sum(counts.values())
        q, holds = Counter({value: Fraction(c, total) for value, c in counts.items()}), {}
        if name in asked["l"]:
            how, l = asked["l_kind"].get(name, "distinct"), asked["l"][name]
            holds[f"{how} l"] = (distinct_l(counts, l) if how == "distinct" else entropy_l(counts, l)
                                 if how == "entropy" else recursive_l(counts, l, asked["c"][name]))
        if name in asked["alpha"]:
            holds["alpha"] = alpha(counts, size, asked["alpha"][name], named, args.alpha_combined, args.refined)
        if name in asked["t"] and judged:
            moved = (t_hierarchical(q, p, tree) if distance == "hierarchical" else
                     t_ordered(q, p) if distance == "ordered" else t_equal(q, p))
            holds[f"t by {distance} distance"] = moved <= asked["t"][name]
        if name in asked["beta"]:
            holds["beta"] = beta_likeness(q, p, asked["beta"][name], asked["beta_kind"].get(name, "enhanced"))
        if name in asked["delta"]:
            holds["delta-disclosure"] = delta_disclosure(q, p, asked["delta"][name])
        fails.update({promise: not kept for promise, kept in holds.items()})
    for promise, failing in fails.items():
        verdict.say(f"{promise} of '{name}'", not failing, f"{failing} of {len(crowds)} groups fail" if failing else "")
    if name in asked["t"] and not judged:
        verdict.say(f"t of '{name}'", None, f"some value has no {distance} distance")

def verify_release(args):
    release, verdict = Table(args.release, args), Verdict()
    original = Table(args.original, args) if args.original else None
    if any(len(release.words[name]) > 1 for name in [*args.qi, *args.sensitive] if release.column(name) is not None):
        raise Bad(f"{release.path}: a column has several words for what is missing")
    asked = {key: for_columns(getattr(args, key), args.sensitive, Fraction)
             for key in ("l", "c", "alpha", "t", "beta", "delta")}
    for key, kinds in (("l_kind", ("distinct", "entropy", "recursive")), ("beta_kind", ("enhanced", "basic")),
                       ("t_distance", ("auto", "equal", "ordered", "hierarchical"))):
        asked[key] = for_columns(getattr(args, key), args.sensitive, lambda kind: kinds[kinds.index(kind)])
    strange = [name for name, l in asked["l"].items() if l < 1 or asked["l_kind"].get(name) != "entropy" and l != int(l)
               or asked["l_kind"].get(name) == "recursive" and name not in asked["c"]]
    strange += [x for numbers in asked.values() for x in numbers.values() if isinstance(x, Fraction) and x < 0]
    if strange or (args.k or 1) < 1 or not args.qi or not (args.k or any(asked[key] for key in ("l", "alpha", "t", "beta", "delta"))):
        raise Bad("name --qi and a promise such as --k; a number is out of its bounds, or --c is missing")
    shown = [i for i, row in enumerate(release.rows) if not args.keep_suppressed or set(row) != {"*"}]
    check_columns(args, release, verdict)
    places = check_cover(args, release, original, shown, verdict) if original else None
    people = people_of(args, release, original, shown, places, verdict) if args.person else None
    if args.person and people is None:
        return verdict
    crowds = crowds_of(args, release, shown, people)
    sizes = [len({people[i] for i in rows} if people else rows) for rows in crowds]
    if args.k:
        least = min(sizes, default=args.k)
        verdict.say(f"k = {args.k}", least >= args.k, f"{len(sizes)} groups, the smallest has {least}")
    for name in args.sensitive:
        check_sensitive(args, name, release, original, crowds, shown, people, asked, verdict)
    if original and args.suppress is not None:
        whole = len(set(original.column(args.person))) if args.by_people else len(original.rows)
        out = whole - (len(set(people.values())) if args.by_people else len(shown))
        if not re.fullmatch(r"\d+|\d+(\.\d+)?%|all", args.suppress):
            raise Bad(f"--suppress {args.suppress}: a number, a percentage, or all")
        number, share = ("100", "%") if args.suppress == "all" else re.match("([0-9.]+)(%?)", args.suppress).groups()
        most = int(Fraction(number) * (Fraction(whole, 100) if share else 1))  # a percentage is rounded down
        verdict.say("suppression", out <= most, f"{out} left out, {most} may be")
    return verdict

# --------------------------------------------------------------------------------------------- The command line

def arguments(words, more=()):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False,
                                     epilog="All flags mean what those of kanon verify do.")
    parser.add_argument("release", help="the release")
    for flag in ("original", "hierarchies", "person", "suppress", "separator", "date-format"):
        parser.add_argument("--" + flag)
    for flag in ("qi", "sensitive", "id", "keep", "drop", "missing", "text", "alpha-value", "t-hierarchy"):
        parser.add_argument("--" + flag, action="append", default=[], metavar="NAME,...")
    for flag in ("l", "l-kind", "c", "alpha", "t", "t-distance", "beta", "beta-kind", "delta-disclosure"):
        parser.add_argument("--" + flag, action="append", default=[], metavar="[NAME=]X")
    for flag, kind, default in (("k", int, None), ("encoding", str, "utf-8"), ("decimal", str, ".")):
        parser.add_argument("--" + flag, type=kind, default=default)
    parser.add_argument("--suppress-by", choices=("person", "row"), default="person")
    parser.add_argument("--person-promise", choices=("groups", "histories"), default="groups")
    for flag in ("alpha-combined", "refined", "keep-suppressed", "quiet"):
        parser.add_argument("--" + flag, action="store_true")
    for flag, kind, default in more:
        parser.add_argument("--" + flag, type=kind, default=default)
    args = parser.parse_args(words)
    args.hierarchy_of = dict(item.split("=", 1) for item in args.qi if "=" in item)
    args.t_tree = dict(item.split("=", 1) for item in args.t_hierarchy if "=" in item)
    args.qi = [name for item in args.qi for name in ([item.split("=")[0]] if "=" in item else item.split(","))]
    for flag in ("sensitive", "id", "keep", "drop", "missing", "text"):
        setattr(args, flag, [name for item in getattr(args, flag) for name in item.split(",")])
    args.delta = args.delta_disclosure
    args.by_people = args.person and (args.suppress_by == "person" or args.person_promise == "histories")
    return args

def answer(name, verify, args):
    """Prints what `verify` finds, and returns the exit status."""
    getcontext().prec = 60
    sys.setrecursionlimit(10000)
    try:
        verdict = verify(args)
    except Bad as problem:
        print(f"recount: {problem}", file=sys.stderr)
        return 2
    except (Open, RecursionError) as problem:
        print(f"{name}: NOT VERIFIED: {problem}")
        return 1
    word = "NOT what was promised" if verdict.false else "NOT VERIFIED" if verdict.open else "verified"
    print(f"{name}: {word}", *([] if args.quiet else verdict.lines), sep="\n")
    return 3 if verdict.false else 1 if verdict.open else 0

if __name__ == "__main__":
    given = arguments(sys.argv[1:])
    sys.exit(answer(given.release, verify_release, given))
