#!/usr/bin/env bash
# What would help: each smaller promise and each column less has the figures that `kanon compare` finds for it, and a
# button that takes it, and nothing else.
source "$(dirname "$0")/harness.sh"
serve
make_census census

get /p/census/explore >page
refuse "What would help" "$(cat page)"
post /p/census/explore do=search
wait_for census search
get /p/census/explore >page
expect "See what would help" "$(cat page)"
post /p/census/explore do=help
is "$location" /p/census/explore
wait_for census help
get /p/census/explore >page

# figures WITH: loss, detail lost and rows left out of that line.
figures() {
    tr '\n' ' ' <page | sed 's/<tr/\n<tr/g' | grep -F ">$1<" | sed -E 's/<small>[^<]*<\/small>//; s/<[^>]*>/ /g' |
        grep -oE '[0-9][0-9,.]* ?%? +[0-9.]+ % +[0-9,]+ ' | tr -s ' '
}
# asked FLAGS: the same by the command line.
asked() {
    (cd projects/census && "$kanon" compare --job kanon.yaml --algorithms auto "$@" --json ../../cell.json --force -q)
    python3 - <<'END'
import json
cell = json.load(open("cell.json"))["cells"][0]
print(f"{cell['metrics']['discernibility']:,} {cell['metrics']['ncp'] * 100:.3g} % {cell['suppressed']:,} ")
END
}
qi() { for name in "$@"; do printf -- '--qi %s=hierarchies/%s.csv ' "$name" "$name"; done; }
is "$(grep -c '<tr class="on"><th scope="row">as it is now' page)" 1
is "$(figures 'as it is now')" "$(asked)"
is "$(figures 'k = 4 in place of 5')" "$(asked --ks 4)"
is "$(figures 'up to 2% of the rows left out')" "$(asked --suppressions 2%)"
for name in age gender race education; do
    others=()
    for other in age gender race education; do [[ $other == "$name" ]] || others+=("$other"); done
    tr '\n' ' ' <page | sed 's/<tr/\n<tr/g' | grep -F "without the column <bdi>$name</bdi></th>" >line
    # shellcheck disable=SC2046
    is "$(sed -E 's/<small>[^<]*<\/small>//; s/<[^>]*>/ /g' line | grep -oE '[0-9][0-9,.]* +[0-9.]+ % +[0-9,]+ ' | tr -s ' ')" \
        "$(asked $(qi "${others[@]}"))"
done

# What is taken is kept and searched; what does not fit the settings of now changes nothing.
cp projects/census/kanon.yaml before
for wrong in "help=k value=3" "help=k value=5" "help=limit value=50%" "help=without value=nobody" "help=x value=4" "help=without value=occupation"; do
    # shellcheck disable=SC2086
    post /p/census/explore do=search $wrong
    expect "wrong=" "$location"
    cmp before projects/census/kanon.yaml || fail "$wrong is kept"
done
post /p/census/explore do=search help=k value=4
is "$location" /p/census/explore
expect "k: 4" "$(cat projects/census/kanon.yaml)"
wait_for census search
post /p/census/explore do=search help=limit value=2%
expect "suppress: 2%" "$(cat projects/census/kanon.yaml)"
wait_for census search
post /p/census/explore do=search help=without value=race
refuse "hierarchies/race.csv" "$(cat projects/census/kanon.yaml)"
expect $'drop:\n  - race\n' "$(cat projects/census/kanon.yaml)"
expect "age=hierarchies/age.csv" "$(cat projects/census/kanon.yaml)"
wait_for census search
wait_for census answer
get /p/census/explore >page
expect "</strong>" "$(cat page)"
refuse "<strong><bdi>race" "$(cat page)"
# What was tried before is of other settings.
refuse "Try again" "$(cat page)"

# Where nothing keeps the promise, what would is told.
post /p/census/promise o.k=1500 limit=0 limit-kind=percent
post /p/census/explore do=search quasi.0=age highest.0=2 quasi.1=gender highest.1=0 quasi.2=education
wait_for census search
post /p/census/explore do=help
wait_for census help
get /p/census/explore >page
expect "nothing keeps the promise" "$(cat page)"
stop
