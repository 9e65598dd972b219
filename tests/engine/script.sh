#!/usr/bin/env bash
# Statements of --emit sql in the databases that they are for (script.py).
#   script.sh KIND KANON ROUNDS DUCKDB_SQL
# KIND is sqlite, duckdb, postgres or clickhouse. Without driver or server: skipped (77).
set -euo pipefail
kind=$1 kanon=$(realpath "$2") rounds=$3 duckdb=$(realpath "$4")
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/postgres_server.sh"
. "$here/clickhouse_servers.sh"
work=$(mktemp -d)
chmod 755 "$work"
trap 'clickhouse_end; pg_stop; rm -rf "$work"' EXIT
cd "$work"
dialects=("$kind" ansi)
case $kind in
duckdb)
    "$duckdb" 'SELECT 1' >/dev/null 2>&1 || { echo "skipped: DuckDB's library is not here (KANON_DUCKDB names it)"; exit 77; } ;;
postgres)
    pg_start
    PATH=$pg_bin:$PATH ;;
clickhouse)
    clickhouse_is_there || { echo "skipped: ClickHouse (server, client) is not installed"; exit 77; }
    clickhouse_begin "$work/servers" 1
    export CLICKHOUSE_HTTP=${http[0]} CLICKHOUSE_TCP=${tcp[0]}
    dialects=("$kind") ;;
esac
for dialect in "${dialects[@]}"; do
    python3 "$here/script.py" "$kind" "$dialect" "$kanon" "$rounds" "$duckdb"
done
