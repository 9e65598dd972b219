#!/usr/bin/env bash
# Builds the fuzz targets, or runs one for a bounded time.
#
#   run-fuzz.sh build SOURCE DIRECTORY
#   run-fuzz.sh run DIRECTORY NAME
#
# A run starts from a copy of corpus/NAME and goes on from there for KANON_FUZZ_SECONDS (5). An
# input that fails is kept in DIRECTORY/artifacts: put it into corpus/NAME with the fix. The longest
# input tried is 4096 bytes unless corpus/NAME.max_len says otherwise; corpus/NAME.dict, if there is
# one, lists words that the format knows.
#
# Exit status 77 (skipped) when clang or its fuzzer runtime is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

has_fuzzer() {
    command -v clang >/dev/null || return 1
    local scratch status=0
    scratch=$(mktemp -d)
    echo 'int LLVMFuzzerTestOneInput(const char *b, long n); int LLVMFuzzerTestOneInput(const char *b, long n) { return b && n < 0; }' >"$scratch/try.c"
    clang -fsanitize=fuzzer,address,undefined -o "$scratch/try" "$scratch/try.c" 2>/dev/null || status=1
    rm -rf "$scratch"
    return $status
}

case ${1:-} in
build)
    source=$2 directory=$3
    if ! has_fuzzer; then
        echo 'skipped: clang or its fuzzer runtime is missing (apt-get install clang libclang-rt-14-dev)'
        exit 77
    fi
    cmake --preset fuzz -S "$source" -B "$directory" >"$directory.log" 2>&1 || {
        cat "$directory.log"
        exit 1
    }
    cmake --build "$directory" -j2
    ;;
run)
    directory=$2 name=$3
    program=$directory/fuzz_$name
    if [[ ! -x $program ]]; then
        if has_fuzzer; then
            echo "$program was not built"
            exit 1
        fi
        echo 'skipped: clang or its fuzzer runtime is missing'
        exit 77
    fi
    seconds=${KANON_FUZZ_SECONDS:-5}
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/new" "$work/tmp" "$directory/artifacts"
    corpus=("$work/new")
    [[ ! -d $here/corpus/$name ]] || corpus+=("$here/corpus/$name")
    longest=4096
    [[ ! -f $here/corpus/$name.max_len ]] || longest=$(<"$here/corpus/$name.max_len")
    words=()
    [[ ! -f $here/corpus/$name.dict ]] || words=(-dict="$here/corpus/$name.dict")
    # A finding must not end with 77, libFuzzer's own choice: that means skipped to ctest.
    # The same inputs in the same order each time: a slower machine only tries fewer of them, so a
    # finding here is one everywhere. KANON_FUZZ_SEED=0 looks for new ones.
    # Only the first folder is written to, so the saved corpus stays as it is.
    status=0
    TMPDIR=$work/tmp ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 \
        "$program" -seed="${KANON_FUZZ_SEED:-1}" -max_total_time="$seconds" -timeout=300 \
        -rss_limit_mb=2048 -error_exitcode=1 -max_len="$longest" "${words[@]}" \
        -artifact_prefix="$directory/artifacts/$name-" -print_final_stats=1 "${corpus[@]}" \
        >"$directory/$name.log" 2>&1 || status=$?
    tail -n 40 "$directory/$name.log"
    if ((status != 0)); then
        echo "the failing input is in $directory/artifacts/ (its name starts with $name-)"
    fi
    exit $status
    ;;
*)
    echo "use: $0 build SOURCE DIRECTORY | run DIRECTORY NAME" >&2
    exit 2
    ;;
esac
