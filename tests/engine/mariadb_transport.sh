#!/usr/bin/env bash
# The transport of ODBC against a MariaDB server that this starts and ends.
#   mariadb_transport.sh PROGRAM     (unit.odbc)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/mariadb_server.sh"
trap maria_stop EXIT
maria_start
KANON_TEST_ODBC=$maria_string "$1"
