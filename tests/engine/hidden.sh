#!/usr/bin/env bash
# Rows that a database hides, or shows several times, without a word: versions of a row that are not merged
# (ClickHouse), policies that show a user a part of the rows (PostgreSQL), settings of a server that cut what is read, or
# show an earlier state (MariaDB). What is counted is the table, or the job ends with a text.
#   hidden.sh postgres|mariadb|clickhouse KANON [ODBC_SQL]
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

# run STATUS WORDS COMMAND..: kanon ends so, and says so.
run() {
    local wanted=$1 words=$2 status=0
    shift 2
    "$kanon" "$@" --no-progress >said 2>&1 || status=$?
    ((status == wanted)) || fail "$*: ends with $status in place of $wanted"
    [[ -z $words ]] || grep -qF -- "$words" said || fail "$*: does not say '$words'"
}
rows_of() { # what a search says that it has read
    "$kanon" search "$1" --qi a=suppress --k 1 --drop id,w --quiet --json - 2>said |
        tr -d ' \n' | grep -o '"rows":[0-9]*,"tuples"' | grep -o '[0-9]*'
}

# ---- PostgreSQL: a policy is an error -------------------------------------------------------------

test_postgres() {
    . "$here/postgres_server.sh"
    trap 'pg_stop; rm -rf "$work"' EXIT
    pg_start
    cd "$work"
    pg_sql <<'END'
CREATE TABLE people (id integer, a text, w integer);
INSERT INTO people SELECT i, 'a' || i % 3, i % 2 FROM generate_series(1, 90) AS i;
CREATE VIEW viewed AS SELECT * FROM people;
CREATE ROLE steward LOGIN;
CREATE ROLE trusted LOGIN BYPASSRLS;
CREATE SCHEMA release;
GRANT ALL ON SCHEMA release TO steward, trusted;
GRANT SELECT ON people, viewed TO steward, trusted;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
CREATE POLICY half ON people USING (w = 0);
END
    local at="127.0.0.1:$pg_port/postgres?table=" flags=(--qi a=suppress --k 2 --drop id,w) command
    local words="row-level security shows this user a part of the rows"
    for command in search risk profile; do
        case $command in
        search) run 2 "$words" search "postgres://steward@${at}people" "${flags[@]}" ;;
        risk) run 2 "$words" risk "postgres://steward@${at}people" --qi a ;;
        profile) run 2 "$words" profile "postgres://steward@${at}people" ;;
        esac
    done
    run 2 "$words" anonymize "postgres://steward@${at}people" -o "postgres://steward@${at}release.r" "${flags[@]}"
    [[ -z $(pg_sql <<<"SELECT 1 FROM pg_tables WHERE schemaname = 'release'") ]] || fail "there is a release"
    run 0 "90 read" anonymize "postgres://trusted@${at}people" -o "postgres://trusted@${at}release.r" "${flags[@]}"
    run 2 "$words" verify "postgres://trusted@${at}release.r" --original "postgres://steward@${at}people" "${flags[@]}"
    # of a view its owner's rights count, and he sees all
    run 0 "90 read" search "postgres://steward@${at}viewed" "${flags[@]}"
    [[ $(rows_of "postgres://postgres@${at}people") == 90 ]] || fail "the super user does not see all"
}

# ---- MariaDB: settings of the server that cut, or show what was ------------------------------------

test_mariadb() {
    sql=$sql_program
    . "$here/compare.sh"
    . "$here/odbc_database.sh"
    odbc_start mariadb
    run_sql <<'END'
CREATE TABLE people (id BIGINT, a VARCHAR(10), w BIGINT) WITH SYSTEM VERSIONING
INSERT INTO people SELECT seq, CONCAT('a', seq MOD 3), seq MOD 2 FROM seq_1_to_90
DELETE FROM people WHERE id > 60
END
    [[ $(rows_of "$(engine_at people)") == 60 ]] || fail "earlier rows are counted: $(rows_of "$(engine_at people)")"
    run_sql <<<"SET GLOBAL sql_select_limit = 2"
    [[ $(rows_of "$(engine_at people)") == 60 ]] || fail "sql_select_limit cuts what is counted"
    run_sql <<<"SET GLOBAL sql_select_limit = DEFAULT"
    run_sql <<<"SET GLOBAL system_versioning_asof = '2001-01-01 00:00:00'"
    [[ $(rows_of "$(engine_at people)") == 60 ]] || fail "rows are those of another time: $(rows_of "$(engine_at people)")"
    rm -rf "$work"
}

# ---- ClickHouse: versions --------------------------------------------------------------------------

# 90 people in three versions each, in parts that nobody merges.
versions() { # name, engine, signs
    local sign
    sql 0 "CREATE TABLE $1 (id UInt32, a String, w Int8) ENGINE = $2"
    sql 0 "SYSTEM STOP MERGES"
    for sign in $3; do
        sql 0 "INSERT INTO $1 SELECT toUInt32(number), concat('a', toString(number)), toInt8($sign) FROM numbers(90)"
    done
}

test_clickhouse() {
    . "$here/clickhouse_servers.sh"
    clickhouse_is_there || { echo "skipped: ClickHouse (server, client) is not installed"; exit 77; }
    trap 'clickhouse_end; rm -rf "$work"' EXIT
    cd "$work"
    clickhouse_begin "$work/servers" 1
    local at="clickhouse://127.0.0.1:${http[0]}/default/" name engine flags=(--qi a=suppress --k 3 --drop id,w)
    for engine in "ReplacingMergeTree() ORDER BY id" "CollapsingMergeTree(w) ORDER BY id" \
        "VersionedCollapsingMergeTree(w, id) ORDER BY id"; do
        name=${engine%%MergeTree*}
        # what is taken back has the sign -1
        [[ $name == *Collapsing ]] && versions "$name" "$engine" "1 -1 1" || versions "$name" "$engine" "1 1 1"
        [[ $(sql 0 "SELECT count() FROM $name") -ge 270 ]] || fail "$name: the server has merged its parts"
        [[ $(rows_of "$at$name") == 90 ]] || fail "$name: $(rows_of "$at$name") rows are counted"
        # Each person once: nobody is three by himself, and every command says so.
        run 0 "" anonymize "$at$name" -o "${at}released" "${flags[@]}"
        [[ $(sql 0 "SELECT count(), uniq(a) FROM released") == $'90\t1' ]] || fail "$name: not 90 people under one label"
        run 0 "" verify "${at}released" --original "$at$name" "${flags[@]}"
        run 0 "90" risk "$at$name" --qi a
        run 0 "90" profile "$at$name"
        run 0 "" anonymize "$at$name" -o "${at}counted" "${flags[@]}" --counting engine
        sql 0 "DROP TABLE released"
        sql 0 "DROP TABLE counted"
    done
    sql 0 "CREATE TABLE plain (id UInt32, a String, w Int8) ENGINE = MergeTree ORDER BY id"
    sql 0 "INSERT INTO plain SELECT * FROM Replacing"
    [[ $(rows_of "${at}plain") == 270 ]] || fail "rows of a plain table are put together"

    # What FINAL does not reach, or does not mean.
    local words="kept in several pieces"
    versions Summing "SummingMergeTree(w) ORDER BY (id, a)" "1 1 1"
    versions Aggregating "AggregatingMergeTree() ORDER BY (id, a)" "1 1 1"
    sql 0 "CREATE TABLE everywhere AS Replacing ENGINE = Distributed(pair, default, Replacing, id)"
    sql 0 "CREATE TABLE plains AS plain ENGINE = Distributed(pair, default, plain, id)"
    sql 0 "CREATE TABLE together AS plain ENGINE = Merge(default, '^(plain|Replacing)\$')"
    sql 0 "CREATE TABLE waiting AS Replacing ENGINE = Buffer(default, Replacing, 1, 10, 100, 10000, 1000000, 10000000, 100000000)"
    sql 0 "CREATE VIEW seen AS SELECT * FROM default.Replacing"
    sql 0 "CREATE VIEW seen_again AS SELECT * FROM seen WHERE id > 3"
    sql 0 "CREATE TABLE seen_everywhere AS Replacing ENGINE = Distributed(pair, default, seen, id)"
    sql 0 "CREATE VIEW other AS SELECT * FROM plain"
    sql 0 "CREATE TABLE others AS plain ENGINE = Distributed(pair, default, other, id)"
    # A materialized view is the table that it fills.
    sql 0 "CREATE MATERIALIZED VIEW filled ENGINE = ReplacingMergeTree() ORDER BY id POPULATE AS SELECT id, a, w FROM plain"
    sql 0 "CREATE MATERIALIZED VIEW onward TO Replacing AS SELECT id, a, w FROM plain"
    sql 0 "CREATE MATERIALIZED VIEW as_is ENGINE = MergeTree ORDER BY id POPULATE AS SELECT id, a, w FROM plain"
    [[ $(rows_of "${at}as_is") == 270 ]] || fail "a materialized view of a plain table is not read"
    for name in Summing Aggregating everywhere seen_everywhere together waiting seen seen_again filled onward; do
        run 2 "$words" search "$at$name?shards=127.0.0.1:${http[0]}" "${flags[@]}"
        run 2 "$words" anonymize "$at$name?shards=127.0.0.1:${http[0]}" -o "${at}released?shards=127.0.0.1:${http[0]}" "${flags[@]}"
    done
    [[ $(rows_of "${at}plains?shards=127.0.0.1:${http[0]}") == 270 ]] || fail "a plain table of shards is not read"
    [[ $(rows_of "${at}others?shards=127.0.0.1:${http[0]}") == 270 ]] || fail "a view of a plain table, on shards, is not read"
    sql 0 "CREATE VIEW final AS SELECT * FROM default.Replacing FINAL"
    sql 0 "CREATE VIEW grouped AS SELECT id, any(a) AS a, max(w) AS w FROM Replacing GROUP BY id"
    [[ $(rows_of "${at}final") == 90 && $(rows_of "${at}grouped") == 90 ]] || fail "a view that says what a row is is not read"
    [[ $(rows_of "${at}other") == 270 ]] || fail "a view of a plain table is not read"
}

"test_$kind"
echo "ok: $kind hides no row, and shows none twice"
