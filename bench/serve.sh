#!/usr/bin/env bash
# How the pages of kanon serve answer at a million rows and nine columns: the slowest of some requests
# for each page, at rest and while a search runs, and the memory of the server beside that of its
# largest command. bench/serve.sh [KANON] [ROWS]
set -euo pipefail
kanon=$(realpath "${1:-build/kanon}")
rows=${2:-1000000}
work=$(mktemp -d)
cd "$work"
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT

"$kanon" generate census --rows "$rows" -o large.csv -q
"$kanon" serve large.csv --dir projects >out 2>err </dev/null &
server=$!
until grep -qs '^  http' out; do sleep 0.1; done
link=$(grep -o 'http://[^ ]*' out)
base=${link%/enter*}
curl -sS -o /dev/null -c jar "$link"

ask() { # the slowest of ten requests in milliseconds
    local i
    for ((i = 0; i < 10; i++)); do
        curl -sS -b jar -o body -w '%{time_total} %{http_code}\n' "$base/p/large/$1"
    done | awk -v page="$1" '{ if ($1 > most) most = $1; status = $2 } END { printf "  %-24s %6.0f ms (status %s)\n", page, 1000 * most, status }'
}
send() { curl -sS -b jar -H "Origin: $base" -o body "${@:2}" "$base/p/large/$1"; }
wait_for() {
    curl -sS -b jar -o /dev/null --max-time 3600 "$base/p/large/tasks/$1/events"
    grep -o '"seconds": [0-9.]*' "projects/large/work/$1.end.json"
}

echo "$rows rows, nine columns"
curl -sS -b jar -o /dev/null "$base/p/large/table"
echo "while the table is looked at:"
ask table
wait_for profile
echo "then:"
ask table
stamp=$(curl -sS -b jar "$base/p/large/columns" | grep -o 'name="stamp" value="[^"]*"' | head -1 | sed 's/.*value="//; s/"//' || true)
send columns -d action=suggest --data-urlencode "stamp=$stamp"
for page in columns hierarchies hierarchies/1 promise; do ask "$page"; done
send promise -d o.k=5 -d limit=2 -d unit=percent
send explore -d do=search
echo "while all combinations are searched:"
for page in table columns explore; do ask "$page"; done
wait_for search
echo "then:"
for page in explore 'explore?sort=cost' release; do ask "$page"; done
rss=$(awk '/VmHWM/ { print $2 }' /proc/$server/status)
echo "memory of the server: $((rss / 1024)) MiB at most"
grep -o '"peak_memory_bytes": [0-9]*' projects/large/work/search.json
