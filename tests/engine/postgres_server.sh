# A PostgreSQL server for a test, sourced by it: pg_start makes a cluster in a folder of its own, on
# loopback and a port that is free, and pg_stop ends it by its process id. Without the server's
# programs pg_start ends the test as skipped (77). It sets
#   pg_port            where it listens; its super user is postgres, and needs no password
#   pg_folder          the folder, which pg_stop takes away
# pg_sql [DATABASE] runs what stands on its standard input.

pg_bin=${KANON_POSTGRES:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)}
pg_folder=''

# The server refuses to run as root.
pg_as_user() {
    if ((EUID == 0)); then
        (cd / && runuser -u postgres -- env PATH="$pg_bin:$PATH" LC_ALL=C.UTF-8 "$@")
    else
        env PATH="$pg_bin:$PATH" LC_ALL=C.UTF-8 "$@"
    fi
}

pg_start() {
    if [[ ! -x $pg_bin/initdb ]] || { ((EUID == 0)) && ! id postgres >/dev/null 2>&1; }; then
        echo "skipped: PostgreSQL's server is not installed (Debian: postgresql)"
        exit 77
    fi
    pg_folder=$(mktemp -d "${TMPDIR:-/tmp}/kanon-postgres.XXXXXX")
    chmod 755 "$pg_folder"
    ((EUID != 0)) || chown postgres "$pg_folder"
    pg_as_user initdb -A trust -U postgres -E UTF8 --locale=C.UTF-8 --no-sync \
        -D "$pg_folder/data" >"$pg_folder/initdb.log" 2>&1 || {
        cat "$pg_folder/initdb.log" >&2
        return 1
    }
    pg_try_ports
}

pg_try_ports() {
    local try
    for try in 1 2 3 4 5 6 7 8; do
        pg_port=$((20000 + RANDOM % 12000))
        if pg_boot; then
            export PGHOST=127.0.0.1 PGPORT=$pg_port PGUSER=postgres PGDATABASE=postgres
            return 0
        fi
    done
    cat "$pg_folder/server.log" >&2
    return 1
}

pg_boot() {
    pg_as_user pg_ctl -D "$pg_folder/data" -l "$pg_folder/server.log" -w -t 60 \
        -o "-c listen_addresses=127.0.0.1 -c port=$pg_port -c fsync=off -c \
unix_socket_directories=$pg_folder -c max_connections=40" start >/dev/null 2>&1
}

# The process id of the server, and nothing where it does not run.
pg_pid() {
    head -n 1 "$pg_folder/data/postmaster.pid" 2>/dev/null || true
}

pg_stop() {
    [[ -n $pg_folder ]] || return 0
    local pid
    pid=$(pg_pid)
    if [[ -n $pid ]]; then
        kill -QUIT "$pid" 2>/dev/null || true
        while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    fi
    rm -rf "$pg_folder"
    pg_folder=''
}

pg_sql() {
    "$pg_bin/psql" -X -q -A -t -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$pg_port" -U postgres \
        -d "${1:-postgres}"
}
