#!/usr/bin/env bash
# The page of the table: what it holds, how it is read, and how to say otherwise.
source "$(dirname "$0")/harness.sh"

"$kanon" generate census --rows 500 -o people.csv --quiet
serve people.csv
get /p/people/table >page
is "$status" 200
wait_for people profile
get /p/people/table >page
expect "First rows" "$(cat page)"
expect "Columns" "$(cat page)"
expect "raw values: for those who may see the table" "$(cat page)"
expect "native-country" "$(cat page)"
expect "Suggested: quasi-identifier" "$(cat page)"
expect "Which columns together single people out" "$(cat page)"
expect "kanon profile --job kanon.yaml" "$(cat page)"

# Settings of reading: saved, and looked at again; what is wrong changes nothing.
cp projects/people/kanon.yaml before.yaml
post /p/people/table action=read separator=ab
is "$status" 303
expect "wrong=" "$location"
cmp before.yaml projects/people/kanon.yaml || fail "a wrong separator was saved"
post /p/people/table action=read 'date-format=%Q'
expect "wrong=" "$location"
cmp before.yaml projects/people/kanon.yaml || fail "a wrong format was saved"
post /p/people/table action=nothing
is "$status" 400
post /p/people/table action=read separator=, missing=$'NA\r\nage=-9,99\r\n' encoding=utf-8
is "$location" /p/people/table
expect "age=-9,99" "$(cat projects/people/kanon.yaml)"
wait_for people profile
get /p/people/table >page
expect "Which columns together" "$(cat page)"
expect "age=-9,99" "$(cat page)"
post /p/people/table action=read separator= missing= encoding=
refuse "missing" "$(cat projects/people/kanon.yaml)"

# A table that cannot be read: the page says why, and has the form to say otherwise.
printf 'a,b\n1,2\n1,2,3\n' >ragged.csv
upload /projects file ragged.csv
get /p/ragged/table >page
wait_for ragged profile
get /p/ragged/table >page
expect "failed" "$(cat page)"
expect "<details open>" "$(cat page)"

# What was found becomes settings when asked.
{
    echo 'income;born'
    for i in $(seq 10 60); do echo "1$i,5;$((i % 28 + 1)).0$((i % 9 + 1)).19$i"; done
    echo 'NA;31.12.1999'
} >german.csv
upload /projects file german.csv
get /p/german/table >page
wait_for german profile
get /p/german/table >page
expect "How the table is written" "$(cat page)"
expect "Yes, read it like this" "$(cat page)"
post /p/german/table action=found
expect "decimal" "$(cat projects/german/kanon.yaml)"
expect "missing" "$(cat projects/german/kanon.yaml)"
expect "%d.%m.%Y" "$(cat projects/german/kanon.yaml)"
wait_for german profile
get /p/german/table >page
refuse "Yes, read it like this" "$(cat page)"

# The same as choices, each by what a value becomes: what was found is chosen, and what is chosen is a setting of that
# column alone. Formats are values of the form, and stand nowhere to be read.
ways() { tr '\n' ' ' <page | sed 's/<section/\n<section/g' | grep 'id="ways"'; }
chosen() { ways | sed 's/<select/\n<select/g' | grep "name=\"way-$1\"" | sed 's/<\/select>.*//' | grep -o 'selected>[^<]*' | sed 's/.*>//' || true; }
is "$(chosen 1)" "1234,5 → one thousand two hundred thirty-four and a half"
is "$(chosen 2)" "14.03.1980 → 14 March 1980"
refuse "%" "$(ways)"
cp projects/german/kanon.yaml before.yaml
stamp=$(ways | sed 's/.*name="stamp" value="\([0-9]*\)".*/\1/')
german() {
    post /p/german/table action=ways "stamp=$stamp" "$@"
    is "$location" /p/german/table
    wait_for german profile
    get /p/german/table >page
}
german way-1=n0 way-2=d1 missing-1=NA missing-2=
cmp before.yaml projects/german/kanon.yaml || fail "the same choices changed something"
german way-1=n1 way-2=d4 missing-1=NA,-9 missing-2= separator=';' encoding=latin1
expect $'decimal:\n  - "income=,"\n' "$(cat projects/german/kanon.yaml)"
expect $'thousands:\n  - income=.\n' "$(cat projects/german/kanon.yaml)"
expect "born=%m/%d/%Y" "$(cat projects/german/kanon.yaml)"
expect "income=NA,-9" "$(cat projects/german/kanon.yaml)"
expect "latin1" "$(cat projects/german/kanon.yaml)"
is "$(chosen 2)" "03/14/1980 → 14 March 1980 (month first)"
german way-1= way-2= missing-1= missing-2= encoding= separator=
refuse "born" "$(cat projects/german/kanon.yaml)"
refuse "income" "$(cat projects/german/kanon.yaml)"
# Ways that no choice has are kept; what is no way changes nothing; a form of another table does not, either.
post /p/german/table action=read 'date-format=born=%d.%m.%Y@'
post /p/german/table action=read 'date-format=born=%y/%d/%m@1950'
wait_for german profile
get /p/german/table >page
is "$(chosen 2)" "in another way, as the settings say"
german way-2== way-1=n0
expect "born=%y/%d/%m@1950" "$(cat projects/german/kanon.yaml)"
cp projects/german/kanon.yaml before.yaml
for wrong in d99 n5 d d1x x1 d-1 '<b>'; do
    german "way-2=$wrong"
    cmp before.yaml projects/german/kanon.yaml || fail "$wrong changed something"
done
stamp=1 german way-2=d1
cmp before.yaml projects/german/kanon.yaml || fail "the form of another table was taken"
post /p/german/table action=read date-format= decimal=
wait_for german profile

# What marks missing values is a choice of what was found, each with what it would do; another code is written as it
# stands in the cells. Values that were not understood are listed with their rows.
{
    echo 'age,income,name'
    for ((i = 1; i <= 300; i++)); do
        age=$((i % 80)) income=$((i * 10)) name=n$i
        ((i % 17)) || income=NA
        ((i != 8)) || age=-99
        ((i != 19 && i != 40)) || age='n.v.,"x"'
        ((i != 25)) || age='<b>1</b>'
        ((i != 30)) || name='=1'
        echo "\"${age//\"/\"\"}\",$income,$name"
    done
} >codes.csv
upload /projects file codes.csv
get /p/codes/table >page
wait_for codes profile
# options NUMBER: the choices for missing values of a column
options() { sed -n "s/.*name=\"missing-$1\">\(.*\)<label class=\"off\" for=\"code-$1\".*/\1/p" page; }
get /p/codes/table >page
expect 'selected>NA → missing, in 17 rows</option>' "$(options 2)"
expect '<option value="&quot;n.v.,&quot;&quot;x&quot;&quot;&quot;">n.v.,&quot;x&quot; → missing, in 2 rows' "$(options 1)"
expect '>-99 → missing, in 1 row</option>' "$(options 1)"
refuse "empty cells" "$(options 2)" # NA is found again where nothing is said
expect 'Values that were not understood' "$(cat page)"
expect '&lt;b&gt;1&lt;/b&gt;' "$(cat page)"
refuse "<b>1</b>" "$(cat page)"
expect '<td class="n">2</td><td class="n"><a href="/p/codes/rows?row=19">19</a>' "$(cat page)"
refuse "--missing" "$(cat page)"
get "/p/codes/rows?row=19" >page
is "$status" 200
get /p/codes/table >page
codes() {
    post /p/codes/table action=ways "stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page)" "$@"
    is "$location" /p/codes/table
    wait_for codes profile
    get /p/codes/table >page
}
codes way-1= missing-1= code-1='n.v.,"x"' missing-2=NA missing-3=
expect "- \"income=NA\"" "$(sed 's/- income=NA/- "income=NA"/' projects/codes/kanon.yaml)"
expect 'selected>&quot;n.v.,&quot;&quot;x&quot;&quot;&quot; → missing, in 2 rows' "$(options 1)"
expect 'empty cells, and what is found by looking' "$(options 1)"
refuse "n.v" "$(sed -n '/id="odd"/,/<\/section>/p' page)"
codes way-1= missing-1='"n.v.,""x""",-99,<b>1</b>' missing-2=NA
refuse 'id="odd"' "$(cat page)"
expect "read as number" "$(cat page)"
expect 'in 4 rows' "$(options 1)"
# What cannot be a code of one line is refused, with the reason, and changes nothing.
cp projects/codes/kanon.yaml before.yaml
for code in "$(printf 'x%.0s' {1..40})" $'a\nb' $'a\tb'; do
    post /p/codes/table action=ways "stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page)" \
        missing-3= "code-3=$code" code-2=M missing-1=-99 missing-2=NA
    expect "wrong=A%20code%20for%20a%20missing%20value" "$location"
done
cmp before.yaml projects/codes/kanon.yaml || fail "a code that is none changed something"

# Names and values that try to be markup.
long=$(printf 'x%.0s' {1..10000})
rtl=$'\xe2\x80\xae'
{
    echo "<script>alert(1)</script>,\"a\"\"b&c\",$long,=1+1"
    for i in 1 2 3; do
        echo "<img src=x onerror=alert(1)>,\"'; --\",$long,${rtl}evil"
        echo "$i,</td></table>,b,\"=cmd|' /C calc'!A0\""
    done
} >hostile.csv
upload /projects file hostile.csv
get /p/hostile/table >page
wait_for hostile profile
get /p/hostile/table >page
is "$status" 200
expect "&lt;script&gt;alert(1)&lt;/script&gt;" "$(cat page)"
refuse "<script>alert" "$(cat page)"
refuse "<img src" "$(cat page)"
refuse "</td></table>," "$(cat page)"
refuse "$rtl" "$(cat page)"
((10#$(wc -c <page) < 100000)) || fail "a long value is not cut"

# What was found of a table with very many columns is shown; where even that is too much, it is said, and the
# table is not read again and again.
printf '%17000000s' '' >>projects/hostile/work/profile.json
get /p/hostile/table >page
expect "&lt;script&gt;alert(1)&lt;/script&gt;" "$(cat page)"
truncate -s 70000000 projects/hostile/work/profile.json
for page in table columns; do
    get "/p/hostile/$page" >page
    is "$status" 200
    expect "too large to be shown here" "$(cat page)"
    refuse "is being read" "$(cat page)"
done
is "$(stat -c %s projects/hostile/work/profile.json)" 70000000
post /p/hostile/table action=again
wait_for hostile profile
get /p/hostile/table >page
refuse "too large to be shown here" "$(cat page)"
stop
