#!/usr/bin/env bash
# --shuffle in databases: row n of the release is not row n of the table, the rows are the same, the release is verified,
# and the key stands in no statement, nor anywhere in the server's log. Where it cannot be done, it is refused with the reason.
#   shuffle.sh postgres|duckdb|sqlite|mariadb|clickhouse KANON [SQL_PROGRAM]
set -euo pipefail
kind=$1 kanon=$(realpath "$2") sql_program=$(realpath "${3:-$2}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
chmod 755 "$work"

fail() {
    echo "FAILED: $*" >&2
    [[ ! -e said ]] || sed 's/^/    /' said >&2
    exit 1
}

# Kept columns say which row is which; the quasi-identifier is shown by its value, by groups of tuples, and with rows that
# leave: three ways in which a release is made.
by_values=(--qi a=prefix:2,1 --keep id --k 5 --suppress 5%)
by_groups=(--qi a=prefix:2,1 --qi b --keep id --k 5 --algorithm mondrian)

# release IN OUT FLAGS..: makes it, and checks it.
release() {
    local in=$1 out=$2
    shift 2
    "$kanon" anonymize "$in" -o "$out" --force --quiet "$@" >said 2>&1 || fail "anonymize $*"
    local flags=() skip=0 word
    for word; do # what verify takes
        case $word in
        --shuffle) ;;
        --shuffle-key | --algorithm) skip=1 ;;
        *) ((skip)) && skip=0 || flags+=("$word") ;;
        esac
    done
    "$kanon" verify "$out" --original "$in" "${flags[@]}" >said 2>&1 || fail "verify ${flags[*]}"
}

# ids TABLE prints the column id, in the order in which rows come.
try_all() { # address of the table, address of the release
    local way flags
    head -c 32 /dev/urandom >key1
    head -c 32 /dev/urandom >key2
    chmod 600 key1 key2
    for way in by_values by_groups; do
        declare -n flags=$way
        release "$1" "$2" "${flags[@]}"
        ids release | sort >plain.ids
        [[ $(wc -l <plain.ids) -ge 900 ]] || fail "$way: few rows are released"
        release "$1" "$2" "${flags[@]}" --shuffle
        ids release >first.ids
        release "$1" "$2" "${flags[@]}" --shuffle
        ids release >second.ids
        [[ $way != by_values ]] || cmp -s plain.ids <(sort first.ids) || fail "$way: other rows"
        [[ $(wc -l <plain.ids) == "$(wc -l <first.ids)" ]] || fail "$way: the number of rows"
        # Of 1000 rows one is where it was, on average, and more than 50 are never.
        ((moved = $(paste <(ids people | grep -xFf first.ids) first.ids | awk '$1 == $2' | wc -l))) || true
        ((moved < 50)) || fail "$way: $moved rows are where they were"
        ! cmp -s first.ids second.ids || fail "$way: two runs have the same order"
    done
    release "$1" "$2" "${by_values[@]}" --shuffle-key key1
    ids release >first.ids
    release "$1" "$2" "${by_values[@]}" --shuffle-key key1
    ids release | cmp -s - first.ids || fail "another order under the same key"
    release "$1" "$2" "${by_values[@]}" --shuffle-key key2
    ! ids release | cmp -s - first.ids || fail "the same order under another key"
}

refuse() { # address of the table, address of the release, reason
    local flag status
    for flag in --shuffle "--shuffle-key key"; do
        status=0
        # shellcheck disable=SC2086
        "$kanon" anonymize "$1" -o "$2" --qi a=suppress --k 2 --drop id,b $flag >said 2>&1 || status=$?
        ((status == 2)) && grep -qF -- "$3" said || fail "$flag ends with $status, and does not say: $3"
    done
}

test_postgres() {
    . "$here/postgres_server.sh"
    trap 'pg_stop; rm -rf "$work"' EXIT
    pg_start
    cd "$work"
    pg_sql <<'END'
ALTER SYSTEM SET log_statement = 'all';
ALTER SYSTEM SET log_min_duration_statement = 0;
ALTER SYSTEM SET log_duration = on;
SELECT pg_reload_conf();
CREATE TABLE people (id integer, a text, b integer);
INSERT INTO people SELECT i, 'a' || 100 + i % 97, i % 10 FROM generate_series(1, 1000) AS i;
END
    ids() { pg_sql <<<"SELECT id FROM $1"; }
    local at="postgres://postgres@127.0.0.1:$pg_port/postgres?table="
    try_all "${at}people" "${at}release"
    grep -q 'ORDER BY sha256' "$pg_folder/server.log" || fail "the log does not have the statements: this tests nothing"
    ! grep -qE '[0-9a-f]{64}' "$pg_folder/server.log" || fail "the key is in the server's log"
    [[ -z $(pg_sql <<<"SELECT tablename FROM pg_tables WHERE tablename LIKE 'kanon%'") ]] || fail "tables are left"
}

test_duckdb() {
    "$sql_program" 'SELECT 1' >/dev/null 2>&1 || { echo "skipped: DuckDB's library is not here"; exit 77; }
    trap 'rm -rf "$work"' EXIT
    cd "$work"
    "$sql_program" "ATTACH 'p.db' AS d" "CREATE TABLE d.people AS SELECT range AS id, 'a' || (100 + range % 97) AS a, range % 10 AS b
        FROM range(1000)" "COPY d.people TO 'people.parquet'"
    ids() { "$sql_program" "ATTACH 'p.db' AS d" "COPY (SELECT id FROM d.$1) TO 'ids.csv' (HEADER false)" >/dev/null && cat ids.csv; }
    try_all 'duckdb:p.db?table=people' 'duckdb:p.db?table=release'
    ids() { "$sql_program" "COPY (SELECT id FROM '$1.parquet') TO 'ids.csv' (HEADER false)" >/dev/null && cat ids.csv; }
    by_values+=(--engine duckdb) by_groups+=(--engine duckdb)
    try_all people.parquet release.parquet
}

test_odbc() {
    sql=$sql_program
    . "$here/compare.sh"
    . "$here/odbc_database.sh"
    odbc_start "$kind"
    rm -rf "$work"
    head -c 32 /dev/urandom >key
    run_sql <<<"CREATE TABLE people (id INTEGER, a VARCHAR(9), b INTEGER)"
    run_sql <<<"INSERT INTO people VALUES (1, 'x', 1), (2, 'x', 2)"
    refuse "$(engine_at people)" "$(engine_at released)" "$1"
    ! engine_has released || fail "there is a release"
}
test_sqlite() { test_odbc "SQLite has no hash"; }
test_mariadb() { test_odbc "MariaDB logs the parameters of statements"; }

test_clickhouse() {
    . "$here/clickhouse_servers.sh"
    clickhouse_is_there || { echo "skipped: ClickHouse (server, client) is not installed"; exit 77; }
    trap 'clickhouse_end; rm -rf "$work"' EXIT
    cd "$work"
    clickhouse_begin "$work/servers" 1
    head -c 32 /dev/urandom >key
    sql 0 "CREATE TABLE people (id UInt32, a String, b UInt32) ENGINE = MergeTree ORDER BY id"
    sql 0 "INSERT INTO people VALUES (1, 'x', 1), (2, 'x', 2)"
    local at="clickhouse://127.0.0.1:${http[0]}/default/"
    refuse "${at}people" "${at}released" "ClickHouse guarantees no order of rows"
}

"test_$kind"
echo "ok: --shuffle in $kind"
