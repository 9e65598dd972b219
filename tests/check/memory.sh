#!/usr/bin/env bash
# With --memory, how much is resident does not grow with the rows; and a job that is killed in the
# middle leaves no temporary file.
#
#   memory.sh KANON PEAK-MEMORY [ROWS]
set -euo pipefail
kanon=$(realpath "$1")
peak_memory=$(realpath "$2") # peak_memory.c
rows=${3:-3000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir tmp
failed=0

complain() {
    echo "memory.sh: $*" >&2
    failed=1
}

# peak COMMAND...: runs it, and sets peak_mib to the most that was resident and status to its status.
peak() {
    status=0
    "$peak_memory" peak.kib "$@" >stdout 2>stderr || status=$?
    peak_mib=$(($(<peak.kib) / 1024))
}

"$kanon" generate sales --rows "$rows" --quiet
columns=zipcode,gender,quantity,shipment
common=(sales.csv --qi $columns --hierarchies sales-hierarchies --quiet --threads 2)
bounded=(--memory 48M --tmp tmp)
# Code, stacks and what the system's allocator keeps come on top of the budget.
most_mib=72

# ---- resident memory -------------------------------------------------------------------------

peak "$kanon" verify "${common[@]}" --k 2
free_mib=$peak_mib
peak "$kanon" verify "${common[@]}" --k 2 "${bounded[@]}"
[[ $status == 3 ]] || complain "verify: status $status: $(<stderr)"
((peak_mib < most_mib)) || complain "verify: $peak_mib MiB resident, $free_mib without a budget"
((free_mib > most_mib)) || complain "verify: only $free_mib MiB without a budget: more rows, please"

release=(--k 5 --suppress 5% --algorithm datafly --others keep)
"$kanon" anonymize "${common[@]}" "${release[@]}" -o all.csv
peak "$kanon" anonymize "${common[@]}" "${release[@]}" -o few.csv "${bounded[@]}"
[[ $status == 0 ]] || complain "anonymize: status $status: $(<stderr)"
((peak_mib < most_mib)) || complain "anonymize: $peak_mib MiB resident"
cmp all.csv few.csv || complain 'another release with a budget'
rm few.csv

# ---- killed ----------------------------------------------------------------------------------

for tenths in 1 2 3 5 8; do
    "$kanon" anonymize "${common[@]}" "${release[@]}" -o killed.csv --force "${bounded[@]}" \
        2>/dev/null &
    process=$!
    sleep 0.$tenths
    kill -KILL $process 2>/dev/null || true
    wait $process 2>/dev/null || true
    left=$(ls -A tmp)
    [[ -z $left ]] || complain "after a kill, tmp holds '$left'"
done
exit $failed
