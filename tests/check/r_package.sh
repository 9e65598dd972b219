#!/usr/bin/env bash
# The R package: it is built, `R CMD check` has no error and no warning, and its releases are those of Python, of a C
# program and of the command line, cell by cell. The manual in PDF is not made: that would need LaTeX.
#
#   r_package.sh KANON ROOT BUILD RELEASE-IN-C
#
# Exit status 77 (skipped) without R, or without a library that is shared.
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC
kanon=$(realpath "$1") root=$(realpath "$2") build=$(realpath "$3") in_c=$(realpath "$4")

if ! command -v R >/dev/null || ! command -v make >/dev/null; then
    echo 'skipped: R and make (r-base-core, make) are not installed'
    exit 77
fi
if ! Rscript -e 'for (package in c("haven", "tibble", "hms", "bit64")) library(package, character.only = TRUE)' >/dev/null 2>&1; then
    echo 'skipped: haven (r-cran-haven, and with it tibble, hms and bit64) is not installed'
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export KANON_CFLAGS=-I$root/include KANON_LIBS="-L$build -lkanon" LD_LIBRARY_PATH=$build R_LIBS_USER=$scratch/none
package=$("$root/packaging/r/build.sh" "$scratch")

cd "$scratch"
# No net: what CRAN has is nobody's business here.
export _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_SYSTEM_CLOCK_=0 R_REPOSITORIES=NULL
if ! R CMD check --no-manual "$package" >check.log 2>&1 || grep -qE '(WARNING|ERROR)$' check.log; then
    cat check.log
    find kanon.Rcheck -name '*.fail' -exec tail -n 40 {} +
    echo 'R CMD check is not content'
    exit 1
fi
tail -n 2 check.log
echo 'R CMD check (--no-manual: the manual in PDF was not made): no error, no warning'

mkdir library tables
R CMD INSTALL --no-docs -l library "$package" >install.log 2>&1 || {
    cat install.log
    exit 1
}
export R_LIBS=$scratch/library
Rscript "$root/tests/check/r_classes.R"
sed -n '/^    \$ Rscript anonymize_frame.R$/,/^$/ { /^    \$/d; /^$/d; s/^    //; p }' "$root/docs/manual/r.md" >wanted
Rscript "$root/examples/anonymize_frame.R" >printed 2>told
diff wanted printed || {
    cat told
    echo 'docs/manual/r.md shows what examples/anonymize_frame.R does not print'
    exit 1
}
Rscript "$root/tests/check/r_package.R" make "$scratch/tables" 16
"$in_c" "$scratch"/tables/*
PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/check/r_release.py" "$scratch"/tables/*
for folder in "$scratch"/tables/*; do
    settings=()
    while IFS=$'\t' read -r name value; do
        settings+=("--$name" "$value")
    done <"$folder/settings.tsv"
    "$kanon" anonymize "$folder/table.csv" -o "$folder/cli.csv" --quiet "${settings[@]}"
done
Rscript "$root/tests/check/r_package.R" compare "$scratch/tables"
