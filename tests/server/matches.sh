#!/usr/bin/env bash
# Hidden cells that match anything, on the pages: chosen with cell suppression, told of a release, and left
# out where levels are looked at.
source "$(dirname "$0")/harness.sh"
job=projects/census/kanon.yaml
serve
make_census census
sed -i '302,$d' projects/census/census.csv # few rows, for many searches
sed -i '/race/d; /education/d' $job
box='name="o.missing-matches" value="true"'

get /p/census/promise >page
expect "$box>" "$(cat page)"
expect "Every row matches k people, and every person k rows" "$(cat page)"
post /p/census/promise recoding=cell-suppression o.missing-matches= o.missing-matches=true cost=precision
is "$status" 303
expect "missing-matches: true" "$(cat $job)"
get /p/census/promise >page
expect "$box checked>" "$(cat page)"

# What it costs, by matching.
post /p/census/promise/estimate
wait_for census promise
get /p/census/promise >page
expect "fewest matches of a row or person" "$(cat page)"
expect "hidden cells" "$(cat page)"
refuse "groups of rows that look alike" "$(cat page)"

# A release tells matches, and the smallest group beside them; its job file makes it again.
post /p/census/release pick=best format=csv
wait_for census release
get /p/census/release >page
expect "The promise holds: it was recounted" "$(cat page)"
expect "fewest rows that match a person" "$(cat page)"
expect "weaker than groups of so many" "$(cat page)"
refuse "<dt>groups</dt>" "$(cat page)"
expect "missing-matches: true" "$(cat projects/census/release-1.yaml)"
(cd projects/census && "$kanon" verify releases/1/release.csv --original census.csv --job release-1.yaml -q) ||
    fail "the release does not hold"
get /p/census/release/1/report.html >report
expect "This is weaker than k-anonymity by groups" "$(cat report)"

# Levels hide no single cells: they are looked at, and released, by groups.
post /p/census/explore do=search
wait_for census search
get /p/census/explore >page
is "$status" 200
grep -q . projects/census/work/nodes.csv || fail "no levels were found"
post /p/census/release pick=node-4-1 format=csv
wait_for census release
expect "Release 2" "$(get /p/census/release)"
refuse "missing-matches" "$(cat projects/census/release-2.yaml)"
post /p/census/release pick=model-full-subtree format=csv
wait_for census release
refuse "missing-matches" "$(cat projects/census/release-3.yaml)"
expect "missing-matches: true" "$(cat $job)"

post /p/census/promise o.missing-matches=
refuse "missing-matches" "$(cat $job)"
stop
