#!/usr/bin/env bash
# `verify` of a table that somebody else made: values that are one to kanon and two to whoever sees the
# table, such as NULL and '', are refused, and nothing is said to hold; `risk` notes them. What a release
# of kanon shows is not refused.
#   apart.sh sqlite|mariadb|postgres|clickhouse|duckdb KANON ODBC_SQL DUCKDB_SQL
set -euo pipefail
kind=$1 kanon=$(realpath "$2") sql=$(realpath "$3") duck=$(realpath "$4")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() { echo "FAILED: $*" >&2; exit 1; }

# make NAME COLUMNS ROWS: a table; at NAME: its address.
case $kind in
sqlite | mariadb)
    . "$here/odbc_database.sh"
    odbc_start "$kind"
    make() { run_sql <<<"CREATE TABLE $1 ($2)"$'\n'"INSERT IGNORE INTO $1 VALUES $3"; }
    [[ $kind == mariadb ]] || make() { run_sql <<<"CREATE TABLE $1 ($2)"$'\n'"INSERT INTO $1 VALUES $3"; }
    at() { engine_at "$1"; }
    ;;
postgres)
    . "$here/postgres_server.sh"
    work=$(mktemp -d)
    trap 'pg_stop; rm -rf "$work"' EXIT
    pg_start
    make() { pg_sql <<<"CREATE TABLE $1 ($2); INSERT INTO $1 VALUES $3"; }
    at() { echo "postgres:///postgres?table=$1"; }
    cd "$work"
    ;;
clickhouse)
    . "$here/clickhouse_servers.sh"
    clickhouse_is_there || { echo 'skipped: ClickHouse is not installed'; exit 77; }
    work=$(mktemp -d "${TMPDIR:-/tmp}/kanon-clickhouse.XXXXXX")
    chmod 755 "$work"
    trap 'clickhouse_end; rm -rf "$work"' EXIT
    clickhouse_begin "$work" 1
    make() { sql 0 "CREATE TABLE $1 ($2) ENGINE = Memory"; sql 0 "INSERT INTO $1 VALUES $3"; }
    at() { echo "clickhouse://127.0.0.1:${http[0]}/default/$1"; }
    cd "$work"
    ;;
duckdb)
    "$duck" 'SELECT 1' >/dev/null 2>&1 || { echo "skipped: DuckDB's library is not here"; exit 77; }
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cd "$work"
    make() { "$duck" "ATTACH 'p.db' AS d" "CREATE TABLE d.$1 ($2)" "INSERT INTO d.$1 VALUES $3"; }
    at() { echo "duckdb:p.db?table=$1"; }
    ;;
esac

verifies() { # status, words, table, flags
    local wanted=$1 words=$2 table=$3 status=0
    shift 3
    "$kanon" verify "$(at "$table")" "$@" >said 2>&1 || status=$?
    ((status == wanted)) && grep -q -- "$words" said || {
        cat said >&2
        fail "verify of $table ends with $status, not with $wanted and '$words'"
    }
}
n_refused=0
refused() { # name, columns, rows: of the column q four rows look alike to kanon
    make "$1" "$2" "$3"
    verifies 2 'tell them apart' "$1" --qi q --k 4
    n_refused=$((n_refused + 1))
}
holds() {
    make "$1" "$2" "$3"
    verifies 0 holds "$1" --qi q --k 4
}

text='TEXT' real='DOUBLE PRECISION'
case $kind in
mariadb) text='VARCHAR(20)' ;;
clickhouse) text='Nullable(String)' real='Nullable(Float64)' ;;
duckdb) text=VARCHAR real=DOUBLE ;;
esac
refused missing "q $text" "(NULL), (''), (NULL), ('')"
holds null_alone "q $text" "(NULL), (NULL), (NULL), (NULL)"
holds empty "q $text" "(''), (''), (''), ('')"
make secret "q $text, s $text" "('a', NULL), ('a', ''), ('a', 'x'), ('a', 'y')"
verifies 2 "column 's'" secret --qi q --sensitive s --k 4 --l 2
verifies 0 holds secret --qi q --k 4
"$kanon" risk "$(at missing)" --qi q >said 2>&1
grep -q 'counted as one' said || { cat said >&2; fail 'risk does not say that NULL and the empty text are one'; }
"$kanon" risk "$(at null_alone)" --qi q >said 2>&1
! grep -q 'counted as one' said || fail 'risk says of NULL alone that it is two values'
holds numbers "q $real" '(0.5), (0.5), (0.5), (0.5)'

case $kind in
sqlite)
    refused typed 'q' "(1), ('1'), (1), ('1')"
    refused scaled 'q NUMERIC' "(9007199254740993), (9007199254740992.0), (9007199254740993), (9007199254740993)"
    holds typed_alike 'q' "('1'), ('1'), ('1'), ('1')"
    ;;
mariadb)
    refused enums "q ENUM('x','')" "(''), (''), ('none'), ('none')"
    refused sets "q SET('x','')" "(''), (''), (2), (2)"
    refused floats 'q FLOAT' '(1.2345671), (1.2345672), (1.2345671), (1.2345672)'
    holds floats_alike 'q FLOAT' '(1.2345671), (1.2345671), (1.2345671), (1.2345671)'
    refused doubles 'q VARCHAR(9) CHARACTER SET cp932' \
        "(CONVERT(x'8790' USING cp932)), (CONVERT(x'81E0' USING cp932)), (x'8790'), (x'81E0')"
    ;;
postgres)
    pg_sql <<<"CREATE TYPE mood AS ENUM ('x', '')"
    refused enums 'q mood' "(NULL), (''), (NULL), ('')"
    refused padded 'q bpchar' "('a'), ('a '), ('a'), ('a ')"
    holds nan 'q double precision' "('NaN'), ('NaN'), ('NaN'), ('NaN')"
    holds nan_alike 'q real' "('NaN'), ('NaN'), ('NaN'), ('NaN')"
    holds char 'q char(5)' "('a'), ('a '), ('a'), ('a ')"
    holds ranges 'q int4range' "('[1,3)'), ('[1,2]'), ('[1,3)'), ('(0,3)')"
    ;;
clickhouse)
    refused fixed 'q FixedString(3)' "('a\\0b'), ('a'), ('a\\0c'), ('a')"
    holds fixed_alike 'q FixedString(3)' "('a'), ('a'), ('a'), ('a')"
    holds enums "q Enum8('x' = 1, '' = 2)" "(''), (''), (''), ('')" # with NULL 18.16 itself makes no text of it
    holds nan 'q Nullable(Float64)' '(nan), (nan), (nan), (nan)'
    make bits 'q Float64' '(nan), (nan)'
    sql 0 "INSERT INTO bits SELECT -nan FROM numbers(2)"
    verifies 2 'tell them apart' bits --qi q --k 4
    ;;
duckdb)
    refused enums "q ENUM('x', '')" "(NULL), (''), (NULL), ('')"
    holds nan 'q DOUBLE' "('NaN'), ('NaN'), ('NaN'), ('NaN')"
    make bits 'q DOUBLE' "('NaN'), (-'NaN'::DOUBLE), ('NaN'), (-'NaN'::DOUBLE)" # which have two texts
    verifies 3 'does not hold\|fail' bits --qi q --k 4
    "$duck" "ATTACH 'p.db' AS d" "COPY d.missing TO 'missing.parquet'"
    for flag in --engine=duckdb --quiet; do # the rows stay there, or are read
        ! "$kanon" verify missing.parquet --qi q --k 4 $flag >said 2>&1 || fail 'a file is said to hold'
        grep -q 'tell them apart' said || { cat said >&2; fail 'a file'; }
    done
    ! "$kanon" verify - --format parquet --qi q --k 4 <missing.parquet >said 2>&1 || fail 'a pipe is said to hold'
    grep -q 'tell them apart' said || { cat said >&2; fail 'a pipe'; }
    "$duck" "ATTACH 'p.db' AS d" "COPY d.null_alone TO 'null.parquet'"
    "$kanon" verify null.parquet --qi q --k 4 >said 2>&1 || { cat said >&2; fail 'a file of NULL alone'; }
    "$kanon" anonymize missing.parquet -o made.parquet --qi q=suppress --k 4 --quiet
    "$kanon" verify made.parquet --original missing.parquet --qi q=suppress --k 4 >said 2>&1 || { cat said >&2; fail 'a file of kanon'; }
    ;;
esac

# What kanon makes of such a table is not refused.
"$kanon" anonymize "$(at missing)" -o "$(at released)" --qi q=suppress --k 4 --quiet
verifies 0 holds released --original "$(at missing)" --qi q=suppress --k 4
echo "$kind: $n_refused tables are refused"
