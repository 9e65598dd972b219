#!/usr/bin/env bash
# Tables of PostgreSQL: a name without a schema is the table that the server finds by it, so that a release
# beside the input is made, and none takes its place; and what is kept of types that have no text is verified.
#   postgres_names.sh KANON
set -euo pipefail
kanon=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/postgres_server.sh"
work=$(mktemp -d)
trap 'pg_stop; rm -rf "$work"' EXIT
cd "$work"
pg_start
base=postgres://postgres@127.0.0.1:$pg_port/postgres

fail() {
    echo "FAILED: $*" >&2
    cat said >&2 || true
    exit 1
}

# release STATUS INPUT OUTPUT [FLAGS]
release() {
    local wanted=$1 status=0
    "$kanon" anonymize "$base?table=$2" -o "$base?table=$3" --qi age=intervals:5,10 --qi town=suppress --k 5 -q "${@:4}" \
        >said 2>&1 || status=$?
    ((status == wanted)) || fail "$2 to $3: status $status instead of $wanted"
    [[ $(echo 'SELECT count(*) FROM public.people' | pg_sql) == 3000 ]] || fail "$2 to $3: the input has changed"
    [[ $status != 2 ]] || grep -qE 'this is the input|is the input itself' said || fail "$2 to $3: another reason"
}

pg_sql <<'END'
CREATE TABLE people (age integer, town text);
INSERT INTO people SELECT 20 + i % 50, 'town ' || i % 9 FROM generate_series(1, 3000) i;
CREATE SCHEMA release;
CREATE SCHEMA other;
END
release 0 people release.people
release 0 people release.people --force
release 0 people other.people
release 2 people people --force
release 2 people public.people --force
release 2 public.people people --force
release 2 public.people public.people --force
echo 'DROP TABLE release.people' | pg_sql
# Where the release would be found under the name of the input, nobody could verify it any more.
export PGOPTIONS='-c search_path=release,public'
release 2 people release.people
release 2 public.people people
export PGOPTIONS='-c search_path=release'
release 0 public.people people
unset PGOPTIONS
[[ $(echo 'SELECT count(*) FROM release.people' | pg_sql) == 3000 ]] || fail "no release by the search_path"
echo "ok: schemas"

# ---- types that have no text -----------------------------------------------------------------------

pg_sql <<'END'
CREATE TABLE odd (age integer, tags text[], floats float8[], doc jsonb, raw json, wait interval, bytes bytea, x xml);
INSERT INTO odd SELECT 20 + i % 20, CASE i % 3 WHEN 0 THEN ARRAY['a,b'] WHEN 1 THEN ARRAY['a', 'b'] END,
    ARRAY[i * 0.1, NULL], jsonb_build_object('n', i % 4), '{"a" : 1}', CASE i % 2 WHEN 0 THEN interval '1 day' ELSE '24:00' END,
    CASE i % 3 WHEN 0 THEN '' WHEN 1 THEN '\x00ff'::bytea END, '<a/>' FROM generate_series(1, 300) i;
END
kept=(--qi age=intervals:5,10 --k 5 --keep tags,floats,doc,raw,wait,bytes,x)
"$kanon" anonymize "$base?table=odd" -o "$base?table=odd_release" "${kept[@]}" >said || fail "no release of odd types"
ln -s "$kanon" kanon
sed -n 's/^next: //p' said >next.sh
PATH=$work:$PATH bash next.sh >said 2>&1 || fail "what is told to be next fails"
grep -q 'odd_release: verified' said || fail "not verified"
# What was changed in any of them is found out; what is equal, and shown in another way, is a change.
number=0
for change in "tags = '{a,b,c}'" "tags = '{\"a,b\"}'" "floats = '{0.5}'" "doc = '{}'" "raw = '{\"a\": 1}'" "wait = '24:00'" \
    "bytes = NULL" "x = '<b/>'"; do
    number=$((number + 1))
    pg_sql <<<"CREATE TABLE odd_$number AS TABLE odd_release;
        UPDATE odd_$number SET $change WHERE ctid = (SELECT min(ctid) FROM odd_$number WHERE age = 22 AND
        tags = '{a,b}')"
    status=0
    "$kanon" verify "$base?table=odd_$number" --original "$base?table=odd" "${kept[@]}" -q >said 2>&1 || status=$?
    ((status == 3)) || fail "$change: status $status"
done
# Nobody is counted by them.
for role in --qi --sensitive --person; do
    status=0
    "$kanon" verify "$base?table=odd_release" --original "$base?table=odd" --qi age=intervals:5,10 $role wait --k 2 -q >said 2>&1 ||
        status=$?
    ((status == 2)) || fail "$role wait: status $status"
    grep -q 'which kanon cannot turn into text' said || fail "$role wait: another reason"
done
echo "ok: arrays, JSON, intervals and bytes"

# ---- what a table has beside its rows outlives --force ------------------------------------------------

pg_sql <<'END'
SET client_min_messages = warning;
CREATE ROLE "read er" LOGIN; CREATE ROLE owner; CREATE ROLE hidden;
CREATE TABLE guests AS SELECT 20 + i % 30 AS age, 'town ' || i % 3 AS town, CASE WHEN i % 7 > 0 THEN 'x' END AS ill
    FROM generate_series(1, 300) i;
CREATE TABLE guests_release (age text NOT NULL, town text NOT NULL UNIQUE, ill text NOT NULL, gone text NOT NULL);
COMMENT ON TABLE guests_release IS 'it''s; DROP TABLE guests;--';
COMMENT ON COLUMN guests_release.age IS $$years "old" \n$$;
COMMENT ON COLUMN guests_release.gone IS 'no more';
CREATE INDEX "by; age" ON guests_release (age, town);
CREATE INDEX by_gone ON guests_release (gone);
GRANT SELECT ON guests_release TO "read er", PUBLIC;
GRANT UPDATE (ill) ON guests_release TO "read er";
ALTER TABLE guests_release OWNER TO owner;
END
guests=("$kanon" anonymize "$base?table=guests" -o "$base?table=guests_release" --qi age=intervals:5,10 --qi town=suppress
        --sensitive ill --k 5 --force)
"${guests[@]}" >said 2>&1 || { cat said >&2; fail "--force"; }
has() { # what, SQL, wanted
    local got
    got=$(pg_sql <<<"$2")
    [[ $got == "$3" ]] || { cat said >&2; fail "--force: $1 is '$got' and not '$3'"; }
}
has 'the comment' "SELECT obj_description('guests_release'::regclass)" "it's; DROP TABLE guests;--"
has 'the comment of a column' "SELECT col_description('guests_release'::regclass, 1)" 'years "old" \n'
has 'NOT NULL' "SELECT string_agg(attname, ',' ORDER BY attname) FROM pg_attribute WHERE attrelid = 'guests_release'::regclass AND attnotnull AND attnum > 0" age,town
has 'an index' "SELECT string_agg(indexname, ',') FROM pg_indexes WHERE tablename = 'guests_release'" 'by; age'
has 'the owner' "SELECT tableowner FROM pg_tables WHERE tablename = 'guests_release'" owner
has 'a grant' "SELECT has_table_privilege('read er', 'guests_release', 'SELECT'), has_table_privilege('hidden', 'guests_release', 'SELECT'),
    has_table_privilege('read er', 'guests_release', 'UPDATE'), has_column_privilege('read er', 'guests_release', 'ill', 'UPDATE')" 't|t|f|t'
has 'the rows' 'SELECT count(*) FROM guests_release' 300
grep -q 'the release cannot have it: ALTER TABLE public.guests_release ALTER COLUMN ill SET NOT NULL' said ||
    { cat said >&2; fail 'what cannot be kept is not noted'; }
# Whom policies hid rows from is not let in without them.
pg_sql <<<"ALTER TABLE guests_release ENABLE ROW LEVEL SECURITY"
"${guests[@]}" >said 2>&1 || { cat said >&2; fail "--force, policies"; }
has 'a grant under policies' "SELECT has_table_privilege('hidden', 'guests_release', 'SELECT')" f
echo "ok: comments, NOT NULL, indexes, grants and the owner outlive --force"
