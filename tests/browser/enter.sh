#!/usr/bin/env bash
# kanon serve --open in real browsers: the file that the browser is given leads in, through a page that goes on by a step
# of its own site. The first page of a project begins to look at its table: that it does shows that the cookie was sent.
#   enter.sh KANON [BROWSER...]     chromium and firefox-esr where none is named; those that are not there are skipped
set -euo pipefail
kanon=$1
shift
(($#)) || set -- chromium firefox-esr
work=$(mktemp -d "${TMPDIR:-/tmp}/kanon-enter-XXXXXX")
server= browser=
finish() {
    local code=$?
    [[ -z $browser ]] || kill -- "-$browser" 2>/dev/null || true
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$work"
    exit "$code"
}
trap finish EXIT

until_there() {
    local i
    for ((i = 0; i < 1200; i++)); do
        [[ -s $1 ]] && return
        sleep 0.1
    done
    echo "FAILED: $2: no $1" >&2
    exit 1
}

for program; do
    if ! command -v "$program" >/dev/null; then
        echo "$program is not there: skipped"
        continue
    fi
    place=$work/$program
    mkdir -p "$place/home/Downloads" "$place/bin" "$place/profile"
    printf '#!/bin/sh\necho "$1" >"%s/opened"\n' "$place" >"$place/bin/xdg-open"
    chmod +x "$place/bin/xdg-open"
    HOME=$place/home PATH=$place/bin:$PATH "$kanon" serve --demo --open --dir "$place/projects" >"$place/out" </dev/null &
    server=$!
    until_there "$place/opened" "$program"
    file=$(cat "$place/opened")
    case $program in
    firefox*) flags=(--headless --no-remote --profile "$place/profile" "file://$file") ;;
    *) flags=(--headless --no-sandbox --disable-gpu --no-first-run --user-data-dir="$place/profile"
        --remote-debugging-port=0 "file://$file") ;;
    esac
    HOME=$place/home setsid "$program" "${flags[@]}" >"$place/browser" 2>&1 &
    browser=$!
    until_there "$place/projects/census-demo/work/profile.json" "$program"
    [[ ! -e $file ]] || { echo "FAILED: $program: the file is still there" >&2; exit 1; }
    kill -- "-$browser" 2>/dev/null || true
    browser=
    kill -INT "$server"
    wait "$server"
    server=
    echo "$program: entered"
done
