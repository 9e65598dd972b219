#!/usr/bin/env bash
# A release of a table in a database as a file: the order of its rows says nothing of the values that they hide. Two tables
# whose rows swapped ages within each group have the same release, byte for byte (mondrian makes other groups of them).
#   order.sh KANON
set -euo pipefail
kanon=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
cd "$work"
# shellcheck source=tests/engine/postgres_server.sh
. "$here/postgres_server.sh"
trap 'pg_stop; rm -rf "$work"' EXIT
pg_start

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

pg_sql <<END
CREATE TABLE people AS SELECT (20 + i)::text AS age, (i * 7 % 63)::text AS ill FROM generate_series(0, 62) AS i;
CREATE TABLE swapped AS SELECT (20 + i / 10 * 10 + 9 - i % 10)::text AS age, (i * 7 % 63)::text AS ill FROM generate_series(0, 62) AS i;
END
url() {
    echo "postgres://postgres@127.0.0.1:$pg_port/postgres?table=$1"
}
flags=(--qi age=intervals:10 --sensitive ill --k 5 --suppress 10)
for way in "" "--keep-suppressed" "--algorithm mondrian"; do
    for table in people swapped; do
        # shellcheck disable=SC2086
        "$kanon" anonymize "$(url $table)" "${flags[@]}" $way -o "$table.csv" --force --quiet >said 2>&1 || {
            cat said >&2
            fail "$table $way"
        }
    done
    [[ $way == *mondrian ]] || cmp people.csv swapped.csv >&2 || fail "$way: the order of rows follows from hidden values"
    tail -n +2 people.csv | LC_ALL=C sort -t, -k1,1 -k2,2 | cmp - <(tail -n +2 people.csv) >&2 || fail "$way: rows are not in the order of what they show"
done
"$kanon" anonymize "$(url people)" "${flags[@]}" -o people.csv --force --quiet
"$kanon" verify people.csv --original "$(url people)" "${flags[@]}" >said 2>&1 || {
    cat said >&2
    fail "a release in another order is not verified"
}

# Which mean is of which row is not known then: that is open, and refutes nothing.
"$kanon" anonymize "$(url people)" --qi age,ill --k 5 --algorithm mdav --summary mean -o means.csv --force --quiet
status=0
"$kanon" verify means.csv --original "$(url people)" --qi age,ill --k 5 --summary mean >said 2>&1 || status=$?
((status == 1)) && grep -q 'not checked: the rows stand in another order' said || {
    cat said >&2
    fail "means of rows in another order: status $status"
}

# A release within the database by groups of tuples: rows are stored in the order of what they show, too.
pg_sql <<'END'
CREATE TABLE many AS SELECT i AS id, hashtext(i::text) & 1023 AS age, hashtext('x' || i) & 1023 AS pay FROM generate_series(1, 2000) AS i;
END
"$kanon" anonymize "$(url many)" -o "$(url many_release)" --qi age,pay --keep id --k 5 --algorithm mondrian --quiet >said 2>&1 || {
    cat said >&2
    fail "a release by mondrian in the database"
}
moved=$(pg_sql <<'END'
SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY ctid) AS stored, row_number() OVER (ORDER BY id::text, age, pay) AS shown FROM many_release) AS x WHERE stored <> shown;
END
)
[[ $moved == 0 ]] || fail "$moved rows of a release in the database are not in the order of what they show"
