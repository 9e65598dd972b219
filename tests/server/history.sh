#!/usr/bin/env bash
# A release is undone by deleting it: exactly its files go, its number is never given again, and what was found about it is
# never shown for another. The history says which releases there were, and what changed between two.
source "$(dirname "$0")/harness.sh"
serve
make_census census

# made FIELDS: makes a release, and waits for it.
made() {
    post /p/census/release format=csv "$@"
    is "$status$location" 303/p/census/release
    wait_for census release
    get /p/census/release >page
    expect "The promise holds: it was recounted" "$(cat page)"
}

made pick=best
get /p/census/history >page
is "$status" 200
refuse "What changed between two" "$(cat page)"
sed -i 's/^keep.*/keep: [salary-class, native-country]/' projects/census/kanon.yaml
post /p/census/promise o.k=10
made pick=best
made pick=node-3-0-1-2
expect 'href="/p/census/history"' "$(cat page)"
expect "Earlier releases of this project lie beside it" "$(cat page)"

# What changed, in words: settings, columns, figures.
get "/p/census/history?from=1&to=2" >page
expect "<dt>k</dt><dd><bdi>5</bdi>, then <bdi>10</bdi>" "$(sed 's/<bdi[^>]*>/<bdi>/g' page)"
expect "new: <bdi>native-country</bdi>" "$(sed 's/<bdi[^>]*>/<bdi>/g' page)"
expect "smallest group" "$(cat page)"
was=$(python3 -c "import json; print(json.load(open('projects/census/releases/1/result.json'))['release']['rows'])")
now=$(python3 -c "import json; print(json.load(open('projects/census/releases/2/result.json'))['release']['rows'])")
expect "$(sed ':a;s/\B[0-9]\{3\}\>/,&/;ta' <<<"$was")</td><td class=\"n\">$(sed ':a;s/\B[0-9]\{3\}\>/,&/;ta' <<<"$now")" "$(grep -A1 'rows released</th><td' page)"
refuse "written again" "$(cat page)"
# The other way round, and the same twice.
get "/p/census/history?from=2&to=1" >page
expect "no longer: <bdi>native-country</bdi>" "$(sed 's/<bdi[^>]*>/<bdi>/g' page)"
get "/p/census/history?from=2&to=2" >page
expect "that are not the same" "$(cat page)"
get "/p/census/history?from=2&to=3" >page
expect "All settings are the same" "$(cat page)"
expect "Levels" "$(cat page)"
# What is not there is not asked for.
for wrong in "from=9&to=1" "from=x&to=../1" "to=0" "from=99999999999"; do
    get "/p/census/history?$wrong" >page
    is "$status" 200
    expect "What changed between two" "$(cat page)"
done

# What was found about a release goes with it; what was found about another stays.
found() { ls projects/census/work | grep -E '^(attack|utility|model)' || true; }
post /p/census/attack release=2 table=true
wait_for census attack
post /p/census/utility release=2
wait_for census utility
[[ -s projects/census/work/utility.svg ]] || fail "no picture"
get /p/census/attack >page
expect "releases/2/release.csv" "$(cat page)"
expect '/manual/attack.html">Help' "$(cat page)"
get /p/census/utility >page
expect "releases/2/release.csv" "$(cat page)"
expect '/manual/utility.html">Help' "$(cat page)"

# It asks first: the button is folded, with what will happen.
get /p/census/release >page
expect "<summary>Delete this release</summary>" "$(cat page)"
expect "Delete release 2</button>" "$(cat page)"
# Nobody else's page can do it, and no link.
is "$(raw -b jar -H 'Origin: http://elsewhere.test' -o body -w '%{http_code}' -d '' "$base/p/census/release/2/delete")" 403
is "$(raw -b jar -o body -w '%{http_code}' "$base/p/census/release/2/delete")" 404
for number in 0 4 99999 123456 x 2x -2 '%2e%2e%2f2' 1%2f..; do
    post "/p/census/release/$number/delete"
    [[ $status != 303 || $location == *wrong=* ]] || fail "release $number was deleted: $location"
done
(cd projects/census && find . -type f ! -path './work/*' ! -path './releases/2/*' ! -name release-2.yaml | sort | xargs sha256sum) >before

post /p/census/release/2/delete
expect "said=Release%202%20was%20deleted." "$location"
(cd projects/census && find . -type f ! -path './work/*' ! -name 2.gone | sort | xargs sha256sum) >after
cmp before after || fail "other files than those of the release have changed"
[[ -e projects/census/releases/2.gone ]] || fail "the number can be given again"
is "$(found)" ""
get /p/census/attack >page
refuse "releases/2/" "$(cat page)"
refuse 'value="2"' "$(cat page)"
refuse "release 2, too" "$(cat page)"
get /p/census/utility >page
refuse "releases/2/" "$(cat page)"
is "$(raw -b jar -o body -w '%{http_code}' "$base/p/census/utility/picture")" 404
for file in release.csv report.html result.json job.yaml; do
    is "$(raw -b jar -o body -w '%{http_code}' "$base/p/census/release/2/$file")" 404
done
post /p/census/attack release=2 table=true
expect "wrong=" "$location"
post /p/census/utility release=2
expect "wrong=" "$location"
# In another tab the button is still there.
post /p/census/release/2/delete
expect "wrong=There%20is%20no%20release%202" "$location"

get /p/census/history >page
expect "deleted 20" "$(cat page)"
refuse 'value="2"' "$(cat page)"
get "/p/census/history?from=1&to=2" >page # leads to those that are there
expect "release 3</option>" "$(cat page)"

# Neither the number of the newest nor that of the only release is given again.
post /p/census/release/3/delete
get /p/census/release >page
expect "Release 1" "$(cat page)"
refuse "Earlier release" "$(cat page)"
made pick=best
[[ -s projects/census/releases/4/result.json ]] || fail "the next release is not the fourth"
refuse "Release 3" "$(cat page)"
post /p/census/release/4/delete
post /p/census/release/1/delete
get /p/census/release >page
expect "no release yet" "$(cat page)"
get /p/census/attack >page
expect "no release of one table yet" "$(cat page)"
get / >page
refuse "<td>released</td>" "$(cat page)"
made pick=best
[[ -s projects/census/releases/5/result.json ]] || fail "the next release is not the fifth"

# A deletion that was interrupted: what is marked is not shown, and taken away by the next look.
mkdir projects/census/releases/3
cp projects/census/releases/5/* projects/census/releases/3/
cp projects/census/release-5.yaml projects/census/release-3.yaml
is "$(raw -b jar -o body -w '%{http_code}' "$base/p/census/release/3/release.csv")" 404
get /p/census/release >page
refuse "Release 3" "$(cat page)"
[[ ! -e projects/census/releases/3 && ! -e projects/census/release-3.yaml ]] || fail "the rest is still there"
# Links in its place are taken away, not followed.
mkdir elsewhere
echo kept >elsewhere/file
ln -s ../../../elsewhere projects/census/releases/3
get /p/census/release >page
is "$(cat elsewhere/file)" kept
rm projects/census/releases/3

# Settings that name a file of it keep it.
sed -i '$aapply: releases/5/result.json' projects/census/kanon.yaml
post /p/census/release/5/delete
expect "name%20a%20file%20of%20it" "$location"
[[ -s projects/census/releases/5/release.csv ]] || fail "it was deleted"
sed -i '/^apply/d' projects/census/kanon.yaml

# A ledger keeps what is entered in it: that is said, and asked for.
(umask 077 && head -c 32 /dev/urandom >projects/census/people.key)
awk 'NR == 1 { print "id," $0; next } { print NR - 1 "," $0 }' projects/census/census.csv >with-id.csv
cp with-id.csv projects/census/census.csv
printf 'id: id\nledger: people.ledger\nkey: people.key\n' >>projects/census/kanon.yaml
made pick=best
expect "This release is entered in a ledger" "$(cat page)"
expect 'name="ledger" value="stays" required' "$(cat page)"
expect ", made " "$(grep 'id="release-6"' page)"
refuse "changed since" "$(grep 'id="release-6"' page)" # by its own entry
post /p/census/release/6/delete
expect "wrong=Release%206%20is%20entered%20in%20a%20ledger" "$location"
[[ -s projects/census/releases/6/release.csv ]] || fail "it was deleted"
cp projects/census/people.ledger ledger
post /p/census/release/6/delete ledger=stays
expect "said=" "$location"
cmp ledger projects/census/people.ledger || fail "the ledger was changed"
get /p/census/release >page
refuse "Release 6" "$(cat page)"
get /p/census/history >page
expect "deleted 20" "$(cat page)"

# Not while something reads or makes one.
mkdir -p projects/wide/work projects/wide/releases
"$kanon" generate census --rows 20000 -q -o projects/wide/census.csv --hierarchies projects/wide/hierarchies
printf 'input: census.csv\nhierarchies: hierarchies\nqi: [age, gender]\nk: 5\n' >projects/wide/kanon.yaml
post /p/wide/release pick=best format=csv
wait_for wide release
sed -i 's/^qi.*/qi: [age, gender, race, marital-status, education, native-country, work-class, occupation]/' projects/wide/kanon.yaml
post /p/wide/release pick=search-k-optimize format=csv # goes on until its time limit, or until it is stopped
post /p/wide/release/1/delete
expect "being%20made" "$location"
for click in 1 2; do post /p/wide/tasks/release/stop; done
wait_for wide release

# Hostile names stay text.
mkdir -p projects/evil/work projects/evil/releases
python3 - <<'END'
import random
random.seed(1)
with open("projects/evil/t.csv", "w") as f:
    f.write('"<script>x()</script>","a""b",plain\n')
    for i in range(300):
        f.write(f'"<img src=x onerror=x()>{i % 3}",{i % 4},{i % 2}\n')
with open("projects/evil/kanon.yaml", "w") as f:
    f.write("input: t.csv\nqi: ['<script>x()</script>', 'a\"b']\nk: 2\nothers: drop\n")
END
post /p/evil/release pick=best format=csv
wait_for evil release
sed -i -e "s/^qi.*/qi: ['<script>x()<\/script>', plain]/" -e 's/^k:.*/k: 9/' projects/evil/kanon.yaml
post /p/evil/release pick=best format=csv
wait_for evil release
get "/p/evil/history?from=1&to=2" >page
expect "What became of the columns" "$(cat page)"
refuse "<script>x()" "$(cat page)"
refuse "<img src=x" "$(cat page)"
stop
