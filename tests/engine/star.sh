#!/usr/bin/env bash
# Counting at levels inside of an engine: star.c against a server that this starts and ends.
#   star.sh ENGINE PROGRAM
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

on_postgres() {
    . "$here/postgres_server.sh"
    trap pg_stop EXIT
    pg_start
    echo "CREATE TABLE seed (x text); INSERT INTO seed VALUES ('a')" | pg_sql
    "$1" 'postgres:///postgres?table=seed'
}

on_sqlite() {
    if ! command -v sqlite3 >/dev/null || ! odbcinst -q -d 2>/dev/null | grep -q '^\[SQLite3\]'; then
        echo 'skipped: the ODBC driver of SQLite is not installed (Debian: libsqliteodbc, sqlite3)'
        exit 77
    fi
    folder=$(mktemp -d "${TMPDIR:-/tmp}/kanon-sqlite.XXXXXX")
    trap 'rm -rf "$folder"' EXIT
    sqlite3 "$folder/x.db" "CREATE TABLE seed (x TEXT); INSERT INTO seed VALUES ('a')"
    "$1" "odbc:Driver=SQLite3;Database=$folder/x.db;table=seed"
}

on_mariadb() {
    . "$here/mariadb_server.sh"
    trap maria_stop EXIT
    maria_start
    echo 'CREATE TABLE seed (x TEXT)' | "$(dirname "$1")/odbc_sql" "$maria_string"
    "$1" "odbc:$maria_string;table=seed"
}

on_clickhouse() {
    . "$here/clickhouse_servers.sh"
    if ! clickhouse_is_there; then
        echo 'skipped: ClickHouse is not installed (Debian: clickhouse-server, clickhouse-client)'
        exit 77
    fi
    folder=$(mktemp -d "${TMPDIR:-/tmp}/kanon-clickhouse.XXXXXX")
    chmod 755 "$folder"
    trap 'clickhouse_end; rm -rf "$folder"' EXIT
    clickhouse_begin "$folder" 1
    sql 0 'CREATE DATABASE aside'
    sql 0 'CREATE TABLE seed (x String) ENGINE = Memory'
    "$1" "clickhouse://127.0.0.1:${http[0]}/default/seed?scratch=aside"
    if [[ -n $(sql 0 "SELECT name FROM system.tables WHERE name LIKE 'kanon\\_%' AND name != 'kanon_star'") ]]; then
        echo 'tables were left behind'
        return 1
    fi
}

case $1 in
mariadb) on_mariadb "$2" ;;
clickhouse) on_clickhouse "$2" ;;
postgres) on_postgres "$2" ;;
sqlite) on_sqlite "$2" ;;
*) echo "skipped: nobody starts $1 here yet"; exit 77 ;;
esac
