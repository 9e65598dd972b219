#!/usr/bin/env bash
# A database behind ODBC that nobody knows: SQLite's driver under another name (odbc_other.c). It is asked how it
# compares texts, and its tables are read as the same rows of a file are; none is made in it.
#   odbc_other.sh KANON CC
# Without SQLite's driver: skipped (77).
set -euo pipefail
kanon=$(realpath "$1") cc=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for driver in /usr/lib/*/odbc/libsqlite3odbc.so /usr/lib64/libsqlite3odbc.so none; do
    [[ ! -e $driver ]] || break
done
if [[ $driver == none ]]; then
    echo "skipped: SQLite's ODBC driver is not installed (Debian: libsqliteodbc)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

"$cc" -shared -fPIC -o other.so "$here/odbc_other.c" -Wl,--no-as-needed "$driver" -Wl,-rpath,"$(dirname "$driver")" -ldl
python3 - <<'END'
import csv, sqlite3
rows = [(str(20 + i % 9), "mf"[i % 2], ("flu", "Flu", "cold ", "it's", "ü", "")[i * 7 % 6]) for i in range(200)]
line = sqlite3.connect("people.db")
line.execute('CREATE TABLE people (age INTEGER, "the ""sex""" TEXT, ill TEXT)')
line.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
line.commit()
with open("people.csv", "w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows([("age", 'the "sex"', "ill")] + rows)
END
at="odbc:Driver=$work/other.so;Database=$work/people.db;table=people"
flags=(--qi age=intervals:3,9 --qi 'the "sex"=suppress' --sensitive ill --k 5 --l 2 --quiet)
"$kanon" anonymize people.csv -o file.csv "${flags[@]}"
"$kanon" anonymize "$at" -o table.csv "${flags[@]}"
diff <(sort file.csv) <(sort table.csv) >&2 || fail "the rows differ"

refused() { # words, of kanon
    local words=$1 status=0
    shift
    "$@" >said 2>&1 || status=$?
    ((status == 2)) && grep -q -- "$words" said || { cat said >&2; fail "$words: status $status"; }
}
refused 'none is made in it' "$kanon" anonymize "$at" -o "odbc:Driver=$work/other.so;Database=$work/people.db;table=made" "${flags[@]}"
refused 'Quaxi "DB".* does not compare texts by their bytes (upper and lower case are one)' \
    env KANON_TEST_NOCASE=1 "$kanon" search "$at" "${flags[@]}"
refused 'no place for\|needs\|need a database' "$kanon" search "$at" --qi age=intervals:3,9 --k 5 --counting engine
[[ $(python3 -c 'import sqlite3; print(*sqlite3.connect("people.db").execute("SELECT name FROM sqlite_master"))') == "('people',)" ]] ||
    fail "something was made"
echo "read as a file is, and asked before"
