#!/usr/bin/env bash
# Jobs that are counted at levels (levels.sh) on SQLite, through ODBC.
#   sqlite_levels.sh KANON ROWS
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kanon=$(readlink -f "$1") rows=$(readlink -f "$2")
if ! command -v sqlite3 >/dev/null || ! odbcinst -q -d 2>/dev/null | grep -q '^\[SQLite3\]'; then
    echo 'skipped: the ODBC driver of SQLite is not installed (Debian: libsqliteodbc, sqlite3)'
    exit 77
fi
. "$here/compare.sh"
. "$here/levels.sh"
folder=$(mktemp -d "${TMPDIR:-/tmp}/kanon-sqlite.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

engine_load() {
    sqlite3 x.db '.mode csv' ".import $2 $1" "UPDATE $1 SET n0 = NULL WHERE n0 = ''"
}
engine_drop() { sqlite3 x.db "DROP TABLE IF EXISTS $1"; }
engine_has() { [[ -n $(sqlite3 x.db "SELECT 1 FROM sqlite_master WHERE name = '$1'") ]]; }
engine_hex() {
    local name=$1 column select=''
    shift
    for column; do
        select+="${select:+ || ' ' || }CASE WHEN coalesce($column, '') = '' THEN '-' ELSE lower(hex($column)) END"
    done
    sqlite3 x.db "SELECT $select FROM $name"
}
engine_at() { echo "odbc:Driver=SQLite3;Database=$folder/x.db;table=$1"; }

level_bytes
level_refusals
rounds=${KANON_TEST_ROUNDS:-8}
for ((seed = 1; seed <= (rounds < 24 ? rounds : 24); seed++)); do level_jobs $seed; done
[[ -z $(sqlite3 x.db "SELECT name FROM sqlite_master WHERE name LIKE 'kanon%'") ]] || fail 'tables were left behind'
echo 'counted at levels on SQLite: as from CSV'
