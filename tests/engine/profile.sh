#!/usr/bin/env bash
# `profile` of a table in an engine that has columns of more values than are read: what is counted is what
# the same table has as CSV, no more values come than need be, and it is told the same each time.
#   profile.sh duckdb|postgres|mariadb|clickhouse KANON ODBC_SQL DUCKDB_SQL
# Without the engine, or without python3: skipped (77).
set -euo pipefail
engine=$1 kanon=$(realpath "$2") sql=$(realpath "$3") duck=$(realpath "$4")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v python3 >/dev/null || { echo "skipped: python3 is not here"; exit 77; }
case $engine in
mariadb)
    # shellcheck source=tests/engine/odbc_database.sh
    source "$here/odbc_database.sh"
    odbc_start mariadb
    ;;
clickhouse)
    # shellcheck source=tests/engine/clickhouse_servers.sh
    source "$here/clickhouse_servers.sh"
    clickhouse_is_there || { echo 'skipped: ClickHouse is not installed'; exit 77; }
    work=$(mktemp -d "${TMPDIR:-/tmp}/kanon-clickhouse.XXXXXX")
    chmod 755 "$work"
    trap 'clickhouse_end; rm -rf "$work"' EXIT
    clickhouse_begin "$work" 1
    cd "$work"
    ;;
postgres)
    # shellcheck source=tests/engine/postgres_server.sh
    source "$here/postgres_server.sh"
    work=$(mktemp -d)
    trap 'pg_stop; rm -rf "$work"' EXIT
    pg_start
    cd "$work"
    ;;
*)
    "$duck" 'SELECT 1' >/dev/null 2>&1 || { echo "skipped: DuckDB's library is not here"; exit 77; }
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cd "$work"
    ;;
esac

# An id that is different in every row, a number of a person, amounts of which most are different, texts of
# which some are frequent and many are not.
awk 'BEGIN {
    srand(7)
    print "case_no,patient_id,town,amount,remark,empty"
    for (i = 0; i < 130000; i++)
        printf "K%06d,%d,town %d,%s,%s,%s\n", (i * 7919) % 130000, 100000 + i % 30000,
            (i * i) % 97, i % 50 == 0 ? "" : sprintf("%.5f", 900 * rand() * rand()),
            i % 4 == 0 ? "none" : i % 9 == 0 ? "?" : "r" int(2e6 * rand()), i % 3 ? "" : "x"
}' >t.csv
types='case_no VARCHAR(20), patient_id BIGINT, town VARCHAR(20), amount DOUBLE PRECISION, remark VARCHAR(20), empty VARCHAR(20)'

# Statements that insert the rows, some hundreds at a time.
inserts() {
    awk -F, -v q="'" 'NR > 1 {
        row = "("
        for (c = 1; c <= NF; c++)
            row = row (c > 1 ? ", " : "") ($c == "" ? "NULL" : c == 2 || c == 4 ? $c : q $c q)
        printf "%s%s)", (NR - 2) % 800 == 0 ? (NR > 2 ? "\n" : "") "INSERT INTO t VALUES " : ", ", row
    } END { print "" }' t.csv
}

case $engine in
duckdb)
    "$duck" "ATTACH 'p.db' AS d" "CREATE TABLE d.t ($types)" "COPY d.t FROM 't.csv' (HEADER)"
    address='duckdb:p.db?table=t'
    ;;
postgres)
    printf '%s\n' "CREATE TABLE t ($types);" "\\copy t from 't.csv' csv header" | pg_sql
    address='postgres:///postgres?table=t'
    ;;
mariadb)
    { echo "CREATE TABLE t ($types)"; inserts; } | run_sql
    address=$(engine_at t)
    ;;
clickhouse)
    sql 0 'CREATE TABLE t (case_no String, patient_id Int64, town String, amount Nullable(Float64),
        remark String, empty Nullable(String)) ENGINE = Memory'
    inserts | while IFS= read -r line; do sql 0 "$line"; done
    address="clickhouse://127.0.0.1:${http[0]}/default/t"
    ;;
esac

for run in 1 2; do
    "$kanon" profile "$address" --json "$run.json" --progress none >"$run.txt"
done
cmp 1.txt 2.txt || { echo "FAILED: a second run tells something else" >&2; exit 1; }
"$kanon" profile t.csv --json csv.json --progress none >csv.txt
python3 - <<'P'
import json
there, here = json.load(open("1.json")), json.load(open("csv.json"))
assert there["input"]["rows"] == here["input"]["rows"] == 130000
for a, b in zip(there["columns"], here["columns"]):
    name = a["name"]
    for key in ("name", "type", "distinct", "missing", "unique", "distinctness", "top"):
        if key == "top" and name in ("case_no", "amount"):
            continue  # nothing is frequent: each is in one row or two
        assert a[key] == b[key], (name, key, a[key], b[key])
    for key in ("suggestion", "certainty", "reason", "person", "repeats"):
        assert a["role"][key] == b["role"][key], (name, key, a["role"], b["role"])
    assert (a["range"] is None) == (b["range"] is None), name
    if a["range"]:
        for key in ("least", "greatest"):
            assert float(a["range"][key]) == float(b["range"][key]), (name, key, a["range"], b["range"])
        known = here["input"]["rows"] - b["missing"]
        assert abs(float(a["range"]["median"]) - float(b["range"]["median"])) < 20, (a, b)
        for x, y in zip(a["bins"], b["bins"]):
            assert abs(x - y) < 0.02 * known, (name, a["bins"], b["bins"])
    # Most of the values are looked at, and not all where they are more than 100,000.
    looked = a.get("values_looked_at")
    if b["distinct"] > 100000:
        assert looked and b["distinct"] / 2 < looked < 101000, (name, looked)
    else:
        assert looked is None, (name, looked)
assert sum("values_looked_at" in c for c in there["columns"]) >= 2
a, b = there["combinations"], here["combinations"]
assert a["sampled"] and 98000 < a["rows"] <= 100000, a["rows"]
share = {tuple(sorted(s["columns"])): s["unique_share"] for s in b["list"]}
for s in a["list"]:
    assert abs(s["unique_share"] - share[tuple(sorted(s["columns"]))]) < 0.03, s
P
