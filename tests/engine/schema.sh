#!/usr/bin/env bash
# A release of several tables in a database: it has the rows of the same release as CSV, in their order; all
# tables get their names or none; verify counts anybody's.
#   schema.sh KANON postgres|duckdb DUCKDB_SQL
# Without the server, or the library: skipped (77).
set -euo pipefail
kanon=$(realpath "$1") engine=$2 duckdb=$(realpath "$3")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/postgres_server.sh"
work=$(mktemp -d)
trap 'pg_stop; rm -rf "$work"' EXIT
cd "$work"
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
ends() { # status, regex, words
    local status=0 wanted=$1 pattern=$2
    shift 2
    "$@" >said 2>&1 || status=$?
    [[ $status == $wanted ]] || { cat said >&2; fail "$* ends with $status, not $wanted"; }
    grep -qE -- "$pattern" said || { cat said >&2; fail "$* does not say '$pattern'"; }
}

# ---- two engines -------------------------------------------------------------------------------

case $engine in
postgres)
    pg_start
    place="postgres://127.0.0.1:$pg_port/postgres" stored=ctid
    sql() { printf '%s;\n' "$@" | pg_sql; }
    dump() { # schema, table: as CSV, as the rows are stored
        pg_sql <<<"COPY (SELECT * FROM $1.$2 ORDER BY ctid) TO STDOUT (FORMAT csv, HEADER)"
    }
    ours() { pg_sql <<<"SELECT count(*) FROM pg_class WHERE relname LIKE 'kanon%'"; }
    ;;
duckdb)
    if ! "$duckdb" 'SELECT 1' >/dev/null 2>&1; then
        echo "skipped: DuckDB's library is not here (KANON_DUCKDB names it)"
        exit 77
    fi
    place=duckdb:r.db stored=rowid
    sql() { "$duckdb" "ATTACH 'r.db' AS d" "USE d" "$@"; }
    dump() {
        sql "COPY (SELECT * FROM $1.$2 ORDER BY rowid) TO 'dumped' (HEADER)" && cat dumped
    }
    ours() {
        sql "COPY (SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'kanon%') TO 'dumped' (HEADER false)"
        cat dumped
    }
    ;;
esac
is_clean() {
    [[ $(ours) == 0 ]] || fail "$1: tables of ours are left"
}

# ---- tables ------------------------------------------------------------------------------------

awk 'BEGIN {
    srand(43)
    print "age;sex;id;note" > "people.csv"
    print "ward;day;stay;id" > "stays.csv"
    print "code;stay;dose" > "codes.csv"
    for (i = 0; i < 400; i++) {
        printf "%d;%s;%d;%s\n", 30 + rand() * 20, rand() < .05 ? "NA" : rand() < .5 ? "F" : "M", 1000 + (i * 7919) % 400,
               rand() < .1 ? "" : rand() < .1 ? "\"a;b\"\"c\tö\\N\"" : "n" int(rand() * 5) > "people.csv"
        for (j = rand() * 3; j > 1; j--) {
            printf "%s;2024-0%d-1%d;%d;%d\n", rand() < .5 ? "A" : "B", 1 + rand() * 9, rand() * 9,
                   ++stay, 1000 + (i * 7919) % 400 > "stays.csv"
            for (c = rand() * 2; c > 1; c--)
                printf "%s;%d;%s\n", rand() < .5 ? "x" : "y", stay, rand() < .5 ? "0,5" : "1" > "codes.csv"
        }
    }
}'
cat >job.yaml <<'END'
tables:
  people: {input: people.csv, key: id, qi: {age: "intervals:10", sex: suppress}, keep: [note], missing: NA}
  stays:
    {input: stays.csv, key: stay, of: people, qi: {ward: suppress}, keep: [day], shift-dates: [day]}
  codes: {input: codes.csv, of: stays, sensitive: [code], keep: [dose], decimal: ","}
within: 30
key: key
k: 4
suppress: 20%
END
sed 's/, shift-dates.*/}/; /^within/d; /^key/d' job.yaml >plain.yaml
sed 's/of: people, /&drop: [stay, id], /; s/of: stays, /&drop: [stay], /; s/key: id, /&drop: [id], /' \
    plain.yaml >keyless.yaml
printf 'a secret of sixteen or more bytes' >key
chmod 600 key
out="$place?schema=release"
sql 'CREATE SCHEMA release' 'CREATE TABLE release.other (x integer)' 'INSERT INTO release.other VALUES (7)'

# ---- the same as files --------------------------------------------------------------------------

"$kanon" anonymize --job job.yaml -o files --quiet
same() { # schema
    for table in people stays codes; do
        diff <(sed 's/;/,/g' "files/$table.csv" | tr -d '"') <(dump "$1" $table | tr -d '"' | sed 's/;/,/g') >&2 ||
            fail "rows of $table in $1"
    done
    is_clean "$1"
}
"$kanon" anonymize --job job.yaml -o "$out" --report page.html >said 2>notes || fail "the release: $(cat notes)"
grep -qF "$out: 3 tables" said || fail "the summary is $(cat said)"
grep -qF "$engine" page.html || fail "the report does not say where the tables are"
same release
"$kanon" verify files --job job.yaml --json a.json --quiet
"$kanon" verify "$out" --job job.yaml --json b.json --quiet || fail "verify with the key"
diff <(sed 's/"release": "[^"]*"//' a.json) <(sed 's/"release": "[^"]*"//' b.json) || fail "the verdicts differ"
rm a.json b.json

# Without the secret: the order in which rows are stored tells whose they are.
sql 'CREATE SCHEMA drawn'
"$kanon" anonymize --job plain.yaml -o "$place?schema=drawn" --quiet
ends 0 verified "$kanon" verify "$place?schema=drawn" --job plain.yaml

# A missing value that is written as nothing is NULL.
sql "CREATE TABLE release.nulls AS SELECT count(*) AS a, count(note) AS n FROM release.people WHERE note IS NULL OR note = ''"
[[ $(dump release nulls) =~ ,0$ ]] || fail "an empty text is no NULL: $(dump release nulls)"

# ---- names, all or none -------------------------------------------------------------------------

ends 2 "table 'people' already exists there" "$kanon" anonymize --job job.yaml -o "$out" --quiet
"$kanon" anonymize --job job.yaml -o "$out" --quiet --force || fail "--force"
same release
[[ $(dump release other) == $'x\n7' ]] || fail "another table of the schema is gone"
# The last table cannot be dropped: none of the others is another one then.
sql 'ALTER TABLE release.codes RENAME TO kept' 'CREATE VIEW release.codes AS SELECT * FROM release.kept'
status=0
"$kanon" anonymize --job job.yaml -o "$out" --quiet --force 2>said || status=$?
[[ $status != 0 ]] || fail "a view was replaced"
sql 'DROP VIEW release.codes' 'ALTER TABLE release.kept RENAME TO codes'
same release
# Only one of them is there: it is no release, and nothing is made beside it.
sql 'DROP TABLE release.people' 'DROP TABLE release.stays'
ends 2 "table 'codes' already exists there" "$kanon" anonymize --job job.yaml -o "$out" --quiet
ends 2 'no table|does not exist' "$kanon" verify "$out" --job job.yaml
is_clean 'what was refused'
"$kanon" anonymize --job job.yaml -o "$out" --quiet --force
same release

# ---- refused before the search ------------------------------------------------------------------

ends 2 "there is no schema 'nowhere'; create it first" "$kanon" anonymize --job job.yaml -o "$place?schema=nowhere" --quiet
ends 2 'output-format' "$kanon" anonymize --job job.yaml -o "$out" --output-format xlsx --force --quiet
ends 2 'the address of one table' "$kanon" anonymize --job job.yaml -o "$place?table=release" --quiet
ends 2 'the address of one table' "$kanon" verify "$place?table=release" --job job.yaml
ends 2 'it names a schema' "$kanon" profile "$out"
sed "s/note/$stored/" people.csv >p.csv
sed "s/people.csv/p.csv/; s/note/$stored/" job.yaml >named.yaml
ends 2 "column '$stored'" "$kanon" anonymize --job named.yaml -o "$out" --quiet --force
sed 's/n1$/n\xff/' people.csv >p.csv
sed 's/people.csv/p.csv/' job.yaml >named.yaml
ends 2 "column 'note' has a value that is not text in UTF-8" "$kanon" anonymize --job named.yaml -o "$out" --quiet --force
same release

# ---- what others made ----------------------------------------------------------------------------

copy() { # into the schema
    sql "CREATE SCHEMA $1"
    for table in people stays codes; do
        sql "CREATE TABLE $1.$table AS SELECT * FROM release.$table ORDER BY $stored"
    done
}
copy copied
same copied
ends 0 verified "$kanon" verify "$place?schema=copied" --job job.yaml
sql "UPDATE copied.people SET age = '20-29'"
ends 3 'covers no row' "$kanon" verify "$place?schema=copied" --job job.yaml
copy wider
sql 'ALTER TABLE wider.stays ADD COLUMN more text'
ends 3 "nobody decided to release column 'more'" "$kanon" verify "$place?schema=wider" --job job.yaml
copy fewer
sql 'ALTER TABLE fewer.stays DROP COLUMN day'
ends 3 "column 'day' is missing" "$kanon" verify "$place?schema=fewer" --job job.yaml
copy sorted
sql 'DROP TABLE sorted.people' 'CREATE TABLE sorted.people AS SELECT * FROM release.people ORDER BY id'
ends 1 'in another order' "$kanon" verify "$place?schema=sorted" --job job.yaml
copy lost
sql 'DELETE FROM lost.codes'
ends 2 'no rows' "$kanon" verify "$place?schema=lost" --job job.yaml
copy apart
sql "UPDATE apart.people SET sex = '' WHERE sex = 'F'"
status=0
"$kanon" verify "$place?schema=apart" --job job.yaml >said 2>&1 || status=$?
[[ $status != 0 ]] || fail "'' in place of a value"

# ---- without keys --------------------------------------------------------------------------------

"$kanon" anonymize --job keyless.yaml -o "$out" --quiet --force || fail "without keys"
ends 0 verified "$kanon" verify "$out" --job keyless.yaml
! cmp -s <(dump release people | cut -d, -f1,2) <(cut -d';' -f1,2 files/people.csv | tr ';' ,) ||
    fail "rows without keys stand in the order of the input"

# ---- odd names ------------------------------------------------------------------------------------

sql 'CREATE SCHEMA "re""l ease"'
sed '1s/note/a "b"/; 1s/sex/SELECT/' people.csv >p.csv
sed 's/people.csv/p.csv/; s/note/'"'a \"b\"'"'/; s/sex:/SELECT:/; s/^  people:/  My "people":/; s/of: people/of: My "people"/' job.yaml >named.yaml
sed -i '1s/a "b"/"a ""b"""/' p.csv
"$kanon" anonymize --job named.yaml -o "$place?schema=re%22l%20ease" --quiet || fail "odd names"
ends 0 verified "$kanon" verify "$place?schema=re%22l%20ease" --job named.yaml
is_clean 'odd names'

# ---- tables that are read from there ---------------------------------------------------------------

case $engine in
postgres)
    pg_sql <<'END'
CREATE SCHEMA source;
CREATE TABLE source.people (age integer, sex text, id integer, note text);
\copy source.people FROM 'people.csv' (FORMAT csv, HEADER, DELIMITER ';')
CREATE TABLE source.stays (ward text, day date, stay integer, id integer);
\copy source.stays FROM 'stays.csv' (FORMAT csv, HEADER, DELIMITER ';')
END
    sed "s#people.csv#'$place?table=source.people'#; s#stays.csv#'$place?table=source.stays'#" job.yaml >base.yaml
    "$kanon" anonymize --job base.yaml -o "$out" --quiet --force || fail "from tables there"
    ends 0 verified "$kanon" verify "$out" --job base.yaml
    sed 's/, shift-dates.*/}/; /^within/d; /^key/d' base.yaml >plain.yaml
    "$kanon" anonymize --job plain.yaml -o "$out" --quiet --force || fail "from tables there, with a drawn secret"
    ends 1 'only be told with --key' "$kanon" verify "$out" --job plain.yaml
    ends 2 'is, or may be' "$kanon" anonymize --job base.yaml -o "$place?schema=source" --quiet --force
    ends 2 'is, or may be' "$kanon" anonymize --job base.yaml -o "postgres://localhost:$pg_port/postgres?schema=source" --quiet --force
    sed 's/table=source[.]/table=/' base.yaml >short.yaml
    sed -i '1i output: "'"$out"'"' short.yaml
    PGOPTIONS='-c search_path=source' ends 2 'say that of the input' "$kanon" anonymize --job short.yaml --quiet --force
    ends 2 'disappears with the connection' "$kanon" anonymize --job job.yaml -o "$place?schema=pg_temp" --quiet
    # Who may not make tables there learns it before anything is searched.
    sql 'CREATE ROLE reader LOGIN' 'GRANT USAGE ON SCHEMA release TO reader'
    ends 2 'permission|rights|GRANT' "$kanon" anonymize --job job.yaml -o "postgres://reader@127.0.0.1:$pg_port/postgres?schema=release" --quiet --force
    # The last table does not get its name, and then the server goes: the others have not got theirs either.
    for how in "RAISE EXCEPTION 'no'" 'PERFORM pg_terminate_backend(pg_backend_pid())'; do
        pg_sql <<END
CREATE FUNCTION source.stop() RETURNS event_trigger LANGUAGE plpgsql AS \$\$ BEGIN
    IF EXISTS (SELECT 1 FROM pg_event_trigger_ddl_commands() WHERE object_identity = 'release.codes') THEN
        $how; END IF; END \$\$;
CREATE EVENT TRIGGER stop ON ddl_command_end WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION source.stop();
END
        before=$(dump release people)
        ends 1 'give the tables of the release their names' "$kanon" anonymize --job job.yaml -o "$out" --force --quiet
        sql 'DROP EVENT TRIGGER stop' 'DROP FUNCTION source.stop'
        [[ $(dump release people) == "$before" ]] || fail "only some tables got their names"
        is_clean "$how"
    done
    # Rows that are others once they are there, or are not there: they are read again.
    for how in "IF NEW.age <> '*' THEN NEW.age = '20-29'; END IF; RETURN NEW" \
        "IF NEW.note = 'n1' THEN RETURN NULL; END IF; RETURN NEW" "NEW.note = 'n1'; RETURN NEW"; do
        pg_sql <<END
CREATE FUNCTION source.change() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN $how; END \$\$;
CREATE FUNCTION source.plant() RETURNS event_trigger LANGUAGE plpgsql AS \$\$ DECLARE t regclass; BEGIN
    SELECT objid::regclass INTO t FROM pg_event_trigger_ddl_commands() JOIN pg_attribute ON attrelid = objid WHERE attname = 'age';
    IF t IS NOT NULL THEN EXECUTE format('CREATE TRIGGER change BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION source.change()', t);
    END IF; END \$\$;
CREATE EVENT TRIGGER plant ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION source.plant();
END
        ends 1 'failed its verification|were lost|counted again' "$kanon" anonymize --job job.yaml -o "$out" --force --quiet
        sql 'DROP EVENT TRIGGER plant' 'DROP FUNCTION source.plant' 'DROP FUNCTION source.change'
        [[ $(dump release people) == "$before" ]] || fail "what was changed got its name"
        is_clean "$how"
    done
    # What a name of the release leads to is not dropped with what depends on it.
    sql 'CREATE VIEW source.seen AS SELECT * FROM source.people WHERE EXISTS (SELECT 1 FROM release.people)'
    sed "s#table=source.people#table=source.seen#" base.yaml >seen.yaml
    ends '[12]' 'no original, looks at' "$kanon" anonymize --job seen.yaml -o "$out" --quiet --force
    status=0
    "$kanon" anonymize --job job.yaml -o "$out" --quiet --force 2>said || status=$?
    [[ $status != 0 ]] || fail "a table that a view is made of was replaced"
    ;;
duckdb)
    sql 'CREATE SCHEMA source' "CREATE TABLE source.people AS FROM read_csv('people.csv', delim = ';')"
    sed "s#people.csv#'$place?table=source.people'#" job.yaml >base.yaml
    ends 2 'that file is read, too' "$kanon" anonymize --job base.yaml -o "$out" --quiet --force
    ln r.db link.db
    ends 2 'that file is read, too' "$kanon" anonymize --job base.yaml -o 'duckdb:link.db?schema=release' --quiet --force
    rm link.db
    sed '1s/sex/AGE/' people.csv >p.csv
    sed 's/people.csv/p.csv/; s/sex:/AGE:/' job.yaml >named.yaml
    ends 2 "does not tell columns 'age' and 'AGE'" "$kanon" anonymize --job named.yaml -o "$out" --quiet --force
    sql "ATTACH 'o.db' AS o" 'CREATE SCHEMA o.source'
    "$kanon" anonymize --job base.yaml -o 'duckdb:o.db?schema=source' --quiet || fail "into another file"
    ends 0 verified "$kanon" verify 'duckdb:o.db?schema=source' --job base.yaml
    ;;
esac
is_clean 'at the end'
echo "all as it should be"
