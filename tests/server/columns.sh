#!/usr/bin/env bash
# The page of the columns: nothing is decided before it is saved, and what is saved is all of it.
source "$(dirname "$0")/harness.sh"

"$kanon" generate census --rows 500 -o people.csv --quiet
serve people.csv
get /p/people/table >page
wait_for people profile
get /p/people/columns >page
is "$status" 200
expect "Nothing is decided until you save" "$(cat page)"
refuse "qi" "$(cat projects/people/kanon.yaml)"
stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page | head -1)

# age gender race marital-status education native-country work-class occupation salary-class
post /p/people/columns action=save stamp="$stamp" role-1=qi role-2=keep role-3=drop role-4= role-5=sensitive \
    role-6=id role-7=qi role-8=keep role-9=sensitive class=8 person=6
is "$location" "/p/people/columns?said=Saved."
job=$(cat projects/people/kanon.yaml)
expect "age=intervals:5,10,20" "$job"
expect "work-class=suppress" "$job"
expect $'keep:\n  - gender\n' "$(tr '\n' '~' <<<"$job" | sed 's/~/\n/g')"
is "$(sed -n '/^class:/p' projects/people/kanon.yaml)" "class: occupation"
is "$(sed -n '/^person:/p' projects/people/kanon.yaml)" "person: native-country"
refuse marital-status "$job"
get /p/people/columns >page
# kept PAGE: what is said to be released unchanged
kept() { tr '\n' ' ' <"$1" | sed 's/.*<h2>Released unchanged//; s/<\/section>.*//'; }
expect "Released unchanged" "$(cat page)"
expect "gender" "$(kept page)"
expect "occupation" "$(kept page)" # the class
refuse "work-class" "$(kept page)"
expect "Now: identifies the person" "$(cat page)"

# Sampling weights are chosen beside the roles, and may be kept, too.
post /p/people/columns action=save stamp="$stamp" role-1=qi role-2=qi role-3=keep role-4=sensitive \
    sampling-weight=3
is "$(sed -n '/^sampling-weight:/p' projects/people/kanon.yaml)" "sampling-weight: race"
expect $'keep:\n  - race\n' "$(cat projects/people/kanon.yaml)"
get /p/people/columns >page
chosen() { tr '\n' ' ' <"$1" | sed 's/<select/\n<select/g' | grep "name=\"role-$2\"" | sed 's/<\/select>.*//' | grep -o 'value="[a-z-]*" selected' || true; }
is "$(chosen page 3)" 'value="keep" selected'
expect "Now: sampling weight. Of what is chosen here only Keep unchanged has an effect." "$(cat page)"
post /p/people/columns action=save stamp="$stamp" role-1=qi role-2=qi role-3=drop sampling-weight=3
is "$(sed -n '/^sampling-weight:/p' projects/people/kanon.yaml)" "sampling-weight: race"
refuse race "$(sed '/^sampling-weight:/d' projects/people/kanon.yaml)"
post /p/people/columns action=save stamp="$stamp" role-1=qi sampling-weight=2 person=2
is "$status" 400

# Rounding and capping, for what is kept; nothing of a form that is wrong.
post /p/people/columns action=save stamp="$stamp" role-1=keep round-1=10 low-1=20 high-1=80 role-2=qi
expect "age=20..80" "$(cat projects/people/kanon.yaml)"
expect "age=10" "$(cat projects/people/kanon.yaml)"
cp projects/people/kanon.yaml before.yaml
post /p/people/columns action=save stamp="$stamp" role-1=qi round-1=10
is "$status" 400
post /p/people/columns action=save stamp="$stamp" role-1=keep round-1=ten role-2=drop
is "$status" 400
expect 'role="alert"' "$(cat body)"
expect 'value="ten"' "$(cat body)"
is "$(chosen body 2)" 'value="drop" selected'
post /p/people/columns action=save stamp="$stamp" role-1=king
is "$status" 400
post /p/people/columns action=save stamp="$stamp" role-1=qi class=2 person=2
is "$status" 400
post /p/people/columns action=save stamp=1 role-1=drop
expect "wrong=" "$location"
cmp before.yaml projects/people/kanon.yaml || fail "a wrong form changed something"

post /p/people/columns action=suggest stamp="$stamp" role-1=drop
expect "age=intervals:5,10,20" "$(cat projects/people/kanon.yaml)"
"$kanon" search --job projects/people/kanon.yaml --k 2 --suppress 10% --quiet || fail "the job does not run"

# Numbers that are codes: a choice of the column's card, and the table is read once more. They are not rounded.
get /p/people/columns >page
expect 'name="text-1" value="yes">' "$(cat page)"
refuse 'name="text-2"' "$(cat page)"
post /p/people/columns action=save stamp="$stamp" role-1=keep round-1=10 text-1=yes
is "$status" 400
expect 'name="text-1" value="yes" checked' "$(cat body)"
post /p/people/columns action=save stamp="$stamp" role-1=qi text-1=yes role-2=qi
expect "read%20once%20more" "$location"
expect $'text:\n  - age\n' "$(cat projects/people/kanon.yaml)"
get /p/people/table >page
wait_for people profile
get /p/people/columns >page
expect 'name="text-1" value="yes" checked' "$(cat page)"
expect "text, " "$(cat page)"
refuse 'name="round-1"' "$(cat page)"
stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page | head -1)
post /p/people/columns action=save stamp="$stamp" role-1=qi role-2=qi
refuse "text:" "$(cat projects/people/kanon.yaml)"
get /p/people/table >page
wait_for people profile
get /p/people/columns >page
stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page | head -1)

# How many rows are alone with a kept column, and how many of them because of it.
alone=$(tail -n +2 people.csv | sort | uniq -u | wc -l)
before=$(tail -n +2 people.csv | sed 's/,[^,]*$//' | sort | uniq -u | wc -l)
post /p/people/columns action=save stamp="$stamp" role-{1,2,3,4,5,6,7,8}=qi role-9=keep
get /p/people/columns >page
expect "in the raw table $alone rows are alone with it and the columns that looked like quasi-identifiers, $((alone - before)) of them because of it" \
    "$(cat page)"
refuse "released, and protected" "$(cat page)"

# Columns of any name can play any part.
printf '%s\n' 'a=b,"c,d","e""f",<b>,*' '1,x,p,u,s' '2,y,q,v,t' '1,x,p,u,s' '2,y,q,v,t' >odd.csv
upload /projects file odd.csv
get /p/odd/table >page
wait_for odd profile
get /p/odd/columns >page
refuse "<b>" "$(cat page)"
stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page | head -1)
post /p/odd/columns action=save stamp="$stamp" role-1=qi role-2=qi role-3=sensitive role-4=keep role-5=drop
is "$location" "/p/odd/columns?said=Saved."
get /p/odd/columns >page
is "$(grep -o 'value="qi" selected' page | wc -l)" 2
is "$(grep -o 'value="keep" selected' page | wc -l)" 1
"$kanon" search --job projects/odd/kanon.yaml --k 2 --quiet || fail "the job does not run"
get /p/odd/hierarchies >page
wait_for odd hierarchy-1
wait_for odd hierarchy-2
get /p/odd/hierarchies >page
refuse "does not work" "$(cat page)"
post /p/odd/hierarchies/1 action=save builder=digits digits=1
post /p/odd/hierarchies/2 action=tree-values
wait_for odd tree-2
expect "  x" "$(cat projects/odd/work/tree-2.made.txt)"
"$kanon" search --job projects/odd/kanon.yaml --k 2 --quiet || fail "the job does not run"

# A name in quotes may have an equals sign; where nothing stands behind a name, quotes are part of it.
printf '%s\n' 'a=b,"""q""",z' '1,x,p' '1,x,q' '2,y,p' '2,y,q' >signs.csv
upload /projects file signs.csv
printf '%s\n' 'input: signs.csv' 'cost: ncp' 'k: 2' 'qi:' "  - '\"a=b\"'" 'keep:' "  - '\"q\"'" 'drop: [z]' \
    >projects/signs/kanon.yaml
"$kanon" search --job projects/signs/kanon.yaml --quiet || fail "the job does not run"
get /p/signs/table >page
wait_for signs profile
get /p/signs/columns >page
is "$(chosen page 1)" 'value="qi" selected'
is "$(chosen page 2)" 'value="keep" selected'
is "$(chosen page 3)" 'value="drop" selected'

# What a choice means is said before anything is saved: for the combinations, and beside the column.
cp projects/people/kanon.yaml before.yaml
get /p/people/columns >page
stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page | head -1)
post /p/people/columns action=look stamp="$stamp" role-{1,2,3,4,5,6,7,8}=qi role-9=keep
is "$status" 200
expect 'id="together"' "$(cat body)"
expect "By the roles that are chosen now" "$(cat body)"
expect "a column in them is kept unchanged, and nothing protects it" "$(cat body)"
expect "It singles people out" "$(sed -n '/id="doubt-9"/,/<\/div>/p' body)"
is "$(chosen body 9)" 'value="keep" selected'
post /p/people/columns action=look stamp="$stamp" role-{1,2,3,4,5,6,7,8}=qi role-9=drop
refuse "kept unchanged, and nothing protects it" "$(cat body)"
expect "not together in the release" "$(cat body)"
refuse "It singles people out" "$(cat body)"
post /p/people/columns action=look stamp="$stamp" role-1=sensitive role-{2,3,4,5,6,7,8,9}=qi
expect "It looks like something that others know" "$(grep -A2 'id="doubt-1"' body)"
# The class is released as it is, whatever its role says.
post /p/people/columns action=look stamp="$stamp" role-{1,2,3,4,5,6,7,8}=qi role-9=drop class=9
expect "a column in them is kept unchanged, and nothing protects it" "$(cat body)"
expect "It singles people out" "$(sed -n '/id="doubt-9"/,/<\/div>/p' body)"
is "$(chosen body 9)" 'value="drop" selected'
post /p/people/columns action=look stamp="$stamp" role-1=sensitive role-{2,3,4,5,6,7,8,9}=qi
expect "Who outside could know this" "$(cat body)"
cmp before.yaml projects/people/kanon.yaml || fail "looking changed something"

# A table of many columns has pages of a hundred. What is chosen on one is kept when the page is turned, and is a
# setting when it is saved; columns that were not looked at stay as they are.
{
    seq -s, -f 'v%g' 1 250
    for i in {1..12}; do seq -s, "$((i % 3))" "$((i % 3 + 249))"; done
} >many.csv
upload /projects file many.csv
get /p/many/table >page
wait_for many profile
get /p/many/columns >page
is "$(grep -o 'name="role-[0-9]*"' page | wc -l)" 100
expect "Columns 1 to 100 of 250" "$(cat page)"
stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page | head -1)
many=(stamp="$stamp" partial=yes)
post /p/many/columns "${many[@]}" page=1 turn=3 find= role-1=keep text-1=yes role-2=qi role-3=keep round-3=10 person=
is "$location" "/p/many/columns?page=3"
get "$location" >page
is "$(grep -o 'name="role-[0-9]*"' page | wc -l)" 50
expect "is kept, and not" "$(cat page)"
refuse "keep" "$(cat projects/many/kanon.yaml)"
post /p/many/columns "${many[@]}" page=3 turn=1 find=V24 role-250=qi
is "$location" "/p/many/columns?page=1&find=V24"
get "$location" >page
is "$(grep -o 'name="role-[0-9]*"' page | tr '\n' ' ')" \
    'name="role-24" name="role-240" name="role-241" name="role-242" name="role-243" name="role-244" name="role-245" name="role-246" name="role-247" name="role-248" name="role-249" '
get /p/many/columns >page
is "$(chosen page 1)" 'value="keep" selected'
expect 'name="text-1" value="yes" checked' "$(cat page)"
expect 'name="round-3" inputmode="decimal" value="10"' "$(cat page)"
post /p/many/columns "${many[@]}" action=save page=1 find=V24 role-24=sensitive role-1=keep
is "$location" "/p/many/columns?page=1&find=V24&said=Saved."
job=$(cat projects/many/kanon.yaml)
expect $'keep:\n  - v1\n  - v3' "$job"
expect "v2=" "$job"
expect "v250=" "$job"
expect "v3=10" "$job"
expect $'sensitive:\n  - v24' "$job"
refuse "v4" "$job"
refuse "text:" "$job"
[[ ! -e projects/many/work/columns.json ]] || fail "the draft is still there"
post /p/many/columns "${many[@]}" action=save page=2 find= role-150=drop
job=$(cat projects/many/kanon.yaml)
expect "v3=10" "$job"
expect "v250=" "$job"
expect $'drop:\n  - v150' "$job"
# Suggestions are for the columns that are shown, and for those that nobody decided on.
post /p/many/columns "${many[@]}" action=suggest page=2 find= role-101=drop role-150=keep
job=$(cat projects/many/kanon.yaml)
expect $'keep:\n  - v1\n  - v3' "$job"
expect "v3=10" "$job"
expect "v2=" "$job"
expect "v250=" "$job"
expect $'sensitive:\n  - v24' "$job"
refuse "v150" "$(sed -n '/^keep:/,/^[a-z]*:/p; /^drop:/,$p' projects/many/kanon.yaml)"
get '/p/many/columns?find=%3Cscript%3Ealert%281%29&page=99999999999999999999' >page
is "$status" 200
refuse "<script>alert" "$(cat page)"
expect "0 that have it in their name, of 250" "$(cat page)"
post /p/many/columns stamp=1 partial=yes turn=2 role-1=qi
expect "wrong=" "$location"

# A wide table: no more quasi-identifiers than a job takes.
{
    seq -s, -f 'age%g' 1 70
    for i in 1 2 3 4; do seq -s, "$i" $((i + 69)); done
} >wide.csv
upload /projects file wide.csv
get /p/wide/table >page
wait_for wide profile
get /p/wide/columns >page
stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page | head -1)
fields=()
for i in {1..65}; do fields+=("role-$i=qi"); done
post /p/wide/columns action=save stamp="$stamp" "${fields[@]}"
expect "the maximum is 64" "$(cat body)"
post /p/wide/columns action=save stamp="$stamp" "${fields[@]:1}"
is "$location" "/p/wide/columns?said=Saved."
stop
