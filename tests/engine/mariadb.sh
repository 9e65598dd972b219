#!/usr/bin/env bash
# A program that tests a database behind ODBC, with a MariaDB server that this starts and ends.
#   mariadb.sh PROGRAM [ARGUMENTS]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/mariadb_server.sh"
trap maria_stop EXIT
maria_start
KANON_TEST_ODBC=$maria_string "$@"
