#!/usr/bin/env bash
# The pages of hierarchies: built, drawn, typed as a tree, brought and taken as a file.
source "$(dirname "$0")/harness.sh"

printf '%s\n' 'age,town' '31,Bonn' '32,Kiel' '41,Ulm' '42,Bonn' '33,<i>Rome</i>' '44,Kiel' >people.csv
serve people.csv
get /p/people/table >page
wait_for people profile
get /p/people/columns >page
stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page | head -1)
post /p/people/columns action=save stamp="$stamp" role-1=qi role-2=qi
get /p/people/hierarchies >page
is "$status" 200
wait_for people hierarchy-1
wait_for people hierarchy-2
get /p/people/hierarchies >page
expect "/p/people/hierarchies/2" "$(cat page)"
for n in 0 3 99999999999999999999 x; do
    get "/p/people/hierarchies/$n" >page
    is "$status" 404
done

# A builder: shown first, then saved.
cp projects/people/kanon.yaml before.yaml
post /p/people/hierarchies/1/preview builder=intervals 'intervals=5, 10'
is "$location" '/p/people/hierarchies/1?spec=intervals%3A5%2C10'
wait_for people draft-1
get "$location" >page
expect "30-39" "$(cat page)"
expect "This is not saved" "$(cat page)"
cmp before.yaml projects/people/kanon.yaml || fail "a preview was saved"
post /p/people/hierarchies/1 action=save builder=intervals intervals=5,10 origin=1
expect "age=intervals:5,10@1" "$(cat projects/people/kanon.yaml)"
cp projects/people/kanon.yaml before.yaml
for wrong in builder=intervals builder=nothing 'builder=/etc/passwd' builder=file builder=date builder=tree; do
    post /p/people/hierarchies/1 action=save "$wrong" intervals=0
    expect "wrong=" "$location"
done
post /p/people/hierarchies/1 action=save builder=digits 'digits=../../x'
expect "wrong=" "$location"
post /p/people/hierarchies/1 action=away
is "$status" 400
cmp before.yaml projects/people/kanon.yaml || fail "a wrong form changed something"

# A preview is of what the form says and of nothing else.
get '/p/people/hierarchies/1?spec=/etc/passwd' >page
refuse "root:" "$(cat page)"
get '/p/people/hierarchies/1?spec=hierarchies/../../x' >page
is "$status" 200

# A tree: begun with the values, wrong at first, then saved.
post /p/people/hierarchies/2/preview builder=tree tree=
get "$location" >page
expect "The tree has no lines yet" "$(cat page)"
refuse "does not work yet" "$(cat page)"
post /p/people/hierarchies/2 action=tree-values
is "$location" '/p/people/hierarchies/2?spec=tree&from=made'
wait_for people tree-2
get "$location" >page
refuse "does not work yet" "$(cat page)"
expect "&lt;i&gt;Rome&lt;/i&gt;" "$(cat page)"
refuse "<i>Rome" "$(cat page)"
post /p/people/hierarchies/2/preview builder=tree tree=$'*\r\n  North\r\n    Bonn\r\n    Kiel\r\n  South\r\n    Bonn\r\n    Ulm\r\n'
wait_for people draft-2
get "$location" >page
expect "Line 6" "$(cat page)"
expect "no line for the value" "$(cat page)"
# What was wrong with a draft is not said of another tree.
post /p/people/hierarchies/2 action=tree-values
wait_for people tree-2
get "$location" >page
refuse "does not work yet" "$(cat page)"
post /p/people/hierarchies/2 action=save builder=tree tree=$'*\r\n  North\r\n    Bonn\r\n    Kiel\r\n  South\r\n    <i>Rome</i>\r\n    Ulm'
expect "said=Saved" "$location"
expect "town=hierarchies/c2-town.txt" "$(cat projects/people/kanon.yaml)"
is "$(sed -n 5,7p projects/people/hierarchies/c2-town.txt)" $'  South\n    <i>Rome</i>\n    Ulm'
get /p/people/hierarchies/2 >page
wait_for people hierarchy-2
get /p/people/hierarchies/2 >page
expect "South" "$(cat page)"
get /p/people/hierarchies/2/file >file
cmp file projects/people/hierarchies/c2-town.txt || fail "the file is not the one that was saved"
"$kanon" search --job projects/people/kanon.yaml --k 2 --suppress 50% --quiet || fail "the job does not run"

# A builder written as a file, and a file brought.
get /p/people/hierarchies/1/file >file
is "$status" 404
post /p/people/hierarchies/1 action=export
wait_for people export-1
get /p/people/hierarchies/1/file >file
is "$status" 200
expect "31;31-35;31-40;*" "$(cat file)"
status=$(raw -b jar -H "Origin: $base" -D headers -o body -w '%{http_code}' -F action=import \
    -F 'file=@file;filename="../../../evil.csv"' "$base/p/people/hierarchies/1")
is "$status" 303
expect "age=hierarchies/c1-age.csv" "$(cat projects/people/kanon.yaml)"
cmp file projects/people/hierarchies/c1-age.csv || fail "the file was not kept"
[[ -z $(find . -name 'evil*') ]] || fail "a file of another name"
get /p/people/hierarchies/1 >page
wait_for people hierarchy-1
get /p/people/hierarchies/1 >page
expect "31-40" "$(cat page)"
post /p/people/hierarchies/1 action=tree-now
wait_for people tree-1
get "$location" >page
expect "    31-35" "$(cat page)"

# A column that nothing was chosen for: what would suit it is proposed, and taken by a click.
sed -i 's|age=hierarchies/c1-age.csv|age|' projects/people/kanon.yaml
get /p/people/hierarchies >page
wait_for people hierarchy-1
get /p/people/hierarchies >page
expect "This would suit its values" "$(cat page)"
get /p/people/hierarchies/1 >page
expect "This would suit its values" "$(cat page)"
post /p/people/hierarchies/1 action=take spec=/etc/passwd
expect "wrong=" "$location"
post /p/people/hierarchies/1 action=take spec="$(sed -n 's/.*name="spec" value="\([^"]*\)".*/\1/p' page | head -1)"
expect "said=Saved" "$location"
expect "age=intervals:" "$(cat projects/people/kanon.yaml)"

# The strip of the list: levels are changed, added and taken away in place, and come in their order.
strip() { # strip COLUMN WAS WAY FIELD...
    post "/p/people/hierarchies/$1" action=strip was="$2" way="$3" "${@:4}"
}
spec_of() { sed -n "s/^ *- *\"\{0,1\}$1=\([^\"]*\)\"\{0,1\}$/\1/p" projects/people/kanon.yaml; }
was=$(spec_of age)
strip 1 "$was" intervals step=10 step= step=5 origin=
expect "/p/people/hierarchies?said=Saved." "$location"
is "$(spec_of age)" intervals:5,10
get /p/people/hierarchies >page
wait_for people hierarchy-1
get /p/people/hierarchies >page
expect 'class="strip"' "$(cat page)"
expect '<bdi>30-39</bdi>' "$(tr -d '\n' <page)"
cp projects/people/kanon.yaml before.yaml
strip 1 intervals:5,10 intervals step=5 step=7
expect "does%20not%20divide" "$location"
for wrong in 0 -5 5x '<b>' 1e3 99999999999999999999; do
    strip 1 intervals:5,10 intervals step="$wrong"
    expect "wrong=" "$location"
done
strip 1 intervals:5,10 intervals step=5 origin=x
expect "wrong=" "$location"
strip 1 intervals:5 intervals step=5
expect "changed%20in%20the%20meantime" "$location"
strip 1 intervals:5,10 /etc/passwd step=5
expect "wrong=" "$location"
strip 1 intervals:5,10 age step=5
expect "said=" "$location"
cmp -s before.yaml projects/people/kanon.yaml && fail "another way was not taken"
strip 1 "$(spec_of age)" intervals
is "$(spec_of age)" intervals:2,10
strip 1 intervals:2,10 intervals step= step=5.5 step=11 origin=-3
is "$(spec_of age)" intervals:5.5,11@-3
strip 1 intervals:5.5,11@-3 intervals step=
is "$(spec_of age)" suppress

# Dates: parts of the calendar, and ages on a day.
printf '%s\n' 'born' 1936-05-14 1936-05-14 1980-02-29 2000-12-31 1999-01-01 >born.csv
upload /projects file born.csv
get /p/born/table >page
wait_for born profile
get /p/born/columns >page
post /p/born/columns action=save stamp="$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page | head -1)" role-1=qi
expect "born=suppress" "$(cat projects/born/kanon.yaml)"
post /p/born/hierarchies/1 action=strip was=suppress way=date
expect "born=date:month,year" "$(cat projects/born/kanon.yaml)"
get /p/born/hierarchies >page
wait_for born hierarchy-1
get /p/born/hierarchies >page
expect "changes nothing" "$(cat page)"
post /p/born/hierarchies/1 action=strip was=date:month,year way=date step=decade step=year step=five-years step=year
expect "born=date:year,five-years,decade" "$(cat projects/born/kanon.yaml)"
get /p/born/hierarchies >page
wait_for born hierarchy-1
get /p/born/hierarchies >page
expect "<bdi>1935-1939</bdi>" "$(cat page)"
post /p/born/hierarchies/1 action=strip was=date:year,five-years,decade way=date step=week step=year
expect "only%20level" "$location"
post /p/born/hierarchies/1 action=strip was=date:year,five-years,decade way=age
expect "born=age:1,5,10@2000-12-31" "$(cat projects/born/kanon.yaml)"
get /p/born/hierarchies >page
wait_for born hierarchy-1
get /p/born/hierarchies >page
expect "<bdi>64</bdi>" "$(cat page)"
expect 'value="2000-12-31"' "$(cat page)"
post /p/born/hierarchies/1 action=strip was=age:1,5,10@2000-12-31 way=age step=5 day=2025-06-30
expect "born=age:5@2025-06-30" "$(cat projects/born/kanon.yaml)"
for day in 2025 tomorrow '2025-06-30"' ''; do
    post /p/born/hierarchies/1 action=strip was=age:5@2025-06-30 way=age step=5 day="$day"
    expect "wrong=" "$location"
done
post /p/born/hierarchies/1 action=save builder=age age=5,10 day=2025-12-31
expect "born=age:5,10@2025-12-31" "$(cat projects/born/kanon.yaml)"
"$kanon" search --job projects/born/kanon.yaml --k 2 --suppress 60% --quiet || fail "the job does not run"

# A path outside of the project in the job file is not read.
sed -i 's|age=suppress|age=/etc/passwd|' projects/people/kanon.yaml
expect "age=/etc/passwd" "$(cat projects/people/kanon.yaml)"
get /p/people/hierarchies/1 >page
refuse "root:" "$(cat page)"

# Nor is one with an equals sign in its name: no command is started that would.
mkdir -p projects/equals/work
printf 'age\n30\n30\n41\n41\n' >projects/equals/t.csv
printf 'input: t.csv\nqi: ["age=/etc/out=side.csv"]\nk: 2\n' >projects/equals/kanon.yaml
get /p/equals/table >/dev/null
get /p/equals/tasks/profile/events >/dev/null
is "$status" 404
sed -i 's|/etc/out|out|' projects/equals/kanon.yaml
get /p/equals/table >/dev/null
get /p/equals/tasks/profile/events >/dev/null
is "$status" 200
stop
