#!/usr/bin/env bash
# Every C file is laid out as clang-format does it. `./run format` puts it right.
#
#   format.sh [--fix] [ROOT]
#
# Exit status 77 (skipped) when there is no clang-format.
set -euo pipefail
arguments=(--dry-run -Werror)
if [[ ${1:-} == --fix ]]; then
    arguments=(-i)
    shift
fi
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"
if ! command -v clang-format >/dev/null; then
    echo 'skipped: clang-format is not installed (apt-get install clang-format)'
    exit 77
fi
# The layout differs between releases; 14 is the one that decides.
version=$(clang-format --version | sed -E 's/.*version ([0-9]+).*/\1/')
if [[ $version != 14 ]]; then
    echo "skipped: clang-format 14 decides the layout, this is $version"
    exit 77
fi
folders=()
for folder in include src cli server python tests bench examples packaging; do
    [[ ! -d $folder ]] || folders+=("$folder")
done
mapfile -d '' files < <(find "${folders[@]}" -name '*.[ch]' -print0 | sort -z)
clang-format "${arguments[@]}" "${files[@]}"
echo "${#files[@]} files are well laid out"
