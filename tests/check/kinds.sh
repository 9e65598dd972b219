#!/usr/bin/env bash
# Kinds are asked what they do, never recognised: nobody outside a family compares with one of its
# constants, or a text with the name of one of its kinds.
#
#   kinds.sh [ROOT]        checks the checkout ROOT (default: this one)
#   kinds.sh --self-test   plants violations in a copy, and expects each to be found
#
# Exit status 0 when there is none; every violation is named with file and line.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Constants of a family begin with kan_NAME_; then the folders that may know them.
families='
cost     src/cost/
search   src/search/
privacy  src/privacy/
model    src/recode/
source   src/io/ src/engine/
sink     src/io/ src/engine/
'
# The file that is read says so itself, and no other model has a certificate. The page is made of a
# result, which names its model.
excepted='^src/job/(verify/)?certificate_read\.c:|^src/report/report_page\.c:'

# The names that users type, in quotes.
names_of() {
    grep -rhoE '\.kind = \{(\.name = )?"[a-z0-9-]+"' src/cost src/search src/privacy src/recode src/io src/engine \
        src/generate 2>/dev/null | sed 's/.*[{ ]//' | sort -u || true
}

check() {
    cd "$1"
    local found='' family folders names
    while read -r family folders; do
        [[ -n $family ]] || continue
        found+=$(grep -rnE --include='*.[ch]' \
            "[!=]=[[:space:]]*\(?&kan_${family}_|&kan_${family}_[a-z_]+\)?[[:space:]]*[!=]=" \
            include src cli server python examples 2>/dev/null |
            grep -vE "^(${folders// /|})" || true)$'\n'
    done <<<"$families"
    names=$(names_of | paste -sd'|')
    if [[ -n $names ]]; then
        found+=$(grep -rnE --include='*.[ch]' \
            "(cmp|_is|_by|is_same|ends_with)\([^;]*($names)" include src cli server python 2>/dev/null |
            grep -vE "^src/(cost|search|privacy|recode|io|engine|generate)/" | grep -vE "$excepted" || true)
    fi
    found=$(sed '/^$/d' <<<"$found")
    if [[ -n $found ]]; then
        echo "$found"
        echo "$(wc -l <<<"$found") kinds are recognised; let the kind say what is asked about it"
        return 1
    fi
    echo 'no kind is recognised'
}

# Plants a line in a copy, and expects the check to fail with its file.
plant() { # file, line
    local copy=$scratch/copy output status=0
    rm -rf "$copy"
    cp -r "$scratch/clean" "$copy"
    mkdir -p "$(dirname "$copy/$1")"
    printf '%s\n' "$2" >>"$copy/$1"
    output=$(check "$copy" 2>&1) || status=$?
    if ((status != 1)) || [[ $output != *"$1"* ]]; then
        echo "planted '$2' in $1, but the check said ($status): $output"
        failed=1
    fi
}

self_test() {
    failed=0
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    mkdir -p "$scratch"/clean/{include,cli,server,python,examples} \
        "$scratch"/clean/src/{cost,search,privacy,recode,io,job}
    echo '    .kind = {"ncp", "mean share", NULL, 0},' >"$scratch/clean/src/cost/ncp.c"
    echo '    .kind = {"k-optimize",' >"$scratch/clean/src/search/k_optimize.c"
    echo '    .kind = {.name = "parquet",' >"$scratch/clean/src/io/parquet.c"
    echo 'const kan_search_kind *kind = &kan_search_bisect;' >"$scratch/clean/src/job/seed.c"
    if ! (check "$scratch/clean" >/dev/null); then
        echo 'the clean copy does not pass'
        failed=1
    fi
    plant src/search/cut.c 'if (cost == &kan_cost_ncp)'
    plant src/job/a.c 'if (kind != &kan_search_bisect)'
    plant src/job/b.c 'if (&kan_privacy_alpha == kind)'
    plant src/search/c.c 'return model == &kan_model_full_domain;'
    plant server/d.c 'return strcmp(cost, "ncp") == 0;'
    plant server/e.c 'return made_by(model, "k-optimize");'
    plant cli/f.c 'if (strcmp("k-optimize", name) != 0)'
    plant src/job/g.c 'return strcmp(kind->kind.name, "parquet") == 0;'
    ((failed == 0)) && echo 'every planted violation was found'
    return $failed
}

if [[ ${1:-} == --self-test ]]; then
    self_test
else
    check "${1:-$here/../..}"
fi
