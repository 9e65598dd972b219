#!/usr/bin/env python3
"""Statements of --emit sql, run where they are for: the release is that of the same rows as CSV, and where the
table or the statements are changed in between, the queries find it and the release has no row.

  script.py KIND DIALECT KANON ROUNDS [DUCKDB_SQL]

KIND is sqlite, duckdb, postgres or clickhouse; servers are those of script.sh. Works in the current folder.
"""
import collections
import csv
import os
import random
import re
import sqlite3
import subprocess
import sys

kind, dialect, kanon, rounds = sys.argv[1:5]
duck = sys.argv[5] if len(sys.argv) > 5 else None
rounds = int(os.environ.get("KANON_TEST_ROUNDS", rounds))
csv.field_size_limit(1 << 24)


def fail(*words):
    sys.exit("FAILED: " + " ".join(str(word) for word in words))


def command(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, encoding="utf-8", **more)


def texts(rows):
    """NULL and '' are one missing value."""
    return [tuple("" if value is None else str(value) for value in row) for row in rows]


class Sqlite:
    quote, string, number = '"', "TEXT COLLATE NOCASE", "INTEGER"
    shows_rows = True

    def __init__(self):
        self.line = sqlite3.connect("people.db", isolation_level=None)
        self.line.execute("PRAGMA synchronous = OFF")

    def at(self, name):
        return None

    def run(self, sql):
        """The rows of the queries in a script, in order."""
        rows, statement = [], ""
        for line in sql.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                rows.append(self.line.execute(statement).fetchall())
                statement = ""
        return [row for result in rows for row in result]

    def load(self, name, columns, rows):
        for row in rows:
            self.line.execute("INSERT INTO %s VALUES (%s)" % (name, ",".join("?" * len(row))), row)

    def counts(self, sql, path):
        rows, statement = None, ""
        for line in sql.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                cursor = self.line.execute(statement)
                if cursor.description:
                    rows = [[part[0] for part in cursor.description]] + cursor.fetchall()
                statement = ""
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)

    def rows(self, name, columns):
        return texts(self.line.execute("SELECT %s FROM %s" % (",".join(map(named, columns)), name)))


class Postgres:
    quote, string, number = '"', "text", "bigint"
    shows_rows = True
    flags = ("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", "postgres",
             "-d", "postgres")

    def at(self, name):
        return "postgres://postgres@127.0.0.1:%s/postgres?table=%s" % (os.environ["PGPORT"], name)

    def psql(self, sql, *more):
        done = command(*self.flags, *more, input=sql)
        if done.returncode:
            fail("psql:", done.stderr, sql[:2000])
        return done.stdout

    def run(self, sql):
        return [(line,) for line in self.psql(sql, "-A", "-t").splitlines() if line]

    def load(self, name, columns, rows):
        self.psql("".join("INSERT INTO %s VALUES (%s);\n" % (name, ",".join(map(literal, row)))
                          for row in rows))

    def counts(self, sql, path):
        with open(path, "w", newline="", encoding="utf-8") as file:
            file.write(self.psql(sql, "--csv"))

    def rows(self, name, columns):
        shown = self.psql("SELECT %s FROM %s" % (",".join(map(named, columns)), name), "--csv")
        return texts(list(csv.reader(shown.splitlines(keepends=True)))[1:])


class Clickhouse:
    quote, string, number = "`", "Nullable(String)", "Nullable(Int64)"
    shows_rows = True

    def at(self, name):
        return "clickhouse://127.0.0.1:%s/default/%s" % (os.environ["CLICKHOUSE_HTTP"], name)

    def client(self, sql, form):
        done = command("clickhouse-client", "--port", os.environ["CLICKHOUSE_TCP"], "--multiquery",
                       "--format", form, input=sql)
        if done.returncode:
            fail("clickhouse-client:", done.stderr, sql[:2000])
        return done.stdout

    def run(self, sql):
        return [(line,) for line in self.client(sql, "TabSeparated").splitlines() if line]

    def load(self, name, columns, rows):
        self.client("INSERT INTO %s VALUES %s" %
                    (name, ",".join("(%s)" % ",".join(map(literal, row)) for row in rows)), "Null")

    def counts(self, sql, path):
        with open(path, "w", newline="", encoding="utf-8") as file:
            file.write(self.client(sql, "CSVWithNames"))

    def rows(self, name, columns):
        shown = self.client("SELECT %s FROM %s" % (
            ",".join("ifNull(toString(%s), '')" % named(column) for column in columns), name), "CSV")
        return texts(csv.reader(shown.splitlines(keepends=True)))


class Duckdb:
    quote, string, number = '"', "VARCHAR", "BIGINT"
    shows_rows = False # duckdb-sql prints none

    def at(self, name):
        return "duckdb:people.duckdb?table=" + name

    def duck(self, *sql):
        done = command(duck, "ATTACH 'people.duckdb' AS d", "USE d", *sql)
        if done.returncode:
            fail("duckdb:", done.stderr, sql[0][:2000])

    def run(self, sql):
        self.duck(sql)
        return []

    def load(self, name, columns, rows):
        for at in range(0, len(rows), 100):
            self.duck("INSERT INTO %s VALUES %s" % (
                name, ",".join("(%s)" % ",".join(map(literal, row)) for row in rows[at:at + 100])))

    def copy(self, select, path):
        self.duck("COPY (%s) TO '%s' (FORMAT csv, HEADER, FORCE_QUOTE *)" % (select, path))

    def counts(self, sql, path):
        self.copy(sql[sql.index("SELECT"):].split(";\nCOMMIT;")[0].rstrip(";\n"), path)

    def rows(self, name, columns):
        self.copy("SELECT %s FROM %s" % (",".join(map(named, columns)), name), "shown.csv")
        with open("shown.csv", newline="", encoding="utf-8") as file:
            return texts(list(csv.reader(file))[1:])


def named(name):
    if engine.quote == "`":
        return "`%s`" % name.replace("\\", "\\\\").replace("`", "\\`")
    return '"%s"' % name.replace('"', '""')


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    if kind == "clickhouse":
        return "'%s'" % value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return "'%s'" % value.replace("'", "''")


engine = {"sqlite": Sqlite, "duckdb": Duckdb, "postgres": Postgres, "clickhouse": Clickhouse}[kind]()

NASTY = ["a", "A", "a ", " a", "", None, "?", "it's", '"', "\\", "\\'", "x'; DROP TABLE people;--", "/*", "$$",
         "${HOME}", "{{ x }}", "%s", "\u00e9", "e\u0301", "\u00df", "ss", "\u65e5\u672c", "\U0001f600", "a\tb", "a\nb", "1",
         "01", "1.0", "-- b", ";", "`", "\\n", "&a", ":b", "NULL", "=1+1"]
NAMES = ["q", "Q2", "it's", 'say "it"', "a\\b", "semi;colon", "x; DROP TABLE people;--", "\u00fcber", "kx_c0", "kx_m0",
         "select", "${a}", "two words", "`tick`"]


def quoted(value):
    if value is None:
        return ""
    return '"%s"' % str(value).replace('"', '""')


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.writelines(",".join(map(quoted, row)) + "\n" for row in rows)


class Job:
    """A random table, and flags that release it."""

    def __init__(self, seed):
        self.random = random.Random("%s %s" % (kind, seed))
        names = self.random.sample(NAMES, 4)
        self.quasi, self.sensitive, self.kept = [names[0], names[1], "n"], names[2], names[3]
        self.columns = self.quasi + [self.sensitive, self.kept]
        few = self.random.sample(NASTY, 6)
        some = self.random.sample(NASTY, 3)
        n = self.random.randrange(30, 120)
        self.rows = [(self.random.choice(few), self.random.choice(some), self.random.randrange(20, 29),
                      self.random.choice(few), self.random.choice(NASTY)) for i in range(n)]
        self.write_tree(few)
        self.flags = ["--qi", names[0] + "=tree.csv", "--qi", names[1] + "=suppress",
                      "--qi", "n=intervals:2,10", "--sensitive", self.sensitive, "--keep", self.kept,
                      "--k", str(self.random.randrange(2, 5)), "--quiet"]
        self.flags += self.random.choice([[], ["--suppress", "10%"], ["--suppress", "20%", "--l", "2"],
                                          ["--algorithm", "mondrian"], ["--recoding", "full-subtree"]])

    def write_tree(self, values):
        """Labels as nasty as values."""
        values = sorted({"" if value is None else value for value in values})
        labels = self.random.sample(["o'ne", 't"wo', "th\\ree", "fo;ur", "\u4e94", "{{six}}", "--"], 2)
        write("tree.csv", [(value, labels[i % 2], "*") for i, value in enumerate(values)])

    def make(self):
        engine.run("DROP TABLE IF EXISTS people;")
        types = [engine.number if name == "n" else engine.string for name in self.columns]
        engine.run("CREATE TABLE people (%s)%s;" % (
            ", ".join(named(name) + " " + type for name, type in zip(self.columns, types)),
            " ENGINE = MergeTree ORDER BY tuple()" if kind == "clickhouse" else ""))
        engine.load("people", self.columns, self.rows)
        write("people.csv", [self.columns] + self.rows)

    def kanon(self, *words):
        return command(kanon, "anonymize", *words, *self.flags)

    def emit(self, what, *more):
        return self.kanon("people", "--emit", what, "--dialect", dialect, *more)


def released():
    engine.run("DROP TABLE IF EXISTS people_release;")
    return engine.run(open("release.sql", encoding="utf-8").read())


def compare(name, job, wanted):
    got = engine.rows("people_release", job.columns)
    if collections.Counter(got) != collections.Counter(wanted):
        fail(name, "the rows differ:", len(got), len(wanted),
             list((collections.Counter(got) - collections.Counter(wanted)).items())[:3],
             list((collections.Counter(wanted) - collections.Counter(got)).items())[:3])


def refused(name):
    """What is wrong is told by a query, and nothing is released."""
    told = released()
    if engine.shows_rows and not told:
        fail(name, "no query gives a row")
    if engine.run("SELECT 1 FROM people_release;") if engine.shows_rows else engine.rows("people_release", ["n"]):
        fail(name, "the release has rows")


def change_statements():
    """A label of a mapping table becomes another."""
    script = open("release.sql", encoding="utf-8").read()
    at = re.search(r"_m\d+[\"`] VALUES\s\(([^\n]*?), '([^'\\\n]*)'\)", script)
    if not at:
        return False
    script = script[:at.start(2)] + at.group(2) + "x" + script[at.end(2):]
    with open("release.sql", "w", encoding="utf-8") as file:
        file.write(script)
    return True


def check_changes(job, wanted):
    row = job.rows[0]
    assigned = " AND ".join(named(name) + (" IS NULL" if value is None else " = " + literal(value))
                            for name, value in zip(job.columns, row))
    engine.load("people", job.columns, [row])
    refused("one more row")
    if kind != "clickhouse":
        engine.run("DELETE FROM people WHERE %s;" % assigned)
        refused("some rows fewer")
    job.make()
    engine.load("people", job.columns, [("never seen",) + row[1:]])
    refused("a value that is new")
    job.make()
    told = released()
    if told:
        fail("the table as it was: a query gives a row", told)
    compare("the table as it was", job, wanted)
    if kind == "duckdb" and dialect == "ansi":
        script = open("release.sql", encoding="utf-8").read()
        engine.run("DROP TABLE IF EXISTS people_release;")
        engine.run("SET default_collation = 'NOCASE';\n" + script)
        if engine.rows("people_release", job.columns):
            fail("texts are not compared by bytes, and the release has rows")
    if change_statements():
        refused("a label that is another")


def check(seed):
    job = Job(seed)
    job.make()
    for name in ("counts.csv", "release.sql", "release.csv"):
        if os.path.exists(name):
            os.remove(name)
    done = job.emit("counts-sql", "-o", "-")
    if done.returncode:
        fail("table", seed, done.stderr)
    engine.counts(done.stdout, "counts.csv")
    plain = job.kanon("people.csv", "-o", "release.csv")
    done = job.emit("sql", "--counts", "counts.csv", "-o", "release.sql")
    if done.returncode != plain.returncode:
        fail("table", seed, "ends with", done.returncode, done.stderr, "and CSV with", plain.returncode, plain.stderr)
    if plain.returncode == 3:
        if os.path.exists("release.sql"):
            fail("table", seed, "nothing keeps the promise, and there are statements")
        return False
    if plain.returncode:
        fail("table", seed, plain.stderr)
    if os.stat("release.sql").st_mode & 0o77:
        fail("others can read the statements")
    told = released()
    if told:
        fail("table", seed, "a query gives a row", told)
    with open("release.csv", newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    order = [lines[0].index(name) for name in job.columns]
    wanted = [tuple(line[i] for i in order) for line in lines[1:]]
    compare("table %s:" % seed, job, wanted)
    if engine.at("people"):
        engine.run("DROP TABLE IF EXISTS people_made;")
        done = job.kanon(engine.at("people"), "-o", engine.at("people_made"))
        if done.returncode:
            fail("table", seed, "engine:", done.stderr)
        if collections.Counter(engine.rows("people_made", job.columns)) != collections.Counter(wanted):
            fail("table", seed, "the engine releases something else")
    if seed < 4:
        check_changes(job, wanted)
    return True


n = sum(check(seed) for seed in range(rounds))
if n * 2 < rounds:
    fail("too few releases:", n)
print("%s, %s: %d random tables, %d released" % (kind, dialect, rounds, n))
