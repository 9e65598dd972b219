#!/usr/bin/env bash
# Tables of PostgreSQL give what the same rows give as CSV: Adult, values that are easy to get wrong,
# and random tables; and no more than the base comes from the server.
#   postgres.sh KANON SOURCE_DIR
# KANON_TEST_ROUNDS random tables (default: 200).
set -euo pipefail
kanon=$(realpath "$1") source=$(realpath "$2")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/postgres_server.sh"
. "$here/postgres_compare.sh"
work=$(mktemp -d)
trap 'pg_stop; rm -rf "$work"' EXIT
cd "$work"
pg_start
data=${KANON_DATA:-$source/../shared/data}

# ---- Adult, or a table like it -------------------------------------------------------------------

names=age,gender,race,marital_status,education,native_country,work_class,occupation,salary_class
if [[ -r $data/adult/adult-30162.csv ]]; then
    tail -n +2 "$data/adult/adult-30162.csv" >rows.csv
    mkdir trees
    for tree in "$data"/adult/hierarchies/*.csv; do
        cp "$tree" "trees/$(basename "$tree" | tr - _)"
    done
    columns=(--hierarchies trees --qi "${names%,salary_class}")
    four=(--hierarchies trees --qi age,gender,race,marital_status)
    few=(--hierarchies trees --qi age,gender,race,marital_status,education)
    echo "the table is Adult"
else
    awk 'BEGIN {
        srand(27)
        for (i = 0; i < 3000; i++) {
            printf "%d,%s,%s,%s,", 17 + rand() * 60, rand() < .5 ? "Male" : "Female",
                   "Race " int(rand() * 4), "State " int(rand() * 5)
            printf "%s,%s,%s,%s,%s\n", "School " int(rand() * 9), "Land " int(rand() * rand() * 20),
                   "Work " int(rand() * 6), "Job " int(rand() * 9), rand() < .3 ? ">50K" : "<=50K"
        }
    }' >rows.csv
    columns=(--qi age=intervals:5,10,20,40 --qi "gender,race,marital_status,education"
             --qi "native_country,work_class,occupation")
    four=(--qi age=intervals:5,10,20,40 --qi gender,race,marital_status)
    few=(--qi age=intervals:5,10,20,40 --qi gender,race)
    echo "skipped: Adult is not at hand; the table is a made-up one"
fi
pg_sql <<END
CREATE TABLE adult (age integer, gender text, race varchar(30), marital_status text, education text,
    native_country text, work_class text, occupation text, salary_class text);
\\copy adult FROM 'rows.csv' (FORMAT csv)
END
with_certificate "full domain" adult "${columns[@]}" --k 5
with_certificate "with suppression" adult "${columns[@]}" --k 5 --suppress 2%
same_job "kept columns" adult "${columns[@]}" --k 5 --suppress 2% --keep salary_class
same_job "l-diversity" adult "${columns[@]}" --k 5 --suppress 2% --sensitive salary_class --l 2
same_job "t-closeness" adult "${columns[@]}" --k 10 --suppress 5% --sensitive salary_class --t 0.3
same_job "classes" adult "${columns[@]}" --k 25 --class salary_class --cost classification \
    --suppress 1%
with_certificate "numbers that are called text" adult "${four[@]}" --k 5 --suppress 2% --cost ncp --text 'a*'
same_job "some rows" adult "${columns[@]}" --k 5 --suppress 2% \
    --where 'age >= 30 and not gender = "Male" or occupation not in ("Sales", "Job 3") and age < 25'
same_job "cuts" adult "${columns[@]}" --k 100 --algorithm greedy --suppress 1%
same_job "mondrian" adult "${columns[@]}" --k 10 --algorithm mondrian
same_job "mondrian, with suppression and a sensitive column" adult "${columns[@]}" --k 10 \
    --algorithm mondrian --sensitive salary_class --l 2
same_job "incognito" adult "${four[@]}" --k 50 --algorithm incognito
same_job "k-optimize" adult "${few[@]}" --k 200 --algorithm k-optimize
echo "ok: the jobs of Adult"

# A release that somebody changed later is found out by whoever checks it.
pg_sql <<END
CREATE TABLE visits AS SELECT 'p' || p AS patient, 20 + p * 5 % 12 AS age, chr(97 + p * 7 % 11) AS city,
    's' || (p + r) % 4 AS illness FROM generate_series(1, 90) p, generate_series(0, 3) r WHERE r <= p % 4;
END
people=(--qi age=intervals:4,8 --qi city=suppress --person patient)
same_job "people, some of them left out" visits "${people[@]}" --level city=0 --k 3 --suppress 60% --drop illness
same_job "people, l-diversity" visits "${people[@]}" --k 3 --suppress 20% --sensitive illness --l 2
same_job "people, mondrian" visits --qi age,city --person patient --k 5 --algorithm mondrian --sensitive illness
same_job "to be verified" adult "${columns[@]}" --k 5 --suppress 2% --keep salary_class
verify() {
    "$kanon" verify "$(pg_url adult_release)" --original "$(pg_url adult)" "${columns[@]}" --k 5 \
        --suppress 2% --keep salary_class --quiet >message 2>&1
}
verify || { cat message >&2; fail "a release is not verified"; }
pg_sql <<<'UPDATE adult_release SET gender = NULL WHERE ctid = (SELECT min(ctid) FROM adult_release)'
status=0
verify || status=$?
((status == 3)) || { cat message >&2; fail "a changed release is verified: $status"; }
echo "ok: verified, and not when it is changed"

# ---- rows that an expression chooses, of every type ------------------------------------------------

pg_sql <<'END'
CREATE TABLE typed AS SELECT g % 7 AS small, (g % 5)::bigint - 2 AS whole, (g % 9) / 4.0::numeric(6, 2) AS exact,
    (g % 11) / 8.0::float8 AS real, (g % 6 / 10.0)::real AS narrow, DATE '2020-01-28' + g % 8 AS day,
    TIMESTAMP '2020-01-30 12:00:00' + g % 3 * INTERVAL '13 hours' AS moment, g % 2 = 0 AS yes,
    (ARRAY['a', 'A', 'a ', '', NULL, 'it''s', '"', 'é', '?', '\'])[1 + g % 10] AS word,
    CASE WHEN g % 4 > 0 THEN g % 4 END AS gaps FROM generate_series(1, 400) g;
END
typed=(--qi small=intervals:2,8 --qi gaps=suppress --k 4 --suppress 50%)
n=0
for where in 'small >= 3 and whole < 1' 'whole > -2 and whole != 0' 'exact >= 0.5 and exact < 1.75' 'exact in (0.25, 2)' \
    'real > 0.375 and real <= 1.25' 'narrow = 0.1 or narrow > 0.35' 'day >= 2020-02-01' 'day in (2020-01-28, 2020-01-31)' \
    'moment > 2020-01-31' 'yes = "true"' 'word = "a"' 'word != "a"' 'word is missing' 'not word is missing and gaps is missing' \
    "word in ('it''s', '\"', 'é')" 'word = "\"' 'gaps > 1 or not gaps = 2' 'small > 2.5' 'small in (1, 2.0, 3)' \
    'not (small < 2 or gaps is missing) and (word != "A" or real < 0.5)'; do
    same_job "rows where $where" typed "${typed[@]}" --where "$where" --drop '*'
    n=$((n + 1))
done
echo "$n expressions over every type"

# ---- bytes -----------------------------------------------------------------------------------------

# The distinct combinations and their counts come twice at most: once folded, once counted in the
# release. A line has a byte behind each field and the five of its message.
rm -f pg.json
"$kanon" anonymize "$(pg_url adult)" "${columns[@]}" --k 5 --suppress 2% \
    -o "$(pg_url adult_bytes)" --json pg.json --quiet
fetched=$(sed -nE 's/.*"bytes_fetched": ([0-9]+).*/\1/p' pg.json)
base=$(pg_sql <<END
WITH t AS (SELECT age::text, gender, race, marital_status, education, native_country, work_class,
    occupation, count(*)::text AS n FROM adult GROUP BY 1, 2, 3, 4, 5, 6, 7, 8)
SELECT sum(octet_length(concat(t.age, t.gender, t.race, t.marital_status, t.education,
    t.native_country, t.work_class, t.occupation, t.n)) + 9 + 5) FROM t;
END
)
recount=$(pg_sql <<END
WITH t AS (SELECT age::text, gender, race, marital_status, education, native_country, work_class,
    occupation, count(*)::text AS n FROM adult_bytes GROUP BY 1, 2, 3, 4, 5, 6, 7, 8)
SELECT sum(octet_length(concat(t.age, t.gender, t.race, t.marital_status, t.education,
    t.native_country, t.work_class, t.occupation, t.n)) + 9 + 5) FROM t;
END
)
# What is asked about the tables themselves: names and types of nine columns, and whether they are.
about=2000
((fetched >= base + recount && fetched <= base + recount + about)) ||
    fail "$fetched bytes came; the base has $base, the groups of the release $recount"
echo "ok: $fetched bytes came, of which the base has $base and the groups of the release $recount"
nothing_left

# ---- values that are easy to get wrong -------------------------------------------------------------

pg_sql <<'END'
CREATE EXTENSION IF NOT EXISTS citext;
CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE DOMAIN size AS numeric(6,2);
CREATE TYPE mood AS ENUM ('sad', 'so "so"', 'it''s');
CREATE TABLE nasty (
    n integer, t text, b text COLLATE blind, ci citext, c char(4), bp bpchar, v varchar(6),
    s numeric, d size, f double precision, r real, ts timestamptz, tz timestamp(3), day date,
    o boolean, m mood, u uuid, ip inet, kept text[], j jsonb, secret text, kind integer);
INSERT INTO nasty SELECT
    nullif(i % 5, 0),
    (ARRAY['a', 'A', 'a ', ' a', 'ä', E'a\tb', E'a\nb', '"', '''', '\', '\N', ';--', '%s', '', NULL,
           E'\r', 'NULL', E'\u200b', 'a,b'])[1 + i % 19],
    (ARRAY['x', 'X', 'é', 'É', NULL, ''])[1 + i % 6],
    (ARRAY['Bonn', 'BONN', 'bonn', NULL])[1 + i % 4],
    (ARRAY['a', 'a  ', 'ab', '', NULL])[1 + i % 5],
    (ARRAY['a', 'a  ', 'a ', NULL])[1 + i % 4],
    (ARRAY['v', 'v ', '', NULL])[1 + i % 4],
    (ARRAY['1.0', '1.00', '1', '-0', '1e3', NULL]::numeric[])[1 + i % 6],
    (ARRAY['1.5', '1.50', '2', NULL]::numeric[])[1 + i % 4],
    (ARRAY['0', '-0', '0.1', '1e-7', '123456.789', 'NaN', 'Infinity', NULL]::float8[])[1 + i % 8],
    (ARRAY['0.1', '3.3333333', '4096.5', NULL]::real[])[1 + i % 4],
    (ARRAY['2020-03-01 00:30:00+09', '2020-02-29 15:30:00+00', '2020-02-29 15:30:00.123+00',
           NULL]::timestamptz[])[1 + i % 4],
    (ARRAY['1999-12-31 23:59:59.999', '2000-01-01', NULL]::timestamp[])[1 + i % 3],
    (ARRAY['2020-02-29', '1900-01-01', '0044-03-15 BC', NULL]::date[])[1 + i % 4],
    (ARRAY[true, false, NULL])[1 + i % 3],
    (ARRAY['sad', 'so "so"', 'it''s', NULL]::mood[])[1 + i % 4],
    (ARRAY['00000000-0000-0000-0000-000000000001', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
           NULL]::uuid[])[1 + i % 3],
    (ARRAY['10.0.0.1', '10.0.0.1/8', NULL]::inet[])[1 + i % 3],
    ARRAY['k', i::text], '{"a": 1}', (ARRAY['flu', 'cold', 'ill'])[1 + i % 3], i % 2
FROM generate_series(0, 379) i;
END
for column in n t b ci c v s d f r ts tz day o m u ip bp; do
    same_job "column $column as it is" nasty --qi "$column" --k 2 --suppress 50% --keep secret
    same_job "column $column or nothing" nasty --qi "$column=suppress,kind=suppress" --k 60
    same_job "column $column in ranges" nasty --qi "$column,kind" --k 25 --algorithm mondrian
done
same_job "all of them" nasty --k 3 --suppress all --qi t=suppress,b=suppress,ci=suppress,c=suppress \
    --qi s=suppress,f=suppress,ts=suppress,day=suppress,m=suppress --sensitive secret --l 2
same_job "mondrian over all of them" nasty --k 5 --algorithm mondrian --qi n,t,b,ci,c,v,s,f,ts,day,o,m
same_job "local" nasty --k 5 --algorithm top-down --qi n=intervals:2,4 --qi b=suppress --qi o=suppress
same_job "what nothing satisfies" nasty --qi t --k 2 --sensitive secret --l 4
! grep -q '"solution": {' pg.json 2>/dev/null || fail "three values are four"
echo "ok: values that are easy to get wrong"

# Columns keep their types where they are as they were, and pass through though nobody reads them.
"$kanon" anonymize "$(pg_url nasty)" --qi n=suppress --k 2 --keep ts,kept,j,c,ci,m,d \
    -o "$(pg_url kept)" --quiet
types() { # table
    pg_sql <<<"SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attname) FROM pg_attribute WHERE attrelid = '$1'::regclass AND attnum > 0 AND attname <> 'n' AND attname IN (SELECT attname FROM pg_attribute WHERE attrelid = 'kept'::regclass)"
}
[[ $(types kept) == "$(types nasty)" ]] || fail "the types became $(types kept)"
[[ $(pg_sql <<<"SELECT count(*) FROM ((SELECT ts, kept, j, c::text, ci::text, m, d FROM nasty EXCEPT ALL SELECT ts, kept, j, c::text, ci::text, m, d FROM kept)) x") == 0 ]] ||
    fail "columns that are kept are not as they were"
echo "ok: what is kept is as it was"

# Another session's settings change no text.
kanon_environment=(PGCLIENTENCODING=LATIN1 PGOPTIONS="-c TimeZone=Asia/Tokyo -c DateStyle=German
    -c extra_float_digits=-10 -c standard_conforming_strings=off")
same_job "another session" nasty --qi ts,day,f,t --k 25 --algorithm mondrian
kanon_environment=()
echo "ok: settings of a session change nothing"

# '' and NULL are one value: none of the released rows tells them apart.
"$kanon" anonymize "$(pg_url nasty)" --qi v --k 2 -o "$(pg_url one_missing)" --quiet
[[ $(pg_sql <<<"SELECT count(*) FROM one_missing WHERE v = ''") == 0 ]] || fail "'' is told from NULL"
# So where '' is a value of an enum, and where a table that inherits has NULL in a column that is NOT NULL above.
pg_sql <<'END'
CREATE TYPE maybe AS ENUM ('', 'yes');
CREATE TABLE above (e maybe, v text NOT NULL);
CREATE TABLE below () INHERITS (above);
ALTER TABLE below ALTER v DROP NOT NULL;
INSERT INTO above SELECT CASE WHEN i > 2 THEN ''::maybe END, '' FROM generate_series(1, 4) i;
INSERT INTO below SELECT 'yes', NULL FROM generate_series(1, 4) i;
END
"$kanon" anonymize "$(pg_url above)" --qi e,v --k 4 -o "$(pg_url above_release)" --quiet
[[ $(pg_sql <<<"SELECT count(*), count(e), count(v) FROM above_release") == '8|4|0' ]] || fail "'' is told from NULL"
# And NaN is one value, whatever its bits.
{
    printf 'PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0'
    printf '\0\1\0\0\0\10\177\370\0\0\0\0\0\0\0\1\0\0\0\10\377\370\0\0\0\0\7\242\377\377'
} >bits
pg_sql <<'END'
CREATE TABLE bits (f double precision);
\copy bits FROM 'bits' (FORMAT binary)
END
"$kanon" anonymize "$(pg_url bits)" --qi f --k 2 -o "$(pg_url bits_release)" --quiet
[[ $(pg_sql <<<"SELECT count(*), count(DISTINCT f::text), pg_typeof(min(f)) FROM bits_release") == '2|1|text' ]] ||
    fail "two kinds of NaN are told apart"

# ---- names -----------------------------------------------------------------------------------------

pg_sql <<'END'
CREATE SCHEMA "Sch""ema.x";
CREATE TABLE "Sch""ema.x"."it's; DROP TABLE adult; --" ("SELECT" integer, "a""b'c" text, "kx_0" text,
    "KX1" text, " " text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz0" text,
    "count" text, "t" text);
INSERT INTO "Sch""ema.x"."it's; DROP TABLE adult; --"
    SELECT i % 3, i % 2, i % 2, i % 3, i % 2, i % 2, i % 2, i % 3 FROM generate_series(1, 60) i;
CREATE VIEW named AS TABLE "Sch""ema.x"."it's; DROP TABLE adult; --";
END
same_job "names" named --qi 'SELECT=intervals:2' --qi 'kx_0=suppress' --qi 'KX1=suppress' \
    --qi ' =suppress' --qi 'a"b'"'"'c=suppress' --qi t=suppress --k 5 --suppress 10% \
    --keep 'ABC*,count'
url='postgres://postgres@127.0.0.1:'$pg_port'/postgres?table=%22Sch%22%22ema.x%22.%22it%27s;%20DROP%20TABLE%20adult;%20--%22'
"$kanon" anonymize "$url" --qi SELECT,count --k 2 -o "${url%--*}release%22" --quiet ||
    fail "a table with such a name is not anonymized"
[[ $(pg_sql <<<"SELECT count(*) FROM \"Sch\"\"ema.x\".\"it's; DROP TABLE adult; release\"") == 60 ]] ||
    fail "the release has another name"
[[ $(pg_sql <<<'SELECT count(*) > 0 FROM adult') == t ]] || fail "adult is gone"
echo "ok: names of SQL pieces"

# ---- what reads like a table -----------------------------------------------------------------------

pg_sql <<'END'
CREATE TABLE parted (a integer, b text, c text) PARTITION BY HASH (a);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parted SELECT i % 7, i % 3, i % 2 FROM generate_series(1, 400) i;
CREATE MATERIALIZED VIEW matted AS SELECT * FROM parted WHERE a > 1;
CREATE VIEW viewed AS SELECT a, b || '!' AS b, c FROM parted;
CREATE TABLE parent (a integer, b text, c text);
CREATE TABLE child () INHERITS (parent);
INSERT INTO parent SELECT i % 7, 'p', i % 2 FROM generate_series(1, 40) i;
INSERT INTO child SELECT i % 7, 'c', i % 2 FROM generate_series(1, 40) i;
END
for table in parted matted viewed parent; do
    same_job "$table" "$table" --qi a=intervals:2,4 --qi b=suppress --k 5 --suppress 5% --keep c
    same_job "$table, mondrian" "$table" --qi a,b --k 5 --algorithm mondrian
done
echo "ok: partitioned tables, views and inherited ones"

# ---- encodings -------------------------------------------------------------------------------------

pg_sql <<'END'
CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
CREATE DATABASE ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
END
pg_sql latin <<'END'
SET client_encoding = 'UTF8';
CREATE TABLE towns (town text, n integer);
INSERT INTO towns SELECT (ARRAY['Köln', 'Zürich', 'Bonn'])[1 + i % 3], i % 2 FROM generate_series(1, 60) i;
END
"$kanon" anonymize "$(pg_url towns latin)" --qi town --qi n=suppress --k 5 \
    -o "$(pg_url shown latin)" --quiet
[[ $(pg_sql latin <<<"SET client_encoding = 'UTF8'; SELECT count(*) FROM shown WHERE town = 'Köln'") == 20 ]] ||
    fail "LATIN1: the texts are others"
pg_sql ascii <<'END'
CREATE TABLE towns (town text, n integer);
INSERT INTO towns SELECT 'K' || chr(246) || 'ln', 1 FROM generate_series(1, 20);
END
status=0
"$kanon" anonymize "$(pg_url towns ascii)" --qi town --k 5 -o "$(pg_url shown ascii)" --quiet \
    2>message || status=$?
((status == 2)) && grep -q 'UTF-8' message || { cat message >&2; fail "SQL_ASCII: $status"; }
pg_sql ascii <<<"UPDATE towns SET town = 'Koeln'"
"$kanon" anonymize "$(pg_url towns ascii)" --qi town --k 5 -o "$(pg_url shown ascii)" --quiet
echo "ok: databases in LATIN1 and SQL_ASCII"

# ---- random tables ---------------------------------------------------------------------------------

rounds=${KANON_TEST_ROUNDS:-200}
((rounds <= 1000)) || rounds=1000 # a second each
RANDOM=27
n_solved=0
for ((round = 1; round <= rounds; round++)); do
    pg_sql <<END
SELECT setseed($round / ${rounds}.0 * 0.999) \\g /dev/null
DROP TABLE IF EXISTS random_release, random;
CREATE TABLE random AS SELECT
    (ARRAY[NULL, 0, 1, 2, 3, 4, -5, 60])[1 + floor(random() * $((2 + RANDOM % 6)))::int] AS a,
    (ARRAY['x', 'X', NULL, '', 'x ', E'y\\n"', '\\', 'ü', ''';--'])[1 + floor(random() * $((1 + RANDOM % 8)))::int] AS b,
    (ARRAY[1.5, 1.50, NULL, 2, -7])[1 + floor(random() * $((1 + RANDOM % 4)))::int]::numeric AS c,
    (ARRAY['2020-01-01', '2020-01-02', NULL, '2021-05-05']::date[])[1 + floor(random() * 3)::int] AS d,
    random() < 0.5 AS e,
    (ARRAY['p', 'q', 'r'])[1 + floor(random() * 3)::int] AS s,
    floor(random() * 1000)::int AS kept
FROM generate_series(1, $((5 + RANDOM % (RANDOM % 3 ? 120 : 3))));
END
    k=$((2 + RANDOM % 4))
    case $((RANDOM % 8)) in
    0) job=(--qi a=intervals:2,4 --qi b=suppress,e=suppress --k $k) ;;
    1) job=(--qi a=intervals:2,4 --qi b=suppress,c=suppress --k $k --suppress 20% --keep kept) ;;
    2) job=(--qi a,b=suppress --k $k --suppress all --sensitive s --l 2) ;;
    3) job=(--qi a,c,d --k $k --algorithm mondrian --keep kept) ;;
    4) job=(--qi a,b,e --k $k --algorithm mondrian --sensitive s --l 2) ;;
    5) job=(--qi a,c,d --k $k --algorithm k-optimize --suppress 10%) ;;
    6) job=(--qi a=intervals:2,4 --qi b=suppress,d=suppress --k $k --algorithm top-down) ;;
    # It divides the rows of one tuple: which of them goes where is not the same.
    7) job=(--qi a,c --k $k --algorithm mondrian-relaxed) ;;
    esac
    same_job "random table $round (${job[*]})" random "${job[@]}"
    [[ ! -e pg.json ]] || n_solved=$((n_solved + 1))
done
((n_solved * 2 > rounds)) || fail "only $n_solved of $rounds random tables had a solution"
nothing_left
echo "ok: $rounds random tables, $n_solved with a solution"
