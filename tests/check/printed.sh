#!/usr/bin/env bash
# What the documents show as printed is printed: every command line of a code block that
# begins with `$ ` is run, and the lines below it are held against what comes out.
#
#   printed.sh KANON [ROOT [PAGE...]]
#   printed.sh --self-test KANON     lines that do not come out are found
#
# Each page has a directory of its own; its commands run there in order. Standard output and standard
# error are compared together, line by line and without blanks at the end. A line of three dots stands for
# any number of lines. Below a command without any line nothing is compared but its status, which is 0 unless
# a line begins with `kanon: `. Marks are comments, which no reader of a page sees, before a block:
#
#   <!-- file: NAME -->         the block is a file of that name
#   <!-- shows: PATH -->        the block is that file of the checkout; others run it
#   <!-- setup: COMMAND -->     run here, and not shown
#   <!-- same output -->        the block is a part of what the last command printed
#   <!-- figures -->            before a table: each of its numbers is printed by the last command, perhaps with
#                               more decimals
#   <!-- status: N -->          the last command of the block ends with N
#   <!-- not run: REASON -->    shown only
#   <!-- varies: WHAT... -->    not the same on all machines, and not compared: `time` (3.1 ms, 0.5 s; with
#                               the blanks before it), `memory` (258.4 KiB), `version`, `date`
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC
unset COLUMNS

# Splits a page into steps: DIRECTORY/N.kind, N.place, N.text (command, or bytes of a file), N.want, N.marks.
split_page() { # page, directory
    awk -v directory="$2" '
        function put(what, text) { printf "%s", text > (directory "/" n "." what); close(directory "/" n "." what) }
        function begin(kind, place) {
            n = sprintf("%04d", ++n_steps)
            put("kind", kind); put("place", FILENAME ":" place); put("marks", marks); put("want", "")
        }
        function end_command() {
            if (command == "") return
            begin("run", command_line)
            put("text", command "\n")
            put("want", want)
            command = want = ""
        }
        function end_block(    i, line, more) {
            if (n_lines == 0) return
            while (n_lines > 0 && lines[n_lines] == "") n_lines--
            if (file != "") {
                begin("file " file, first)
                for (i = 1; i <= n_lines; i++) want = want lines[i] "\n"
                put("text", want); want = ""
            } else if (shows != "") {
                begin("shows " shows, first)
                for (i = 1; i <= n_lines; i++) want = want lines[i] "\n"
                put("text", want); want = ""
            } else if (is_same) {
                begin("same", first)
                want = "...\n"
                for (i = 1; i <= n_lines; i++) want = want lines[i] "\n"
                put("want", want "...\n"); want = ""
            } else if (!is_hidden) {
                for (i = 1; i <= n_lines; i++) {
                    line = lines[i]
                    if (more) { command = command "\n" line; more = line ~ /\\$/ }
                    else if (line ~ /^\$ /) {
                        end_command()
                        command = substr(line, 3); command_line = first + i - 1; more = line ~ /\\$/
                    } else if (command != "") want = want line "\n"
                }
                end_command()
            }
            n_lines = 0; file = shows = marks = ""; is_same = is_hidden = 0
        }
        function cut(line) { return substr(line, 1, indent) ~ /^ *$/ ? substr(line, indent + 1) : line }
        /^ *```/ { if (fenced) end_block(); fenced = !fenced; indent = 0; is_code = 0; next }
        fenced { if (n_lines == 0) first = FNR; lines[++n_lines] = $0; next }
        is_code && /^ *$/ { lines[++n_lines] = ""; was_empty = 1; next }
        is_code && /^    / { lines[++n_lines] = cut($0); next }
        is_code { end_block(); is_code = 0 }
        was_empty && /^    / {
            match($0, /^ +/); indent = RLENGTH; is_code = 1; first = FNR; n_lines = 0
            lines[++n_lines] = cut($0); next
        }
        { was_empty = /^ *$/ || /^ *<!--.*-->$/ }
        /^ *<!-- .* -->$/ {
            mark = $0; sub(/^ *<!-- /, "", mark); sub(/ -->$/, "", mark)
            if (mark ~ /^setup: /) { begin("setup", FNR); put("text", substr(mark, 8) "\n") }
            else if (mark ~ /^file: /) file = substr(mark, 7)
            else if (mark ~ /^shows: /) shows = substr(mark, 8)
            else if (mark == "same output") is_same = 1
            else if (mark ~ /^not run: /) is_hidden = 1
            else if (mark ~ /^(varies|status): /) marks = marks mark "\n"
            else if (mark == "figures") in_table = 1
            else begin("unknown " mark, FNR)
            next
        }
        in_table && /^\|/ { if (table == "") table_line = FNR; table = table $0 "\n"; next }
        in_table && table != "" { begin("figures", table_line); put("want", table); table = ""; in_table = 0 }
        END { end_block(); if (table != "") { begin("figures", table_line); put("want", table) } }
    ' "$1"
}

# What may vary, replaced by its name; a table's column of times with the blanks around them.
even_out() { # marks
    local what script=''
    for what in $(sed -n 's/^varies: //p' "$1"); do
        case $what in
        time) script+='s/ *\b[0-9][0-9.,]* m?s\b\*? */ TIME /g; s/ (fold|read|search|write|verify|apply) [0-9]+\b/ \1 TIME/g; s/ +time\b */ time /;' ;;
        memory) script+='s/[0-9][0-9.,]* (KiB|MiB|GiB)\b/MEMORY/g; s/, [0-9]+ threads?$//;' ;;
        version) script+='s/\b[0-9]+\.[0-9]+\.[0-9]+[-+a-z0-9.]*/VERSION/g;' ;;
        date) script+='s/\b20[0-9]{2}-[0-9]{2}-[0-9]{2}\b/DATE/g;' ;;
        *) echo "varies: '$what' is not time, memory, version or date" >&2 ;;
        esac
    done
    sed -E "${script}s/[[:blank:]]+\$//"
}

# Whether the lines of a file are those that are wanted; each stretch between dots is looked for in order.
lines_match() { # wanted, printed
    awk '
        function fits(at, from, n,    i) {
            for (i = 0; i < n; i++) if (want[from + i] != got[at + i]) return 0
            return 1
        }
        FNR == NR { want[++n_want] = $0; next }
        { got[++n_got] = $0 }
        END {
            while (n_got > 0 && got[n_got] == "") n_got--
            while (n_want > 0 && want[n_want] == "") n_want--
            at = 1; is_free = 0
            for (w = 1; w <= n_want; w += n) {
                if (want[w] ~ /^ *\.\.\.$/) { is_free = 1; n = 1; continue }
                for (n = 0; w + n <= n_want && want[w + n] !~ /^ *\.\.\.$/; n++);
                is_last = w + n > n_want
                if (is_free && is_last && at < n_got - n + 1) at = n_got - n + 1
                while (is_free && at + n - 1 <= n_got && !fits(at, w, n)) at++
                if (at + n - 1 > n_got || !fits(at, w, n)) exit 1
                at += n; is_free = 0
            }
            exit !(is_free || at == n_got + 1)
        }
    ' "$1" "$2"
}

complain() { # what
    printf '%s: %s\n' "$place" "$1"
    n_problems=$((n_problems + 1))
}

compare() { # step
    even_out "$1.marks" <"$1.want" >want
    even_out "$1.marks" <printed >got
    lines_match want got && return
    complain 'this does not come out:'
    sed 's/^/    /' want
    echo '  but:'
    head -n 60 got | sed 's/^/    /'
}

# Numbers with decimals, and per cents, may be rounded; others must be printed as they are.
check_figures() { # step
    local missing
    missing=$(awk '
        function numbers(line, into,    n, text) {
            n = 0
            while (match(line, /[0-9][0-9,]*(\.[0-9]+)?( ?%)?/)) {
                text = substr(line, RSTART, RLENGTH)
                line = substr(line, RSTART + RLENGTH)
                into[++n] = text
            }
            return n
        }
        function value(text) { gsub(/[,% ]/, "", text); return text + 0 }
        function half(text,    d) { # of the last digit; 0: nothing was rounded
            d = match(text, /\.[0-9]+/) ? RLENGTH - 1 : 0
            return d > 0 || text ~ /%/ ? 0.5000001 / 10 ^ d : 0
        }
        FNR == NR { n = numbers($0, found); for (i = 1; i <= n; i++) printed[++n_printed] = value(found[i]); next }
        FNR > 2 {
            n = numbers($0, found)
            for (i = 1; i <= n; i++) {
                is_there = 0
                for (p = 1; p <= n_printed && !is_there; p++) {
                    away = printed[p] - value(found[i])
                    is_there = (away < 0 ? -away : away) <= half(found[i])
                }
                if (!is_there) printf " %s", found[i]
            }
        }' printed "$1.want")
    [[ -z $missing ]] || complain "not printed by the command above:$missing"
}

run_step() { # step; in the page's directory
    local wanted=0 shown
    shown=$(sed -n 's/^status: //p' "$1.marks")
    if ! grep -q . "$1.next" 2>/dev/null; then
        wanted=${shown:-0}
        ! grep -qE '^kanon: ' "$1.want" || wanted=${shown:-any}
    fi
    # as in a shell that has run the commands before
    { echo "(exit $status)"; cat "$1.text"; } >command.sh
    status=0
    (cd "$scratch/page" && bash "$scratch/command.sh") >printed 2>&1 </dev/null || status=$?
    sed -i '/^progress: /d' printed
    if [[ $wanted == any ]]; then
        ((status != 0)) || complain "status 0, and an error is shown: $(head -n 1 "$1.text")"
    elif ((status != wanted)); then
        complain "status $status instead of $wanted: $(head -n 1 "$1.text"): $(tail -n 3 printed)"
        return
    fi
    [[ ! -s $1.want ]] || compare "$1"
}

check_page() { # page
    local step place kind name status=0
    rm -rf "$scratch/page" "$scratch/steps" && mkdir "$scratch/page" "$scratch/steps"
    split_page "$1" "$scratch/steps"
    cd "$scratch" # where the steps are; commands run in page/
    for step in steps/*.kind; do
        [[ -e $step ]] || continue
        step=${step%.kind}
        kind=$(<"$step.kind") place=$(<"$step.place")
        case $kind in
        'file '*)
            name=$scratch/page/${kind#file }
            mkdir -p "$(dirname "$name")"
            cp "$step.text" "$name"
            ;;
        'shows '*)
            n_compared=$((n_compared + 1))
            cmp -s "$step.text" "$home/${kind#shows }" ||
                complain "this is not ${kind#shows }: $(diff "$step.text" "$home/${kind#shows }" 2>&1 | head -n 5)"
            ;;
        setup)
            (cd page && bash "$scratch/$step.text") >printed 2>&1 </dev/null ||
                complain "the setup fails: $(tail -n 3 printed)"
            ;;
        run)
            n_commands=$((n_commands + 1))
            [[ ! -s $step.want ]] || n_compared=$((n_compared + 1))
            run_step "$step"
            ;;
        same)
            n_compared=$((n_compared + 1))
            compare "$step"
            ;;
        figures)
            n_compared=$((n_compared + 1))
            check_figures "$step"
            ;;
        *) complain "an unknown mark: ${kind#unknown }" ;;
        esac
    done
}

prepare() { # kanon
    scratch=$(mktemp -d)
    # shellcheck disable=SC2064 # the directory of now
    trap "rm -rf '$scratch'" EXIT
    mkdir "$scratch/bin"
    ln -s "$(realpath "$1")" "$scratch/bin/kanon"
    PATH=$scratch/bin:$PATH
    n_problems=0 n_commands=0 n_compared=0
}

check_pages() { # pages
    local page home=$PWD
    for page in "$@"; do
        cd "$home"
        check_page "$page"
    done
    cd "$home"
    echo "$# pages: $n_commands commands, $n_compared outputs compared, $n_problems problems"
    ((n_problems == 0))
}

# shellcheck disable=SC2016 # dollars are those of the pages
self_test() {
    local failed=0
    expect() { # problems, page
        local said
        printf '%b' "$2" >"$scratch/test.md"
        n_problems=0 n_commands=0 n_compared=0
        check_pages "$scratch/test.md" >"$scratch/said" || true
        said=$(<"$scratch/said")
        if [[ $said != *", $1 problems" ]]; then
            printf 'expected %s problems of:\n%b\n%s\n' "$1" "$2" "$said"
            failed=1
        fi
    }
    expect 0 'Text\n\n    $ printf "1\\\\n2\\\\n3\\\\n"\n    1\n    2\n    3\n\nText\n'
    expect 1 '\n    $ printf "1\\\\n2\\\\n3\\\\n"\n    1\n    3\n'
    expect 1 '\n    $ printf "1\\\\n2\\\\n3\\\\n"\n    1\n    2\n'
    expect 0 '\n    $ printf "1\\\\n2\\\\n3\\\\n"\n    ...\n    2\n    ...\n'
    expect 0 '\n    $ printf "1\\\\n2\\\\n3\\\\n"\n    ...\n    3\n'
    expect 1 '\n    $ printf "1\\\\n2\\\\n3\\\\n"\n    ...\n    2\n'
    expect 1 '\n    $ printf "1\\\\n2\\\\n3\\\\n"\n    2\n    ...\n'
    expect 0 '\n    $ printf "1\\\\n2\\\\n1\\\\n"\n    ...\n    1\n'
    expect 0 '\n    $ echo a \\\n          b\n    a b\n    $ echo c\n    c\n'
    expect 0 '- item\n\n      $ echo a\n      a\n\n- item\n'
    expect 0 '```\n$ echo a\na\n```\n'
    expect 1 '```\n$ echo a\nb\n```\n'
    expect 0 '<!-- file: f.txt -->\n\n    one\n\n    two\n\nText\n\n    $ cat f.txt\n    one\n\n    two\n'
    expect 0 '<!-- setup: echo x >f -->\n\n    $ cat f\n    x\n'
    expect 0 '\n    $ printf "1\\\\n2\\\\n3\\\\n"\n\nText\n\n<!-- same output -->\n\n    2\n'
    expect 1 '\n    $ printf "1\\\\n2\\\\n3\\\\n"\n\nText\n\n<!-- same output -->\n\n    4\n'
    expect 0 '\n    $ echo 5 of 1,836\n\n<!-- figures -->\n| a | b |\n|---|---|\n| 5 | 1,836 |\n'
    expect 0 '\n    $ echo 0.1036 92.1 %\n\n<!-- figures -->\n| a | b |\n|---|---|\n| 0.10 | 92 % |\n'
    expect 1 '\n    $ echo 0.1036 92.6 %\n\n<!-- figures -->\n| a | b |\n|---|---|\n| 0.11 | 92 |\n'
    expect 1 '\n    $ echo 5 of 1,871\n\n<!-- figures -->\n| a | b |\n|---|---|\n| 5 | 1,836 |\n'
    expect 1 '\n    $ echo took 3 ms\n    took 12.5 ms\n'
    expect 0 '<!-- varies: time -->\n\n    $ echo "took  3 ms"\n    took 12.5 ms\n'
    expect 1 '<!-- varies: time -->\n\n    $ echo took 3 ms, 5 rows\n    took 12.5 ms, 6 rows\n'
    expect 0 '<!-- varies: memory -->\n\n    $ echo 3.1 MiB\n    258.4 KiB\n'
    expect 0 '<!-- not run: it would fail -->\n\n    $ false\n'
    expect 1 '\n    $ false\n'
    expect 0 '<!-- status: 1 -->\n\n    $ false\n'
    expect 0 '\n    $ kanon verify none.csv --k 2 --qi a\n    kanon: none.csv: cannot be read: No such file or directory; check the path\n    $ echo $?\n    2\n'
    cd "$scratch"
    echo 'one line' >shown.txt
    expect 0 '<!-- shows: shown.txt -->\n\n    one line\n'
    expect 1 '<!-- shows: shown.txt -->\n\n    another\n'
    expect 1 '<!-- shows: none.txt -->\n\n    one line\n'
    expect 1 '<!-- sometimes -->\n\n    $ true\n'
    return $failed
}

if [[ ${1:-} == --self-test ]]; then
    prepare "$2"
    self_test
    exit
fi
prepare "$1"
cd "${2:-$(dirname "${BASH_SOURCE[0]}")/../..}"
export KANON_TESTS=$PWD/tests # for setups
shift $(($# < 2 ? $# : 2))
(($# > 0)) || set -- README.md docs/*.md docs/manual/*.md
check_pages "$@"
