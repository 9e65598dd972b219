#!/usr/bin/env bash
# Which sheet of a workbook is the table: all are offered with their sizes, whatever they are called, and a first sheet
# that is no table does not end the walk.
source "$(dirname "$0")/harness.sh"

make_workbook() { python3 "${BASH_SOURCE[0]%/*}/../support/make_workbook.py" "$@"; }

printf 'age;sex;zip\n' >people.csv
for i in {1..40}; do echo "$((20 + i % 7));f;8$((i % 5))331"; done >>people.csv
printf 'Hinweis\nStand heute\n' >notes.csv
printf 'Register 2026;\n;\nStand;heute\n' >cover.csv # the value of B3 has no name above it
make_workbook people.csv plain.xlsx
make_workbook people.csv book.xlsx Titel=notes.csv
make_workbook people.csv cover.xlsx "Deckblatt=cover.csv" "Notizen=notes.csv"
rtl=$'\xe2\x80\xae'
make_workbook people.csv hostile.xlsx "first=notes.csv" "<script>alert(1)</script>=notes.csv" "\"' onfocus=alert(1) x='=notes.csv" \
    "${rtl}evil=notes.csv" "first=people.csv" " =notes.csv" $'two\nlines=people.csv' "3=notes.csv"

serve
# One sheet alone is no choice; a sheet that does not say its size is offered all the same.
"$kanon" anonymize people.csv -o one.xlsx --qi age --k 2 -q
upload /projects file one.xlsx
get /p/one/table >page
wait_for one profile
get /p/one/table >page
refuse "Which sheet" "$(cat page)"
upload /projects file plain.xlsx
get /p/plain/table >page
wait_for plain profile
get /p/plain/table >page
expect '<option value="Notizen" selected>Notizen (1 row, 1 column)</option>' "$(cat page)"
expect '<option value="Daten">Daten (it does not say its size)</option>' "$(cat page)"

# A sheet before the table: what it says is shown, and the other is one choice away.
upload /projects file book.xlsx
get /p/book/table >page
wait_for book profile
get /p/book/table >page
expect '<option value="Titel" selected>Titel (1 row, 1 column)</option>' "$(cat page)"
expect '<option value="Daten">Daten (40 rows, 3 columns)</option>' "$(cat page)"
post /p/book/table action=read sheet=Daten
is "$location" /p/book/table
expect "sheet: Daten" "$(cat projects/book/kanon.yaml)"
wait_for book profile
get /p/book/table >page
expect '<option value="Daten" selected>Daten (40 rows, 3 columns)</option>' "$(cat page)"
expect "zip" "$(cat page)"

# A sheet that is no table: its failure names the others, and the page has the field to say which.
upload /projects file cover.xlsx
get /p/cover/table >page
wait_for cover profile
get /p/cover/table >page
expect "failed" "$(cat page)"
expect "Notizen" "$(cat page)"
expect "Daten" "$(cat page)"
expect 'id="s-sheet" name="sheet"' "$(cat page)"
expect "the choice of the sheet reads another sheet" "$(cat page)"
refuse "sheet NAME" "$(cat page)"
expect "/manual/values.html" "$(cat page)"
post /p/cover/table action=read sheet=Daten
wait_for cover profile
get /p/cover/table >page
refuse "failed" "$(cat page)"
expect '<option value="Deckblatt">Deckblatt (2 rows, 2 columns)</option>' "$(cat page)"
expect '<option value="Daten" selected>' "$(cat page)"
"$kanon" anonymize cover.xlsx -o out.csv --qi age --k 1 2>said && fail "the cover was read" || true
expect "--sheet NAME reads another sheet; there are: 'Notizen', 'Daten'" "$(cat said)"

# Names that try to be markup are text; those that no form carries are chosen by their number.
upload /projects file hostile.xlsx
get /p/hostile/table >page
wait_for hostile profile
get /p/hostile/table >page
expect "This workbook has 9 sheets" "$(cat page)"
refuse "<script>alert" "$(cat page)"
refuse "' onfocus" "$(cat page)"
refuse "$rtl" "$(sed 's/value="[^"]*"//g' page)"
expect '&lt;script&gt;alert(1)&lt;/script&gt; (1 row, 1 column)' "$(cat page)"
expect '<option value="5">first (40 rows, 3 columns)</option>' "$(cat page)"
expect '<option value="6">' "$(cat page)"
expect '<option value="7">' "$(cat page)"
for sheet in "<script>alert(1)</script>" "\"' onfocus=alert(1) x='" "${rtl}evil" 5 7; do
    post /p/hostile/table action=read "sheet=$sheet"
    is "$location" /p/hostile/table
    wait_for hostile profile
    get /p/hostile/table >page
    refuse "failed" "$(cat page)"
    refuse "<script>alert" "$(cat page)"
done
expect '<option value="7" selected>' "$(cat page)"
stop
