#!/usr/bin/env bash
# Runs command-line tests that are written as plain files (README.md describes their format).
#
#   run-cli-tests.sh PROGRAM FILE.test...
#
# Every case runs in a fresh directory. All cases are run, and every difference is shown; the exit
# status is 0 when there was none.
set -uo pipefail

if (($# < 2)); then
    echo "use: $0 PROGRAM FILE.test..." >&2
    exit 2
fi

KANON=$(realpath "$1") || exit 2
KANON_TESTS=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..") || exit 2
shift
if [[ ! -x $KANON ]]; then
    echo "$KANON is not a program" >&2
    exit 2
fi

scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# A sanitizer's finding ends with a status that no test expects.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}exitcode=99"
export LSAN_OPTIONS="${LSAN_OPTIONS:+$LSAN_OPTIONS:}exitcode=99"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}exitcode=99"
export TSAN_OPTIONS="${TSAN_OPTIONS:+$TSAN_OPTIONS:}exitcode=99"
export KANON KANON_TESTS LC_ALL=C.UTF-8 TZ=UTC TMPDIR="$scratch/tmp"
unset NO_COLOR CLICOLOR_FORCE
mkdir "$scratch/bin" "$TMPDIR"
ln -s "$KANON" "$scratch/bin/kanon"
export PATH="$scratch/bin:$PATH"

n_cases=0 n_commands=0 n_failed=0
file='' case_name='' case_number=0
declare -a common_names=() common_bytes=() # input files that stand before the first case

# Whether one actual line is what an expected one, "kind text", asks for.
line_matches() {
    local kind=${1:0:1} text=${1:2}
    case $kind in
    '=') [[ $2 == "$text" ]] ;;
    '~') [[ $2 =~ ^($text)$ ]] ;;
    esac
}

# Whether the lines of array $1 match the expectations of array $2; "." stands for any lines.
lines_match() {
    local -n lines=$1 wants=$2
    local at=0 want=0 star=-1 resume=0
    while ((at < ${#lines[@]})); do
        if ((want < ${#wants[@]})) && [[ ${wants[want]} == . ]]; then
            star=$want resume=$at
            want=$((want + 1))
        elif ((want < ${#wants[@]})) && line_matches "${wants[want]}" "${lines[at]}"; then
            at=$((at + 1)) want=$((want + 1))
        elif ((star >= 0)); then
            resume=$((resume + 1)) at=$resume want=$((star + 1))
        else
            return 1
        fi
    done
    while ((want < ${#wants[@]})) && [[ ${wants[want]} == . ]]; do
        want=$((want + 1))
    done
    ((want == ${#wants[@]}))
}

show() { # title, array of lines
    local -n shown=$2
    local line
    echo "  $1:"
    for line in "${shown[@]}"; do
        echo "    $line"
    done
}

command='' command_line=0 status=0
declare -a want_out=() want_err=()

# Runs the command that was collected, if any, and compares.
finish_command() {
    [[ -n $command ]] || return 0
    local got=0
    local -a out=() err=()
    (cd "$directory" && exec timeout 900 bash -c "$command") \
        <"$scratch/input" >"$scratch/out" 2>"$scratch/err" || got=$?
    mapfile -t out <"$scratch/out" 2>/dev/null
    # Progress comes by the clock: on a slow machine, where a stage takes seconds.
    sed -i '/^progress: /d' "$scratch/err"
    mapfile -t err <"$scratch/err" 2>/dev/null
    local what=''
    ((got == status)) || what="exit status $got, expected $status"
    lines_match out want_out || what="${what:+$what; }standard output differs"
    lines_match err want_err || what="${what:+$what; }standard error differs"
    n_commands=$((n_commands + 1))
    if [[ -n $what ]]; then
        n_failed=$((n_failed + 1))
        echo "FAILED $file:$command_line ($case_name): $what"
        echo "  \$ $command"
        if [[ $what == *output* ]]; then
            show 'expected standard output (= exact, ~ pattern, . any lines)' want_out
            show 'standard output' out
        fi
        if [[ $what == *error* ]]; then
            show 'expected standard error (= exact, ~ pattern, . any lines)' want_err
        fi
        show 'standard error' err
    fi
    command='' status=0 want_out=() want_err=()
}

begin_case() {
    case_name=$1
    case_number=$((case_number + 1))
    n_cases=$((n_cases + 1))
    directory="$scratch/case"
    rm -rf "$directory"
    mkdir "$directory"
    local i
    for i in "${!common_names[@]}"; do
        put_file "${common_names[i]}" "${common_bytes[i]}"
    done
}

put_file() {
    mkdir -p "$(dirname "$directory/$1")"
    printf '%s' "$2" >"$directory/$1"
}

malformed() {
    echo "$file:$1: $2" >&2
    exit 2
}

run_file() {
    file=$1 case_number=0 common_names=() common_bytes=()
    : >"$scratch/input"
    local number=0 line name='' bytes='' in_file=0 after_command=0
    while IFS= read -r line || [[ -n $line ]]; do
        number=$((number + 1))
        if ((in_file)); then
            if [[ $line != '<' ]]; then
                bytes+=$line$'\n'
                continue
            fi
            in_file=0
            if ((case_number == 0)); then
                common_names+=("$name") common_bytes+=("$bytes")
            else
                put_file "$name" "$bytes"
            fi
            continue
        fi
        if ((after_command)) && [[ $line == '> '* ]]; then
            command+=$'\n'${line:2}
            continue
        fi
        after_command=0
        case $line in
        '# name: '*)
            finish_command
            begin_case "${line:8}"
            ;;
        '#'* | '') ;;
        '< file '*)
            finish_command
            name=${line:7} bytes='' in_file=1
            [[ $name != /* && $name != *..* ]] || malformed $number 'the file must lie in the test directory'
            ;;
        '$ '*)
            finish_command
            ((case_number > 0)) || malformed $number 'a command before the first "# name:" line'
            command=${line:2} command_line=$number after_command=1
            ;;
        *)
            [[ -n $command ]] || malformed $number 'expected output without a command before it'
            case $line in
            '? '*) status=${line:2} ;;
            '2> ...') want_err+=('.') ;;
            '2> '*) want_err+=("= ${line:3}") ;;
            '2>') want_err+=('= ') ;;
            '2~ '*) want_err+=("~ ${line:3}") ;;
            '...') want_out+=('.') ;;
            '~ '*) want_out+=("~ ${line:2}") ;;
            '= '*) want_out+=("= ${line:2}") ;;
            '=') want_out+=('= ') ;;
            *) want_out+=("= $line") ;;
            esac
            ;;
        esac
    done <"$1"
    ((!in_file)) || malformed $number "the file $name has no closing line '<'"
    finish_command
    ((case_number > 0)) || malformed $number 'no "# name:" line, so no case'
}

for path in "$@"; do
    if [[ ! -r $path ]]; then
        echo "$path cannot be read" >&2
        exit 2
    fi
    run_file "$path"
done

if ((n_commands == 0)); then
    echo 'no command was run' >&2
    exit 2
fi
echo "$n_cases cases, $n_commands commands, $n_failed failed"
((n_failed == 0))
