#!/usr/bin/env bash
# Jobs that are counted at levels (levels.sh) on SQLite and MariaDB, through ODBC.
#   odbc_levels.sh sqlite|mariadb KANON ROWS ODBC_SQL
set -euo pipefail
kind=$1 kanon=$(realpath "$2") rows=$(realpath "$3") sql=$(realpath "$4")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/compare.sh"
. "$here/levels.sh"
. "$here/odbc_database.sh"
odbc_start "$kind"

level_bytes
level_refusals
rounds=${KANON_TEST_ROUNDS:-8}
for ((seed = 1; seed <= (rounds < 24 ? rounds : 24); seed++)); do level_jobs $seed; done
nothing_left
echo "counted at levels on $kind: as from CSV"
