#!/usr/bin/env bash
# Every format that can be written: a job that is stopped at any moment, or finds no room, leaves
# nothing half-written and nothing temporary; and so does reading the format.
#
#   formats.sh KANON [ROUNDS [SEED]]
#
# Nothing here depends on how fast a machine is: jobs are stopped after parts of the time that they
# took. Formats whose library is missing are skipped, and said so.
set -euo pipefail
kanon=$(realpath "$1")
rounds=${2:-6}
RANDOM=${3:-1}
work=$(mktemp -d)
mounted=0
cleanup() {
    ((mounted)) && umount "$work/disk"
    rm -rf "$work"
}
trap cleanup EXIT
cd "$work"
failed=0
mkdir out tmp disk
export TMPDIR=$work/tmp

complain() {
    echo "formats.sh: $*" >&2
    failed=1
}

# holds DIRECTORY NAMES...: these files and no other, hidden ones included.
holds() {
    local found
    found=$(ls -A "$1" | tr '\n' ' ')
    [[ $found == "${*:2}${2:+ }" ]] || complain "$kind: $1 holds '$found' instead of '${*:2}'"
}

now_ms() { echo $(($(date +%s%N) / 1000000)); }

# Names that every format takes.
"$kanon" generate census --rows 40000 --quiet
sed -i '1{s/.*/\U&/;s/OCCUPATION/JOB/}' census.csv
for tree in census-hierarchies/*; do
    name=$(basename "${tree%.*}")
    mv "$tree" "census-hierarchies/${name^^}.${tree##*.}"
done
mount -t tmpfs -o size=64k,mode=700 kanon-test disk 2>/dev/null && mounted=1 ||
    echo "formats.sh: no right to mount a small file system (root has it): a file that may not grow stands for it"

# The kinds of releases, by name.
kinds=$("$kanon" list --json | awk '/^  "sinks"/ { on = 1 } /^  \]/ { on = 0 }
    on && /^      "name"/ { gsub(/[",]/, ""); print $2 }')
[[ $kinds == *csv* ]] || complain "the list of formats was not understood: $kinds"

# A file that may not grow further: the signal of the system does not end the program.
limited() {
    (
        ulimit -f 20
        exec "$@"
    )
}

flags=(--qi GENDER,RACE --k 2 --hierarchies census-hierarchies --keep AGE,JOB --quiet --no-progress)
for kind in $kinds; do
    anonymize=("$kanon" anonymize census.csv --output-format "$kind" "${flags[@]}")
    if ! "${anonymize[@]}" -o "whole.$kind" 2>errors; then
        if grep -q libduckdb errors; then
            echo "skipped: $kind: libduckdb is not at hand"
        else
            complain "$kind: $(<errors)"
        fi
        continue
    fi
    # The same bytes again, later and on one thread.
    "${anonymize[@]}" -o "again.$kind" --threads 1
    cmp "whole.$kind" "again.$kind" || complain "$kind: two releases of one job differ"

    # Stopped while it reads, searches, writes, reads back; and while the format is read.
    read_again=("$kanon" anonymize "whole.$kind" --format "$kind" --qi GENDER,RACE --k 2
        --output-format "$kind" --keep AGE,JOB --quiet --no-progress)
    for job in anonymize read_again; do
        declare -n words=$job
        start=$(now_ms)
        "${words[@]}" -o out/first
        took=$(($(now_ms) - start))
        mv out/first "$job.whole"
        for ((round = 0; round < rounds; round++)); do
            signals=(INT TERM KILL)
            signal=${signals[round % 3]}
            printf -v delay '%d.%03d' $((ms = RANDOM % (took + 20) + 1, ms / 1000)) $((ms % 1000))
            status=0
            timeout --foreground --preserve-status -s "$signal" "$delay" "${words[@]}" -o out/release \
                2>errors || status=$?
            case $status in
            0) cmp -s out/release "$job.whole" || complain "$kind: $signal: a release that is not whole" ;;
            130 | 143) holds out ;;
            137) [[ ! -e out/release ]] || cmp -s out/release "$job.whole" ||
                complain "$kind: $signal: a release that is not whole" ;;
            *) complain "$kind: $signal after $delay s: status $status: $(<errors)" ;;
            esac
            [[ $signal == KILL ]] || holds tmp
            rm -rf out tmp && mkdir out tmp
        done
    done

    # No room.
    status=0
    if ((mounted)); then
        "${anonymize[@]}" -o disk/release 2>errors || status=$?
        holds disk
    else
        limited "${anonymize[@]}" -o out/release 2>errors || status=$?
        holds out
    fi
    [[ $status == 1 ]] || complain "$kind: no room: status $status: $(<errors)"
    grep -Eq 'No space left|File too large' errors || complain "$kind: no room: $(<errors)"
    holds tmp
    # No room for what a format writes beside its target.
    if ((mounted)); then
        status=0
        TMPDIR=$work/disk "${anonymize[@]}" -o out/release 2>errors || status=$?
        case $status in
        0) cmp -s out/release "whole.$kind" || complain "$kind: no room in TMPDIR: not whole" ;;
        1) holds out ;;
        *) complain "$kind: no room in TMPDIR: status $status: $(<errors)" ;;
        esac
        holds disk
        rm -f out/release
    fi
    echo "ok: $kind"
done
exit $failed
