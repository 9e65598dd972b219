# A MariaDB server for a test, sourced by it: maria_start makes a data folder of its own and a server that
# listens on a socket there and nowhere else; maria_stop ends it by its process id. Without the server or
# its ODBC driver maria_start ends the test as skipped (77). It sets
#   maria_folder     the folder, which maria_stop takes away
#   maria_string     the ODBC connection string of its database `kanon`; root needs no password there
#   maria_pid        the process id of the server

maria_folder='' maria_pid=''

maria_find_driver() {
    local driver
    for driver in /usr/lib/*/odbc/libmaodbc.so /usr/lib64/libmaodbc.so /usr/lib/libmaodbc.so; do
        [[ ! -e $driver ]] || { echo "$driver" && return 0; }
    done
    return 1
}

# Of the variables of a server all are its own: no file of the machine is read. In the place of the shell that
# calls it, so that $! is the server and not a shell above it.
maria_run() { # further arguments
    exec "$maria_server" --no-defaults --user="$(id -un)" --datadir="$maria_folder/data" \
        --tmpdir="$maria_folder/tmp" --lc-messages-dir="$maria_share/english" \
        --innodb-log-file-size=8M --innodb-flush-log-at-trx-commit=0 "$@"
}

maria_start() {
    maria_share=/usr/share/mysql
    maria_server=$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v mariadbd || true)
    if [[ -z $maria_server || ! -e $maria_share/mysql_system_tables.sql ]]; then
        echo "skipped: MariaDB's server is not installed (Debian: mariadb-server-core)"
        exit 77
    fi
    maria_driver=$(maria_find_driver) || {
        echo "skipped: MariaDB's ODBC driver is not installed (Debian: odbc-mariadb)"
        exit 77
    }
    maria_folder=$(mktemp -d "${TMPDIR:-/tmp}/kanon-mariadb.XXXXXX")
    mkdir "$maria_folder/data" "$maria_folder/tmp"
    {
        echo 'CREATE DATABASE mysql;'
        echo 'USE mysql;'
        cat "$maria_share"/mysql_{system_tables,performance_tables,system_tables_data}.sql
        echo 'CREATE DATABASE kanon CHARACTER SET utf8mb4;'
    } >"$maria_folder/first.sql"
    (maria_run --bootstrap) <"$maria_folder/first.sql" >"$maria_folder/first.log" 2>&1 || {
        cat "$maria_folder/first.log" >&2
        return 1
    }
    maria_base="Driver=$maria_driver;Socket=$maria_folder/socket"
    maria_string="$maria_base;UID=root;Database=kanon"
    maria_boot
}

maria_boot() { # further arguments of the server
    rm -f "$maria_folder/pid"
    maria_run --skip-networking --socket="$maria_folder/socket" --pid-file="$maria_folder/pid" "$@" \
        >>"$maria_folder/server.log" 2>&1 &
    maria_pid=$!
    local try
    for ((try = 0; try < 600; try++)); do
        [[ ! -s $maria_folder/pid || ! -S $maria_folder/socket ]] || return 0
        kill -0 "$maria_pid" 2>/dev/null || break
        sleep 0.1
    done
    cat "$maria_folder/server.log" >&2
    return 1
}

maria_kill() { # at once, as a crash would
    kill -KILL "$maria_pid" 2>/dev/null || true
    wait "$maria_pid" 2>/dev/null || true
    maria_pid=''
}

maria_stop() {
    [[ -z $maria_pid ]] || maria_kill
    [[ -z $maria_folder ]] || rm -rf "$maria_folder"
    maria_folder=''
}
