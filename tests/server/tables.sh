#!/usr/bin/env bash
# Projects whose job is over several tables: shown, released, and never changed.
source "$(dirname "$0")/harness.sh"

mkdir projects
"$kanon" generate hospital -o projects/ward/ --rows 300 --quiet
mv projects/ward/hospital.yaml projects/ward/kanon.yaml
sed -i 's/suppress: 5%/suppress: 60%/' projects/ward/kanon.yaml
cp projects/ward/kanon.yaml before.yaml
serve
get / >page
is "$status" 200
expect "3 tables that belong together" "$(cat page)"
expect 'href="/p/ward/tables"' "$(cat page)"

# The page shows the tables, how they hang together, and what their columns are.
get /p/ward/tables >page
is "$status" 200
text=$(sed 's/<[^>]*>/ /g; s/  */ /g' page)
expect "patients.csv a row for each person patient qi birth , sex , zip" "$text"
expect "stays.csv rows below those of patients , by patient stay qi admitted , ward" "$text"
expect "diagnoses.csv rows below those of stays , by stay sensitive code keep position" "$text"
expect "cannot be changed" "$text"
expect "There is no release yet" "$text"

# Every other page leads there, and whoever posts to one is told; the job file stays as it is.
for page in table columns hierarchies hierarchies/0 promise explore explore/compare release; do
    get "/p/ward/$page" >page
    is "$status" 303
done
for page in table columns hierarchies/0 promise explore explore/pin release; do
    post "/p/ward/$page" action=read k=9 o.k=9 do=search pick=best format=csv
    is "$status" 409
done
cmp before.yaml projects/ward/kanon.yaml

# A release, its files and its report.
post /p/ward/tables
is "$location" /p/ward/tables
wait_for ward release
get /p/ward/tables >page
expect "The promise holds" "$(cat page)"
expect "people left out, with all rows" "$(cat page)"
for file in patients.csv stays.csv diagnoses.csv; do
    get "/p/ward/release/1/$file" >got
    is "$status" 200
    cmp got "projects/ward/releases/1/tables/$file"
done
get /p/ward/release/1/report.html >got
is "$status" 200
expect "3 tables that belong together" "$(cat got)"
get /p/ward/release/1/job.yaml >got
cmp got before.yaml
(cd projects/ward && "$kanon" verify releases/1/tables --job release-1.yaml) >said
expect "verified" "$(head -1 said)"
for file in kanon.csv ..%2fpatients.csv tables patients release.csv internal.html; do
    get "/p/ward/release/1/$file" >got
    is "$status" 404
done
cmp before.yaml projects/ward/kanon.yaml
get /p/ward/tables >page
refuse "has changed since" "$(cat page)"
sed -i 's/^k: 5/k: 6/' projects/ward/kanon.yaml
get /p/ward/tables >page
expect "has changed since" "$(cat page)"
expect "k = 6" "$(cat page)"

# Without keys groups are promised, and there is no report yet.
sed 's/keep: \[insurance\]/keep: [insurance]\n    drop: [patient]/; s/drop: \[days\]/drop: [days, patient, stay]/; s/keep: \[position\]/keep: [position]\n    drop: [stay]/' \
    before.yaml >projects/ward/kanon.yaml
printf 'person-promise: groups\n' >>projects/ward/kanon.yaml
post /p/ward/tables
wait_for ward release
get /p/ward/tables >page
expect "Promised are groups, k = 5" "$(cat page)"
expect "Release 2" "$(cat page)"
expect "people of the smallest" "$(cat page)"
[[ ! -e projects/ward/releases/2/report.html ]] || fail "there is a report"

# What cannot be done says why, and leaves what was there.
sed 's/key: stay/key: nobody/' before.yaml >projects/ward/kanon.yaml
post /p/ward/tables
wait_for ward release
get /p/ward/tables >page
expect "has no column" "$(cat page)"
expect "Release 1" "$(cat page)"

# Files outside of the project are not read, by whatever name a table has them.
for line in 's#input: stays.csv#input: ../../../etc/passwd#' 's#input: stays.csv#input: /etc/passwd#' \
    's#qi: \[admitted, ward\]#qi: {ward: /etc/passwd}#' 's#^hierarchies: hierarchies#hierarchies: /etc#' \
    's#drop: \[days\]#hierarchies: ../..#' 's#input: stays.csv#input: "sqlite:///x?table=t"#'; do
    sed "$line" before.yaml >projects/ward/kanon.yaml
    cmp -s before.yaml projects/ward/kanon.yaml && fail "nothing was changed by $line"
    get /p/ward/tables >page
    post /p/ward/tables
    [[ $location == *wrong=* || $status == 409 ]] || fail "$line: $location"
done
ln -s /etc/passwd projects/ward/link.csv
sed 's#input: stays.csv#input: link.csv#' before.yaml >projects/ward/kanon.yaml
post /p/ward/tables
expect "wrong=" "$location"
[[ ! -e projects/ward/releases/3/result.json ]] || fail "there is a third release"

# A release is deleted with its tables, and its number is not given again.
post /p/ward/release/1/delete
expect "said=Release%201%20was%20deleted." "$location"
[[ ! -e projects/ward/releases/1 && ! -e projects/ward/release-1.yaml ]] || fail "release 1 is still there"
get /p/ward/tables >page
refuse 'id="release-1"' "$(cat page)"
expect 'id="release-2"' "$(cat page)"
is "$(raw -b jar -o body -w '%{http_code}' "$base/p/ward/release/1/patients.csv")" 404

# Names are shown as text, and secrets are not shown.
sed 's#  diagnoses:#  "<b>d":#' before.yaml >projects/ward/kanon.yaml
printf 'key: secret.key\n' >>projects/ward/kanon.yaml
get /p/ward/tables >page
is "$status" 200
expect "&lt;b&gt;d" "$(cat page)"
refuse "<b>d" "$(cat page)"
refuse "secret.key" "$(cat page)"

# A project over one table has no such page.
make_census one
get /p/one/tables >page
is "$status" 303
post /p/one/tables
is "$location" /p/one/table
post /p/ward/delete
[[ ! -e projects/ward ]] || fail "the project is still there"
stop
