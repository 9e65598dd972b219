#!/usr/bin/env bash
# A disk that takes no more, by a limit on the size of files: uploads and choices are refused with a
# clear text, and what was there stays as it was.
source "$(dirname "$0")/harness.sh"

"$kanon" generate census --rows 3000 -o large.csv -q
head -n 20 large.csv >small.csv
ulimit -f 100 # blocks of 1024 bytes
serve
upload /projects file large.csv
is "$status" 507
expect "disk is full" "$(cat body)"
[[ -z $(find projects -type f -not -name .lock) ]] || fail "something is left of it"
upload /projects file small.csv
is "$status" 303
get / >page
expect "small" "$(cat page)"
stop
