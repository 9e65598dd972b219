#!/usr/bin/env bash
# Households and sets of columns on the pages: chosen, told of a release, and taken back.
source "$(dirname "$0")/harness.sh"

awk 'BEGIN { srand(7); print "haus,age,sex,town"
    for (h = 0; h < 120; h++) { town = int(rand() * 3)
        for (i = 0; i <= rand() * 3; i++) printf "%d,%d,%s,T%d\n", h, 20 + 10 * int(rand() * 4), rand() < 0.5 ? "m" : "f", town } }' >survey.csv
serve survey.csv
job=projects/survey/kanon.yaml
get /p/survey/table >page
wait_for survey profile
get /p/survey/columns >page
stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page | head -1)
choose() { post /p/survey/columns action=save stamp="$stamp" role-2=qi role-3=qi role-4=qi "$@"; }
choose household=1
expect "household: haus" "$(cat $job)"

# Who is left out: the household, or the row.
get /p/survey/promise >page
expect "with all of the household" "$(cat page)"
refuse "the limit counts people" "$(cat page)"
expect "household-promise composition" "$(cat page)"
expect "How many households may be left out" "$(cat page)"
expect "cent of the households</option>" "$(cat page)"
refuse "cent of the rows" "$(cat page)"
post /p/survey/promise o.k=3 limit=10 limit-kind=percent suppress-by=household cost=ncp
is "$status" 303
expect "suppress-by: household" "$(cat $job)"
get /p/survey/release >page
refuse "with a certificate" "$(cat page)"
post /p/survey/release pick=best format=csv
wait_for survey release
get /p/survey/release >page
expect "The promise holds: it was recounted" "$(cat page)"
expect "suppress-by: household" "$(cat projects/survey/release-1.yaml)"
(cd projects/survey && "$kanon" verify releases/1/release.csv --original survey.csv --job release-1.yaml -q) ||
    fail "the release does not hold"

# The picture of the estimate counts households, as the limit does.
post /p/survey/promise o.k=3 limit=12 limit-kind=rows suppress-by=household cost=ncp do=estimate
wait_for survey promise
get /p/survey/promise >page
expect "per cent of the households that may be left out" "$(cat page)"
households=$(tail -n +2 survey.csv | cut -d, -f1 | sort -u | wc -l)
expect "data-limit=\"$(awk -v n="$households" 'BEGIN { printf "%g", 1200 / n }')\"" "$(cat page)"

# By composition a run tells no size of a group and no risk at the levers: its rows are not what is counted.
cp $job kept.yaml
echo 'household-promise: composition' >>$job
post /p/survey/explore do=search
wait_for survey search
levels=$(awk -F'"' 'NR > 1 && $3 ~ /^,[0-9]+,true/ { print $2; exit }' projects/survey/work/nodes.csv)
rm projects/survey/work/nodes.csv
fields=()
for level in ${levels//,/ }; do
    fields+=("lever.${#fields[@]}=$level")
done
post /p/survey/explore do=lever "${fields[@]}"
wait_for survey lever
get "${location%#*}" >page
said=$(tr -d '\n' <page | sed 's/.*id="lever-said"//; s/<\/dl>.*//')
expect "The promise holds" "$said"
expect "rows left out" "$said"
refuse "smallest group" "$said"
refuse "highest risk" "$said"
cp kept.yaml $job

# Sets of columns, where rows leave one by one.
post /p/survey/promise o.k=3 subsets=2 suppress-by=row
is "$status" 303
expect "subsets: 2" "$(cat $job)"
get /p/survey/promise >page
expect 'id="subsets" value="2"' "$(cat page)"
post /p/survey/release pick=best format=csv
wait_for survey release
get /p/survey/release >page
expect "The promise holds: it was recounted" "$(cat page)"
(cd projects/survey && "$kanon" verify releases/2/release.csv --original survey.csv --job release-2.yaml -q) ||
    fail "the release of sets of columns does not hold"
post /p/survey/promise o.k= subsets=2:5,3:3
expect "2:5,3:3" "$(cat $job)"
post /p/survey/promise subsets=2:x
refuse "2:x" "$(cat $job)"
post /p/survey/promise recoding=cell-suppression o.missing-matches= o.missing-matches=true
refuse "missing-matches" "$(cat $job)"

# The table is looked at once more, whatever the sets of columns are.
post /p/survey/table action=again
wait_for survey profile
get /p/survey/columns >page
expect "haus" "$(cat page)"

# No household any more: what was said of it goes, too.
post /p/survey/promise subsets= o.k=3 suppress-by=household
stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page | head -1)
choose household=
refuse "household" "$(cat $job)"
refuse "with all of the household" "$(get /p/survey/promise)"
stop
