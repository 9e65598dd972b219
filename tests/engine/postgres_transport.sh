#!/usr/bin/env bash
# The transport of PostgreSQL against a server that this starts and ends.
#   postgres_transport.sh PROGRAM
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/postgres_server.sh"
trap pg_stop EXIT
pg_start
"$1"
