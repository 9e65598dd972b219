#!/usr/bin/env bash
# Jobs that are counted at levels (levels.sh) on a PostgreSQL server that this starts and ends.
#   postgres_levels.sh KANON ROWS
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kanon=$(readlink -f "$1") rows=$(readlink -f "$2")
. "$here/postgres_server.sh"
. "$here/compare.sh"
. "$here/levels.sh"
work=$(mktemp -d)
trap 'pg_stop; rm -rf "$work"' EXIT
pg_start
cd "$work"

engine_load() { # n0 whole numbers, d0 dates, others text
    pg_sql <<END
CREATE TABLE $1 (n0 integer, x0 text, z0 text, d0 date, f0 text, s0 text);
\\copy $1 FROM '$2' (FORMAT csv, HEADER, NULL '')
END
}
engine_drop() { pg_sql <<<"SET client_min_messages = warning; DROP TABLE IF EXISTS $1"; }
engine_has() { [[ $(pg_sql <<<"SELECT to_regclass('$1') IS NULL") == f ]]; }
engine_hex() {
    local name=$1 column select=''
    shift
    for column; do
        select+="${select:+ || ' ' || }CASE WHEN coalesce($column::text, '') = '' THEN '-'
            ELSE encode(convert_to($column::text, 'UTF8'), 'hex') END"
    done
    pg_sql <<<"SELECT $select FROM $name"
}
engine_at() { echo "postgres://postgres@127.0.0.1:$pg_port/postgres?table=$1"; }

# A table that is another one for each statement, as it can be where there are no transactions: rows of
# this view change with the number of scans, and have the same values in all of them (a, b) or not (s).
changing() { # scans, words of the error, flags
    local scans=$1 words=$2 status=0
    shift 2
    engine_drop released
    pg_sql <<END
SET client_min_messages = warning;
DROP VIEW IF EXISTS changing;
DROP SEQUENCE IF EXISTS scanned;
CREATE SEQUENCE scanned;
CREATE VIEW changing AS
    SELECT 'a' || i % 10 AS a, 'b' || CASE WHEN n <= 100 * $scans THEN i % 10 ELSE i / 10 END AS b,
           CASE WHEN n <= 100 * $scans THEN i % 2 ELSE CASE WHEN i = 3 THEN 1 ELSE 0 END END AS s
    FROM (SELECT i, nextval('scanned') AS n FROM generate_series(0, 99) AS i OFFSET 0) AS rows;
END
    "$kanon" anonymize "$(engine_at changing)" -o "$(engine_at released)" "$@" >engine.out 2>&1 || status=$?
    ((status == 1)) || { cat engine.out >&2; fail "a table that changes ends with $status: $*"; }
    grep -q "$words" engine.out || { cat engine.out >&2; fail "the text does not say that the table changed: $*"; }
    ! engine_has released || fail "a table that changes has a release: $*"
}
# How often a command looks at the table: each column by itself, then all of them once, whatever is asked of what
# was counted then.
scans_of() { # scans, flags
    local scans=$1 found
    shift
    pg_sql <<END
SET client_min_messages = warning;
DROP VIEW IF EXISTS changing;
DROP SEQUENCE IF EXISTS scanned;
CREATE SEQUENCE scanned;
CREATE VIEW changing AS SELECT 'a' || 10 + i AS a, CASE i WHEN 0 THEN 'x0' WHEN 1 THEN 'y0' ELSE 'b0' END AS b, i % 7 AS s
    FROM (SELECT i FROM (SELECT i, nextval('scanned') AS n FROM generate_series(0, 99) AS i OFFSET 0) AS inside) AS rows;
END
    "$kanon" search "$(engine_at changing)" --quiet --json scans.json --force "$@" >engine.out 2>&1 || { cat engine.out >&2; fail "no answer: $*"; }
    tr -d ' \n' <scans.json | grep -Eq '"suppression":\{[^}]*"rows":[1-9]' || fail "nothing is suppressed: $*"
    found=$(pg_sql <<<"SELECT last_value FROM scanned")
    ((found == 100 * scans)) || fail "the table is scanned $((found / 100)) times, not $scans: $*"
}
scans_of 3 --qi a=digits:1 --qi b=digits:1 --drop s --k 2 --suppress 5% --cost height --counting engine
scans_of 4 --qi a=digits:1 --qi b=digits:1 --sensitive s --k 2 --suppress 5% --cost height --counting engine
# values of two columns, the search; and then others are together
changing 3 'changed meanwhile' --qi a,b --drop s --k 2 --counting engine
changing 2 'changed meanwhile' --qi a=digits:1 --level a=1.. --sensitive s --drop b --k 2 --t 0.5

# Where levels are of no use, as a promise about values decides who is suppressed, no table is made: a session that may
# only read is enough.
reads_only() { # wanted status, flags
    local wanted=$1 status=0
    shift
    PGOPTIONS='-c default_transaction_read_only=on' "$kanon" search "$(engine_at loaded)" --qi z0=digits:3 --qi n0=intervals:5,20 \
        --level z0=1.. --k 2 --sensitive s0 --quiet "$@" >engine.out 2>&1 || status=$?
    ((status == wanted)) || { cat engine.out >&2; fail "a session that may only read ends with $status: $*"; }
}
levels_table 1 >levels.csv
engine_load loaded levels.csv
reads_only 0 --suppress 5% --l 2
reads_only 2 --suppress 5%
reads_only 2 --l 2
level_bytes
level_refusals
rounds=${KANON_TEST_ROUNDS:-12}
for ((seed = 1; seed <= (rounds < 24 ? rounds : 24); seed++)); do level_jobs $seed; done
[[ -z $(pg_sql <<<"SELECT tablename FROM pg_tables WHERE tablename LIKE 'kanon%'") ]] || fail 'tables were left behind'
echo 'counted at levels on PostgreSQL: as from CSV'
