# For tests of the server over HTTP: source it, then call `serve`. A test is a bash script that gets the
# program as $1 and works in a folder of its own, which is gone afterwards.
#
#   serve [FLAGS]       starts a server on projects/ (a free port) and lets this test in
#   stop                ends it; the test fails when it did not end well
#   get PATH            the body of a page; the status is in $status
#   post PATH [FIELDS]  a form, from a page of this server: name=value ...; @name=file uploads
#   raw [CURL FLAGS]    curl as it is, with the address of the server in $base
#   make_census NAME    a project with an invented census of 2,000 rows and four quasi-identifiers
#   wait_for P KIND     until the task of a project has ended
#   expect WHAT TEXT    fails unless TEXT has a line with WHAT (a fixed string); `refuse` the opposite
#   is A B              fails unless they are equal
set -euo pipefail
kanon=$1
work=$(mktemp -d)
cd "$work"
server=
status=

finish() {
    local code=$? i
    # Asked first, so that it can write what it counted (the preset `coverage`).
    [[ -z $server ]] || kill -INT "$server" 2>/dev/null || true
    for ((i = 0; i < 100; i++)); do
        [[ $server ]] && kill -0 "$server" 2>/dev/null || break
        sleep 0.05
    done
    [[ -z $server ]] || kill -9 "$server" 2>/dev/null || true
    cd /
    rm -rf "$work"
    exit "$code"
}
trap finish EXIT

fail() {
    echo "FAILED: $*" >&2
    [[ ! -s serve.err ]] || sed 's/^/  serve: /' serve.err >&2
    exit 1
}

serve() {
    rm -f serve.out
    "$kanon" serve --dir projects "$@" >serve.out 2>serve.err </dev/null &
    server=$!
    local i
    for ((i = 0; i < 1200; i++)); do
        grep -qs '^  http' serve.out && break
        kill -0 "$server" 2>/dev/null || fail "the server ended: $(cat serve.err)"
        sleep 0.05
    done
    link=$(grep -m1 -o 'http://[^ ]*' serve.out) || fail "no link was printed"
    base=${link%/enter*}
    host=${base#http://}
    rm -f jar
    raw -o entered -c jar "$link"
}

stop() {
    kill -INT "$server"
    wait "$server" || fail "the server ended with status $?"
    server=
}

# The name of the host is of this run alone, and leads here.
raw() { curl -sS --max-time 300 --connect-to "::127.0.0.1:" "$@"; }

get() {
    status=$(raw -b jar -o body -w '%{http_code}' "$base$1")
    cat body
}

# Where the reply leads to is in $location.
post() {
    local path=$1 field flags=()
    shift
    for field in "$@"; do
        if [[ $field == @* ]]; then
            flags+=(-F "${field#@}")
        else
            flags+=(--data-urlencode "$field")
        fi
    done
    ((${#flags[@]} > 0)) || flags=(-d '')
    status=$(raw -b jar -H "Origin: $base" -D headers -o body -w '%{http_code}' "${flags[@]}" "$base$path")
    location=$(sed -n 's/^Location: \(.*\)\r$/\1/p' headers)
}

# A file that is uploaded: upload PATH FIELD FILE [NAME]
upload() {
    status=$(raw -b jar -H "Origin: $base" -D headers -o body -w '%{http_code}' \
        -F "$2=@$3${4:+;filename=\"$4\"}" "$base$1")
    location=$(sed -n 's/^Location: \(.*\)\r$/\1/p' headers)
}

# The end of a task is in its file; what the server thinks of it follows a moment later.
wait_for() {
    local i file=projects/$1/work/$2.end.json
    for ((i = 0; i < 6000; i++)); do
        if [[ -f $file ]] && ! grep -q '"status": "lost"' "$file"; then
            raw -b jar --max-time 300 -o /dev/null "$base/p/$1/tasks/$2/events" || true
            return 0
        fi
        sleep 0.05
    done
    fail "the task $2 of $1 does not end"
}

expect() { grep -qF -- "$1" <<<"$2" || fail "expected '$1' in: ${2:0:2000}"; }
refuse() { ! grep -qF -- "$1" <<<"$2" || fail "did not expect '$1' in: ${2:0:2000}"; }
is() { [[ $1 == "$2" ]] || fail "'$1' is not '$2'"; }

make_census() {
    mkdir -p "projects/$1/work" "projects/$1/releases"
    "$kanon" generate census --rows 2000 -q -o "projects/$1/census.csv" \
        --hierarchies "projects/$1/hierarchies"
    cat >"projects/$1/kanon.yaml" <<END
input: census.csv
qi:
  - age=hierarchies/age.csv
  - gender=hierarchies/gender.csv
  - race=hierarchies/race.csv
  - education=hierarchies/education.csv
sensitive: [occupation, marital-status]
keep: [salary-class]
others: drop
k: 5
suppress: 1%
END
}
