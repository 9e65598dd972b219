#!/usr/bin/env bash
# A full disk is told, and leaves nothing half-written. Needs the right to mount a small file
# system; without it (status 77) only the other ways of not being able to write are tried.
#
#   disk.sh KANON
set -euo pipefail
kanon=$(realpath "$1")
work=$(mktemp -d)
mounted=0
cleanup() {
    ((mounted)) && umount "$work/disk"
    rm -rf "$work"
}
trap cleanup EXIT
cd "$work"
failed=0

complain() {
    echo "disk.sh: $*" >&2
    failed=1
}

# expect STATUS PATTERN COMMAND...: the status, and standard error as one line of that pattern.
expect() {
    local status=0 text
    "${@:3}" >stdout 2>stderr || status=$?
    text=$(<stderr)
    [[ $status == "$1" ]] || complain "status $status instead of $1: ${*:3}: $text"
    [[ $text =~ ^$2$ ]] || complain "unexpected message '$text': ${*:3}"
}

# holds DIRECTORY NAMES...: these files and no other, hidden ones included.
holds() {
    local found
    found=$(ls -A "$1" | tr '\n' ' ')
    [[ $found == "${*:2}${2:+ }" ]] || complain "$1 holds '$found' instead of '${*:2}'"
}

"$kanon" generate census --rows 60000 --quiet
flags=(--qi gender,race --k 2 --hierarchies census-hierarchies --others keep --quiet)
"$kanon" anonymize census.csv -o whole.csv "${flags[@]}"
full='kanon: .*: No space left on device.*'

# ---- without rights --------------------------------------------------------------------------

mkdir small
# A file that may not grow further: the signal of the system does not end the program.
limited() {
    (
        ulimit -f 100
        "$@"
    )
}
expect 1 'kanon: small/out.csv: cannot be written: File too large; .*' \
    limited "$kanon" anonymize census.csv -o small/out.csv "${flags[@]}"
holds small
expect 1 'kanon: small/c.csv: cannot be written: File too large.*' \
    limited "$kanon" generate census --rows 60000 -o small/c.csv --quiet
holds small

expect 1 'kanon: small/r.csv: cannot be written: File too large.*' \
    limited "$kanon" risk census.csv --qi age,gender,race --rows small/r.csv --quiet
holds small

# A folder in which no file can be made is told before anything is searched for. Root makes them
# everywhere, unless it gives that right up.
mkdir -m 555 locked
plainly=(env)
((EUID != 0)) || plainly=(setpriv --bounding-set=-all --inh-caps=-all)
if "${plainly[@]}" true 2>/dev/null; then
    for target in '--output locked/o' '--output small/o --json locked/o' '--output small/o --picture locked/o'; do
        expect 2 'kanon: --(output|json|picture) locked/o: no file can be created in locked: Permission denied; .*' \
            "${plainly[@]}" "$kanon" anonymize census.csv $target "${flags[@]}"
    done
    holds small
    holds locked
else
    echo 'disk.sh: not tried as root: a folder that is locked'
fi

# /dev/full behind standard output, and where a file is expected.
to_full() {
    "$@" >/dev/full
}
expect 1 "$full" to_full "$kanon" anonymize census.csv -o - "${flags[@]}"
expect 1 "$full" to_full "$kanon" search census.csv "${flags[@]}" --json -
expect 1 "$full" to_full "$kanon" generate patients -o - --quiet
expect 2 'kanon: --output /dev/full is not a plain file; .*' \
    "$kanon" anonymize census.csv -o /dev/full "${flags[@]}"
expect 2 'kanon: --json /dev/full is not a plain file; .*' \
    "$kanon" anonymize census.csv -o small/out.csv --json /dev/full "${flags[@]}"
holds small

expect 1 "$full" to_full "$kanon" profile census.csv --job-out - --quiet
expect 1 "$full" to_full "$kanon" hierarchy build census.csv --column age -o - --quiet
expect 1 'kanon: standard output: .*; what has arrived there is not the whole output' \
    to_full "$kanon" profile census.csv

# Temporary data that may not grow further.
"$kanon" generate sales --rows 300000 --quiet
short=(--qi zipcode,gender,quantity --k 2 --hierarchies sales-hierarchies --suppress 5% --quiet)
expect 1 'kanon: small: no room for .* of temporary data: File too large; .* --tmp, .* --memory' \
    limited "$kanon" search sales.csv "${short[@]}" --memory 8M --tmp small
holds small

# ---- a small file system ---------------------------------------------------------------------

mkdir disk
if mount -t tmpfs -o size=1m,mode=700 kanon-test disk 2>/dev/null; then
    mounted=1
else
    echo "disk.sh: no right to mount a small file system (root has it): the full disk is not tried"
    ((failed)) || failed=77
    exit $failed
fi

expect 1 "$full" "$kanon" anonymize census.csv -o disk/out.csv "${flags[@]}"
holds disk
[[ $(df --output=used disk | tail -1) -eq 0 ]] || complain 'space was kept'
head -c 1000000 /dev/zero >disk/filler
for packed in out.csv.gz out.csv.zst; do
    expect 1 "$full" "$kanon" anonymize census.csv -o disk/$packed "${flags[@]}" --shuffle
    holds disk filler
done
rm disk/filler
echo precious >disk/out.csv
expect 1 "$full" "$kanon" anonymize census.csv -o disk/out.csv "${flags[@]}" --force
holds disk out.csv
[[ $(<disk/out.csv) == precious ]] || complain 'the older file was changed'
expect 1 "$full" "$kanon" generate census --rows 60000 -o disk/c.csv --quiet
holds disk out.csv
# Standard output waits in TMPDIR, and gets nothing when there is no room for all.
expect 1 "$full" env TMPDIR="$PWD/disk" "$kanon" anonymize census.csv -o - "${flags[@]}"
holds disk out.csv
[[ ! -s stdout ]] || complain 'a part of a release went to standard output'
# Temporary data that finds no room is told before anything is lost.
expect 1 'kanon: disk: no room for .* of temporary data: No space left on device; free some, .*' \
    "$kanon" search sales.csv "${short[@]}" --memory 8M --tmp disk
holds disk out.csv
# What comes through a pipe leaves half of the disk to others, unless more was allowed.
expect 1 'kanon: standard input: more than .* half of the free space of disk; .* --tmp, .* --spool-limit SIZE' \
    bash -c 'cat sales.csv | "$@"' - "$kanon" search - "${short[@]}" --memory 8M --tmp disk
holds disk out.csv
expect 1 'kanon: disk: no room for .* of temporary data: No space left on device; free some, .*' \
    bash -c 'cat sales.csv | "$@"' - "$kanon" search - "${short[@]}" --memory 8M --tmp disk --spool-limit 1G
holds disk out.csv
# The release has room, its result has not: the release stays, as it is verified, and that is told.
head -c 2000000 /dev/zero >disk/filler 2>/dev/null || true
expect 1 "$full" "$kanon" anonymize census.csv -o small/out.csv "${flags[@]}" \
    --json disk/result.json
holds disk filler out.csv
cmp small/out.csv whole.csv || complain 'the release is not whole'
# Commands that write small files leave neither a part of one nor an empty directory.
expect 1 "$full" "$kanon" profile census.csv --job-out disk/job.yaml --quiet
expect 1 "$full" "$kanon" profile census.csv --json disk/profile.json --quiet
expect 1 "$full" "$kanon" hierarchy build census.csv --column age,gender -o disk/h/ --quiet
expect 1 "$full" "$kanon" hierarchy convert census-hierarchies/age.csv -o disk/age.txt --quiet
expect 1 "$full" "$kanon" anonymize census.csv -o small/other.csv "${flags[@]}" \
    --report disk/report.html
holds disk filler out.csv
holds small out.csv
# Room again: the same command succeeds.
rm disk/* small/*
mount -o remount,size=64m disk
expect 0 '' "$kanon" anonymize census.csv -o disk/out.csv "${flags[@]}"
cmp disk/out.csv whole.csv || complain 'the release is not whole'
exit $failed
