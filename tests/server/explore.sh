#!/usr/bin/env bash
# The solutions: all nodes of the lattice, drawn, listed, sorted and filtered by links alone; pinned ones are
# compared; why a node fails is told in shape, not in values.
source "$(dirname "$0")/harness.sh"
serve
make_census census

get /p/census/explore >page
is "$status" 200
expect "Nothing has been searched yet" "$(cat page)"
get /p/census/explore/nodes >page
is "$status" 404
get /p/census/explore/compare >page
expect "Nothing is pinned" "$(cat page)"

post /p/census/explore do=search
is "$location" /p/census/explore
wait_for census search
get /p/census/explore >page
is "$status" 200
expect "80 combinations of levels" "$(cat page)"
good=$(cut -d'"' -f3 projects/census/work/nodes.csv | grep -c ',true,')
expect "$good keep the promise" "$(cat page)"
expect "<svg" "$(cat page)"
is "$(grep -c 'aria-label="levels [0-9,]*"' page)" 80
is "$(grep -c 'aria-label="levels.*class="chosen" cx' page)" 2 # in the lattice, and in the picture
refuse "settings that have changed since" "$(cat page)"

# nodes QUERY: the names of the nodes of a page, in order.
nodes() {
    get "/p/census/explore/nodes?$1" >page
    is "$status" 200
    refuse "<html" "$(cat page)"
    grep -o 'aria-label="\(Look at\|Why not?\) [0-9-]*"' page | grep -o "[0-9][0-9]*-[0-9-]*" || true
}
best=$(nodes '' | head -1 | tr - ,)
expect "\"levels\": [${best//,/, }]" "$(cat projects/census/work/search.json)"
is "$(nodes 'show=all' | wc -l)" 50
is "$(nodes 'show=all&page=1' | wc -l)" 30
is "$(nodes 'show=all&page=99' | wc -l)" 30
is "$(nodes 'show=bad' | wc -l)" "$((80 - good > 50 ? 50 : 80 - good))"
is "$(nodes 'show=all&height=0')" 0-0-0-0
is "$(nodes 'show=all&at.0=4&at.1=1&at.2=1&at.3=3')" 4-1-1-3
is "$(nodes 'sort=height' | tail -1)" 4-1-1-3
is "$(nodes 'sort=height&down=1' | head -1)" 4-1-1-3
is "$(nodes 'most=0&at.0=4&at.1=1&at.2=1&at.3=3')" 4-1-1-3
# What no link of ours has is taken as if it were not there.
is "$(nodes 'show=all&page=-1&height=x&at.0=999999999999&sort=%3Cscript%3E&most=nan&cost=%3Cb%3E&risk=%22')" \
    "$(nodes 'show=all&sort=height&cost=height')"
refuse "<script>" "$(cat page)"
refuse "<b>" "$(cat page)"

# Levers: what was listed is known at once, all else by one run.
said() { tr -d '\n' <page | sed 's/.*id="lever-said"//; s/<\/section>.*//'; }
pull() { post /p/census/explore do=lever lever.0="$1" lever.1="$2" lever.2="$3" lever.3="$4"; }
get /p/census/explore >page
expect "The promise holds" "$(said)"
pull 0 0 0 0
is "$location" "/p/census/explore?node=0-0-0-0#levers"
get "${location%#*}" >page
expect "The promise does not hold" "$(said)"
failing=$(sed -n 's/^"0,0,0,0",//p' projects/census/work/nodes.csv | awk -F, '{ print $(NF - 3) }')
expect "$failing rows are in groups that break it" "$(said | tr -d ,)"
expect 'name="lever.0"><option value="0" selected>' "$(tr -d '\n' <page)"
[[ ! -e projects/census/work/lever.end.json ]] || fail "it was worked out once more"
mv projects/census/work/nodes.csv nodes.csv
get '/p/census/explore?node=4-1-1-3' >page
expect "The search has not listed this one" "$(said)"
for levels in 4-1-1-3 0-0-0-0; do
    pull ${levels//-/ }
    is "$location" "/p/census/explore?node=$levels#levers"
    wait_for census lever
    get "${location%#*}" >page
    [[ $levels == 4* ]] && expect "The promise holds" "$(said)" || expect "$failing rows are in groups" "$(said | tr -d ,)"
    refuse "not listed" "$(said)"
done
mv nodes.csv projects/census/work/nodes.csv
for wrong in x -1 999 '<b>' ''; do
    pull "$wrong" 0 0 0
    expect "wrong=" "$location"
done
post /p/census/explore do=lever lever.0=1
expect "wrong=" "$location"

# Why a node fails: how many groups and rows, and no value of the table.
get '/p/census/explore?node=0-0-0-0' >page
expect "It does not keep the promise" "$(cat page)"
expect "groups of one row" "$(cat page)"
for value in Male Asian School-diploma Manager; do
    refuse "$value" "$(sed -n '/<section id="node"/,/<\/section>/p' page)"
done
get '/p/census/explore?node=../../x' >page
is "$status" 200
get "/p/census/explore?node=${best//,/-}" >page
expect ": the best" "$(cat page)"
expect "release?pick=node-${best//,/-}" "$(cat page)"

# Pins, and what is made of them.
for node in 4-1-1-3 "${best//,/-}"; do
    post /p/census/explore/pin "pin=$node" do=pin show=all page=1
    expect "/p/census/explore?show=all&page=1" "$location"
    wait_for census "look-$node"
done
get /p/census/explore/compare >page
is "$status" 200
expect "levels 4,1,1,3" "$(cat page)"
expect "levels $best" "$(cat page)"
expect "raw values" "$(cat page)"
refuse "settings that have changed since" "$(cat page)"
[[ -e projects/census/work/look-4-1-1-3.csv ]] || fail "no release to look at"
post /p/census/explore/pin pin=4-1-1-3 do=unpin
[[ ! -e projects/census/work/look-4-1-1-3.csv ]] || fail "what was unpinned is still there"
get /p/census/explore/compare >page
refuse "levels 4,1,1,3" "$(cat page)"
for pin in 1-2 x '' ../../kanon 1-2-3-4-5 '1-1-1-1;rm'; do
    post /p/census/explore/pin "pin=$pin" do=pin
    expect "wrong=" "$location"
done

# The recoding models: all of them, or those that are chosen, on both pages.
post /p/census/explore do=recodings
is "$location" /p/census/explore
wait_for census recodings
get /p/census/explore >page
for name in full-domain attribute-suppression full-subtree ordered-set unrestricted full-subgraph unrestricted-multi \
    ordered-regions relaxed-regions cell-suppression cell-generalization microaggregation; do
    expect "<th scope=\"row\">$name</th>" "$(cat page)"
    expect "release?pick=model-$name" "$(cat page)"
done
expect 'class="rival"' "$(cat page)"
expect "--recodings all" "$(cat page)"
post /p/census/explore do=recodings to=compare model=ordered-set model=cell-generalization model=nonsense
is "$location" /p/census/explore/compare
wait_for census recodings
get /p/census/explore/compare >page
is "$(grep -c 'aria-label="Release as' page)" 2
is "$(grep -c 'name="model" value="[a-z-]*" checked' page)" 2
post /p/census/explore do=recodings model=nonsense
expect "wrong=" "$location"

# A model without levels is chosen: the combinations of levels are still there, and can be looked at.
cp projects/census/kanon.yaml before
post /p/census/promise recoding=cell-generalization
expect "recoding: cell-generalization" "$(cat projects/census/kanon.yaml)"
post /p/census/explore do=search
wait_for census search
get /p/census/explore >page
expect "<strong>cell-generalization</strong>, which has no levels" "$(cat page)"
expect "80 combinations of levels" "$(cat page)"
expect "--recoding full-domain --nodes" "$(cat page)"
post /p/census/explore/pin pin=4-1-1-3 do=pin
wait_for census look-4-1-1-3
get /p/census/explore/compare >page
expect "--recoding full-domain --levels" "$(cat page)"
[[ -e projects/census/work/look-4-1-1-3.csv ]] || fail "no release to look at beside another model"
post /p/census/explore/pin pin=4-1-1-3 do=unpin
# One of levels by another name is explored as it is.
post /p/census/promise recoding=attribute-suppression
post /p/census/explore do=search
wait_for census search
get /p/census/explore >page
expect "16 combinations of levels" "$(cat page)"
post /p/census/promise recoding=
diff before projects/census/kanon.yaml || fail "the model was not taken away"

# What is made to be looked at is no release: with a ledger it would be entered, and drawn rows spend an epsilon.
for line in 'ledger: people.ledger' 'epsilon: 1'; do
    { cat before && echo "$line"; } >projects/census/kanon.yaml
    post /p/census/explore/pin pin=4-1-1-3 do=pin
    expect "wrong=No%20release%20is%20made%20to%20look%20at" "$(sed 's/+/%20/g' <<<"$location")"
    [[ ! -e projects/census/work/look-4-1-1-3.csv ]] || fail "a release to look at beside $line"
done
cp before projects/census/kanon.yaml

# Bounds of levels: kept in the job file, and searched within.
post /p/census/explore do=search quasi.0=age lowest.0=1 highest.0=2 quasi.1=gender lowest.1= highest.1=0 \
    quasi.2=race lowest.2= highest.2= quasi.3=education lowest.3= highest.3=
is "$location" /p/census/explore
expect "age=1..2" "$(cat projects/census/kanon.yaml)"
expect "gender=..0" "$(cat projects/census/kanon.yaml)"
wait_for census search
get /p/census/explore >page
expect "16 combinations of levels" "$(cat page)"
cp projects/census/kanon.yaml before
for wrong in lowest.0=x lowest.0=-1 lowest.0=3 quasi.1=nobody; do
    post /p/census/explore "$wrong" do=search quasi.0=age highest.0=2 quasi.1=gender quasi.2=race \
        quasi.3=education
    expect "wrong=" "$location"
    cmp before projects/census/kanon.yaml || fail "$wrong is kept"
done

# Nothing satisfies: that is said, and how far each node is from it.
post /p/census/promise o.k=1500 limit=0 limit-kind=percent
post /p/census/explore do=search
wait_for census search
get '/p/census/explore?show=all' >page
expect "Nothing keeps the promise" "$(cat page)"
expect "16 combinations of levels" "$(cat page)"

# A table of many columns: bars by height.
mkdir -p projects/wide/work
"$kanon" generate census --rows 500 -q -o projects/wide/t.csv --hierarchies projects/wide/hierarchies
cat >projects/wide/kanon.yaml <<'END'
input: t.csv
hierarchies: hierarchies
qi: [age, gender, race, marital-status, education, native-country]
k: 3
suppress: 5%
END
post /p/wide/explore do=search
wait_for wide search
get /p/wide/explore >page
expect "too many to draw each" "$(cat page)"
expect "height 0: 0 keep the promise, 1 fail" "$(cat page)"

# The labels at a lever are those of the hierarchy as it is now: of an earlier one none is shown.
printf '%s\n' age,town 31,Bonn 32,Kiel 41,Ulm 42,Bonn 33,Kiel 44,Ulm >people.csv
mkdir -p projects/people/work
cp people.csv projects/people/people.csv
printf '%s\n' 'input: people.csv' 'qi:' '  - age=intervals:5,10' '  - town=suppress' 'k: 2' 'suppress: 50%' \
    >projects/people/kanon.yaml
label() { get /p/people/explore | tr -d '\n' | sed 's/.*id="lever-0"//; s/<\/select>.*//' | grep -o '<option value="1".*'; }
get /p/people/table >page
wait_for people profile
get /p/people/hierarchies >page
wait_for people hierarchy-1
post /p/people/explore do=search
wait_for people search
expect '>1: 30-34<' "$(label)"
sed -i 's/intervals:5,10/intervals:20,40/' projects/people/kanon.yaml
post /p/people/explore do=search
wait_for people search
expect '>1: coarser<' "$(label)"
refuse '30-34' "$(label)"
get /p/people/hierarchies >page
wait_for people hierarchy-1
expect '>1: 20-39<' "$(label)"

# A file that is not whole, or was made for other columns, is not shown.
head -c 5000 projects/wide/work/nodes.csv >cut
cp cut projects/wide/work/nodes.csv
get /p/wide/explore >page
is "$status" 200
refuse "combinations of levels;" "$(cat page)"
stop
