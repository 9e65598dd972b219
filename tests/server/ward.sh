#!/usr/bin/env bash
# A table as a German hospital exports it (semicolons, Latin-1, decimal commas, 14.03.1980, NA and -9), through
# every page: no task of it is refused, and what the pages say is what the plain table gives.
source "$(dirname "$0")/harness.sh"
make=$(dirname "$0")/../support/make-ward.sh
"$make" ward >ward.csv
"$make" plain >plain.csv
serve

# looks PATH: a page without a task that failed.
looks() {
    get "$1" >page
    is "$status" 200
    refuse "failed" "$(cat page)"
    refuse "are about tables in files" "$(cat page)"
}

# walk NAME: all pages of a table that is there, up to a release; figures are in NAME.figures.
walk() {
    local p=/p/$1 stamp node
    looks "$p/columns"
    stamp=$(sed -n 's/.*name="stamp" value="\([0-9]*\)".*/\1/p' page | head -1)
    # Patient Nachname geboren PLZ Geschlecht Gewicht Kosten Diagnose
    post "$p/columns" action=save stamp="$stamp" role-1=drop role-2=drop role-3=qi role-4=qi role-5=qi \
        role-6=qi role-7=drop role-8=sensitive
    is "$location" "$p/columns?said=Saved."
    looks "$p/hierarchies"
    for at in 3 4 5 6; do
        get "$p/hierarchies/$at" >page
        wait_for "$1" "hierarchy-$at"
        looks "$p/hierarchies/$at"
        refuse "does not work" "$(cat page)"
    done
    post "$p/promise" o.k=4 o.l=2 limit=5 limit-kind=percent do=estimate
    wait_for "$1" promise
    looks "$p/promise"
    expect "data-loss" "$(cat page)"
    grep -o 'data-loss="[0-9]*"' page >"$1.figures"
    post "$p/explore" do=search
    wait_for "$1" search
    looks "$p/explore"
    grep -o '[0-9,]* combinations of levels; *[0-9,]* keep' page >>"$1.figures" || true
    node=$(grep -o 'aria-label="Look at [0-9-]*"' page | head -1 | grep -o '[0-9-]*[0-9]')
    cut -d'"' -f2- "projects/$1/work/nodes.csv" >>"$1.figures"
    post "$p/explore" do=recodings model=full-domain model=attribute-suppression model=ordered-regions \
        model=cell-generalization model=microaggregation
    wait_for "$1" recodings
    looks "$p/explore"
    is "$(grep -c 'release?pick=model-' page)" 5
    post "$p/explore/pin" "pin=$node" do=pin
    wait_for "$1" "look-$node"
    looks "$p/explore/compare"
    post "$p/release" pick=best format=csv
    wait_for "$1" release
    looks "$p/release"
    expect "The promise holds: it was recounted" "$(cat page)"
    post "$p/release" pick=model-cell-generalization format=csv
    wait_for "$1" release
    looks "$p/release"
    expect "Release 2" "$(cat page)"
}

upload /projects file ward.csv
looks /p/ward/table
wait_for ward profile
post /p/ward/table action=read encoding=windows-1252
wait_for ward profile
looks /p/ward/table
expect "Müller" "$(cat page)"
expect "Yes, read it like this" "$(cat page)"
post /p/ward/table action=found
wait_for ward profile
looks /p/ward/table
for word in 'Gewicht=NA,-9' 'Gewicht=,' 'geboren=%d.%m.%Y'; do expect "$word" "$(cat projects/ward/kanon.yaml)"; done
walk ward

upload /projects file plain.csv
looks /p/plain/table
wait_for plain profile
walk plain

diff plain.figures ward.figures || fail "the pages say other figures of the same rows"
[[ $(wc -l <ward.figures) -gt 20 ]] || fail "there are hardly any figures"
sed 's/;NA;/;;/g; s/;NA;/;;/g' projects/ward/releases/1/release.csv | cmp - projects/plain/releases/1/release.csv ||
    fail "the releases differ"
(cd projects/ward && "$kanon" verify releases/1/release.csv --original ward.csv --job release-1.yaml -q) ||
    fail "the release is not verified"
stop
