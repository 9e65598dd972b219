#!/usr/bin/env bash
# The page of attacks: a release of the project held against its table, other releases and its method; and an
# earlier release is told of.
source "$(dirname "$0")/harness.sh"
serve
make_census census
get /p/census/attack >page
is "$status" 200
expect "There is no release of one table yet." "$(cat page)"

post /p/census/release pick=best format=csv
wait_for census release
get /p/census/release >page
expect 'href="/p/census/attack?release=1"' "$(cat page)"
refuse "lies beside it" "$(cat page)"
get /p/census/attack >page
expect "Nothing was attacked yet." "$(cat page)"
refuse 'name="with-1"' "$(cat page)"

# As each profile: its sentences, a figure, and who is most exposed; the command says the same.
post /p/census/attack release=1 table=true
is "$status" 303
wait_for census attack
get /p/census/attack >page
expect "A prosecutor who has census.csv, and knows age, gender, race, education of its people:" "$(cat page)"
expect "A neighbour who has census.csv" "$(cat page)"
expect "An insider who has census.csv" "$(cat page)"
expect "Of whom most is learned" "$(cat page)"
expect '<svg class="bar thin"' "$(cat page)"
refuse "Who has other releases" "$(cat page)"
(cd projects/census && "$kanon" attack releases/1/release.csv --job release-1.yaml --register census.csv --original census.csv --as prosecutor --json - -q) >told
sentence=$(jq -r '.register.says[1]' told)
expect "$sentence" "$(cat page)"
is "$(stat -c %a projects/census/work/attack-prosecutor.json)" 600

# A second release: told of once, and put together with the first.
post /p/census/release pick=model-full-subtree format=csv.gz
wait_for census release
get /p/census/release >page
is "$(grep -c "An earlier release of this project lies beside it" page)" 1
expect "--ledger" "$(cat page)"
get '/p/census/attack?release=2' >page
expect 'name="release" value="2" checked' "$(cat page)"
post /p/census/attack release=2 with-1=true
wait_for census attack
get /p/census/attack >page
expect "Who has other releases" "$(cat page)"
expect "releases/2/release.csv.gz" "$(cat page)"
expect "alone, together" "$(cat page)"
refuse "A prosecutor who has" "$(cat page)"

# The method, of a small table.
sed -i '102,$d' projects/census/census.csv
sed -i '/race/d; /education/d' projects/census/kanon.yaml
post /p/census/release pick=best format=csv
wait_for census release
post /p/census/attack release=3 method=true
wait_for census attack
get /p/census/attack >page
expect "Who knows how it was made" "$(cat page)"
expect "a hidden cell, as labels leave it open" "$(cat page)"
expect "Who knows all other cells, too" "$(cat page)"

# Nothing that is not there, and nothing outside of the project.
post /p/census/attack release=9 table=true
expect "wrong=Pick" "$location"
post /p/census/attack 'release=../1' table=true
expect "wrong=Pick" "$location"
post /p/census/attack release=1
expect "wrong=Say" "$location"

# A job file of a release that somebody else wrote leads nowhere, either.
cp projects/census/release-1.yaml good.yaml
printf 'hidden,secret\n17,TOPSECRET\n' >outside.csv
sed -i "s|=hierarchies/age.csv|=$PWD/outside.csv|" projects/census/release-1.yaml
post /p/census/attack release=1 table=true
expect "outside%20of%20the%20project" "$location"
refuse TOPSECRET "$(cat projects/census/work/attack.end.json)"
rm projects/census/release-1.yaml
for lie in link pipe; do
    [[ $lie == link ]] && ln -s "$PWD/good.yaml" projects/census/release-1.yaml || mkfifo projects/census/release-1.yaml
    post /p/census/attack release=1 table=true
    expect "wrong=" "$location"
    rm projects/census/release-1.yaml
done
cp good.yaml projects/census/release-1.yaml

# Values of a table are text on this page, too: everybody of ten is listed.
sed -i '12,$d' projects/census/census.csv
sed -i '2s/^[0-9]*,[^,]*/17,<script>alert(1)<\/script>/' projects/census/census.csv
sed -i 's/gender=[^ ]*/gender=suppress/' projects/census/kanon.yaml
post /p/census/release pick=best format=csv
wait_for census release
post /p/census/attack release=4 table=true
wait_for census attack
get /p/census/attack >page
expect "&lt;script&gt;alert(1)&lt;/script&gt;" "$(cat page)"
refuse "<script>alert" "$(cat page)"
stop
