#!/usr/bin/env bash
# ClickHouse as it can go wrong: types and names, users without rights, shards that are down, slow or
# full, rows that come meanwhile, Ctrl-C. Each ends with a clear text, no release under its name, and
# nothing left behind, or its name where the server is gone.
#
#   clickhouse.sh KANON
#
# Nothing here waits for a time: what must be under way is made slow by columns that sleep where they
# are computed, and looked for in system.processes.
set -euo pipefail
kanon=$(realpath "$1")
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/clickhouse_servers.sh"
clickhouse_is_there || { echo "skipped: ClickHouse (server, client) is not installed"; exit 77; }
work=$(mktemp -d)
chmod 755 "$work"
mounted=
trap 'clickhouse_end; [[ -z $mounted ]] || umount "$mounted"; rm -rf "$work"' EXIT
cd "$work"
mkdir -p servers/1/data
# A shard on a small disk, where that can be had.
if mount -t tmpfs -o size=160m kanon-test servers/1/data 2>/dev/null; then
    mounted=$work/servers/1/data
else
    echo "skipped: a full disk (no right to mount a small file system)"
fi
clickhouse_begin "$work/servers" 2

fail() {
    echo "FAILED: $*" >&2
    [[ ! -e said ]] || sed 's/^/    /' said >&2
    exit 1
}

server0="127.0.0.1:${http[0]}" shards="shards=127.0.0.1:${http[0]},127.0.0.1:${http[1]}"
at() { echo "clickhouse://${user:+$user@}$server0/${base:-default}/$1?$shards${option:+&$option}"; }
user='' base='' option=''

# run STATUS WORDS COMMAND..: kanon ends so, and says so.
run() {
    local wanted=$1 words=$2 status=0
    shift 2
    "$kanon" "$@" --no-progress >said 2>&1 || status=$?
    ((status == wanted)) || fail "$*: ends with $status in place of $wanted"
    [[ -z $words ]] || grep -qF -- "$words" said || fail "$*: does not say '$words'"
}

tables() { sql "$1" "SELECT name FROM system.tables WHERE database = 'default' AND name LIKE '${2:-%}'"; }

# No release, and nothing that was begun, on these servers.
nothing_made() {
    local i left
    (($# > 0)) || set -- 0 1
    for i in "$@"; do
        left=$(tables "$i" 'kanon\\_%' && tables "$i" 'released%') || fail "${what:-}: server $i does not answer"
        [[ -z $left ]] || fail "${what:-}: left on server $i: $left"
    done
}

drop_released() {
    local i part
    sql 0 "DROP TABLE IF EXISTS released"
    for i in 0 1; do
        for part in $(tables "$i" 'kanon\\_%') $(tables "$i" 'released\\_part\\_%'); do sql "$i" "DROP TABLE \`$part\`"; done
    done
}

# Waits until a statement like PATTERN runs on server I, or the process PID is gone.
wait_for_statement() { # server, pattern, pid
    local n
    for ((n = 0; n < 3000; n++)); do
        [[ $(sql "$1" "SELECT count() FROM system.processes WHERE query LIKE '$2' AND
            query NOT LIKE '%system.processes%'") == 0 ]] || return 0
        kill -0 "$3" 2>/dev/null || { what=$2; fail "the statement '$2' was not seen on server $1"; }
        sleep 0.02
    done
    fail "the statement '$2' never ran"
}

# ---- a table on two shards, with columns that are slow to read ------------------------------------

rows=40000
for i in 0 1; do
    sql "$i" "CREATE TABLE people_local (id UInt64, age UInt8, zip String, disease Nullable(String),
        slow UInt8 ALIAS sleepEachRow(0.0001), slow_age UInt8 ALIAS age + sleepEachRow(0.0001))
        ENGINE = MergeTree ORDER BY id"
    sql "$i" "INSERT INTO people_local SELECT number * 2 + $i, number % 70, toString(10 + number % 9),
        if(number % 7 = 0, NULL, concat('d', toString(number % 5))) FROM numbers($((rows / 2)))"
done
structure='id UInt64, age UInt8, zip String, disease Nullable(String), slow UInt8, slow_age UInt8'
sql 0 "CREATE TABLE people ($structure) ENGINE = Distributed(pair, default, people_local, cityHash64(id))"
sql 0 "CREATE TABLE twins ($structure) ENGINE = Distributed(twins, default, people_local, rand())"
levels=(--k 80 --qi age=intervals:10,30 --qi zip=digits:2 --quiet)
job=("${levels[@]}" --keep disease --id id)

# ---- the release of a cluster ---------------------------------------------------------------------

run 0 '' anonymize "$(at people)" -o "$(at released)" "${job[@]}" --json result.json
[[ $(sql 0 "SELECT count() FROM released") == "$rows" ]] || fail "rows of the release"
sql 0 "SELECT engine_full FROM system.tables WHERE name = 'released'" | grep -q "^Distributed" ||
    fail "the release is not distributed"
# Nothing of it is called as what may be dropped is.
for i in 0 1; do
    [[ -z $(tables "$i" 'kanon\\_%') ]] || fail "what is called kanon_ is not left over: $(tables "$i" 'kanon\\_%')"
    part=$(tables "$i" 'released\\_part\\_%')
    [[ $(sql "$i" "SELECT count() FROM \`$part\`") == $((rows / 2)) ]] || fail "rows of part $i"
done
run 0 'holds' verify "$(at released)" --k 80 --qi age,zip

# Who worked: each shard counted and wrote its own rows, from local table to local table.
sleep 1.5 # the log is written twice a second
for i in 0 1; do
    sql "$i" "SYSTEM FLUSH LOGS" >/dev/null 2>&1 || true
    made=$(sql "$i" "SELECT read_rows, written_rows FROM system.query_log WHERE type = 2 AND
        query LIKE 'CREATE TABLE %kanon\\_%people\\_local%' LIMIT 1")
    [[ $made == "$((rows / 2))"* ]] || fail "server $i did not make its own part: '$made'"
done
counted=$(sql 1 "SELECT max(read_rows), max(result_rows) FROM system.query_log WHERE type = 2 AND
    NOT is_initial_query AND query LIKE '%people\\_local%GROUP BY%'")
[[ $(cut -f1 <<<"$counted") == $((rows / 2)) ]] || fail "server 1 did not count its rows: '$counted'"
(($(cut -f2 <<<"$counted") <= 70 * 9)) || fail "server 1 sent more than its groups: '$counted'"
[[ $(sql 1 "SELECT count() FROM system.query_log WHERE query LIKE 'INSERT INTO %kanon%' AND
    query NOT LIKE '%RowBinary%'") == 0 ]] || fail "rows were sent between servers"

# Bytes: the base, the groups of the release, and what a connection needs.
bytes=$(grep -o '"bytes_fetched": [0-9]*' result.json | grep -o '[0-9]*$')
((bytes > 0 && bytes < 70000)) || fail "$bytes bytes were fetched"
echo "cluster: made and counted on its shards, $bytes bytes fetched for $rows rows"

# The same name a second time, and what cannot be replaced.
run 2 'a table of that name already exists' anonymize "$(at people)" -o "$(at released)" "${job[@]}"
run 2 'drop it and its parts (released_part_..) first' anonymize "$(at people)" -o "$(at released)" "${job[@]}" --force
drop_released
run 2 'the input' anonymize "$(at people)" -o "$(at people)" "${job[@]}" --force
shards=timeout=60
run 2 'several replicas' anonymize "$(at twins)" -o "$(at released)" "${job[@]}"
what=refusals nothing_made

# ---- addresses of shards ----------------------------------------------------------------------------

run 2 'have the same address here' anonymize "$(at people)" -o "$(at released)" "${job[@]}"
shards="shards=$server0"
run 2 'names 1 server, and the cluster pair has 2' anonymize "$(at people)" -o "$(at released)" "${job[@]}"
shards="shards=$server0,$server0"
run 2 'have the same address here' anonymize "$(at people)" -o "$(at released)" "${job[@]}"
shards="shards=$server0,127.0.0.1:1"
run 1 "is the server running" anonymize "$(at people)" -o "$(at released)" "${job[@]}"
shards="shards=127.0.0.1:${http[1]},$server0" # in any order
run 0 '' anonymize "$(at people)" -o "$(at released)" "${job[@]}"
shards="shards=$server0,127.0.0.1:${http[1]}"
drop_released
run 0 'lie on the shard' anonymize "$(at people)" -o "$(at released)" --k 80 --qi age=intervals:10,30 \
    --qi zip=digits:2 --others drop
drop_released
option=color=red
run 2 "'color' is not an option" search "$(at people)" "${levels[@]}"
option=''
what=addresses nothing_made

# ---- users --------------------------------------------------------------------------------------

user=frozen
run 2 'readonly=1' search "$(at people)" "${levels[@]}"
user=reader
run 0 '' search "$(at people)" "${levels[@]}"
run 2 'read-only' anonymize "$(at people)" -o "$(at released)" "${job[@]}"
user=narrow
run 2 'no table default.people that the user narrow may see' search "$(at people)" "${levels[@]}"
user=nobody
run 2 'CLICKHOUSE_PASSWORD' search "$(at people)" "${levels[@]}"
user=secret
run 2 'set CLICKHOUSE_PASSWORD' search "$(at people)" "${levels[@]}"
CLICKHOUSE_PASSWORD=$clickhouse_password run 0 '' search "$(at people)" "${levels[@]}" --json result.json --force
! grep -qF "$clickhouse_password" said result.json || fail "the password was printed"
CLICKHOUSE_PASSWORD=a-wrong-one run 2 'set CLICKHOUSE_PASSWORD' search "$(at people)" "${levels[@]}"
! grep -qF a-wrong-one said || fail "a wrong password was printed"
for i in 0 1; do
    ! grep -qF "word%41" "servers/$i/log" "servers/$i/errors" || fail "the password is in a log"
done
user=''
what=users nothing_made

# A profile that asks for a part of the rows: more than ten groups are not counted, without a word.
user=sly
[[ $(curl -sS -H 'X-ClickHouse-User: sly' --data-binary "SELECT count() FROM (SELECT age, zip FROM people_local
    GROUP BY age, zip)" "http://$server0/") -lt 600 ]] || fail "the sly profile is not sly"
# Under load Debian's old server sometimes forgets the error of a shard, and answers with nothing, which is
# no part of the rows either.
status=0
"$kanon" search "$(at people)" "${levels[@]}" --no-progress >said 2>&1 || status=$?
case $status in
1) grep -qF 'Limit for rows' said || fail "sly: does not say 'Limit for rows'" ;;
2) grep -qF 'columns but no rows' said || fail "sly: ends with 2 for another reason" ;;
*) fail "sly: a part of the rows was counted, or $status" ;;
esac
user=''

# ---- types, names, missing values -----------------------------------------------------------------

sql 0 "CREATE DATABASE \`a.b\`"
curl -sS --fail-with-body --data-binary "CREATE TABLE \`a.b\`.\`t\\\`'\"; DROP\` (n Nullable(Int32), l LowCardinality(String),
    e Enum8('x' = 1, 'y\\'z' = 2), f FixedString(5), d Decimal(10, 3), t Date, m DateTime,
    z DateTime('Europe/Berlin'), u UInt64, r Float64, a Array(Int32), \`kx_0\` Nullable(String),
    \`SELECT\` String, \`Sélect\\\\\` String) ENGINE = Log" \
    "http://$server0/?allow_experimental_low_cardinality_type=1"
for i in 1 2 3; do
    sql 0 "INSERT INTO \`a.b\`.\`t\\\`'\"; DROP\` VALUES (1, 'b', 'x', 'abc', 1.5, '2020-01-02', '2020-01-02 03:04:05',
        '2020-07-02 03:04:05', 18446744073709551615, 0.1, [1, 2], NULL, 'a', '\\\\'),
        (NULL, '', 'y\\'z', '', 2.25, '1999-12-31', '2020-01-02 03:04:06', '2020-07-02 03:04:06', 0, 1e300, [],
        '', 'b', '\\'')"
done
base=a.b
input=$(at 't`%27%22; DROP')
run 2 'Array(Int32), which kanon cannot turn into text' anonymize "$input" -o "$(at released)" --k 2 --qi a --others drop
run 0 '' anonymize "$input" -o "$(at released)" --k 2 --quiet --suppress 0 \
    --qi n=suppress --qi l=suppress --qi e=suppress --qi f=suppress --qi d=suppress --qi t=suppress \
    --qi m=suppress --qi z=suppress --qi u=suppress --qi r=suppress --qi kx_0=suppress --qi SELECT=suppress \
    --qi 'Sélect\=suppress' --keep a
got=$(sql 0 "SELECT DISTINCT toTypeName(n), toTypeName(l), toTypeName(e), toTypeName(d), toTypeName(z),
    toTypeName(u), toTypeName(r), toTypeName(a), n, l, e, d, u, r, a, kx_0, \`SELECT\`, \`Sélect\\\\\`
    FROM \`a.b\`.released ORDER BY u")
want=$(sql 0 "SELECT DISTINCT toTypeName(n), toTypeName(l), toTypeName(e), toTypeName(d), toTypeName(z),
    toTypeName(u), toTypeName(r), toTypeName(a), n, l, e, d, u, r, a, nullIf(kx_0, ''), \`SELECT\`,
    \`Sélect\\\\\` FROM \`a.b\`.\`t\\\`'\"; DROP\` ORDER BY u")
[[ $got == "$want" ]] || fail "types and values: $got in place of $want"
[[ $(sql 0 "SELECT count() FROM \`a.b\`.released") == 6 ]] || fail "rows of all types"
base=''

sql 0 "CREATE TABLE none AS people_local ENGINE = MergeTree ORDER BY id"
status=0
"$kanon" anonymize "$(at none)" -o "$(at released)" "${levels[@]}" --others drop >said 2>&1 || status=$?
((status != 0)) && [[ -z $(tables 0 released) ]] || fail "a table without rows"
sql 0 "CREATE VIEW seen AS SELECT age, zip FROM people"
run 0 '' anonymize "$(at seen)" -o "$(at released)" "${levels[@]}"
[[ $(sql 0 "SELECT count() FROM released") == "$rows" ]] || fail "rows of a view"
drop_released
run 2 'no table' search "$(at nowhere)" "${levels[@]}"
base=nowhere
run 2 'no table' search "$(at people)" "${levels[@]}"
base=''
echo "users, names and types: as they should be"

# ---- two at once ----------------------------------------------------------------------------------

"$kanon" anonymize "$(at people)" -o "$(at released)" "${job[@]}" --keep slow >first 2>&1 &
first=$!
wait_for_statement 1 'CREATE TABLE%people%' "$first"
run 0 '' anonymize "$(at people)" -o "$(at released)" "${job[@]}"
status=0
wait "$first" || status=$?
cp first said
((status == 1 || status == 2)) || fail "two releases got the same name: $status"
[[ $(sql 0 "SELECT count() FROM released") == "$rows" ]] || fail "the first release is no longer there"
for i in 0 1; do
    [[ $(tables "$i" 'released\\_part\\_%' | wc -l) == 1 && -z $(tables "$i" 'kanon\\_%') ]] || fail "two at once: left on $i: $(tables "$i")"
done
drop_released

# ---- rows that come meanwhile -----------------------------------------------------------------------

"$kanon" anonymize "$(at people)" -o "$(at released)" "${job[@]}" --keep slow >said 2>&1 &
pid=$!
wait_for_statement 1 'CREATE TABLE%people%' "$pid"
sql 1 "INSERT INTO people_local (id, age, zip) VALUES (1, 2, '11')"
status=0
wait "$pid" || status=$?
((status == 1)) && grep -q 'changed meanwhile' said || fail "rows that come meanwhile: $status"
what=meanwhile nothing_made

# ---- Ctrl-C ---------------------------------------------------------------------------------------

interrupted() { # pattern, flags
    local pattern=$1 status=0 i
    shift
    set -m # else SIGINT is ignored in the background
    "$kanon" "$@" >said 2>&1 &
    pid=$!
    set +m
    wait_for_statement 1 "$pattern" "$pid"
    kill -INT "$pid"
    wait "$pid" || status=$?
    ((status == 130)) || fail "Ctrl-C: ends with $status"
    for i in 0 1; do
        [[ $(sql "$i" "SELECT count() FROM system.processes WHERE query LIKE '$pattern' AND
            query NOT LIKE '%system.processes%'") == 0 ]] || fail "Ctrl-C: server $i still works"
    done
    what=Ctrl-C nothing_made
}
slow_levels=(--k 80 --qi slow_age=intervals:10,30 --qi zip=digits:2 --quiet --keep disease)
interrupted '%slow\\_age%GROUP BY%' anonymize "$(at people)" -o "$(at released)" "${slow_levels[@]}"
interrupted 'CREATE TABLE%people%' anonymize "$(at people)" -o "$(at released)" "${job[@]}" --keep slow

# Tables to count in are made in the database of the release, or in that which the address names, and in no other.
counted=("${levels[@]}" --counting engine)
sql 0 "CREATE DATABASE other"
run 2 'scratch=DATABASE' search "$(at people)" "${counted[@]}"
run 0 'counted at level 0' search "$(at people)" --k 80 --qi age=intervals:10,30 --qi zip=digits:2 --level age=1..
option=scratch=other
run 0 '' search "$(at people)" "${counted[@]}"
option=''
run 0 '' anonymize "$(at people)" -o "$(base=other at counted)" "${counted[@]}" --drop id
sleep 1.5 # the log is written twice a second
sql 0 "SYSTEM FLUSH LOGS" >/dev/null 2>&1 || true
made() { sql 0 "SELECT count() FROM system.query_log WHERE type = 2 AND query LIKE 'CREATE TABLE \`$1\`.\`kanon%(c0 %'"; }
(($(made other) >= 2)) || fail "no table to count in was made in the database of the release"
[[ $(made default) == 0 ]] || fail "a table to count in was made in the database of the input"
[[ -z $(sql 0 "SELECT name FROM system.tables WHERE database = 'other' AND name LIKE 'kanon\\\\_%'") ]] || fail "tables were left in other"
sql 0 "DROP TABLE other.counted"
drop_released
interrupted '%transform(%slow\\_age%' anonymize "$(at people)" -o "$(at released)" "${slow_levels[@]}" --counting engine
echo "two at once, rows that come, Ctrl-C: as they should be"

# ---- a disk that is full --------------------------------------------------------------------------

if [[ $mounted ]]; then
    for i in 0 1; do
        sql "$i" "CREATE TABLE wide_local (age UInt8, zip String, text String) ENGINE = MergeTree ORDER BY age"
    done
    sql 0 "INSERT INTO wide_local SELECT number % 70, '11', toString(sipHash64(number)) FROM numbers(1000)"
    sql 1 "INSERT INTO wide_local SELECT number % 70, '11', concat(toString(sipHash64(number)),
        toString(sipHash64(number + 1))) FROM numbers(500000)"
    left=$(($(stat -f -c '%a * %S' "$mounted") - 2000000))
    head -c "$left" /dev/zero >"$mounted/filler" 2>/dev/null || true
    sql 0 "CREATE TABLE wide AS wide_local ENGINE = Distributed(pair, default, wide_local, rand())"
    status=0
    "$kanon" anonymize "$(at wide)" -o "$(at released)" --k 80 --qi age=intervals:10,30 --qi zip=digits:2 \
        --keep text >said 2>&1 || status=$?
    ((status == 1)) || fail "a full disk: ends with $status"
    rm "$mounted/filler"
    # 18.16 may end itself some time after it found its disk full.
    clickhouse_stop 1 2>/dev/null
    clickhouse_start 1
    if [[ $(tables 1 'kanon\\_%') ]]; then
        grep -qF "$(tables 1 'kanon\\_%')" said || fail "a full disk: what stays behind is not named"
        drop_released
    fi
    what='a full disk' nothing_made
    for i in 0 1; do sql "$i" "DROP TABLE wide_local"; done
    echo "a full disk: $(head -n 1 said | cut -c 1-200)"
fi

# ---- a shard that is slow, and one that is gone -----------------------------------------------------

kill -STOP "${server[1]}"
option=timeout=3
status=0
"$kanon" anonymize "$(at people)" -o "$(at released)" "${job[@]}" >said 2>&1 || status=$?
kill -CONT "${server[1]}"
option=''
((status == 1)) || fail "a shard that does not answer: ends with $status"
what='a shard that does not answer' nothing_made
echo "a shard that does not answer: $(head -n 1 said | cut -c 1-200)"

killed() { # pattern, flags: server 1 is killed while it does that
    local pattern=$1 status=0
    shift
    "$kanon" "$@" >said 2>&1 &
    pid=$!
    wait_for_statement 1 "$pattern" "$pid"
    clickhouse_stop 1 KILL 2>/dev/null
    wait "$pid" || status=$?
    ((status == 1)) || fail "a shard that is killed: ends with $status"
    what='a shard that is killed' nothing_made 0
    clickhouse_start 1
}
killed '%slow\\_age%GROUP BY%' anonymize "$(at people)" -o "$(at released)" "${slow_levels[@]}"
echo "killed while it counts: $(head -n 1 said | cut -c 1-200)"
what='killed while it counts' nothing_made
killed '%transform(%slow\\_age%' anonymize "$(at people)" -o "$(at released)" "${slow_levels[@]}" --counting engine
echo "killed while it counts at levels: $(head -n 1 said | cut -c 1-200)"
what='killed while it counts at levels' nothing_made
killed 'CREATE TABLE%people%' anonymize "$(at people)" -o "$(at released)" --k 80 --qi age=intervals:10,30 \
    --qi zip=digits:2 --keep disease,slow --id id
echo "killed while it writes: $(grep ^kanon said | cut -c 1-200)"
for part in $(tables 1 'kanon\\_%'); do
    grep -qF "$part" said || fail "what stays behind ($part) is not named"
done
drop_released

# While the release is counted: it is over quickly, so that it may also have been too late.
for i in 0 1; do
    sql "$i" "CREATE TABLE many_local (age UInt8, zip UInt8) ENGINE = MergeTree ORDER BY tuple()"
    sql "$i" "INSERT INTO many_local SELECT number % 70, 10 + number % 9 FROM numbers(4000000)"
done
sql 0 "CREATE TABLE many AS many_local ENGINE = Distributed(pair, default, many_local, rand())"
status=0
"$kanon" anonymize "$(at many)" -o "$(at released)" --k 100000 --qi age=intervals:10,30 --qi zip=digits:2 >said 2>&1 &
pid=$!
while kill -0 "$pid" 2>/dev/null; do
    [[ $(sql 1 "SELECT count() FROM system.processes WHERE query LIKE '%kanon\\_%\\_of\\_released%GROUP BY%' AND
        query NOT LIKE '%system.processes%'") == 0 ]] || break
done
clickhouse_stop 1 KILL 2>/dev/null
wait "$pid" || status=$?
if ((status == 0)); then
    [[ $(sql 0 "EXISTS TABLE released") == 1 ]] || fail "killed while it is counted: no release, and no error"
    echo "killed while it is counted: too late, the release was complete"
else
    ((status == 1)) || fail "killed while it is counted: ends with $status"
    what='killed while it is counted' nothing_made 0
    echo "killed while it is counted: $(grep ^kanon said | cut -c 1-200)"
fi
clickhouse_start 1
drop_released

clickhouse_stop 1 KILL 2>/dev/null
run 1 'nothing was counted' search "$(at people)" "${levels[@]}"
user=sly # its profile leaves out shards that are down
run 1 'nothing was counted' search "$(at people)" "${levels[@]}"
user=''
run 1 'is the server running' anonymize "$(at people)" -o "$(at released)" "${job[@]}"
what='a shard that is gone' nothing_made 0
clickhouse_start 1
clickhouse_stop 0 KILL 2>/dev/null
run 1 'is the server running' search "$(at people)" "${levels[@]}"
clickhouse_start 0
[[ $(sql 0 "SELECT count() FROM people") == $((rows + 1)) ]] || fail "the input has other rows than before"
what='in the end' nothing_made
echo "shards that are slow, killed or gone: an error each, and nothing counted"
