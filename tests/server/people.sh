#!/usr/bin/env bash
# People with several rows: what says whose a row is, and figures of people that are the same on every page.
source "$(dirname "$0")/harness.sh"

awk 'BEGIN { srand(7); print "PatientenNr;Nachname;Vorname;Alter;Geschlecht;Stadt;Diagnose"
    for (p = 0; p < 250; p++) { age = 20 + int(rand() * 60); sex = rand() < 0.5 ? "m" : "w"; city = int(rand() * 4)
        n = substr("MeierBauerKochsWolff", 1 + 5 * int(rand() * 4), 5); v = substr("AnnaHansIdasJens", 1 + 4 * int(rand() * 4), 4)
        for (i = 0; i <= rand() * 4; i++) printf "P%05d;%s;%s;%d;%s;%s;%s\n", p, n, v, age, sex, "S" city, "D" int(rand() * 4) } }' >visits.csv
serve visits.csv
get /p/visits/table >page
wait_for visits profile
get /p/visits/columns >page

# Names are not offered as what says who is who; the number that repeats is chosen.
options=$(sed -n '/id="s-person"/,/<\/select>/p' page | sed 's/.*id="s-person"//; s/<\/select>.*//' | head -1)
expect 'value="1" selected>PatientenNr' "$options"
refuse Nachname "$options"
refuse Vorname "$options"
refuse Alter "$options"
stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page | head -1)
post /p/visits/columns action=suggest stamp="$stamp"
expect "person: PatientenNr" "$(cat projects/visits/kanon.yaml)"
refuse "  - PatientenNr" "$(cat projects/visits/kanon.yaml)"
get /p/visits/columns >page
refuse "cannot identify the person" "$(cat page)"

# One solution has one average risk, whatever page shows it, and it says whose it is.
post /p/visits/promise o.k=3 limit=10 limit-kind=percent cost=ncp
post /p/visits/explore do=search
wait_for visits search
get /p/visits/explore >page
expect "average risk of a person" "$(cat page)"
refuse "average risk<" "$(cat page)"
nodes=projects/visits/work/nodes.csv
# the best that keeps the promise
levels=$(awk -F'"' 'NR > 1 && $3 ~ /^,[0-9]+,true/ { print $2; exit }' "$nodes")
name=node-${levels//,/-}
average=$(awk -F'"' -v l="$levels" '$2 == l { split($3, f, ","); print f[10] }' "$nodes")
# Levers tell the same of a node that was listed, and of one that was not.
facts() { tr -d '\n' <page | sed 's/.*id="lever-said"//; s/<\/dl>.*//'; }
get "/p/visits/explore?node=${levels//,/-}" >page
listed=$(facts)
expect "smallest group</dt>" "$listed"
expect "highest risk</dt>" "$listed"
mv "$nodes" nodes.csv
fields=()
for level in ${levels//,/ }; do
    fields+=("lever.${#fields[@]}=$level")
done
post /p/visits/explore do=lever "${fields[@]}"
wait_for visits lever
get "${location%#*}" >page
is "$(facts)" "$listed"
mv nodes.csv "$nodes"

post /p/visits/explore/pin do=pin pin="${levels//,/-}"
wait_for visits "look-${levels//,/-}"
get /p/visits/explore/compare >page
expect "risk of a person, average" "$(cat page)"
expect "Share of the people who are among this many" "$(cat page)"
shares=$(sed -n '/How many look alike/,/<\/section>/p' page | grep -o '<small>[0-9.]* %' | grep -cv '<small>0 %' || true)
((shares > 0)) || fail "every share is 0"
post /p/visits/release pick="$name" format=csv
wait_for visits release
get /p/visits/release >page
expect "risk of a person, average" "$(cat page)"
told=$(python3 -c 'import json, sys; r = json.load(open("projects/visits/releases/1/result.json"))
print(abs(r["report"]["risk"]["released"]["average"] - float(sys.argv[1])) < 1e-12, abs(r["person"]["risk"]["average"] - float(sys.argv[1])) < 1e-12)' "$average")
is "$told" "True True"
stop
