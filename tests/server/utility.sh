#!/usr/bin/env bash
# The page of what can still be done with a release: figures, picture and models, as the command tells them.
source "$(dirname "$0")/harness.sh"
serve
make_census census
get /p/census/utility >page
is "$status" 200
expect "There is no release of one table yet." "$(cat page)"
get /p/census/utility/picture >page
is "$status" 404

post /p/census/release pick=best format=csv
wait_for census release
get /p/census/release >page
expect 'href="/p/census/utility?release=1"' "$(cat page)"
get /p/census/utility >page
expect "Nothing was asked yet." "$(cat page)"
expect '<option value="salary-class">' "$(cat page)"
expect 'href="/manual/utility.html"' "$(cat page)"

# The figures: the words of the command, a table of columns, the pairs, and the picture.
post /p/census/utility release=1
is "$status" 303
wait_for census utility
get /p/census/utility >page
(cd projects/census && "$kanon" utility releases/1/release.csv --original census.csv --job release-1.yaml --json - -q) >told
says=$(jq -r .says told | sed "s/'/\&#39;/g; s/\"/\&quot;/g")
expect "${says:0:200}" "$(cat page)"
expect "Pairs of columns that moved most" "$(cat page)"
expect 'src="/p/census/utility/picture"' "$(cat page)"
is "$(grep -c '<th scope="row"><bdi' page)" "$(jq '(.columns | length) + (.changed | length)' told)"
refuse "The regression" "$(cat page)"
refuse "<script>" "$(cat page)"
get /p/census/utility/picture >picture
is "$status" 200
expect "<svg" "$(head -c 200 picture)"
raw -b jar -o /dev/null -D headers "$base/p/census/utility/picture"
expect "image/svg+xml" "$(cat headers)"
expect "sandbox" "$(cat headers)"
is "$(stat -c %a projects/census/work/utility.json)" 600

# Models: what is left of them; the figures stay.
post /p/census/utility release=1 'regress=salary-class ~ age + gender' classify=salary-class as=categories
wait_for census model
get /p/census/utility >page
expect "The regression salary-class ~ age + gender" "$(cat page)"
expect "Logistic regression of" "$(cat page)"
expect "(constant)" "$(cat page)"
expect "Predicting salary-class" "$(cat page)"
expect "logistic" "$(cat page)"
expect "What it still says of the table" "$(cat page)"
is "$(jq -r '.regressions[0].formula' projects/census/work/model.json)" "salary-class ~ age + gender"

# A model that is refused says why, and leaves the figures; markup is text.
post /p/census/utility release=1 'regress=<script>alert(1)</script> ~ age'
wait_for census model
get /p/census/utility >page
expect "&lt;script&gt;alert(1)&lt;/script&gt;" "$(cat page)"
refuse "<script>alert" "$(cat page)"
expect "What it still says of the table" "$(cat page)"
refuse "The regression" "$(cat page)"

# Nothing that is not there, no other flag, and nothing outside of the project.
post /p/census/utility release=9
expect "wrong=Pick" "$location"
post /p/census/utility 'release=../1'
expect "wrong=Pick" "$location"
post /p/census/utility release=1 'regress=--output=/tmp/x'
wait_for census model
is "$(ls projects/census/work/model.json 2>/dev/null)" ""

# A job file of a release that somebody else wrote leads nowhere.
printf 'hidden,secret\n17,TOPSECRET\n' >outside.csv
sed -i "s|=hierarchies/age.csv|=$PWD/outside.csv|" projects/census/release-1.yaml
post /p/census/utility release=1
expect "outside%20of%20the%20project" "$location"
refuse TOPSECRET "$(cat projects/census/work/utility.end.json)"
stop
