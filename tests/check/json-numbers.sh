#!/usr/bin/env bash
# Numbers become JSON in one place: jansson answers an infinite one with NULL, which then reads as
# memory that ran out. So nobody but kan_json_count and kan_json_real calls json_real, and no
# json_pack takes a number by "f".
#
#   json-numbers.sh [ROOT]        checks the checkout ROOT (default: this one)
#   json-numbers.sh --self-test   plants violations in a copy, and expects each to be found
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Violations of the folder src below $1, one a line; 1 when there are any.
find_violations() {
    local found
    found=$(grep -rnE '(^|[^_[:alnum:]])json_real\(|"[{[][^"]*s:f' "$1/src" --include='*.c' --include='*.h' |
        grep -vE '^[^:]*/job/tell/json\.c:[0-9]+:    return (count <= INT64_MAX|isfinite\(number\)) ' || true)
    [ -z "$found" ] && return 0
    printf '%s\n' "$found"
    echo "use kan_json_real (src/job/tell/json.h): an infinite number is null, not out of memory"
    return 1
}

if [ "${1:-}" = --self-test ]; then
    copy=$(mktemp -d)
    trap 'rm -rf "$copy"' EXIT
    mkdir "$copy/src"
    echo 'json_t *fine = kan_json_real(x);' >"$copy/src/planted.c"
    find_violations "$copy"
    for line in 'json_t *a = json_real(x);' 'json_t *a = json_pack("{s:o, s:f}", "a", b, "c", x);'; do
        echo "$line" >"$copy/src/planted.c"
        if find_violations "$copy" >/dev/null; then
            echo "not found: $line"
            exit 1
        fi
    done
    exit 0
fi
find_violations "${1:-$here/../..}"
