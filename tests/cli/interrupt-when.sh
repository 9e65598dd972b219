#!/usr/bin/env bash
# Interrupts a command when something has happened, not after a time: on a slow machine as on a fast
# one the signal comes where a test means it to come.
#
#   interrupt-when.sh FILE REGEX COMMAND...
#
# The command runs until a line of FILE, which it writes, matches the extended regular expression; then
# it gets SIGINT, or what KANON_SIGNAL names. The status is the command's. `kanon --progress=json 2>FILE` tells how far a job is.
set -uo pipefail
file=$1 pattern=$2
shift 2
: >>"$file"
set -m # or SIGINT would be ignored in the background
env --default-signal=HUP "$@" & # which nohup ignores for all that it starts
process=$!
trap 'kill -KILL $process 2>/dev/null' EXIT
until grep -qE -- "$pattern" "$file"; do
    kill -0 $process 2>/dev/null || break
    sleep 0.02
done
kill "-${KANON_SIGNAL:-INT}" $process 2>/dev/null
wait $process
exit $?
