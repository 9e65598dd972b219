#!/usr/bin/env bash
# The documents say what is there: every command line in them uses a command and flags that exist, and every relative
# link leads to a file, and to a heading of it where it names one.
#
#   manual.sh KANON [ROOT]
#   manual.sh --self-test KANON     broken pages are found
#
# A command line is a line of a code block (indented by four, or fenced) that begins with `$ kanon`,
# `next: kanon` or `kanon`, with the lines that a backslash joins to it. Which flags a command has is
# what its --help --all lists.
set -euo pipefail
export LC_ALL=C.UTF-8

# FILE:LINE, a tab, the command line, for every one in the files. After a fence or an empty line, what
# is indented by four is code; deeper below an item of a list.
command_lines() {
    awk '
        FNR == 1 { fenced = 0; more = 0 }
        /^ *```/ { fenced = !fenced; next }
        { text = $0 }
        more { sub(/^ +/, "", text); line = line " " text }
        !more {
            if (!fenced && text !~ /^    /) next
            sub(/^ +/, "", text)
            if (text !~ /^(\$ |next: )?kanon [a-z]/) next
            sub(/^(\$ |next: )/, "", text)
            place = FILENAME ":" FNR
            line = text
        }
        { more = sub(/ *\\$/, "", line) }
        !more { print place "\t" line }
    ' "$@"
}

# FILE:LINE, a tab, the target, for every link outside of code.
links() {
    awk '
        FNR == 1 { fenced = 0 }
        /^ *```/ { fenced = !fenced; next }
        fenced || /^    / { next }
        {
            text = $0
            gsub(/`[^`]*`/, "", text)
            while (match(text, /\]\([^()]*\)/)) {
                print FILENAME ":" FNR "\t" substr(text, RSTART + 2, RLENGTH - 3)
                text = substr(text, RSTART + RLENGTH)
            }
        }
    ' "$@"
}

# The headings of a page as they are linked to: small letters, blanks as hyphens, no other marks.
anchors() {
    awk '/^ *```/ { fenced = !fenced } !fenced && /^#+ / { sub(/^#+ +/, ""); print tolower($0) }' "$1" |
        sed -E 's/[^[:alnum:]_ -]//g; s/ /-/g'
}

declare -A known # of each command: its flags between blanks, or nothing where there is no such command
flags_of() { # command; sets `flags`
    if [[ ! -v known[$1] ]]; then
        local help
        # shellcheck disable=SC2086 # `hierarchy build` is two words
        if help=$("$kanon" $1 --help --all 2>/dev/null) && [[ $help == "Usage: kanon $1"[[:space:]]* ]]; then
            # What may stand without a flag can have its own: --input.
            known[$1]=" --help --all --input $(sed -nE 's/^  (-[a-z], )?(--[a-z-]+).*/\2/p' <<<"$help" | tr '\n' ' ')"
            known[$1]+="$(sed -nE 's/^  (-[a-z]), --.*/\1/p' <<<"$help" | tr '\n' ' ')"
        else
            known[$1]=
        fi
    fi
    flags=${known[$1]}
}

check_command() { # place, line
    local place=$1 words command flags word
    read -ra words <<<"$2"
    command=${words[1]}
    [[ $command != help ]] || command=${words[2]:-list}
    if [[ $command =~ ^(hierarchy|ledger)$ && ${words[2]:-} =~ ^[a-z]+$ ]]; then
        command+=" ${words[2]}"
    fi
    flags_of "$command"
    if [[ -z $flags ]]; then
        complain "$place: there is no command 'kanon $command'"
        return
    fi
    for word in "${words[@]:2}"; do
        case $word in
        '|' | '>' | '&&' | ';') break ;; # another program's
        -[a-z] | --?*) [[ $flags == *" ${word%%=*} "* ]] ||
            complain "$place: kanon $command has no flag ${word%%=*}" ;;
        esac
    done
}

check_link() { # place, target
    local place=$1 path=${2%%#*} anchor='' file
    [[ $2 != *://* && $2 != mailto:* ]] || return 0
    [[ $2 != *'#'* ]] || anchor=${2#*#}
    file=${place%:*}
    [[ -z $path ]] || file=$(dirname "$file")/$path
    if [[ ! -e $file ]]; then
        complain "$place: the link leads to '$path', which is not there"
    elif [[ -n $anchor && -f $file ]] && ! anchors "$file" | grep -qxF -- "$anchor"; then
        complain "$place: there is no heading '#$anchor' in '$file'"
    fi
}

complain() {
    echo "$1"
    n_problems=$((n_problems + 1))
}

check() { # files; status 1 when there are problems
    local place text n_commands=0 n_links=0
    n_problems=0
    while IFS=$'\t' read -r place text; do
        n_commands=$((n_commands + 1))
        check_command "$place" "$text"
    done < <(command_lines "$@")
    while IFS=$'\t' read -r place text; do
        n_links=$((n_links + 1))
        check_link "$place" "$text"
    done < <(links "$@")
    echo "$# pages: $n_commands command lines, $n_links links, $n_problems problems"
    ((n_problems == 0))
}

# shellcheck disable=SC2016 # backquotes and dollars are those of the pages
self_test() {
    local scratch failed=0
    scratch=$(mktemp -d)
    # shellcheck disable=SC2064 # the directory of now
    trap "rm -rf '$scratch'" EXIT
    printf '# There\n\n## A `heading`: of two\n' >"$scratch/there.md"
    expect() { # problems, page
        local said
        printf '%b' "$2" >"$scratch/page.md"
        said=$(check "$scratch/page.md") || true
        if [[ $said != *", $1 problems" ]]; then
            printf 'expected %s problems of:\n%b\n%s\n' "$1" "$2" "$said"
            failed=1
        fi
    }
    expect 0 '    $ kanon verify a.csv --k 5 \\\\\n          --qi age\n    a.csv: --no-flag\n'
    expect 0 '    kanon anonymize a.csv -o b.csv --k=5 && other --nonsense\n'
    expect 0 '```\n$ kanon hierarchy build a.csv --column age\n```\n'
    expect 0 'kanon verify --nonsense in the text is no command line\n'
    expect 1 '    $ kanon verify a.csv --nonsense\n'
    expect 1 '    $ kanon verify a.csv \\\\\n          --nonsense 3\n'
    expect 1 '    next: kanon verify a.csv --nonsense=3\n'
    expect 1 '    $ kanon verify a.csv -o b.csv\n'
    expect 1 '    $ kanon nonsense a.csv\n'
    expect 1 '    $ kanon hierarchy nonsense a.csv\n'
    expect 2 '```\nkanon verify --nonsense --other\n```\n'
    expect 0 '[a](there.md) [b](there.md#a-heading-of-two) [c](https://example.org/x) [d](#e)\n# E\n'
    expect 1 'see [a](there.md) and [b](not-there.md)\n'
    expect 1 '[a](there.md#elsewhere)\n'
    expect 0 'code: `[a](not-there.md)`\n\n    [b](not-there.md)\n'
    return $failed
}

if [[ ${1:-} == --self-test ]]; then
    kanon=$2
    self_test
    exit
fi
kanon=$1
cd "${2:-$(dirname "${BASH_SOURCE[0]}")/../..}"
check ./*.md docs/*.md docs/*/*.md
