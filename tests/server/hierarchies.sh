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

# A path outside of the project in the job file is not read.
sed -i 's|age=intervals[^"]*|age=/etc/passwd|' projects/people/kanon.yaml
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
