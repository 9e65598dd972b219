#!/usr/bin/env bash
# Regressions of `kanon utility --regress` against lm and glm of R, on Adult where it is and on tables that are
# made here: coefficients to 1e-8 of their standard error, standard errors to 1e-8 of themselves.
#
#   models.sh KANON ROOT
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC
kanon=$(realpath "$1") root=$(realpath "$2")

if ! command -v Rscript >/dev/null || ! Rscript -e 'library(jsonlite)' >/dev/null 2>&1; then
    echo "skipped: R with jsonlite (r-base-core, r-cran-jsonlite) is not installed"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
Rscript "$root/tests/check/models.R" make
data=${KANON_DATA:-$root/../shared/data}
if [ -f "$data/adult/adult-30162.csv" ]; then
    cp "$data/adult/adult-30162.csv" adult.csv
else
    echo "no adult/adult-30162.csv below $data: its models are skipped"
fi

# name, table, formula, and what else is said
try() {
    local name=$1 table=$2 formula=$3
    shift 3
    [ -f "$table" ] || return 0
    "$kanon" utility "$table" --original "$table" --regress "$formula" "$@" --json "$name.json" --quiet
    Rscript "$root/tests/check/models.R" check "$name" "$table" "$formula"
}
try salary adult.csv 'salary-class ~ age + gender + race + occupation'
try age adult.csv 'age ~ gender + education + salary-class'
try line made.csv 'y ~ x + year + town + day'
try odds made.csv 'bought ~ x + year + town'
try rare made.csv 'rare ~ x + town'
try near made.csv 'y ~ year + yearlike + x'
try survey made.csv 'y ~ x + town' --sampling-weight w
try survey-odds made.csv 'bought ~ x + town' --sampling-weight w
