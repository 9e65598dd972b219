#!/usr/bin/env bash
# Releases: the job file that comes with a release makes the same bytes again, whatever was picked; files
# are those of the release and no others.
source "$(dirname "$0")/harness.sh"
serve
make_census census

get /p/census/release >page
is "$status" 200
expect "no release yet" "$(cat page)"

# made NUMBER FIELDS: makes a release, and replays it.
made() {
    local number=$1 file
    shift
    post /p/census/release "$@"
    is "$location" /p/census/release
    wait_for census release
    get /p/census/release >page
    expect "Release $number" "$(cat page)"
    expect "The promise holds: it was recounted" "$(cat page)"
    file=$(cd "projects/census/releases/$number" && ls release.*)
    get "/p/census/release/$number/$file" >downloaded
    is "$status" 200
    cmp downloaded "projects/census/releases/$number/$file" || fail "another file is sent"
    cp projects/census/kanon.yaml kept
    (cd projects/census && "$kanon" anonymize --job "release-$number.yaml" -o "again-$number.${file#release.}" -q)
    cmp kept projects/census/kanon.yaml || fail "the release has changed the settings"
    cmp "projects/census/again-$number.${file#release.}" "projects/census/releases/$number/$file" ||
        fail "release $number is not replayed"
}

made 1 pick=best format=csv certificate=true
[[ -s projects/census/releases/1/certificate.json ]] || fail "no certificate"
# What the promise does not cover is in the box, which is not green.
expect '<div class="verdict open">' "$(cat page)"
expect "occupation</bdi></strong> is sensitive, and released without protection" "$(cat page)"
expect "can be up to <strong>" "$(cat page)"
expect "salary-class</bdi></strong> is kept as in the table" "$(cat page)"
(cd projects/census && "$kanon" anonymize --job kanon.yaml -o direct.csv -q)
cmp projects/census/direct.csv projects/census/releases/1/release.csv || fail "not what the command line makes"
made 2 pick=node-2-0-1-2 format=csv
expect "levels:" "$(cat projects/census/release-2.yaml)"
[[ ! -e projects/census/releases/2/certificate.json ]] || fail "a certificate of what was not searched"
made 3 pick=search-mondrian format=csv.gz
made 4 pick=search-k-optimize format=csv
expect "apply: releases/4/cuts.json" "$(cat projects/census/release-4.yaml)"
made 5 pick=search-top-down format=xlsx guard-formulas=true
expect "guard-formulas: true" "$(cat projects/census/release-5.yaml)"
made 6 pick=search-greedy format=csv
made 7 pick=search-progressive format=csv
# The recoding models, each by its search; the rule of the model holds where it can be checked.
at=7
for model in full-domain attribute-suppression full-subtree ordered-set unrestricted full-subgraph \
    unrestricted-multi ordered-regions relaxed-regions cell-suppression cell-generalization microaggregation; do
    at=$((at + 1))
    made $at pick=model-$model format=csv
    expect "recoding: $model" "$(cat projects/census/release-$at.yaml)"
    expect "\"recoding_model\": \"$model\"" "$(cat projects/census/releases/$at/result.json)"
    (cd projects/census && "$kanon" verify releases/$at/release.csv --original census.csv --job release-$at.yaml -q) ||
        fail "$model is not verified"
done
get /p/census/release >page
expect "As cell-generalization, made" "$(cat page)"
rm -r projects/census/releases/{8..19} projects/census/again-{8..19}.csv

# The model of the job is that of the best; searches that cannot make it are not offered, and refused.
post /p/census/promise recoding=cell-generalization
get /p/census/release >page
expect "the best by discernibility, as cell-generalization" "$(cat page)"
expect 'value="search-top-down"' "$(cat page)"
refuse 'value="search-mondrian"' "$(cat page)"
refuse 'name="certificate"' "$(cat page)"
made 8 pick=best format=csv
expect "recoding: cell-generalization" "$(cat projects/census/release-8.yaml)"
made 9 pick=node-2-0-1-2 format=csv
cmp projects/census/releases/9/release.csv projects/census/releases/2/release.csv || fail "the levels are others"
post /p/census/release pick=search-mondrian format=csv
wait_for census release
get /p/census/release >page
expect "use one of iterate, progressive, top-down" "$(cat page)"
post /p/census/promise recoding=full-subtree cost=ncp
post /p/census/release pick=best format=csv
wait_for census release
get /p/census/release >page
expect "minimize discernibility or classification" "$(cat page)"
post /p/census/promise recoding= cost=discernibility
rm -r projects/census/releases/{8,9} projects/census/again-{8,9}.csv

get /p/census/release >page
for n in 1 2 3 4 5 6 7; do expect "Release $n" "$(cat page)"; done

# The report stands alone: no script, and nothing of ours.
raw -b jar -D headers -o report.html "$base/p/census/release/1/report.html"
expect "sandbox" "$(cat headers)"
refuse "attachment" "$(cat headers)"
cmp report.html projects/census/releases/1/report.html || fail "another report"
for file in result.json certificate.json job.yaml; do
    raw -b jar -D headers -o downloaded "$base/p/census/release/1/$file"
    expect "attachment" "$(cat headers)"
done
cmp downloaded projects/census/release-1.yaml || fail "another job file"

# Nothing else is sent.
ln -s /etc/passwd projects/census/releases/2/certificate.json
for path in 1/about.json 0/release.csv 8/release.csv 1/release.xlsx 1/..%2fcensus.csv ..%2f..%2fetc/passwd \
    1/cuts.json 01x/release.csv 2/certificate.json 99999999999/release.csv; do
    is "$(raw -b jar --path-as-is -o body -w '%{http_code}' "$base/p/census/release/$path")" 404
done

# What cannot be done is told, and makes no release.
for field in pick=node-2-0 pick=node-x pick=search-rm pick=model-rm pick=model- pick= pick=nothing pick=node-1-2-3-4-5; do
    post /p/census/release "$field" format=csv
    expect "wrong=" "$location"
done
post /p/census/release pick=best format=exe
expect "wrong=" "$location"
[[ ! -e projects/census/releases/8 ]] || fail "a folder without a release"
post /p/census/release pick=node-0-0-0-0 format=csv
wait_for census release
get /p/census/release >page
expect "failed" "$(cat page)"
refuse "Release 8" "$(cat page)"

# The next one takes the number that is free.
made 8 pick=best format=csv
# Changed settings do not change what was released.
post /p/census/promise o.k=9
get /p/census/release >page
expect "The settings have changed since" "$(cat page)"
(cd projects/census && "$kanon" anonymize --job release-1.yaml -o later.csv -q)
cmp projects/census/later.csv projects/census/releases/1/release.csv || fail "release 1 is not replayed later"

# One at a time: a second click neither ends the first release nor takes its folder. This search goes on
# until its time limit, or until it is stopped.
mkdir -p projects/wide/work projects/wide/releases
"$kanon" generate census --rows 20000 -q -o projects/wide/census.csv --hierarchies projects/wide/hierarchies
cat >projects/wide/kanon.yaml <<'END'
input: census.csv
hierarchies: hierarchies
qi: [age, gender, race, marital-status, education, native-country, work-class, occupation]
k: 5
END
post /p/wide/release pick=search-k-optimize format=csv
is "$location" /p/wide/release
about=$(cat projects/wide/releases/1/about.json)
post /p/wide/release pick=best format=csv
expect "being%20made" "$location"
is "$(cat projects/wide/releases/1/about.json)" "$about"
for click in 1 2; do post /p/wide/tasks/release/stop; done
wait_for wide release
post /p/wide/release pick=best format=csv shuffle=true
is "$location" /p/wide/release
wait_for wide release
get /p/wide/release >page
expect "The promise holds" "$(cat page)"
expect "in another order" "$(cat page)"
refuse "byte for byte" "$(cat page)"

# What a search made that was not proven is made again by as many steps, not by a clock.
mkdir -p projects/many/work projects/many/releases
"$kanon" generate wide-census --rows 500 -q -o projects/many/census.csv --hierarchies projects/many/hierarchies
{
    printf 'input: census.csv\nhierarchies: hierarchies\nk: 5\nsuppress: 2%%\neffort: 5\ntime-limit: 3000\nqi:\n'
    head -1 projects/many/census.csv | tr , '\n' | head -30 | sed 's/^/  - /'
} >projects/many/kanon.yaml
post /p/many/release pick=best format=csv
wait_for many release
get /p/many/release >page
expect "not proven" "$(cat page)"
is "$(tail -1 projects/many/release-1.yaml)" "effort: 5"
refuse "time-limit" "$(cat projects/many/release-1.yaml)"
(cd projects/many && "$kanon" anonymize --job release-1.yaml -o later.csv -q)
cmp projects/many/later.csv projects/many/releases/1/release.csv || fail "the release of many columns is not replayed"

# An internal report is for whoever may see the table: private, and beside one that can be shared.
make_census inside
sed -i 's/^suppress.*/suppress: 10%/' projects/inside/kanon.yaml
get /p/inside/release >page
expect 'name="internal"' "$(cat page)"
post /p/inside/release pick=best format=csv internal=true
wait_for inside release
get /p/inside/release >page
expect "PRIVATE: the internal report" "$(cat page)"
is "$(stat -c %a projects/inside/releases/1/internal.html)" 600
raw -b jar -D headers -o inside.html "$base/p/inside/release/1/internal.html"
expect "sandbox" "$(cat headers)"
expect "Erased by suppression" "$(cat inside.html)"
expect "/p/inside/release/1/internal.html#internal-fidelity" "$(cat page)"
expect 'id="internal-fidelity"' "$(cat inside.html)"
(cd projects/inside && "$kanon" utility releases/1/release.csv --original "$(sed -n 's/^input: //p' kanon.yaml)" --job release-1.yaml -q) ||
    fail "the command that says what can still be done does not work"
expect "contains raw values" "$(cat inside.html)"
get /p/inside/release/1/report.html >report.html
refuse "contains raw values" "$(cat report.html)"
refuse "Erased by suppression" "$(cat report.html)"
expect "An internal report has it" "$(cat report.html)"
(cd projects/inside && "$kanon" anonymize --job release-1.yaml -o releases/1/release.csv --force --report plain.html -q)
sed 's/ on 20[0-9-]*//' projects/inside/plain.html >plain
sed 's/ on 20[0-9-]*//' report.html | cmp - plain || fail "the report to share is another one"
is "$(raw -b jar -o body -w '%{http_code}' "$base/p/census/release/1/internal.html")" 404

# Green is what covers all that is known of.
make_census green
sed -i -e '/^keep/d' -e 's/^sensitive.*/sensitive: [salary-class]/' -e '$aalpha: 0.85' projects/green/kanon.yaml
post /p/green/release pick=best format=csv
wait_for green release
get /p/green/release >page
expect '<div class="verdict">' "$(cat page)"
refuse "What it does not cover" "$(cat page)"
refuse "verdict open" "$(cat page)"

# Weights are calibrated where they are released, by what the form says.
refuse 'name="calibrate"' "$(cat page)"
make_census weighed
sed -i -e '/^keep/d' -e '$asampling-weight: age' -e '$akeep: age' -e '/- age=/d' projects/weighed/kanon.yaml
get /p/weighed/release >page
expect 'name="calibrate"' "$(cat page)"
post /p/weighed/release pick=best format=csv "calibrate=salary-class , gender"
wait_for weighed release
get /p/weighed/release >page
expect "The promise holds: it was recounted" "$(cat page)"
is "$(sed -n '/^calibrate:/,/^keep:/p' projects/weighed/release-1.yaml | tr -d '\n')" "calibrate:  - salary-class  - genderkeep:"
expect '"by": ["salary-class", "gender"]' "$(cat projects/weighed/releases/1/result.json)"
stop
