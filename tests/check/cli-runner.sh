#!/usr/bin/env bash
# The runner of the command-line tests finds what differs: wrong expectations must fail, right ones
# must pass.
set -euo pipefail
runner=$(cd "$(dirname "${BASH_SOURCE[0]}")/../cli" && pwd)/run-cli-tests.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/kanon" <<'END'
#!/bin/sh
printf 'one\n\ntwo\nthree 3\n'
echo warning >&2
exit 2
END
chmod +x "$scratch/kanon"

failed=0
expect() { # status, expectations of the program above
    local got=0
    printf '# name: a case\n$ kanon\n%b' "$2" >"$scratch/case.test"
    "$runner" "$scratch/kanon" "$scratch/case.test" >"$scratch/out" 2>&1 || got=$?
    if ((got != $1)); then
        echo "status $got, expected $1, for:"
        cat "$scratch/case.test" "$scratch/out"
        failed=1
    fi
}

expect 0 'one\n=\ntwo\nthree 3\n? 2\n2> warning\n'
expect 0 'one\n...\n~ three [0-9]\n? 2\n2~ warn.*\n'
expect 0 '...\n? 2\n2> ...\n'
expect 1 '...\n2> ...\n'                                # status
expect 1 '...\n? 1\n2> ...\n'                           # another status
expect 1 '...\n? 2\n'                                   # unexpected standard error
expect 1 '...\n? 2\n2> warnin\n'                        # part of a line is not the line
expect 1 'one\n=\ntwo\n? 2\n2> ...\n'                   # a line too many
expect 1 'one\n=\ntwo\nthree 3\nfour\n? 2\n2> ...\n'    # a line too few
expect 1 'one\ntwo\nthree 3\n? 2\n2> ...\n'             # an empty line matters
expect 1 '...\ntwo\n=\n...\n? 2\n2> ...\n'              # order matters
expect 1 'one\n=\ntwo\n~ hree [0-9]\n? 2\n2> warning\n' # a pattern is for the whole line
expect 2 '< file open\n'                                # malformed test

printf '# name: no command\n' >"$scratch/empty.test"
if "$runner" "$scratch/kanon" "$scratch/empty.test" >/dev/null 2>&1; then
    echo 'a test without a command passed'
    failed=1
fi
exit $failed
