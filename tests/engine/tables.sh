#!/usr/bin/env bash
# Several tables of a PostgreSQL database, in one job: the release has the rows that the same tables have as
# CSV, in an order that says nothing, and verify counts it.
#   tables.sh KANON
set -euo pipefail
kanon=$(realpath "$1")
. "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/postgres_server.sh"
work=$(mktemp -d)
trap 'pg_stop; rm -rf "$work"' EXIT
cd "$work"
pg_start
fail() {
    echo "FAILED: $*" >&2
    exit 1
}

awk 'BEGIN {
    srand(41)
    print "age,sex,id,note" > "people.csv"
    print "ward,day,stay,id" > "stays.csv"
    print "code,stay,dose" > "codes.csv"
    for (i = 0; i < 400; i++) {
        printf "%d,%s,%d,%s\n", 30 + rand() * 20, rand() < .5 ? "F" : "M", 1000 + (i * 7919) % 400,
               rand() < .1 ? "" : "n" int(rand() * 5) > "people.csv"
        for (j = rand() * 3; j > 1; j--) {
            printf "%s,2024-0%d-1%d,%d,%d\n", rand() < .5 ? "A" : "B", 1 + rand() * 9, rand() * 9,
                   ++stay, 1000 + (i * 7919) % 400 > "stays.csv"
            for (c = rand() * 2; c > 1; c--)
                printf "%s,%d,%.1f\n", rand() < .5 ? "x" : "y", stay, int(rand() * 2) / 2 > "codes.csv"
        }
    }
}'
pg_sql <<END
CREATE TABLE people (age integer, sex text, id integer, note text);
\\copy people FROM 'people.csv' (FORMAT csv, HEADER)
CREATE TABLE stays (ward text, day date, stay integer, id integer);
\\copy stays FROM 'stays.csv' (FORMAT csv, HEADER)
CREATE TABLE codes (code text, stay integer, dose numeric(4, 1));
\\copy codes FROM 'codes.csv' (FORMAT csv, HEADER)
END
job() {
    cat <<END
tables:
  people: {input: '$(printf "$1" people)', key: id, qi: {age: "intervals:10", sex: suppress}, keep: [note]}
  stays:
    {input: '$(printf "$1" stays)', key: stay, of: people, qi: {ward: suppress}, keep: [day],
     shift-dates: [day]}
  codes: {input: '$(printf "$1" codes)', of: stays, sensitive: [code], keep: [dose]}
within: 30
k: 4
suppress: 20%
END
}
job '%s.csv' >files.yaml
job "postgres://127.0.0.1:$pg_port/postgres?table=%s" >base.yaml
printf 'a secret of sixteen or more bytes' >key
chmod 600 key

"$kanon" anonymize --job files.yaml -o files --key key --quiet
"$kanon" anonymize --job base.yaml -o base --key key 2>notes >summary
grep -q 'order of the input' notes && fail "a database has no order"
for table in people stays codes; do
    cmp <(sort "files/$table.csv") <(sort "base/$table.csv") || fail "rows of $table"
done
"$kanon" verify base --job base.yaml --key key --quiet || fail "verify with the key"
"$kanon" verify files --job files.yaml --key key --quiet || fail "verify of files"
"$kanon" anonymize --job base.yaml -o again --key key --quiet
diff -r base again || fail "the same secret gives another order"

# Where all is hidden, the order of what was read must not be seen: the least age would come first.
sed 's/, shift-dates.*//; s/shift-dates: \[day\]//; /^within/d' base.yaml >plain.yaml
"$kanon" anonymize --job plain.yaml -o plain --level age=2 --quiet
"$kanon" anonymize --job plain.yaml -o plain2 --level age=2 --quiet
! cmp -s <(cut -d, -f2,4 plain/people.csv) <(cut -d, -f2,4 plain2/people.csv) ||
    fail "without a secret of its own the order is always the same"
status=0
"$kanon" verify plain --job plain.yaml >said 2>&1 || status=$?
[[ $status == 1 ]] && grep -q 'only be told with --key' said || fail "verify without the key: $status"

# A report and a workbook, and hashes of files alone.
"$kanon" anonymize --job base.yaml -o book.xlsx --key key --report page.html --hash-key key --quiet ||
    fail "a report of a workbook"
"$kanon" verify book.xlsx --job base.yaml --key key --quiet || fail "the workbook"
grep -q 'postgres' page.html || fail "the page does not say where the tables are"

# Without keys: rows are shuffled, and counted in any order.
sed 's/of: people, /&drop: [stay, id], /; s/of: stays, /&drop: [stay], /; s/key: id, /&drop: [id], /' plain.yaml >keyless.yaml
"$kanon" anonymize --job keyless.yaml -o keyless --quiet || fail "without keys"
"$kanon" verify keyless --job keyless.yaml --quiet || fail "verify without keys"

# What is changed is found, and what is not there is no table.
sed -i '2s/,F,/,M,/; t; 2s/,M,/,F,/' base/people.csv
"$kanon" verify base --job base.yaml --key key --quiet >said 2>&1 && fail "a changed row"
sed 's/table=codes/table=nothing/' base.yaml >none.yaml
status=0
"$kanon" anonymize --job none.yaml -o none --key key --quiet 2>said || status=$?
[[ $status == 2 && ! -e none ]] || fail "a table that is not there: $status"
status=0
"$kanon" anonymize --job base.yaml -o "postgres://127.0.0.1:$pg_port/postgres?table=out" --key key \
    --quiet 2>said || status=$?
[[ $status == 2 ]] && grep -q 'schema=NAME' said || fail "a release in one table: $(cat said)"
echo "all as it should be"
