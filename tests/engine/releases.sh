#!/usr/bin/env bash
# Random releases in PostgreSQL and in ClickHouse, row by row against plain counting
# (tests/property/test_engine_release.c, whose program is given). A server that is not installed is
# skipped; without both the test is (77).
#
#   releases.sh PROGRAM [ARGUMENTS]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=("$@")
# shellcheck source=tests/engine/postgres_server.sh
source "$here/postgres_server.sh"
# shellcheck source=tests/engine/clickhouse_servers.sh
source "$here/clickhouse_servers.sh"

try_postgres() (
    trap pg_stop EXIT
    pg_start
    KANON_TEST_POSTGRES=postgres://postgres@127.0.0.1:$pg_port/postgres "${program[@]}"
)

try_clickhouse() (
    if ! clickhouse_is_there; then
        echo "skipped: ClickHouse is not installed (Debian: clickhouse-server, clickhouse-client)"
        exit 77
    fi
    folder=$(mktemp -d "${TMPDIR:-/tmp}/kanon-clickhouse.XXXXXX")
    chmod 755 "$folder"
    trap 'clickhouse_end; rm -rf "$folder"' EXIT
    clickhouse_begin "$folder" 1
    sql 0 'CREATE DATABASE test'
    KANON_TEST_CLICKHOUSE=clickhouse://127.0.0.1:${http[0]}/test "${program[@]}"
)

unset KANON_DUCKDB # that has a test of its own
skipped=0
for engine in postgres clickhouse; do
    status=0
    "try_$engine" || status=$?
    ((status == 0 || status == 77)) || exit "$status"
    ((skipped += status == 77)) || true
done
((skipped < 2)) || exit 77
