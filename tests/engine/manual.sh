#!/usr/bin/env bash
# The commands on databases that the manual and README.md show are run as they stand there, with nothing
# changed but the name of the server: check.printed runs the others.
#   manual.sh KANON SOURCE_DIR
# Those of an engine that is not installed are skipped, with a word; ends with 77 where none is.
set -euo pipefail
kanon=$(realpath "$1") source=$(realpath "$2")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/postgres_server.sh"
. "$here/clickhouse_servers.sh"
work=$(mktemp -d)
trap 'pg_stop; clickhouse_end; rm -rf "$work"' EXIT
clickhouse_folder=$work/servers
chmod 755 "$work"
cd "$work"
mkdir bin h
ln -s "$kanon" bin/kanon
PATH=$work/bin:$PATH

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# examples PATTERN: the commands of all pages that have it, a line each.
examples() {
    cat "$source"/README.md "$source"/docs/manual/*.md | awk -v pattern="$1" '
        /^    / && (more || / *kanon /) {
            line = line substr($0, 5)
            more = sub(/\\$/, " ", line)
            if (!more && line ~ pattern) print line
            if (!more) line = ""
            next
        }
        { line = ""; more = 0 }'
}

# run COMMAND: an example, and then every command that is printed as the next one.
run() {
    local command=$1 i
    for i in 1 2 3; do
        bash -c "$command" >said 2>notes || fail "status $?: $command: $(cat notes)"
        command=$(sed -n 's/^next: //p' said)
        # a table that is not safe yet is released once more: another job
        [[ -n $command && $command != *safer* ]] || break
    done
    n_run=$((n_run + 1))
}

# 2,000 people in a file, and the hierarchies of their columns; and tables that belong together.
kanon generate hospital -o hospital/ --quiet >/dev/null
awk 'BEGIN {
    print "age,gender,zip,diagnosis"
    for (i = 0; i < 2000; i++)
        printf "%d,%s,%05d,%s\n", 20 + i * 7 % 60, i % 2 ? "f" : "m", 53100 + i % 11, "d" i % 6
}' >people.csv
kanon hierarchy build people.csv --column age,gender,zip -o h/ -q
n_run=0

# ---- PostgreSQL ------------------------------------------------------------------------------------

postgres() {
    local command
    pg_start
    echo 'CREATE DATABASE health;' | pg_sql
    {
        echo 'CREATE TABLE people (age integer, gender text, zip text, diagnosis text);'
        echo "\\copy people FROM 'people.csv' (FORMAT csv, HEADER)"
        # what the page grants
        sed -n 's/^    \(\(CREATE ROLE\|GRANT\|CREATE SCHEMA\) .*;\)$/\1/p' "$source/docs/manual/databases.md"
    } | pg_sql health
    examples postgres:// >commands
    (($(wc -l <commands) >= 3)) || fail "the pages have no examples of PostgreSQL"
    while IFS= read -r command; do
        echo 'DROP TABLE IF EXISTS people_release, release.people;' | pg_sql health 2>/dev/null
        run "${command//db.example.org/127.0.0.1:$pg_port}"
    done <commands
    echo "ok: $(wc -l <commands) examples of PostgreSQL"
}

# ---- ClickHouse ------------------------------------------------------------------------------------

clickhouse() {
    local command columns='age UInt8, gender String, zip String, diagnosis String' i
    clickhouse_begin "$work/servers" 2
    for i in 0 1; do
        sql $i 'CREATE DATABASE health'
        sql $i "CREATE TABLE health.part ($columns) ENGINE = MergeTree PARTITION BY tuple() ORDER BY age"
    done
    for i in 0 1; do
        curl -sS --data-binary @- "http://127.0.0.1:${http[i]}/?query=INSERT+INTO+health.part+FORMAT+CSVWithNames" \
            < <(awk -v i=$i 'NR == 1 || NR % 2 == i' people.csv)
    done
    examples clickhouse:// >commands
    (($(wc -l <commands) >= 2)) || fail "the pages have no examples of ClickHouse"
    while IFS= read -r command; do
        for i in 0 1; do
            sql $i 'DROP TABLE IF EXISTS health.people'
            sql $i 'DROP TABLE IF EXISTS health.people_release'
        done
        if [[ $command == *shards=* ]]; then
            sql 0 "CREATE TABLE health.people ($columns) ENGINE = Distributed(pair, health, part, rand())"
        else
            sql 0 "CREATE TABLE health.people ($columns) ENGINE = MergeTree PARTITION BY tuple() ORDER BY age"
            sql 0 'INSERT INTO health.people SELECT * FROM health.part'
        fi
        command=${command//steward@db.example.org:8123/127.0.0.1:${http[0]}}
        command=${command//node1:8123/127.0.0.1:${http[0]}}
        run "${command//node2:8123/127.0.0.1:${http[1]}}"
    done <commands
    echo "ok: $(wc -l <commands) examples of ClickHouse"
}

# ---- DuckDB ----------------------------------------------------------------------------------------

duckdb() {
    local command
    kanon anonymize people.csv -o people.parquet --qi age=suppress --keep gender,zip,diagnosis --k 1 -q
    mkdir year=2026
    cp people.parquet year=2026/
    examples '--engine duckdb' >commands
    (($(wc -l <commands) >= 2)) || fail "the pages have no examples of DuckDB"
    while IFS= read -r command; do
        rm -f release.parquet
        run "$command"
    done <commands
    echo "ok: $(wc -l <commands) examples of DuckDB"
}

if [[ -x $pg_bin/initdb ]]; then postgres; else echo "skipped: PostgreSQL's server is not installed"; fi
if clickhouse_is_there; then clickhouse; else echo "skipped: ClickHouse is not installed"; fi
if [[ -n ${KANON_DUCKDB:-} ]]; then duckdb; else echo "skipped: no library of DuckDB (KANON_DUCKDB)"; fi
((n_run > 0)) || exit 77
