#!/usr/bin/env bash
# What kanon costs beside ClickHouse: two shards on this machine, generated rows, and the whole way
# from a Distributed table to its release, beside a plain GROUP BY of the same columns in the same run.
#
#   bench/clickhouse.sh KANON FOLDER [MILLIONS..]     (1 10)
#
# FOLDER holds the servers' data while it runs: about 40 bytes per row, twice. Prints a table of
# Markdown. Eight quasi-identifiers, about a million distinct tuples at 10 million rows and more, a
# column that passes through, and one that names people and is left out.
set -euo pipefail
kanon=$(realpath "$1") folder=$2
shift 2
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/../tests/engine/clickhouse_servers.sh"
clickhouse_is_there || { echo "skipped: ClickHouse is not installed" >&2; exit 77; }
mkdir -p "$folder"
folder=$(mktemp -d "$folder/kanon-bench.XXXXXX")
chmod 755 "$folder"
trap 'clickhouse_end; rm -rf "$folder"' EXIT
clickhouse_begin "$folder" 2

columns=age,sex,race,marital,education,country,work,zip
at="clickhouse://127.0.0.1:${http[0]}/default"
shards="shards=127.0.0.1:${http[0]},127.0.0.1:${http[1]}"
seconds() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b - a) / 1e9 }'; }

# Tuple t of a million, chosen with a preference for low ones; its columns are digits of hashes of t.
fill() { # millions
    local i
    for i in 0 1; do
        sql "$i" "DROP TABLE IF EXISTS default.people_local" >/dev/null
        sql "$i" "CREATE TABLE default.people_local (id UInt64, age UInt8, sex String, race String,
            marital String, education String, country String, work String, zip String,
            income UInt32) ENGINE = MergeTree ORDER BY id" >/dev/null
        sql "$i" "INSERT INTO default.people_local SELECT id, toUInt8(17 + h % 74),
            if(intDiv(h, 100) % 2 = 0, 'female', 'male'),
            concat('race ', toString(intDiv(h, 1000) % 5)),
            concat('state ', toString(intDiv(h, 10000) % 7)),
            concat('school ', toString(intDiv(h, 100000) % 16)),
            concat('land ', toString(intDiv(h, 10000000) % 41)),
            concat('work ', toString(intDiv(h, 1000000000) % 9)),
            leftPad, toUInt32(id % 90000)
            FROM (SELECT id, h, toString(10000 + intDiv(h, 10000000000) % 900) AS leftPad FROM
                (SELECT id, intHash64(t) AS h FROM
                    (SELECT number * 2 + $i AS id,
                        toUInt64(1000000 * pow(intHash32(id) / 4294967296., 1.5)) AS t
                     FROM numbers($1 * 500000))))" >/dev/null
    done
    sql 0 "DROP TABLE IF EXISTS default.people" >/dev/null
    sql 0 "CREATE TABLE default.people AS default.people_local
        ENGINE = Distributed(pair, default, people_local, cityHash64(id))" >/dev/null
}

drop_release() {
    local i part
    sql 0 "DROP TABLE IF EXISTS default.released" >/dev/null
    for i in 0 1; do
        for part in $(sql "$i" "SELECT name FROM system.tables WHERE name LIKE 'kanon\\_%' OR name LIKE 'released\\_part\\_%'"); do
            sql "$i" "DROP TABLE default.$part" >/dev/null
        done
    done
}

group_by() { # seconds of a plain GROUP BY of the same columns, its rows fetched
    local from
    from=$(date +%s%N)
    curl -sSf --data-binary "SELECT $columns, count() FROM default.people GROUP BY $columns
        FORMAT RowBinary" "http://127.0.0.1:${http[0]}/?wait_end_of_query=1" | wc -c >"$folder/bytes"
    seconds "$from" "$(date +%s%N)"
}

field() { # name of a number in the JSON
    grep -oE "\"$1\": [0-9.]+" "$folder/result.json" | head -1 | sed 's/.*: //'
}
stage() { # seconds of some stages
    local name sum=0
    for name in "$@"; do
        sum="$sum + $(grep '"time_ms"' "$folder/result.json" | grep -oE "\"$name\": [0-9.]+" | sed 's/.*: //')"
    done
    awk "BEGIN { printf \"%.2f\", ($sum) / 1000 }"
}
# Seconds of processor time that both servers have used: what a busy machine does not change much.
servers_cpu() {
    local pid ticks sum=0
    for pid in "${server[@]}"; do
        ticks=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
        sum=$((sum + ticks))
    done
    awk -v n="$sum" -v hz="$(getconf CLK_TCK)" 'BEGIN { printf "%.2f", n / hz }'
}
minus() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a - b }'; }

echo "| million rows | distinct tuples | plain GROUP BY, s | fold, s | search, s | apply, s | verify, s | total, s | engine's own statements, s | processor: plain GROUP BY, s | processor: servers, s | processor: kanon, s | bytes fetched | MiB of memory |"
echo "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
for millions in "${@:-1}"; do
    fill "$millions"
    drop_release
    group_by >/dev/null # the first one also warms the disk's cache
    before=$(servers_cpu)
    plain=$(group_by)
    plain_cpu=$(minus "$(servers_cpu)" "$before")
    before=$(servers_cpu)
    from=$(date +%s%N)
    TIMEFORMAT='%U %S'
    { time "$kanon" anonymize "$at/people?$shards" -o "$at/released?$shards" --k 10 --suppress 2% \
        --qi age=intervals:5,10,20,40 --qi zip=digits:5 --qi sex,race,marital,education,country,work \
        --keep income --id id --json "$folder/result.json" --force --no-progress --quiet \
        2>"$folder/errors"; } 2>"$folder/cpu" || { cat "$folder/errors" >&2; exit 1; }
    total=$(seconds "$from" "$(date +%s%N)")
    servers=$(minus "$(servers_cpu)" "$before")
    sleep 1.5 # the log is written twice a second
    # Statements of this run, by what its ids begin with; those on both shards run at once, so that
    # the longer one counts.
    own=$(for i in 0 1; do
        sql "$i" "SELECT query_duration_ms FROM system.query_log WHERE type = 2 AND is_initial_query AND
            query_id LIKE 'kanon-%' AND event_time >= toDateTime($((from / 1000000000)))" |
            awk '{ n += $1 } END { print n / 1000 }'
    done | sort -n | tail -n 1)
    printf '| %s | %s | %s | %s | %s | %s | %s | %s | %.2f | %s | %s | %s | %s | %.0f |\n' "$millions" \
        "$(field tuples)" "$plain" "$(stage read fold)" "$(stage search)" "$(stage apply)" "$(stage verify)" \
        "$total" "$own" "$plain_cpu" "$servers" "$(awk '{ print $1 + $2 }' "$folder/cpu")" \
        "$(field bytes_fetched)" "$(awk -v a="$(field peak_memory_bytes)" 'BEGIN { print a / 1048576 }')"
done
