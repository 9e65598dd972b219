#!/usr/bin/env bash
# A job that is interrupted at any moment leaves nothing half-written.
#
#   interrupt.sh KANON [ROUNDS [SEED]]
#
# Nothing here depends on how fast a machine is: parts of a job's time are parts of what it took last,
# and where a search must have found something, it is given more time until it has.
#
# Jobs are stopped after random parts of their time by SIGINT, SIGTERM and SIGKILL. After the first
# two the status is 130 and no trace is left, unless an anytime search had found something before
# SIGINT: then that is released, and keeps the promise. After the last there may be a release only when
# it is whole. A file that stood under the name before is whole, too: the older one or the new one.
#
# `timeout` is always called with --foreground: without it, it signals twice.
set -euo pipefail
kanon=$(realpath "$1")
rounds=${2:-30}
RANDOM=${3:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

complain() {
    echo "interrupt.sh: $*" >&2
    failed=1
}

now_ms() {
    echo $(($(date +%s%N) / 1000000))
}

"$kanon" generate census --rows 300000 --quiet
mkdir out
nine=age,gender,race,marital-status,education,native-country,work-class,occupation,salary-class
# Three jobs: one that mostly searches, one that mostly reads, writes and verifies, and one whose
# search returns its best so far.
searching=(--qi "$nine" --k 25 --algorithm exhaustive)
anytime=(--qi "$nine" --k 25 --algorithm bisect)
writing=(--qi gender,race,salary-class --k 5 --keep-suppressed --shuffle-key key)

common=(census.csv --others keep -o out/release.csv --json out/result.json --hierarchies census-hierarchies
    --suppress 1% --quiet)

head -c 32 census.csv >key && chmod 600 key
declare -A took
for job in searching writing anytime; do
    declare -n flags=$job
    took[$job]=10000
    for again in '' --force; do # the quicker one of two, as the machine may have other work
        start=$(now_ms)
        "$kanon" anonymize "${common[@]}" "${flags[@]}" $again
        ms=$(($(now_ms) - start))
        ((ms < took[$job])) && took[$job]=$ms
    done
    mv out/release.csv "$job.csv"
    rm out/result.json
done
echo precious >older.csv

# What may stand in out/ after a job that did not come to its end.
check_stopped() { # signal, job, whether an older file was there
    local file whole=0
    if cmp -s out/release.csv "$2.csv"; then
        whole=1
    elif [[ -e out/release.csv ]] && ! { [[ $3 == 1 ]] && cmp -s out/release.csv older.csv; }; then
        complain "$1: a release that is not whole ($(wc -c <out/release.csv) bytes)"
    elif [[ $3 == 1 && ! -e out/release.csv ]]; then
        complain "$1: the older file is gone"
    fi
    if [[ $1 != KILL && $whole == 1 ]]; then
        complain "$1: status 130, and yet there is a release"
    fi
    for file in out/.[!.]* out/*; do
        [[ -e $file && $file != out/release.csv ]] || continue
        # Between two names, when the older file is replaced, the whole release has a third; and
        # a result may stand there after its release, never before it.
        [[ $1 == KILL ]] && cmp -s "$file" "$2.csv" && continue
        [[ $1 == KILL && $whole == 1 && $file == out/result.json* ]] && continue
        complain "$1: $file was left behind"
    done
}

# A release that is not the one of the whole job: the best so far, proven to keep its promise.
check_best() { # what, k, columns
    grep -q '"optimal": false' out/result.json || complain "$1: a release that is not the best"
    grep -q '"verified": true' out/result.json || complain "$1: not verified"
    "$kanon" verify out/release.csv --k "$2" --qi "$3" --quiet ||
        complain "$1: the best so far breaks the promise"
}

jobs=(searching writing anytime)
n_stopped=0
# At most ten times as many rounds, where the machine was busier at first than it is now.
for ((round = 0; round < rounds || (n_stopped * 3 < rounds && round < 10 * rounds); round++)); do
    signals=(INT TERM KILL)
    signal=${signals[round % 3]}
    job=${jobs[round / 3 % 3]}
    declare -n flags=$job
    has_older=$((RANDOM % 2))
    rm -rf out && mkdir out
    force=()
    ((has_older)) && cp older.csv out/release.csv && force=(--force)
    printf -v delay '%d.%03d' $((ms = RANDOM % (took[$job] + 20) + 1, ms / 1000)) $((ms % 1000))
    status=0
    start=$(now_ms)
    timeout --foreground --preserve-status -s "$signal" "$delay" "$kanon" anonymize \
        "${common[@]}" "${flags[@]}" "${force[@]}" 2>errors || status=$?
    ms=$(($(now_ms) - start))
    case $signal:$status:$(<errors) in
    *:0:*)
        if cmp -s out/release.csv "$job.csv"; then
            took[$job]=$ms # it has come to its end
        elif [[ $job == anytime && $signal == INT ]]; then
            n_stopped=$((n_stopped + 1))
            check_best "$signal after $delay s" 25 "$nine"
        else
            complain "$signal: status 0 without a whole release"
        fi
        ;;
    INT:130: | TERM:143:) # it had not even begun; that is not counted
        check_stopped "$signal" "$job" "$has_older"
        ;;
    INT:130:* | TERM:130:*)
        n_stopped=$((n_stopped + 1))
        [[ $(<errors) == 'kanon: interrupted'*'; no result was written' ]] ||
            complain "$signal after $delay s: the message is: $(<errors)"
        check_stopped "$signal" "$job" "$has_older"
        ;;
    KILL:137:*)
        n_stopped=$((n_stopped + 1))
        check_stopped "$signal" "$job" "$has_older"
        ;;
    *)
        complain "$signal after $delay s: status $status: $(<errors)"
        ;;
    esac
done
((n_stopped * 3 >= rounds)) || complain "only $n_stopped of $rounds jobs were stopped in time"

# Searches that would go on for minutes. The first signal ends them with the best so far and a note,
# soon; two at once end them with nothing.
awk -v n=60 'BEGIN {
    x = 1
    for (r = 0; r <= 2000; r++)
        for (c = 1; c <= n; c++) {
            x = (x * 16807) % 2147483647
            printf "%s%s", r ? int((x / 2147483647) ^ 2 * 64) : "c" c, c < n ? "," : "\n"
        }
}' >wide.csv
columns=$(head -n 1 wide.csv)
wide=()
for column in ${columns//,/ }; do
    wide+=(--qi "$column=intervals:4,16")
done
eight=${nine%,salary-class}
head -n 10001 census.csv >people.csv
# Levels; cuts of many columns, which are still looked for by climbing; cuts of few, whose proof has
# begun by then; and the same by the other cost.
levels=(wide.csv "${wide[@]}" --algorithm bisect)
many_cuts=(wide.csv "${wide[@]}" --algorithm k-optimize)
few_cuts=(people.csv --qi "$eight" --algorithm k-optimize)
classified=(people.csv --qi "$eight" --class salary-class --cost classification
    --algorithm k-optimize)

# A job that has run for a number of seconds, in $!. With -m, as SIGINT would be ignored in the
# background.
start_endless() { # job, seconds
    declare -n flags=$1
    rm -rf out && mkdir out
    set -m
    "$kanon" anonymize "${flags[@]}" -o out/release.csv --json out/result.json --k 5 \
        --suppress 1% --no-progress >summary 2>errors &
    set +m
    sleep "$2"
    kill -0 $! || complain "$1: the search has ended by itself"
}

# Interrupted so late that it had found something: sets status, and seconds to when that was.
interrupt_with_best() { # job, signal
    local start ms
    for seconds in 0.5 1.$((RANDOM % 10)) 4 10 25 60 150; do
        start_endless "$1" "$seconds"
        start=$(now_ms)
        status=0
        kill -"$2" $!
        wait $! || status=$?
        ms=$(($(now_ms) - start))
        ((ms > slowest)) && slowest=$ms
        [[ $status == 130 && $(<errors) == *'interrupted before an answer was found'* ]] || return 0
        [[ -z $(ls -A out) ]] || complain "$1, $2: $(ls -A out) was left behind"
    done
}

slowest=0
for job in levels many_cuts few_cuts classified; do
    [[ $job == levels || $job == many_cuts ]] && names=$columns || names=$eight
    interrupt_with_best "$job" INT
    ((status == 0)) || complain "$job, INT: status $status: $(<errors)"
    [[ $(<errors) == *'note: the search was interrupted: this is the best'* ]] ||
        complain "$job, INT: the note is: $(<errors)"
    check_best "$job, INT" 5 "$names"
    grep -qE '^ "bound": [1-9][0-9]*,' out/result.json ||
        complain "$job, INT: no bound: $(grep '"bound"' out/result.json)"
    # What ends a job for a machine takes no best so far: twice, as timeout does it.
    start_endless "$job" "$seconds"
    status=0
    kill -STOP $!
    kill -TERM $!
    kill -CONT $!
    kill -TERM $! 2>/dev/null || true
    wait $! || status=$?
    ((status == 130)) || complain "$job, TERM: status $status"
    [[ $(<errors) == *'kanon: interrupted; no result was written' ]] ||
        complain "$job, TERM: the message is: $(<errors)"
    [[ -z $(ls -A out) ]] || complain "$job, TERM: $(ls -A out) was left behind"
    # A job that sleeps gets both when it is woken.
    start_endless "$job" "$seconds"
    status=0
    kill -STOP $!
    kill -INT $!
    kill -TERM $!
    kill -CONT $!
    wait $! || status=$?
    ((status == 130)) || complain "$job, INT and TERM: status $status"
    [[ $(<errors) == *'kanon: interrupted; no result was written' ]] ||
        complain "$job, INT and TERM: the message is: $(<errors)"
    [[ -z $(ls -A out) ]] || complain "$job, INT and TERM: $(ls -A out) was left behind"
done

# A table that is made has several files: none of them, or all.
rm -rf out && mkdir out
for ((round = 0; round < 8; round++)); do
    printf -v delay '0.%03d' $((RANDOM % 150 + 1))
    status=0
    timeout --foreground --preserve-status -s INT "$delay" "$kanon" generate census --rows 3000000 \
        -o out/c.csv --quiet 2>errors || status=$?
    ((status == 0 || status == 130)) || complain "generate: status $status: $(<errors)"
    if ((status == 130)) && [[ -n $(ls -A out) ]]; then
        complain "generate, interrupted after $delay s, left $(ls -A out | tr '\n' ' ')"
    fi
    rm -rf out && mkdir out
done

echo "$n_stopped of $rounds jobs were stopped before their end; searches answered in $slowest ms" \
    "or less"
exit $failed
