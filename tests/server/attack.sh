#!/usr/bin/env bash
# Requests that mean harm: broken HTTP, a thousand lines at once, uploads that never end or are too
# large, a full disk. The server goes on answering, and nothing of them is left.
source "$(dirname "$0")/harness.sh"
hammer=$(dirname "$kanon")/tests/server_hammer

serve --demo --upload-limit 100K
cookie=$(awk '/kanon-/ { print $6 "=" $7 }' jar)

# Another seed and more of them: KANON_ROUNDS, as for other tests.
"$hammer" "$host" "$cookie" broken "${KANON_SEED:-1}" "${KANON_BROKEN:-1500}"
"$hammer" "$host" "$cookie" many 1000
"$hammer" "$host" "$cookie" idle 2100 # more than there are places: those who have the cookie keep some
"$hammer" "$host" "$cookie" slow 5

# Larger than the server takes: refused by what it says, or cut where it says nothing.
head -c 200000 /dev/zero | tr '\0' 'a' >large.csv
status=$(raw -b jar -H "Origin: $base" -H 'Expect:' -F file=@large.csv -o body -w '%{http_code}' "$base/projects" || true)
[[ $status == 413 || $status == 000 ]] || fail "a large file has status $status"
raw -b jar -H "Origin: $base" -H 'Transfer-Encoding: chunked' -F file=@large.csv -o body "$base/projects" 2>/dev/null || true
[[ ! -e projects/large ]] || fail "a file that is too large became a project"
post /projects "title=$(head -c 90000 large.csv)" || true
get / >page
is "$status" 200
refuse "aaaaaaaaaaaaaaaaaaaaa" "$(cat page)"

stop
[[ -z $(find projects -name '.incoming*') ]] || fail "a half upload is left"
is "$(ls projects | grep -c -v '^a')" 1
