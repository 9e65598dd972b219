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

level_refusals
rounds=${KANON_TEST_ROUNDS:-12}
for ((seed = 1; seed <= (rounds < 24 ? rounds : 24); seed++)); do level_jobs $seed; done
[[ -z $(pg_sql <<<"SELECT tablename FROM pg_tables WHERE tablename LIKE 'kanon%'") ]] || fail 'tables were left behind'
echo 'counted at levels on PostgreSQL: as from CSV'
