#!/usr/bin/env bash
# The best answer: what every column becomes, in words, and the rows of the table beside those of the release,
# page by page and without a script. What a page shows of them is what the command makes; whatever values
# and names hold, they are text.
source "$(dirname "$0")/harness.sh"
serve
make_census census

# cells FILE "Rows of the table": a line for each row of that side, its cells with bars between them.
cells() {
    tr '\n' ' ' <"$1" | grep -o "aria-label=\"$2\".*" | sed 's/<\/table>.*//; s/<tr/\n<tr/g' | sed 1,2d |
        sed -E 's/<\/t[hd]>/|/g; s/<span class="soft">\(empty\)<\/span>//g; s/<[^>]*>//g; s/\|[[:space:]]*$//; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&#39;/'"'"'/g; s/&amp;/\&/g'
}

get /p/census/rows >page
wait_for census rows
get /p/census/rows >page
is "$(cells page 'All rows' | head -1)" "1|$(sed -n 2p projects/census/census.csv | tr , '|')"
is "$(cells page 'All rows' | wc -l)" 50
expect "of 2,000" "$(cat page)"
expect "?page=39#all-rows" "$(cat page)"
for asked in page=39 row=1960 row=99999999999999999999999 page=39999; do
    get "/p/census/rows?$asked" >page
    is "$(cells page 'All rows' | tail -1)" "2,000|$(tail -1 projects/census/census.csv | tr , '|')"
done
for asked in page=-1 page=x row=0 row= 'row=%3Cb%3E'; do
    get "/p/census/rows?$asked" >page
    is "$(cells page 'All rows' | head -1)" "1|$(sed -n 2p projects/census/census.csv | tr , '|')"
done

post /p/census/explore do=search
wait_for census answer
wait_for census search
get /p/census/explore >page
is "$status" 200
expect "The best answer" "$(cat page)"
expect "hidden in every row (*)" "$(cat page)"
expect "rows before" "$(tr A-Z a-z <page | sed 's/before and after/rows before/')"
expect "proven: nothing better exists" "$(cat page)"

# The same by the command line: quasi-identifiers first, then what is released, then what is left out.
(cd projects/census && "$kanon" anonymize --job kanon.yaml --keep-suppressed -o again.csv -q)
after() { awk -F, -v row="$1" 'NR == row + 1 { print row "|" $1 "|" $2 "|" $3 "|" $4 "|" $5 "|" $6 "|" $7 }' projects/census/again.csv; }
is "$(head -1 projects/census/again.csv)" "age,gender,race,marital-status,education,occupation,salary-class"
before() { awk -F, -v row="$1" 'NR == row + 1 { print row "|" $1 "|" $2 "|" $3 "|" $5 "|" $4 "|" $8 "|" $9 "|" $6 "|" $7 }' projects/census/census.csv; }
gone=0
for page in 0 1 2 3 4 5 6 7 8 9; do
    get "/p/census/explore?page=$page" >page
    for at in 1 7 50; do
        row=$((page * 50 + at))
        is "$(cells page 'Rows of the table' | sed -n ${at}p)" "$(before "$row")"
        IFS='|' read -r n age gender race marital education occupation salary <<<"$(after "$row")"
        if [[ $age == '*' && $occupation == '*' && $salary == '*' ]]; then
            is "$(cells page 'Rows of the release' | sed -n ${at}p)" "$n|left out"
        else
            is "$(cells page 'Rows of the release' | sed -n ${at}p)" \
                "$n|$age|$gender|$race|$education|$marital|$occupation|$salary||"
        fi
    done
    is "$({ grep -o '<tr class="gone">' page || true; } | wc -l)" "$((2 * $({ grep -o '>left out</td>' page || true; } | wc -l)))"
    gone=$((gone + $({ grep -o '>left out</td>' page || true; } | wc -l)))
done
((gone > 0)) || fail "no row is left out: this tests nothing"
is "$gone" "$(sed -n '2,501p' projects/census/again.csv | grep -c '^\*,\*,\*,\*,\*,\*,\*$')"

# The page that releases it says the same before the button, and afterwards what became of every column.
get /p/census/release >page
expect "<strong><bdi>race</bdi></strong> hidden in every row (*)" "$(cat page)"
expect '<option value="csv" selected>' "$(cat page)"
post /p/census/release pick=best format=csv
wait_for census release
get /p/census/release >page
expect '<dt>coarser</dt><dd><bdi>age</bdi></dd><dt>hidden in every row (*)</dt><dd><bdi>race</bdi>, <bdi>education</bdi></dd>' "$(cat page)"
expect '<dt>left out</dt><dd><bdi>native-country</bdi>, <bdi>work-class</bdi></dd>' "$(cat page)"

# Files that the job names belong to a release: what is only looked at leaves them as they are.
cp projects/census/kanon.yaml before.yaml
printf 'report: mine.html\ncertificate: mine.json\n' >>projects/census/kanon.yaml
for file in html json; do echo mine >projects/census/mine.$file; done
post /p/census/explore do=search
wait_for census answer
wait_for census search
for task in answer search; do expect '"status": "done"' "$(cat projects/census/work/$task.end.json)"; done
post /p/census/explore/pin pin=1-1-1-1 do=pin
wait_for census look-1-1-1-1
for file in html json; do is "$(cat projects/census/mine.$file)" mine; done
cp before.yaml projects/census/kanon.yaml

# So does a picture of regions.
mkdir -p projects/regions/work projects/regions/releases
cp projects/census/census.csv projects/regions/t.csv
printf '%s\n' 'input: t.csv' 'qi: [age, education]' 'others: drop' 'k: 5' 'algorithm: mondrian' 'picture: mine.svg' \
    >projects/regions/kanon.yaml
echo mine >projects/regions/mine.svg
post /p/regions/explore do=search
wait_for regions answer
expect '"status": "done"' "$(cat projects/regions/work/answer.end.json)"
is "$(cat projects/regions/mine.svg)" mine
expect "<svg" "$(cat projects/regions/work/aside.svg)"

# Other settings: what is shown says that it is not of these, and the way back is a search.
post /p/census/promise o.k=7 limit=1 limit-kind=percent
get /p/census/explore >page
expect "settings that have changed since" "$(cat page)"

# Nothing satisfies: there is no answer, and nothing is left of an earlier one.
post /p/census/promise o.k=1500 limit=0 limit-kind=percent
post /p/census/explore do=search quasi.0=age highest.0=2 quasi.1=gender highest.1=0 quasi.2=race quasi.3=education
wait_for census answer
get /p/census/explore >page
refuse "The best answer" "$(cat page)"
refuse "Rows of the release" "$(cat page)"

# Rows that cannot stand beside one another are not shown so.
printf 'shuffle-key: key.txt\n' >>projects/census/kanon.yaml
get /p/census/explore >page
expect "secret order" "$(cat page)"

# A release is offered as a file such as the table is.
mkdir -p projects/sheet
printf 'input: t.XLSX\nqi: age\nk: 2\n' >projects/sheet/kanon.yaml
get /p/sheet/release >page
expect '<option value="xlsx" selected>' "$(cat page)"
is "$(grep -o ' selected' page | wc -l)" 1

# Names and values that mean harm, in a table that is read with settings of its own.
mkdir -p projects/evil/work
{
    printf '"<script>x</script>";"=HYPERLINK(1)";born;pay\n'
    for ((i = 0; i < 60; i++)); do
        printf '"<img src=x onerror=a>";"a""b&amp;%d";%02d.03.1980;1.000,5\n' $((i % 3)) $((1 + i % 5))
    done
} >projects/evil/t.csv
cat >projects/evil/kanon.yaml <<'END'
input: t.csv
date-format: born=%d.%m.%Y
decimal: pay=,
thousands: pay=.
qi: ['<script>x</script>=suppress', '"=HYPERLINK(1)"=suppress', born=date:month]
keep: [pay]
k: 13
END
post /p/evil/explore do=search
wait_for evil answer
wait_for evil search
get /p/evil/explore >page
expect "born</bdi></strong> by month, such as <bdi>1980-03</bdi>" "$(cat page)"
refuse "<script>x" "$(cat page)"
refuse "<img" "$(cat page)"
is "$(cells page 'Rows of the table' | sed -n 1p)" '1|<img src=x onerror=a>|a"b&amp;0|01.03.1980|1.000,5'
expect '1.000,5' "$(cells page 'Rows of the release' | sed -n 1p)"
get /p/evil/rows >page
wait_for evil rows
get /p/evil/rows >page
expect "of 60" "$(cat page)"
refuse "<script>x" "$(cat page)"
refuse "<img" "$(cat page)"

# A file of rows that is not whole, or says what is not so, shows nothing.
cp projects/evil/work/rows.txt good
for size in 0 10 41 100 2000 $(($(stat -c %s good) - 1)); do
    head -c "$size" good | tee projects/evil/work/rows.txt >projects/evil/work/answer-raw.txt
    get /p/evil/rows >page
    is "$status" 200
    expect "cannot be shown" "$(cat page)"
    get /p/evil/explore >page
    is "$status" 200
    refuse "Rows of the release" "$(cat page)"
done
for lie in 's/"rows":60/"rows":6000000/' 's/"rows_of_line":50/"rows_of_line":0/' 's/^{/[/' 's/00000000000000000/99999999999999999/'; do
    sed "$lie" good >projects/evil/work/rows.txt
    get /p/evil/rows >page
    is "$status" 200
    expect "cannot be shown" "$(cat page)"
done
sed 's/^\[\[/{[/' good >projects/evil/work/rows.txt
get /p/evil/rows >page
expect "These rows cannot be shown" "$(cat page)"
rm projects/evil/work/rows.txt
ln -s /etc/passwd projects/evil/work/rows.txt
get /p/evil/rows >page
expect "cannot be shown" "$(cat page)"
stop
