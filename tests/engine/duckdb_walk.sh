#!/usr/bin/env bash
# What the commands do with tables of an engine, shown with DuckDB, which needs no server: what is
# refused before anything is counted, what every command says of a table there, and that an interrupt
# leaves nothing behind.
#   duckdb_walk.sh KANON DUCKDB_SQL
# Without DuckDB's library: skipped (77).
set -euo pipefail
kanon=$(realpath "$1") sql=$(realpath "$2")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! "$sql" 'SELECT 1' >/dev/null 2>&1; then
    echo "skipped: DuckDB's library is not here (KANON_DUCKDB names it)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# The command ends with this status, and says something like this, on either stream.
ends() { # status, regex, words
    local status=0 wanted=$1 pattern=$2
    shift 2
    "$@" >said 2>&1 || status=$?
    ((status == wanted)) || { cat said >&2; fail "$* ends with $status, not $wanted"; }
    grep -qE -- "$pattern" said || { cat said >&2; fail "$* does not say '$pattern'"; }
}

"$sql" "ATTACH 'p.db' AS d" "CREATE TABLE d.people AS SELECT 20 + range % 40 AS age,
    'town ' || range % 7 AS town, CASE range % 3 WHEN 0 THEN 'flu' WHEN 1 THEN 'cold' END AS ill,
    range AS number FROM range(2000)" "CREATE SCHEMA d.other" "CREATE TABLE d.other.people AS FROM d.people" \
    "COPY d.people TO 'people.csv' (HEADER)" "COPY d.people TO 'people.parquet'" \
    "COPY (SELECT *, age < 40 AS young FROM d.people) TO 'hive' (FORMAT parquet, PARTITION_BY (young))"
in='duckdb:p.db?table=people' out='duckdb:p.db?table=released'
flags=(--qi age=intervals:5,10,20 --qi town=suppress --k 5)
tables() { # all of ours in the database
    "$sql" "ATTACH 'p.db' AS d" "COPY (SELECT string_agg(table_name, ' ' ORDER BY schema_name, table_name)
        FROM duckdb_tables()) TO 'tables' (HEADER false, QUOTE '')"
    cat tables
}
is_clean() {
    [[ $(tables) == "people people" ]] || fail "$1: there are tables $(tables)"
    [[ -z $(ls -A | grep -vxE 'p\.db|people\.csv|people\.parquet|hive|said|tables|progress') ]] ||
        fail "$1: there are files $(ls -A)"
}

# ---- spellings of one number -------------------------------------------------------------------

# The engine counts texts; what is one number is one sensitive value all the same.
"$sql" "ATTACH 's.db' AS d" "CREATE TABLE d.spelled (q VARCHAR, s VARCHAR)" \
    "INSERT INTO d.spelled VALUES ('a', '1'), ('a', '1.0'), ('b', '2'), ('b', '2.00')"
spelled=(--qi q=suppress --k 2 --sensitive s --l 2)
ends 0 "spells some numbers in several ways" "$kanon" anonymize 'duckdb:s.db?table=spelled' \
    -o 'duckdb:s.db?table=out' "${spelled[@]}"
"$sql" "ATTACH 's.db' AS d" "COPY (SELECT q, s FROM d.out ORDER BY s) TO 's.csv' (HEADER false)"
[[ $(<s.csv) == $'*,1\n*,1.0\n*,2\n*,2.00' ]] || fail "spellings: the release is $(<s.csv)"
ends 3 'l=1 is reached' "$kanon" verify 'duckdb:s.db?table=spelled' --qi q --k 2 --sensitive s --l 2
rm s.db s.csv

# ---- rows that are nearly all different -----------------------------------------------------------

"$sql" "ATTACH 'w.db' AS d" "CREATE TABLE d.wide AS SELECT 10000 + (range * 7919) % 90000 AS zip, range % 2 AS sex FROM range(12000)"
wide=(search 'duckdb:w.db?table=wide' --qi zip=digits:5 --qi sex=suppress --k 3)
ends 0 'nearly all of the table came here; with --level zip=2.. the database counts them by 900 values of zip in place of 12,000' \
    "$kanon" "${wide[@]}"
ends 0 'nearly all of the table came here; fewer columns' "$kanon" "${wide[@]}" --algorithm mondrian
ends 0 '' "$kanon" "${wide[@]}" --level zip=2..
! grep -q 'nearly all' said || fail 'a fold that helps is called none'
rm w.db

# ---- refused -----------------------------------------------------------------------------------

anonymize=("$kanon" anonymize "$in" -o "$out" "${flags[@]}")
for one in '--pseudonym number --key people.csv' '--keep-suppressed' '--guard-formulas' \
    '--missing NA' '--decimal ,' '--thousands .' '--date-format %d.%m.%Y' '--output-encoding latin1' \
    '--output-format csv' '--algorithm mondrian --summary mean'; do
    flag=${one#--algorithm mondrian }
    ends 2 "${flag%% *} .*cannot be used with a release in a database: " "${anonymize[@]}" $one
done
ends 2 '--keep-suppressed cannot be used with a release in a database' "${anonymize[@]}" --keep-suppressed --missing NA
grep -q -- '--missing cannot be used with a release in a database' said || fail 'not all refusals are told at once'
ends 2 'there is no table|does not exist|no table' "$kanon" search 'duckdb:p.db?table=poeple' "${flags[@]}"
ends 2 'absent.db' "$kanon" search 'duckdb:absent.db?table=people' "${flags[@]}"
[[ ! -e absent.db ]] || fail 'a database was made by looking for it'
ends 2 'is the input' "$kanon" anonymize "$in" -o 'duckdb:p.db?table=main.people' "${flags[@]}" --force
ends 2 'is the input itself' "$kanon" anonymize "$in" -o "$in" "${flags[@]}" --force
ends 2 'disappears with the connection' "$kanon" anonymize "$in" -o 'duckdb:p.db?table=temp.released' "${flags[@]}"
ends 2 'load the table' "$kanon" anonymize people.csv -o "$out" "${flags[@]}"
ends 2 'a release is made where the table is|not the server|is not' "$kanon" anonymize "$in" \
    -o 'duckdb:q.db?table=released' "${flags[@]}"
ends 2 "column 'number' cannot be kept in a file" "$kanon" anonymize "$in" -o out.csv "${flags[@]}" --keep number
ends 2 'leave the flag out' "$kanon" anonymize people.csv --engine duckdb -o out.csv "${flags[@]}"
ends 2 'would be one of the files of hive' "$kanon" anonymize hive --engine duckdb -o hive/out.parquet "${flags[@]}"
ends 2 "would be one of the files of hive" "$kanon" anonymize 'hive/*/*.parquet' --engine duckdb \
    -o hive/young=true/out.parquet "${flags[@]}"
ends 2 'name a file' "$kanon" compare "$in" "${flags[@]}" -o "$out"
ends 2 'name a file' "$kanon" report "$in" -o page.html
ends 3 '.' "$kanon" anonymize "$in" -o "$out" --qi age=intervals:5 --qi town=suppress --k 500 --level age=0 --level town=0
is_clean 'what was refused'

# ---- values that one could tell apart ------------------------------------------------------------

"$sql" "ATTACH 'p.db' AS d" "CREATE TABLE d.odd AS SELECT CASE WHEN range < 3 THEN '' END::ENUM('x', '') AS e,
    CASE range WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity' END::TIMESTAMPTZ AS z FROM range(6)" \
    "CREATE VIEW d.bad AS SELECT CAST('Ann Miller' || range AS INTEGER) AS age, '' AS town FROM range(9)"
"$kanon" anonymize 'duckdb:p.db?table=odd' -o "$out" --qi e --k 6 --quiet
"$sql" "ATTACH 'p.db' AS d" "COPY (SELECT count(*), count(e) FROM d.released) TO 'said' (HEADER false)"
[[ $(cat said) == 6,0 ]] || fail "'' of an enum is told from NULL: $(cat said)"
"$kanon" anonymize 'duckdb:p.db?table=odd' -o "$out" --qi z --k 4 --suppress 50% --quiet --force
"$sql" "ATTACH 'p.db' AS d" "COPY (SELECT count(*), count(z) FROM d.released) TO 'said' (HEADER false)"
[[ $(cat said) == 4,0 ]] || fail "an infinite moment is told from NULL: $(cat said)"
ends 1 'Conversion Error;' "$kanon" anonymize 'duckdb:p.db?table=bad' -o "$out" "${flags[@]}" --force
! grep -q Miller said || fail "an error shows a value: $(cat said)"
"$sql" "ATTACH 'p.db' AS d" 'DROP TABLE d.released' 'DROP TABLE d.odd' 'DROP VIEW d.bad'

# The table of which the input is a view is not replaced.
"$sql" "ATTACH 'p.db' AS p" "USE p" "CREATE VIEW seen AS SELECT * FROM people"
ends 1 'another name' "$kanon" anonymize 'duckdb:p.db?table=seen' -o 'duckdb:p.db?table=people' "${flags[@]}" --force
"$sql" "ATTACH 'p.db' AS d" "COPY (SELECT count(*), count(number) FROM d.people) TO 'said' (HEADER false)" 'DROP VIEW d.seen'
[[ $(cat said) == 2000,2000 ]] || fail "the table below the input was replaced: $(cat said)"
is_clean 'a view'

# ---- every command -----------------------------------------------------------------------------

# What a result says, but for where things are, how long it took and what memory it had.
result_of() {
    sed -E -e '/^ "(time_ms|peak_memory_bytes|engine|certificate|effort)"/d' -e 's/"path": ("([^"\\]|\\.)*"|null)/"path": ""/g' "$1"
}
same_result() { # name, command, what it is about, flags
    local name=$1 command=$2
    shift 2
    rm -f a.json b.json
    "$kanon" $command people.csv "$@" --json a.json --quiet || fail "$name of the file"
    "$kanon" $command "$in" "$@" --json b.json --quiet || fail "$name of the table"
    diff <(result_of a.json) <(result_of b.json) >&2 || fail "$name: the results differ"
}
same_result search search "${flags[@]}" --sensitive ill --l 2
same_result 'search over regions' search --qi age,town --k 5 --algorithm mondrian --sensitive ill --l 2
same_result risk risk --qi age,town --sensitive ill
same_result 'treated columns' search "${flags[@]}" --round number=100 --keep number
rm -f a.json b.json
ends 0 '2,000 rows' "$kanon" profile "$in"
mkdir jobs
"$kanon" profile "$in" --job-out jobs/start.yaml --quiet
grep -qxF "output: \"$out\"" <(sed 's/people_release/released/' jobs/start.yaml) || fail "the job file says $(cat jobs/start.yaml)"
"$kanon" anonymize --job jobs/start.yaml -o "$out" --quiet || fail 'the job file of profile cannot be run'
"$sql" "ATTACH 'p.db' AS d" 'DROP TABLE d.released'
rm -r jobs
ends 2 '--save: whether the population' "$kanon" compare "$in" "${flags[@]}" --population "$in" --k-map 2 --save s.jsonl
ends 0 'searches of 2,000 rows' "$kanon" compare "$in" "${flags[@]}" --keep number
ends 0 'labels' "$kanon" hierarchy build "$in" --column age

"${anonymize[@]}" --sensitive ill --keep number --quiet --json a.json
grep -q '"engine": {"name": "duckdb", "bytes_fetched": [1-9][0-9]*, "rows_fetched": [1-9]' a.json || fail 'no engine in the result'
grep -q '"formula_cells": null' a.json || fail 'formulas of a column that nobody saw were counted'
ends 0 'cover       holds' "$kanon" verify "$out" --original "$in" "${flags[@]}" --sensitive ill --keep number
ends 3 'does not hold|fail' "$kanon" verify "$in" --qi age,town --k 500
ends 0 'before' "$kanon" risk "$out" --original "$in" --qi age,town
ends 0 'are matched by no row' "$kanon" attack "$out" --register "$in" --original "$in" "${flags[@]}"
ends 0 'have one nearest row' "$kanon" attack "$out" --register people.parquet --qi age,town --nearest
ends 2 'exists|there is' "${anonymize[@]}"
"${anonymize[@]}" --force --quiet
printf 'input: "%s"\noutput: "%s"\nqi: [age=intervals:10, town=suppress]\nk: 5\n' "$in" "$out" >job.yaml
"$kanon" anonymize --job job.yaml --force --quiet
ends 0 'cover       holds' "$kanon" verify "$out" --job job.yaml
"$sql" "ATTACH 'p.db' AS d" 'DROP TABLE d.released'
rm -f a.json n job.yaml
is_clean 'all commands'

# To a file, the columns of which were counted; and from files to a file.
"$kanon" anonymize "$in" -o a.csv "${flags[@]}" --suppress 1% --id number --quiet
"$kanon" anonymize people.csv -o b.csv "${flags[@]}" --suppress 1% --id number --quiet
cmp <(sort a.csv) <(sort b.csv) || fail 'the file from the table differs'
for table in people.parquet hive 'hive/*/*.parquet'; do
    "$kanon" anonymize "$table" --engine duckdb -o c.parquet "${flags[@]}" --suppress 1% --quiet
    "$sql" "COPY (SELECT age, town FROM 'c.parquet') TO 'c.csv' (HEADER)"
    cmp <(sort c.csv) <(sort b.csv) || fail "the release of $table differs"
    ends 0 'holds' "$kanon" verify c.parquet --engine duckdb --original "$table" "${flags[@]}" --suppress 1%
    rm c.parquet
done
rm -f ?.csv
is_clean 'files'

# ---- types that have no text ---------------------------------------------------------------------

"$sql" "ATTACH 'p.db' AS d" "CREATE TABLE d.odd AS SELECT 20 + range % 20 AS age,
    CASE range % 3 WHEN 0 THEN ['a, b'] WHEN 1 THEN ['a', 'b'] END AS tags, {'n': range % 4, 't': 'x'} AS record,
    MAP {'k': range % 2} AS map, CASE range % 3 WHEN 0 THEN ''::BLOB WHEN 1 THEN '\x00\xff'::BLOB END AS bytes,
    CASE range % 2 WHEN 0 THEN INTERVAL 1 DAY ELSE INTERVAL 24 HOUR END AS wait FROM range(300)"
kept=(--qi age=intervals:5,10 --k 5 --keep tags,record,map,bytes,wait)
"$kanon" anonymize 'duckdb:p.db?table=odd' -o 'duckdb:p.db?table=odd_release' "${kept[@]}" >said
mkdir next && ln -s "$kanon" next/kanon
sed -n 's/^next: //p' said >next/next.sh
PATH=$PWD/next:$PATH ends 0 'odd_release: verified' bash next/next.sh
for change in "tags = ['a, b']" "record = {'n': 9, 't': 'x'}" "map = MAP {'k': 7}" 'bytes = NULL' 'wait = INTERVAL 25 HOUR'; do
    "$sql" "ATTACH 'p.db' AS d" 'CREATE OR REPLACE TABLE d.changed AS FROM d.odd_release' \
        "UPDATE d.changed SET $change WHERE rowid = (SELECT min(rowid) FROM d.changed WHERE tags = ['a', 'b'] AND
            CAST(wait AS VARCHAR) = '24:00:00')"
    ends 3 'NOT what was promised' "$kanon" verify 'duckdb:p.db?table=changed' --original 'duckdb:p.db?table=odd' "${kept[@]}"
done
ends 2 'which kanon cannot turn into text' "$kanon" verify 'duckdb:p.db?table=odd_release' --original 'duckdb:p.db?table=odd' \
    --qi age=intervals:5,10 --k 5 --sensitive wait --keep tags,record,map,bytes
# The schema of one of both is that of the connection: a release of the same name beside it is made.
ends 0 'holds' "$kanon" anonymize 'duckdb:p.db?table=odd' -o 'duckdb:p.db?table=other.odd' "${kept[@]}"
"$sql" "ATTACH 'p.db' AS d" 'DROP TABLE d.odd' 'DROP TABLE d.odd_release' 'DROP TABLE d.changed' 'DROP TABLE d.other.odd'
rm -r next
is_clean 'types that have no text'

# ---- an interrupt ------------------------------------------------------------------------------

"$sql" "ATTACH 'p.db' AS d" "CREATE OR REPLACE TABLE d.people AS SELECT hash(range) % 97 AS age,
    'town ' || hash(range + 1) % 997 AS town, hash(range + 2) % 31 AS ill FROM range(1000000)"
for stage in fold apply verify; do
    status=0
    rm -f progress
    bash "$here/../cli/interrupt-when.sh" progress "\"stage\":\"$stage\"" "$kanon" anonymize "$in" -o "$out" \
        --qi age=intervals:4,16 --qi town=prefix:7,5 --k 5 --suppress 5% --sensitive ill --json a.json \
        --report a.html --progress=json >said 2>>progress || status=$?
    # On a quick machine the stage may be over before the signal comes: then there is all of it.
    if ((status == 0)); then
        echo "the interrupt came too late for $stage"
        "$sql" "ATTACH 'p.db' AS d" 'DROP TABLE d.released'
        rm -f a.json a.html
        continue
    fi
    ((status == 130)) || { cat progress >&2; fail "an interrupt in $stage ends with $status"; }
    is_clean "an interrupt in $stage"
done
# ---- a kill: what the library put aside is taken away by whoever starts with the same folder -----

mkdir aside elsewhere
echo mine >elsewhere/kept
ln -s "$PWD/elsewhere" aside/kanon-duckdb-linked
mkdir -m 755 aside/kanon-duckdb-shared
status=0
rm -f progress
KANON_SIGNAL=KILL bash "$here/../cli/interrupt-when.sh" progress '"stage":"fold"' "$kanon" anonymize "$in" -o "$out" \
    --qi age=intervals:4,16 --qi town=prefix:7,5 --k 5 --suppress 5% --sensitive ill --tmp aside --progress=json >said 2>>progress || status=$?
((status == 137)) || { cat progress >&2; fail "a kill ends with $status"; }
left=$(find aside -name 'kanon-duckdb-*' -user "$(id -u)" -type d -perm 700)
[[ -n $left ]] || fail 'nothing was left by a kill: this tests nothing'
echo values >"$left/duckdb_temp_storage-0.tmp"
ln -s "$PWD/elsewhere/kept" "$left/linked"
# not while somebody uses it
exec 9<"$left"
flock -n 9
ends 0 '' "$kanon" profile people.parquet --tmp aside
[[ -e $left/duckdb_temp_storage-0.tmp ]] || fail 'a folder that is in use was cleared'
exec 9<&-
ends 0 '' "$kanon" profile people.parquet --tmp aside
[[ ! -e $left ]] || fail 'what a kill left is still there'
[[ -L aside/kanon-duckdb-linked && $(<elsewhere/kept) == mine ]] || fail 'it went through a link'
[[ -d aside/kanon-duckdb-shared ]] || fail 'a folder that others may look into was taken for ours'
"$kanon" profile --help --all | tr -s ' \n' ' ' | grep -q 'after a kill' || fail 'the help does not say what a kill leaves'
rm -rf aside elsewhere
is_clean 'a kill'
echo 'all as it should be'
