#!/usr/bin/env bash
# clang-tidy has nothing to say about the code of the program, by the checks of .clang-tidy.
#
#   tidy.sh ROOT BUILD              BUILD is configured, not built
#   tidy.sh --self-test ROOT        what a check is for is found
#
# Exit status 77 (skipped) without clang-tidy 14; another version may know a check otherwise.
set -euo pipefail

tidy=$(command -v clang-tidy-14) || {
    echo 'skipped: there is no clang-tidy-14 (apt-get install clang-tidy-14)'
    exit 77
}

if [[ $1 == --self-test ]]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    cp "$2/.clang-tidy" "$scratch"
    printf '%s\n' '#include <stddef.h>' 'size_t area(unsigned wide, unsigned high);' \
        'size_t area(unsigned wide, unsigned high) { return wide * high; }' >"$scratch/wrong.c"
    sed 's/return wide/return (size_t)wide/' "$scratch/wrong.c" >"$scratch/right.c"
    "$tidy" --quiet "$scratch/right.c" -- 2>/dev/null
    if said=$("$tidy" --quiet "$scratch/wrong.c" -- 2>/dev/null) ||
        [[ $said != *implicit-widening-of-multiplication-result* ]]; then
        echo "not found: a product that is widened too late"
        exit 1
    fi
    exit 0
fi

cd "$1"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake -S . -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKANON_TESTS=OFF \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$log" 2>&1 || {
    cat "$log"
    exit 1
}
find src cli server -name '*.c' | LC_ALL=C sort >"$log"
# clang-tidy counts what it leaves out on standard error
if xargs -a "$log" -n 16 -P "$(nproc)" "$tidy" --quiet -p "$2" 2>/dev/null; then
    echo "$(wc -l <"$log") files: nothing to say"
else
    exit 1
fi
