#!/usr/bin/env bash
# Paths in every parameter of every page: nothing outside of the project is read or written, and nothing
# breaks. A secret lies beside the projects, and a link in a project leads to it.
source "$(dirname "$0")/harness.sh"

serve --demo
echo "secret-of-the-house,1" >secret.csv
mkdir outside
ln -s "$work/secret.csv" projects/census-demo/linked.csv
ln -s "$work/outside" projects/census-demo/hierarchies/linked
before=$(find outside secret.csv -printf '%p %s %T@\n' | sort)

# Every name of a field that a page of the server has, and some that none has.
pages=(table columns hierarchies hierarchies/1 promise explore explore/compare release)
mapfile -t fields < <(for page in "${pages[@]}"; do get "/p/census-demo/$page"; done |
    grep -o 'name="[A-Za-z0-9._-]*"' | sed 's/name="//; s/"//' | sort -u)
((${#fields[@]} > 30)) || fail "only ${#fields[@]} fields were found"
fields+=(input output job population hierarchies report json certificate key tmp)
targets=("$work/secret.csv" ../../secret.csv ../../outside/new.csv linked.csv hierarchies/linked/new.csv
    file:///etc/passwd $'x\ny' '%2e%2e%2f%2e%2e%2fsecret.csv')

encode() {
    local i
    for ((i = 0; i < ${#1}; i++)); do printf '%%%02X' "'${1:i:1}"; done
}

check() {
    [[ $status != 5* && $status != 000 ]] || fail "$1 has status $status: $(cat body)"
    ! grep -q 'secret-of-the-house\|root:x:' body || fail "$1 shows a file outside of the project"
}

keep=$(cat projects/census-demo/kanon.yaml)
for target in "${targets[@]}"; do
    # All fields of a form at once, then, for those that name a file, one by one.
    everything=()
    for field in "${fields[@]}"; do everything+=("$field=$target"); done
    for page in table columns hierarchies/1 hierarchies/1/preview promise promise/estimate explore explore/pin release; do
        post "/p/census-demo/$page" "${everything[@]}"
        check "POST $page"
        for action in save tree file import export suggest search recodings release estimate pin; do
            post "/p/census-demo/$page" "${everything[@]}" action=$action do=$action
            check "POST $page $action"
        done
    done
    for one in builder spec tree file name input pick algorithm format levels pin population; do
        for page in hierarchies/1 release promise explore/pin; do
            post "/p/census-demo/$page" action=save do=pin "$one=$target"
            check "POST $page $one"
        done
    done
    coded=$(encode "$target")
    for page in "${pages[@]}"; do
        query=
        for field in "${fields[@]:0:60}" node pick page sort said wrong; do query+="&$field=$coded"; done
        get "/p/census-demo/$page?$query" >/dev/null
        check "GET $page"
    done
    for place in "release/1/$coded" "release/$coded/release.csv" "hierarchies/$coded" "hierarchies/$coded/file" \
        "tasks/$coded" "tasks/$coded/events" "explore/$coded"; do
        get "/p/census-demo/$place" >/dev/null
        check "GET $place"
    done
    # Whatever was kept names nothing outside (%2e is a name as any other there); the next round begins
    # from good settings.
    kept=$(grep 'secret\.csv\|outside\|linked\|/etc/' projects/census-demo/kanon.yaml | grep -v %2e || true)
    is "$kept" ""
    printf '%s\n' "$keep" >projects/census-demo/kanon.yaml
done

# A job file that somebody changed by hand to read elsewhere: no command runs with it.
for line in "input: $work/secret.csv" 'input: ../../secret.csv' 'input: linked.csv' 'population: ../../secret.csv'; do
    { printf '%s\n' "$keep" | grep -v "^${line%%:*}:"; echo "$line"; } >projects/census-demo/kanon.yaml
    for page in table explore release; do
        get "/p/census-demo/$page" >/dev/null
        check "GET $page with $line"
    done
    post /p/census-demo/explore do=search
    check "explore with $line"
    post /p/census-demo/release pick=best
    check "release with $line"
done

# The same with the address of a table in a database: no page opens a connection.
for line in 'input: "duckdb:people.db?table=people"' 'input: "postgres://localhost:1/db?table=people"'; do
    { printf '%s\n' "$keep" | grep -v '^input:'; echo "$line"; } >projects/census-demo/kanon.yaml
    post /p/census-demo/explore do=search
    check "explore with $line"
    expect "address+of+a+table+in+a+database" "${location//%20/+}"
done

stop
is "$(find outside secret.csv -printf '%p %s %T@\n' | sort)" "$before"
! grep -rqs 'secret-of-the-house' projects --include='*.json' --include='*.txt' --include='*.yaml' ||
    fail "a command has read the secret: $(grep -rls 'secret-of-the-house' projects)"
