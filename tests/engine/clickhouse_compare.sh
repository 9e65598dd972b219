#!/usr/bin/env bash
# The same jobs on CSV and on ClickHouse, on one server and on two shards (compare.sh).
#
#   clickhouse_compare.sh KANON ROWS SOURCE_DIR [TABLES]     (KANON_TEST_ROUNDS, 100 each)
set -euo pipefail
kanon=$(realpath "$1") rows=$(realpath "$2") source=$(realpath "$3")
n_tables=${4:-${KANON_TEST_ROUNDS:-100}}
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/clickhouse_servers.sh"
clickhouse_is_there || { echo "skipped: ClickHouse (server, client) is not installed"; exit 77; }
. "$here/compare.sh"
. "$here/levels.sh"
work=$(mktemp -d)
chmod 755 "$work"
trap 'clickhouse_end; rm -rf "$work"' EXIT
cd "$work"
clickhouse_begin "$work/servers" 2
sql 0 'CREATE DATABASE aside'
engine_divides=no
engine_flags=()

# An empty field is NULL; fields as TabSeparated has them.
as_tabs() {
    perl -0777 -ne 'while (pos() < length && /\G(?:"((?:[^"]|"")*)"|([^,\r\n"]*))(,|\r?\n|\z)/gc) {
        my ($field, $end) = (defined $1 ? $1 : length $2 ? $2 : undef, $3);
        if (defined $field) {
            $field =~ s/""/"/g if defined $1;
            $field =~ s/\\/\\\\/g; $field =~ s/\t/\\t/g; $field =~ s/\n/\\n/g; $field =~ s/\r/\\r/g;
        } else { $field = "\\N"; }
        print $field, $end eq "," ? "\t" : "\n";
    }' "$1"
}

columns_sql() { # file: names and types
    head -n 1 "$1" | tr , '\n' | sed -E 's/^n.*/`&` Nullable(Int64)/; t; s/.*/`&` Nullable(String)/' |
        paste -sd,
}

engine_load() {
    local i
    if ((shards == 0)); then
        sql 0 "CREATE TABLE $1 ($(columns_sql "$2")) ENGINE = MergeTree ORDER BY tuple()"
    else
        for i in 0 1; do
            sql "$i" "CREATE TABLE $1_part ($(columns_sql "$2")) ENGINE = MergeTree ORDER BY tuple()"
        done
        sql 0 "CREATE TABLE $1 AS $1_part ENGINE = Distributed(pair, default, $1_part, rand())"
    fi
    as_tabs "$2" | tail -n +2 | curl -sS --fail-with-body --data-binary @- \
        "http://127.0.0.1:${http[0]}/?insert_distributed_sync=1&query=INSERT%20INTO%20$1%20FORMAT%20TabSeparated"
}

engine_drop() {
    local i part
    sql 0 "DROP TABLE IF EXISTS $1"
    for i in 0 1; do
        for part in $(sql "$i" "SELECT name FROM system.tables WHERE database = 'default' AND
            (name = '$1_part' OR name LIKE '$1\\_part\\_%')"); do
            sql "$i" "DROP TABLE \`$part\`"
        done
    done
}

engine_has() {
    [[ $(sql 0 "EXISTS TABLE $1") == 1 ]]
}

engine_hex() {
    local table=$1 column list=()
    shift
    for column in "$@"; do
        list+=("if(ifNull(toString(\`$column\`), '') = '', '-', lower(hex(ifNull(toString(\`$column\`), ''))))")
    done
    (IFS=,; sql 0 "SELECT ${list[*]} FROM $table FORMAT TabSeparated") | tr '\t' ' '
}

engine_at() {
    echo "clickhouse://127.0.0.1:${http[0]}/default/$1?shards=127.0.0.1:${http[0]},127.0.0.1:${http[1]}"
}

# Tables to count in are made beside the release, or where the address says so.
engine_read_at() { echo "$(engine_at "$1")&scratch=aside"; }

# Nothing of ours is left on any server: parts of releases are called by the release's name.
nothing_left() {
    local i left
    for i in 0 1; do
        left=$(sql "$i" "SELECT name FROM system.tables WHERE name LIKE 'kanon\\_%'")
        [[ -z $left ]] || fail "left behind on server $i: $left"
    done
}

# Rows that are counted at levels are grouped by their shards: fewer leave one than it has.
shards_group() {
    local i sent=''
    engine_drop loaded
    engine_drop released
    { echo n0,z0; for ((i = 0; i < 400; i++)); do echo "$((i % 7)),100$((i % 10))"; done; } >levels.csv
    engine_load loaded levels.csv
    level_job "groups of shards" levels.csv --qi n0 --qi z0=digits:1 --level z0=1.. --k 2 --
    for ((i = 0; i < 100; i++)); do # the log is written every few seconds
        sent=$(sql 1 "SELECT max(result_rows) FROM system.query_log WHERE type = 2 AND NOT is_initial_query AND
            query LIKE '%transform(%z0%FROM default.loaded_part%' AND query NOT LIKE '%d0%' AND
            read_rows > 100" 2>/dev/null) || sent=''
        [[ -z $sent || $sent == 0 ]] || break
        sleep 0.2
    done
    ((sent > 0 && sent <= 100)) || fail "a shard sent '$sent' rows, and 7 were to be counted"
}

# Columns of so many values that their maps are tables (MOST_ELEMENTS in apply_transform.c): two of
# them, NULL and '' among the values, beside one of few.
many_values() {
    local i joined
    { echo n0,q0,q1,s0; for ((i = 0; i < 12000; i++)); do
        echo "$((i % 50 ? 10000 + i % 6000 : -i)),$((i % 97 ? 100000 + i * 7 % 7001 : 0)),$((i % 3)),$((i % 5))"
    done; echo ",1,2,3"; echo "1,,2,3"; echo '1,"",2,3'; } | sed 's/,0,/,,/' >many.csv
    engine_drop loaded
    engine_load loaded many.csv
    local levels=(--qi n0=intervals:10,100,1000 --qi q0=digits:6 --qi q1=suppress)
    with_certificate "many values, levels" many.csv "${levels[@]}" --k 3 --suppress 5% --drop s0
    same_job "many values, l-diversity" many.csv --qi q1=suppress --qi n0=intervals:100,1000 --drop q0 --k 3 \
        --suppress 1% --sensitive s0 --l 2
    same_job "many values, mondrian" many.csv --qi n0,q0,q1 --k 5 --algorithm mondrian --drop s0
    joined=''
    for ((i = 0; i < 100; i++)); do # the log is written every few seconds
        joined=$(sql 0 "SELECT 1 FROM system.query_log WHERE query LIKE '%ANY LEFT JOIN%\\_m0%' LIMIT 1" 2>/dev/null) || joined=''
        [[ -z $joined ]] || return 0
        sleep 0.2
    done
    fail "no column of many values was joined"
}

adult() {
    local data=${KANON_DATA:-$source/../shared/data} names tree
    if [[ ! -r $data/adult/adult-30162.csv ]]; then
        echo "skipped: Adult is not there"
        return
    fi
    names=nage,gender,race,marital_status,education,born_in,work_class,occupation,salary_class
    { echo "$names"; tail -n +2 "$data/adult/adult-30162.csv"; } >adult.csv
    mkdir -p trees
    for tree in "$data"/adult/hierarchies/*.csv; do
        cp "$tree" "trees/$(basename "$tree" | tr - _)"
    done
    mv trees/age.csv trees/nage.csv
    mv trees/native_country.csv trees/born_in.csv
    engine_drop loaded
    engine_load loaded adult.csv
    local levels=(--hierarchies trees --qi "${names%,salary_class}")
    with_certificate "Adult, levels" adult.csv "${levels[@]}" --k 5 --class salary_class
    with_certificate "Adult, suppression" adult.csv "${levels[@]}" --k 10 --suppress 2% --drop salary_class
    same_job "Adult, l-diversity" adult.csv --hierarchies trees --qi nage,gender,race,education --k 5 \
        --sensitive occupation --l 3 --suppress 1% --drop marital_status,born_in,work_class,salary_class
    same_job "Adult, cuts" adult.csv --qi nage,gender,race --k 20 --algorithm k-optimize --suppress 5% \
        --drop marital_status,education,born_in,work_class,occupation,salary_class
    same_job "Adult, mondrian" adult.csv --qi "${names%,salary_class}" --k 10 --algorithm mondrian \
        --drop salary_class
}

for shards in 0 2; do
    adult
    for ((i = 0; i < n_tables; i++)); do random_jobs $((shards * 1000 + i)); done
    for ((i = 1; i <= n_tables && i <= 3; i++)); do level_jobs "$i"; done
    for ((i = 1; i <= 2; i++)); do people_jobs "$i"; done
    level_bytes
    many_values
    ((shards == 0)) || shards_group
    nothing_left
    echo "$n_tables random tables, $shards shards: the same as from CSV"
done
