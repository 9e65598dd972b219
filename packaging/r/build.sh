#!/usr/bin/env bash
# Builds the source package, kanon_VERSION.tar.gz in a folder, or installs it into a library of R, with the help pages of
# the commands, which are made from the settings of the library (tools/pages.R). Where that is, KANON_CFLAGS and
# KANON_LIBS say, else pkg-config.
#
#   build.sh FOLDER
#   build.sh --install LIBRARY
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
installs=false
[[ $1 != --install ]] || {
    installs=true
    shift
}
mkdir -p "$1"
out=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export R_LIBS_USER=$scratch/none LC_ALL=C.UTF-8
logged() {
    "$@" >"$scratch/log" 2>&1 || {
        cat "$scratch/log" >&2
        echo "build.sh: $1 $2 $3 failed" >&2
        exit 1
    }
}
mkdir "$scratch/library"
cp -r "$here" "$scratch/kanon"
rm -rf "$scratch/kanon/build.sh" "$scratch/kanon/src/Makevars" "$scratch"/kanon/src/*.o "$scratch"/kanon/src/*.so
cp -r "$scratch/kanon" "$scratch/first" # with the pages of the commands only the second one is complete
logged R CMD INSTALL --no-docs --no-test-load -l "$scratch/library" "$scratch/first"
Rscript "$here/tools/pages.R" "$scratch/library" "$scratch/kanon/man"
rm -rf "$scratch/kanon/tools"
if $installs; then
    stamp=$(date -u ${SOURCE_DATE_EPOCH:+-d "@$SOURCE_DATE_EPOCH"} '+%Y-%m-%d %H:%M:%S UTC')
    logged R CMD INSTALL --built-timestamp="$stamp" -l "$out" "$scratch/kanon"
    exit
fi
cd "$out"
logged R CMD build "$scratch/kanon"
ls "$out"/kanon_*.tar.gz
