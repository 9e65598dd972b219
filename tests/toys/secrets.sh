#!/usr/bin/env bash
# The secrets of the toys are shown nowhere, whatever a command prints or writes and whatever page is
# asked for: not a word that is a secret, not where the file of one is, not what stands in it. Nor is
# a setting that nobody declared. A job file has the path of a file, so that it makes the same release.
source "$(dirname "$0")/../server/harness.sh"

{
    echo "age town ill"
    for i in {1..40}; do
        echo "$((20 + i % 4)) $([[ $((i % 2)) == 0 ]] && echo here || echo there) $([[ $((i % 3)) == 0 ]] && echo yes || echo no)"
    done
} >people.words
mkdir out
echo "content-that-nobody-sees" >place-that-nobody-sees
echo "password-of-place-that-nobody-sees" >door-that-nobody-sees
chmod 600 ./*-that-nobody-sees
columns=(--qi age=intervals:4,town=suppress --sensitive ill)
reading=(--words-key door-that-nobody-sees --words-password password-that-nobody-sees)
secrets=(--doubt 1 --doubt-key place-that-nobody-sees --doubt-word word-that-nobody-sees
    --doubt-number 123454321 --doubt-forgotten forgotten-that-nobody-sees)

# Runs a command; what it prints, and what it writes into out/, is looked at.
n_runs=0
run() { # expected status, arguments
    local code=0 wanted=$1
    shift
    n_runs=$((n_runs + 1))
    "$kanon" "$@" >"out/$n_runs.stdout" 2>"out/$n_runs.stderr" </dev/null || code=$?
    [[ $code == "$wanted" ]] || fail "kanon $* ended with $code, not $wanted: $(cat "out/$n_runs.stderr")"
}

look() { # what must not be there, places
    local what=$1
    shift
    if grep -rl -e "$what" "$@" >found; then
        fail "a secret ($what) is shown in $(tr '\n' ' ' <found): $(grep -rh -m1 -o -e ".\{0,60\}$what" "$@" | head -n 3)"
    fi
}

look_everywhere() { # places
    look that-nobody-sees "$@"
    look 123454321 "$@"
}

# ---- commands: summaries, notes, progress, results, reports, tables, charts, certificates ----
run 0 anonymize people.words -o out/release.csv "${columns[@]}" "${secrets[@]}" "${reading[@]}" --json out/a.json \
    --report out/a.html --progress json
expect "next: kanon verify out/release.csv" "$(cat out/1.stdout)"
expect " --doubt-key FILE --doubt-word WORD --doubt-number N --doubt-forgotten WORD" "$(cat out/1.stdout)"
run 0 anonymize people.words -o out/again.csv "${columns[@]}" "${secrets[@]}" "${reading[@]}" --report out/b.html --report-internal
run 0 report out/a.json -o out/c.html
run 0 search people.words "${columns[@]}" "${secrets[@]}" "${reading[@]}" --json out/s.json --nodes out/nodes.csv --all-nodes
run 0 compare people.words "${columns[@]}" "${secrets[@]}" "${reading[@]}" --ks 2,3 --algorithms bisect,stairs --json out/m.json \
    --save out/m.jsonl --output out/m.csv --chart out/m.svg
run 0 compare people.words "${columns[@]}" "${secrets[@]}" "${reading[@]}" --ks 2,3 --commands
expect " --doubt-key FILE" "$(cat "out/$n_runs.stdout")"
run 0 verify out/release.csv --original people.words --format csv --k 1 --qi age=intervals:4,town=suppress
run 3 verify people.words "${columns[@]}" "${secrets[@]/#1/14}" "${reading[@]}" --json out/v.json
run 0 risk people.words "${columns[@]}" "${reading[@]}" --json out/r.json --rows out/rows.csv
run 0 profile people.words "${reading[@]}" --json out/p.json
run 0 hierarchy build people.words --column town "${reading[@]}" --json out/h.json
run 0 list --json
run 0 help anonymize
look_everywhere out

# ---- mistakes: no message repeats the value ----
run 2 search people.words "${columns[@]}" --k 2 --doubt-number number-that-nobody-sees
expect "--doubt-number: the value, which is a secret, is not understood; write --doubt-number N" "$(cat "out/$n_runs.stderr")"
run 2 search people.words "${columns[@]}" --k 2 --doubt-word word-that-nobody-sees
run 2 search people.words "${columns[@]}" --doubt 1 --doubt-word word-that-nobody-sees --doubt-word other-that-nobody-sees
run 2 search people.words "${columns[@]}" --doubt 1 --doubt-key postgres://that-nobody-sees
cat >wrong.yaml <<END
doubt-number: number-that-nobody-sees
doubt-word: [word-that-nobody-sees, other-that-nobody-sees]
doubt-key: postgres://that-nobody-sees
END
run 2 search people.words "${columns[@]}" --doubt 1 --job wrong.yaml
look_everywhere out

# ---- job files: the path, never what stands in the file, and no word ----
run 0 profile people.words "${reading[@]}" --job-out out/job.yaml
expect "words-key: door-that-nobody-sees" "$(cat out/job.yaml)"
look password-of out
look password-that out
rm out/job.yaml
cat >job.yaml <<END
doubt: 1
doubt-key: place-that-nobody-sees
END
run 0 anonymize people.words --job job.yaml "${columns[@]}" "${reading[@]}" -o out/job.csv --json out/j.json --report out/j.html
cmp out/job.csv out/release.csv || fail "a job file makes another release"
run 0 verify out/job.csv --job job.yaml --format csv --qi age=intervals:4,town=suppress --sensitive ill
look_everywhere out

# ---- pages ----
serve
upload /projects file people.words
is "$status" 303
cat >projects/people/kanon.yaml <<END
input: people.words
words-key: door-that-nobody-sees
words-password: password-that-nobody-sees
qi: [age=intervals:4, town=suppress]
sensitive: [ill]
doubt: 1
doubt-key: place-that-nobody-sees
doubt-word: word-that-nobody-sees
doubt-number: 123454321
doubt-forgotten: forgotten-that-nobody-sees
END
mkdir pages
see() { # the pages of the project as they are
    local page
    for page in / /p/people /p/people/table /p/people/columns /p/people/hierarchies /p/people/promise \
        '/p/people/promise?part=estimates' /p/people/explore /p/people/release "$@"; do
        get "$page" >"pages/$(tr -c 'a-z0-9\n' _ <<<"$page").html"
    done
    look_everywhere pages serve.out serve.err
}
see
post /p/people/table action=read words-comment='#'
expect "# doubt-word: a secret that a job file may not contain; give it as a flag" "$(cat projects/people/kanon.yaml)"
wait_for people profile
see
post /p/people/promise o.doubt=1 o.doubt-word=new-that-nobody-sees do=estimate
see
wait_for people promise
see
post /p/people/release pick=best format=csv
is "$location" /p/people/release
wait_for people release
get /p/people/release >page
expect "The promise holds: it was recounted" "$(cat page)"
see /p/people/release/1/report.html /p/people/release/1/result.json /p/people/release/1/release.csv
# What the pages wrote has the path of a file, and not one word that is a secret.
expect "doubt-key: place-that-nobody-sees" "$(cat projects/people/release-1.yaml)"
look word-that-nobody projects/people/kanon.yaml projects/people/release-1.yaml
look forgotten-that projects/people/kanon.yaml projects/people/release-1.yaml
look content-that projects
# A file outside of the project is refused, and not named.
echo "doubt-key: /etc/that-nobody-sees" >>projects/people/kanon.yaml
sed -i '/^doubt-key: place/d' projects/people/kanon.yaml
post /p/people/promise o.doubt=1 do=estimate
see
look_everywhere headers body
stop
