#!/usr/bin/env bash
# Builds the preset SANITIZER (asan or tsan) into DIRECTORY, and runs the tests there.
#
#   nested-suite.sh SOURCE DIRECTORY SANITIZER [CTEST-ARGUMENTS]
set -euo pipefail
source=$1 directory=$2 preset=$3
shift 3
options=()
# The program has no threads that the library has not: without walks it is not tried, nor built.
[[ $preset != tsan || -n ${KANON_WALKS:-} ]] || options=(-DKANON_PROGRAM=OFF)
cmake --preset "$preset" -S "$source" -B "$directory" "${options[@]}" >"$directory.log" 2>&1 || {
    cat "$directory.log"
    exit 1
}
cmake --build "$directory" -j2

# DuckDB's library is not built with a sanitizer: what its threads do would be told as ours. Its tests
# run without one.
unset KANON_DUCKDB

# Stop at the first finding; leaks are findings.
export ASAN_OPTIONS='detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1'
leaks_in=
if [[ $(uname -m) == aarch64 ]]; then
    # There the sanitizer's library looks for leaks through the whole address space, four seconds for
    # each program that ends, and its own stacks make searches a hundred times slower. So leaks are
    # looked for in the programs that make allocations fail, which is where they hide, and with time
    # (./run test-long) also in those that try single parts; x86-64 looks everywhere.
    ASAN_OPTIONS='detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=0'
    leaks_in='^fault\.'
    [[ -z ${KANON_WALKS:-} ]] || leaks_in='^(unit|fault)\.'
fi
export UBSAN_OPTIONS='print_stacktrace=1'
export TSAN_OPTIONS='halt_on_error=1:second_deadlock_stack=1'
run=()
if [[ $preset == tsan ]] && setarch "$(uname -m)" -R true 2>/dev/null; then
    # The thread sanitizer cannot place its shadow where addresses are very random.
    run=(setarch "$(uname -m)" -R)
fi
# Commands as users type them say nothing that the programs do not: they are tried without sanitizers,
# unless somebody has the time (./run test-long).
if [[ -z ${KANON_WALKS:-} ]]; then
    set -- "$@" --label-exclude '^walk$'
fi
# Random tests are ten to forty times slower here, and take fewer of the rounds.
share=40
if [[ $preset == tsan ]]; then
    # Real tables on several threads take minutes here, and say no more than small ones; so do
    # the server's pages that run every search: it has one thread, and its commands are tried as such.
    share=160
    set -- "$@" -E '^(papers\..*|cli\.(memory|profile)|server\.(explore|promise|release))$'
fi
export KANON_TEST_ROUNDS=$(((${KANON_TEST_ROUNDS:-1000} + share - 1) / share))
suite() {
    "${run[@]}" ctest --test-dir "$directory" -j2 --output-on-failure --no-tests=error "$@"
}
if [[ $preset == asan && -n $leaks_in ]]; then
    status=0
    suite "$@" -R "$leaks_in" || status=$?
    ASAN_OPTIONS+=:detect_leaks=0
    suite "$@" -E "$leaks_in" || status=$?
    exit "$status"
else
    suite "$@"
fi
