#!/usr/bin/env bash
# kill -9 while choices are being written: the project opens again, and of the clicks only the last one
# may be lost. Work that ran is killed, too, and said to have been interrupted.
source "$(dirname "$0")/harness.sh"

serve --demo
k=1
for round in 1 2 3 4 5 6; do
    : >acknowledged
    # Clicks, one after the other, until nobody answers.
    (
        next=$k
        while true; do
            next=$((next + 1))
            post /p/census-demo/promise "o.k=$next" limit=1 unit=percent 2>/dev/null || exit 0
            [[ $status == 303 ]] || exit 0
            echo "$next" >>acknowledged
        done
    ) &
    clicks=$!
    while (($(wc -l <acknowledged) < round)); do sleep 0.01; done
    kill -9 "$server"
    wait "$server" 2>/dev/null || true
    wait "$clicks" || true
    last=$(tail -n 1 acknowledged)
    kept=$(sed -n 's/^k: //p' projects/census-demo/kanon.yaml)
    ((kept == last || kept == last + 1)) || fail "k is $kept, and $last was kept"
    serve
    [[ -z $(find projects -name '.part-*') ]] || fail "leftovers"
    get /p/census-demo/promise >page
    is "$status" 200
    expect "value=\"$kept\"" "$(cat page)"
    k=$kept
done

# A search that ran when the server was killed.
post /p/census-demo/promise o.k=5 limit=1 unit=percent
post /p/census-demo/explore do=search
is "$status" 303
kill -9 "$server"
wait "$server" 2>/dev/null || true
serve
get /p/census-demo/explore >page
is "$status" 200
wait_for_any() {
    local file=projects/census-demo/work/search.end.json
    [[ ! -f $file ]] || grep -o '"status": "[a-z]*"' "$file"
}
case $(wait_for_any) in
*lost*) expect "was interrupted" "$(cat page)" ;;
*done* | '') ;; # it was quicker, or had not begun
*) fail "$(wait_for_any)" ;;
esac
post /p/census-demo/explore do=search
wait_for census-demo search
get /p/census-demo/explore >page
expect "keep the promise" "$(cat page)"
stop
