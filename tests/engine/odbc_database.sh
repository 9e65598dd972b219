# A database behind ODBC, for a test that sources this and compare.sh: odbc_start KIND makes one of SQLite
# (a file) or MariaDB (a server of its own) in a new folder and goes there; what compare.sh needs is defined
# for it. Needs $sql (odbc_sql). Without driver or server the test ends as skipped (77).
. "$(dirname "${BASH_SOURCE[0]}")/mariadb_server.sh"

odbc_work=''
odbc_stop() {
    maria_stop
    [[ -z $odbc_work ]] || rm -rf "$odbc_work"
}

odbc_start() { # sqlite, mariadb
    odbc_kind=$1
    trap odbc_stop EXIT
    odbc_work=$(mktemp -d)
    cd "$odbc_work"
    if [[ $odbc_kind == mariadb ]]; then
        maria_start
        odbc_string=$maria_string quote='`' text='VARCHAR(100)' any=CHAR
        return
    fi
    local driver
    for driver in /usr/lib/*/odbc/libsqlite3odbc.so /usr/lib64/libsqlite3odbc.so none; do
        [[ ! -e $driver ]] || break
    done
    if [[ $driver == none ]]; then
        echo "skipped: SQLite's ODBC driver is not installed (Debian: libsqliteodbc)"
        exit 77
    fi
    : >people.db # it opens files that are there
    odbc_string="Driver=$driver;Database=$odbc_work/people.db" quote='"' text='TEXT COLLATE NOCASE' any=TEXT
}

run_sql() { # statements, one per line
    "$sql" "$odbc_string"
}

engine_load() {
    local column list=''
    for column in $(columns_of "$2"); do
        list+="${list:+, }$quote$column$quote "
        [[ $column == n[0-9]* ]] && list+=BIGINT || list+=$text
    done
    run_sql <<<"CREATE TABLE $1 ($list)"
    "$sql" "$odbc_string" "$1" "$2"
}

engine_drop() {
    run_sql <<<"DROP TABLE IF EXISTS $1"
}

engine_has() {
    run_sql <<<"1 SELECT count(*) FROM $1" >/dev/null 2>&1
}

engine_at() {
    echo "odbc:$odbc_string;table=$1"
}

engine_hex() {
    local table=$1 column list=''
    shift
    for column; do
        column="coalesce(nullif(lower(hex(CAST($quote$column$quote AS $any))), ''), '-')"
        [[ $odbc_kind == mariadb ]] && list+="${list:+, }$column" || list+="${list:+ || ' ' || }$column"
    done
    [[ $odbc_kind != mariadb ]] || list="CONCAT_WS(' ', $list)"
    run_sql <<<"1 SELECT $list FROM $table"
}

# Nothing that kanon makes on the way is left.
nothing_left() {
    local left list="SELECT name FROM sqlite_master WHERE name LIKE 'kanon%'"
    [[ $odbc_kind != mariadb ]] ||
        list="SELECT table_name FROM information_schema.tables WHERE table_schema = 'kanon' AND table_name LIKE 'kanon%'"
    left=$(run_sql <<<"1 $list")
    [[ -z $left ]] || fail "this is left: $left"
}
