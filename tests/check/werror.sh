#!/usr/bin/env bash
# Everything compiles with COMPILER without one warning: library, program, tests, bench, examples.
#
#   werror.sh SOURCE DIRECTORY COMPILER
#
# gcc with the flags of the release, because some of its warnings come from optimization; clang,
# whose warnings do not, without any.
#
# Exit status 77 (skipped) when there is no such compiler.
set -euo pipefail
source=$1 directory=$2 compiler=$3
if ! command -v "$compiler" >/dev/null; then
    echo "skipped: $compiler is not installed"
    exit 77
fi
kind=(-DCMAKE_BUILD_TYPE=Release)
[[ $compiler != clang* ]] || kind=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0)
cmake -G Ninja -S "$source" -B "$directory" -DCMAKE_C_COMPILER="$compiler" "${kind[@]}" \
    -DKANON_WERROR=ON -DKANON_NESTED=ON \
    >"$directory.log" 2>&1 || {
    cat "$directory.log"
    exit 1
}
cmake --build "$directory" -j2 -- -k 0
