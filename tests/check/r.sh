#!/usr/bin/env bash
# The example of docs/manual/r.md in R: it runs, and prints what the page shows. Odd values then go through CSV
# and come back as they were (r_values.R).
#
#   r.sh KANON ROOT
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC
kanon=$(realpath "$1") root=$(realpath "$2")

if ! command -v Rscript >/dev/null || ! Rscript -e 'library(jsonlite)' >/dev/null 2>&1; then
    echo "skipped: R with jsonlite (r-base-core, r-cran-jsonlite) is not installed"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$kanon" "$scratch/bin/kanon"
PATH=$scratch/bin:$PATH
cd "$scratch"

sed -n '/^    \$ Rscript anonymize.R$/,/^$/ { /^    \$/d; /^$/d; s/^    //; p }' "$root/docs/manual/r.md" >wanted
Rscript "$root/examples/anonymize.R" >printed
diff wanted printed || {
    echo 'docs/manual/r.md shows what examples/anonymize.R does not print'
    exit 1
}
Rscript "$root/tests/check/r_values.R"
